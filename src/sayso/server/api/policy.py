"""Working on a policy: trying a rule, checking all of them, explaining a verdict (POL-70, POL-71, POL-74)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
from litestar import post
from litestar.params import JSONBody

from sayso.broker.rule_source import given_rules
from sayso.broker.session_rules import flag_rules
from sayso.channels.display import show, shown_json
from sayso.config.faults import faults_of
from sayso.config.settings import parse_settings
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, SettingsInvalid
from sayso.gate.explain import explain
from sayso.gate.made_up import MadeUpCall, decide_made_up
from sayso.policy.lint import invalid_settings, lint
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, with_lists
from sayso.policy.samples import WORKSPACE, SampleKind
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.tester import try_rule
from sayso.policy.text_rule import parse_text_rule
from sayso.server.auth import Who
from sayso.server.bodies import PolicyCheckBody, PolicyExplainBody, RuleTestBody, TriedRuleBody
from sayso.server.injected import Asked, TheBroker
from sayso.server.policy_documents import PolicyCheckShown, RuleTestShown, VerdictShown
from sayso.server.routes import route

SETTINGS = Path("settings.toml")
"""What the text of a settings file is called in findings."""


@post(
    "/approval/rules/test",
    status_code=200,
    operation_id="testRule",
    tags=["rules"],
    **route(Who.PERSON, body=True),
)
async def test_rule(
    request: Asked, data: JSONBody[RuleTestBody], broker: TheBroker
) -> RuleTestShown:
    """Try a rule on a sample; nothing is saved."""
    known = (await broker.world.rules.current()).descriptors
    found = try_rule(
        _tried(data.rule),
        data.sample,
        known,
        broker.world.facts,
        kind=None if data.kind is None else SampleKind(data.kind),
        workspace=data.workspace or WORKSPACE,
    )
    return msgspec.convert(found.to_json(), RuleTestShown)


@post(
    "/policy/check",
    status_code=200,
    operation_id="checkPolicy",
    tags=["rules"],
    **route(Who.PERSON, body=True),
)
async def check_policy(
    request: Asked, data: JSONBody[PolicyCheckBody], broker: TheBroker
) -> PolicyCheckShown:
    """Say what is odd about the rules in force, or about a settings file that may not be saved yet."""
    facts = broker.world.facts
    rules = await broker.world.rules.current(data.workspace)
    problems = broker.world.rules.problems()
    broken = [invalid_settings(problem) for problem in problems]
    if data.settings is not None:
        content = data.settings.encode()
        try:
            settings = parse_settings(SETTINGS, content)
        except SettingsInvalid:
            faults = await asyncio.to_thread(faults_of, SETTINGS, content)
            invalid = [invalid_settings(fault).to_json() for fault in faults]
            return msgspec.convert({"rules": 0, "findings": invalid}, PolicyCheckShown)
        broken = []
        built_in = [rule for rule in rules.rules if rule.origin is Origin.BUILT_IN]
        known = SHIPPED.adding(settings.descriptors)
        rules = compile_ruleset((*built_in, *settings.rules), (), known, facts=facts)
    # Each rule is compared with others: with many of them that takes a while.
    odd = await asyncio.to_thread(lint, rules.rules, rules.descriptors, facts)
    written = sum(rule.origin is not Origin.BUILT_IN for rule in rules.rules)
    found = {"rules": written, "findings": [finding.to_json() for finding in (*broken, *odd)]}
    return msgspec.convert(found, PolicyCheckShown)


@post(
    "/policy/explain",
    status_code=200,
    operation_id="explainPolicy",
    tags=["rules"],
    **route(Who.PERSON, body=True),
)
async def explain_policy(
    request: Asked, data: JSONBody[PolicyExplainBody], broker: TheBroker
) -> VerdictShown:
    """Say what policy says of a made-up call, and why; nothing is asked, run or recorded."""
    world = broker.world
    rules = await broker.world.rules.current(data.workspace)
    extra = given_rules(flag_rules(allow=data.allow, ask=data.ask, deny=data.deny))
    if extra:
        rules = with_lists(rules, extra, world.facts)
    made_up = MadeUpCall(
        data.tool,
        data.arguments,
        server=data.server,
        workspace=data.workspace,
        agent_id=data.agent_id,
        user_id=data.user_id or request.user.person.person_id,
        source=data.source,
        group=data.group_id,
    )
    verdict = decide_made_up(made_up, rules, world.facts, world.clock.now())
    found = {**verdict.to_json(), "explain": shown_json(show(explain(verdict)))}
    return msgspec.convert(found, VerdictShown)


def _tried(data: TriedRuleBody) -> Rule:
    """The rule a body means; raises RuleSyntaxError, and RuleRefused for both forms at once."""
    effect = Effect.parse(data.effect)
    patterns = (data.tool_pattern, data.path_pattern, data.pattern)
    if data.text is None:
        if not any(patterns):
            raise RuleRefused("the rule names nothing that it matches", "give `text` or patterns")
        return Rule(
            "tried",
            effect,
            Origin.DATABASE,
            tool_pattern=data.tool_pattern or "*",
            path_pattern=data.path_pattern,
            pattern=data.pattern,
            when=data.when,
            unless=data.unless,
        )
    if any(patterns):
        raise RuleRefused("`text` cannot stand beside patterns", "give one of them")
    rule = parse_text_rule(effect, data.text, Origin.GLOBAL, rule_id="tried")
    return replace(rule, when=data.when, unless=data.unless)
