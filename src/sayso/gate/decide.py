"""The one decision procedure. Pure: rules, grants, context, facts and the time are arguments.

Laws (tests/laws): deny_trumps_every_grant_and_mode · silence_is_ask · the_strictest_target_wins ·
an_error_in_a_rule_never_loosens · unreadable_shell_is_at_least_ask · same_inputs_same_verdict ·
a_grant_lifts_ask_and_nothing_else · a_grant_counts_only_if_its_giver_could_approve ·
a_grant_fits_one_digest · an_expired_grant_is_no_grant
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.core.call import ToolCall, digest_of
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate import steps
from sayso.gate.asked_call import AskedCall
from sayso.gate.context import Context
from sayso.gate.known_addresses import with_addresses_known
from sayso.gate.plan_mode import passes_in_plan_mode
from sayso.gate.verdict import Verdict
from sayso.policy.facts import Facts
from sayso.policy.ruleset import RuleSet, judge
from sayso.policy.spending import within_budget
from sayso.requests.grant import Grant

STEPS_OF_AN_ASK = (
    steps.vetoed,
    steps.approved,
    steps.rejected_lately,
    steps.lifted,
    steps.refused_unattended,
    steps.refused_by_mode,
    steps.by_opinion,
    steps.nobody_answers,
)
"""What can end an ask before a person is asked, in the order of gate.md, section 1: the first that speaks."""


def decide(
    call: ToolCall,
    rules: RuleSet,
    grants: Sequence[Grant],
    context: Context,
    facts: Facts,
    now: Moment,
) -> Verdict:
    """Decide one call, in the order of gate.md, section 1."""
    digest = digest_of(call)
    if context.stopped:
        return Verdict(Effect.DENY, Reason.CANCELLED, digest)
    if context.frozen is not None:
        return Verdict(Effect.DENY, Reason.FROZEN, digest, frozen=context.frozen)
    policy = judge(call, rules, facts, group=context.group)
    if rules.has_budgets:
        policy = within_budget(call, policy, context.spent)
    if policy.effect is Effect.DENY:
        return Verdict(Effect.DENY, policy.reason, digest, policy)
    planning = context.circumstances.mode is Mode.PLAN
    if planning and not passes_in_plan_mode(call, policy, rules, context, facts):
        return Verdict(Effect.DENY, Reason.MODE_PLAN, digest, policy)
    if policy.effect is Effect.ALLOW:
        return Verdict(Effect.ALLOW, policy.reason, digest, policy)
    ask = AskedCall(call, digest, policy, rules, grants, context, facts, now)
    verdict = _ended(ask)
    known = policy if verdict.effect is not Effect.ALLOW else with_addresses_known(ask)
    if known is policy:
        return verdict
    if known.effect is Effect.DENY:
        return Verdict(Effect.DENY, known.reason, digest, known)
    return _ended(replace(ask, policy=known))


def _ended(ask: AskedCall) -> Verdict:
    """What the first step that speaks says of an ask; a person is asked where none does."""
    for step in STEPS_OF_AN_ASK:
        verdict = step(ask)
        if verdict is not None:
            return verdict
    return steps.waits(ask)
