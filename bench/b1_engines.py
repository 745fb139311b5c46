"""The contenders of B-1: each loads the same rules in its own language and answers the same calls.

Whatever an engine allows to be done before the first call (compiling, parsing, building the request
objects) is done before it, and is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import casbin  # type: ignore[import-untyped]
import cedarpy

from bench.b1_work import WORKSPACE, Says, WorkCall, WorkRule
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.policy.facts import NothingKnown
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

HOME = "/home/dev"


@dataclass(frozen=True, slots=True)
class Engine(Generic[Asked, Answer]):
    """A loaded engine: `ask` is what is timed, `read` turns its answers into Says afterwards."""

    asked: list[Asked]
    ask: Callable[[Asked], Answer]
    read: Callable[[Answer], Says]


Build = Callable[[Sequence[WorkRule], Sequence[WorkCall]], Engine[Any, Any]]


# ── floors ─────────────────────────────────────────────────────────────────────────────────────


def matches(rule: WorkRule, call: WorkCall) -> bool:
    """Whether a rule matches a call, said as plainly as possible."""
    if rule.kind == "glob":
        return call.tool.startswith(rule.tool[:-1])
    if rule.tool != call.tool:
        return False
    if rule.directory is not None:
        inside = call.path is not None and call.path.startswith(rule.directory + "/")
        return inside or call.path == rule.directory
    return rule.limit is None or (call.amount is not None and call.amount > rule.limit)


def linear(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[WorkCall, Says]:
    """The reference: look at the rules one after the other, strictest first."""

    def ask(call: WorkCall) -> Says:
        for rule in rules:
            if matches(rule, call):
                return rule.says
        return Says.NOTHING

    return Engine(list(calls), ask, lambda says: says)


def floor(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[WorkCall, Says]:
    """What cannot be avoided: a dictionary for names, a trie for prefixes, a trie for paths.

    It knows neither normal forms nor look-alikes, keeps no trace and names no rule.
    """
    exact: dict[str, list[tuple[Says, int | None]]] = {}
    letters: dict[str, Any] = {}
    paths: dict[str, dict[Any, Any]] = {}
    for rule in rules:
        if rule.kind == "glob":
            node = letters
            for letter in rule.tool[:-1]:
                node = node.setdefault(letter, {})
            node[""] = min(node.get("", Says.NOTHING), rule.says)
        elif rule.directory is not None:
            branch = paths.setdefault(rule.tool, {})
            for part in rule.directory.split("/"):
                branch = branch.setdefault(part, {})
            branch[None] = min(branch.get(None, Says.NOTHING), rule.says)
        else:
            exact.setdefault(rule.tool, []).append((rule.says, rule.limit))

    def ask(call: WorkCall) -> Says:
        best = Says.NOTHING
        for says, limit in exact.get(call.tool, ()):
            if says < best and (limit is None or call.arguments["amount"] > limit):
                best = says
        node: Any = letters
        for letter in call.tool:
            node = node.get(letter)
            if node is None:
                break
            here = node.get("")
            if here is not None and here < best:
                best = here
        node = paths.get(call.tool)
        if node is not None:
            for part in (call.path or "").split("/"):
                node = node.get(part)
                if node is None:
                    break
                here = node.get(None)
                if here is not None and here < best:
                    best = here
        return best

    return Engine(list(calls), ask, lambda says: says)


# ── sayso ──────────────────────────────────────────────────────────────────────────────────────


class KnownFiles(NothingKnown):
    """Facts of a machine without links: what is measured is policy, not the file system."""

    home: str | None = HOME
    windows = False

    def resolve(self, path: str) -> str | None:
        """The path itself: nothing is a link."""
        return path

    def ignores_case(self, path: str) -> bool | None:
        """Names are told apart by case."""
        del path
        return False

    def addresses(self, host: str) -> tuple[str, ...] | None:
        """No host is known."""
        del host
        return None

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """Every path is a file's: nothing lies below it."""
        del pattern, folder
        return ()


FACTS = KnownFiles()
_EFFECTS = {Says.DENY: Effect.DENY, Says.ASK: Effect.ASK, Says.ALLOW: Effect.ALLOW}
_SAYS = {effect: says for says, effect in _EFFECTS.items()}


def table_rule(rule: WorkRule) -> Rule:
    """The rule as a row of the rule table; the priorities put deny before ask before allow."""
    return Rule(
        id=f"r{rule.number:06}",
        effect=_EFFECTS[rule.says],
        origin=Origin.DATABASE,
        tool_pattern=rule.tool,
        path_pattern=None if rule.directory is None else f"{rule.directory}/*",
        when=None if rule.limit is None else f"input.amount > {rule.limit}",
        priority=int(rule.says),
    )


_KINDS = {"read_file": "read", "write_file": "write", "edit_file": "write", "delete_file": "delete"}


def list_rule(rule: WorkRule) -> Rule:
    """The rule as one of a permission list, in the words a settings file has for it."""
    path = None if rule.directory is None else f"{rule.directory}/**"
    return Rule(
        id=f"r{rule.number:06}",
        effect=_EFFECTS[rule.says],
        origin=Origin.GLOBAL,
        kind="tool" if path is None else _KINDS[rule.tool],
        tool_pattern=rule.tool if path is None else "*",
        path_pattern=path,
        when=None if rule.limit is None else f"input.amount > {rule.limit}",
    )


def tool_calls(calls: Iterable[WorkCall]) -> list[ToolCall]:
    """The calls as sayso knows them."""
    return [
        ToolCall(
            call_id=f"c{number:06}",
            tool=call.tool,
            arguments=call.arguments,
            session_id="s",
            agent_id="a",
            user_id="owner",
            workspace=WORKSPACE,
        )
        for number, call in enumerate(calls)
    ]


def compile_table(rules: Sequence[WorkRule]) -> RuleSet:
    """The rules as the rule table, compiled."""
    return compile_ruleset((), [table_rule(rule) for rule in rules], SHIPPED, facts=FACTS)


def read_outcome(outcome: PolicyOutcome) -> Says:
    """What an outcome says; an ask that no rule decided is silence."""
    return Says.NOTHING if outcome.rule is None else _SAYS[outcome.effect]


def sayso_table(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[Any, Any]:
    """`judge` with the rules as the rule table."""
    ruleset = compile_table(rules)
    return Engine(tool_calls(calls), lambda call: judge(call, ruleset, FACTS), read_outcome)


def sayso_lists(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[Any, Any]:
    """`judge` with the rules as permission lists, where all that match are weighed."""
    ruleset = compile_ruleset([list_rule(rule) for rule in rules], (), SHIPPED, facts=FACTS)
    return Engine(tool_calls(calls), lambda call: judge(call, ruleset, FACTS), read_outcome)


def sayso_decide(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[Any, Any]:
    """`decide`, the whole gate: the call's digest, policy, and what grants would change."""
    ruleset, context, now = compile_table(rules), Context(), Moment(0)
    return Engine(
        tool_calls(calls),
        lambda call: decide(call, ruleset, (), context, FACTS, now),
        lambda verdict: read_outcome(verdict.policy),
    )


# ── peers ──────────────────────────────────────────────────────────────────────────────────────


def cedar_policy(rule: WorkRule) -> str:
    """The rule in Cedar: names in the scope where they are exact, `ask` as a `forbid` of its own."""
    effect = "permit" if rule.says is Says.ALLOW else "forbid"
    if rule.kind == "glob":
        return f'{effect}(principal, action, resource) when {{ context.tool like "{rule.tool}" }};'
    scope = f'{effect}(principal, action == Action::"{rule.tool}", resource)'
    if rule.directory is not None:
        return f'{scope} when {{ context.path like "{rule.directory}/*" }};'
    if rule.limit is not None:
        return f"{scope} when {{ context.amount > {rule.limit} }};"
    return f"{scope};"


def cedar(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[Any, Any]:
    """cedarpy with a parsed PolicySet and parsed Entities; requests carry what the rules need."""
    policies = cedarpy.PolicySet.from_str("\n".join(map(cedar_policy, rules)))
    entities = cedarpy.Entities.from_json_str("[]")
    says = {f"policy{number}": rule.says for number, rule in enumerate(rules)}

    def request(call: WorkCall) -> dict[str, Any]:
        context: dict[str, Any] = {"tool": call.tool}
        if call.path is not None:
            context["path"] = call.path
        if call.amount is not None:
            context["amount"] = call.amount
        return {
            "principal": 'Agent::"a"',
            "action": f'Action::"{call.tool}"',
            "resource": 'Tool::"t"',
            "context": context,
        }

    def read(result: cedarpy.AuthzResult) -> Says:
        assert result.diagnostics.errors == [], result.diagnostics.errors
        return min((says[reason] for reason in result.diagnostics.reasons), default=Says.NOTHING)

    return Engine(
        list(map(request, calls)),
        lambda asked: cedarpy.is_authorized(asked, policies, entities),
        read,
    )


CASBIN_MODEL = """
[request_definition]
r = tool, path, amount

[policy_definition]
p = priority, tool, path, limit, eft, says

[policy_effect]
e = priority(p.eft) || deny

[matchers]
m = keyMatch(r.tool, p.tool) && keyMatch(r.path, p.path) && above(r.amount, p.limit)
"""


def above(amount: int, limit: str) -> bool:
    """The condition of a casbin rule; a rule without a limit holds."""
    return limit == "" or amount > int(limit)


def pycasbin(rules: Sequence[WorkRule], calls: Sequence[WorkCall]) -> Engine[Any, Any]:
    """casbin's Enforcer with keyMatch and the priority effect; `ask` is a `deny` that says so."""
    model = casbin.Enforcer.new_model(text=CASBIN_MODEL)
    enforcer = casbin.Enforcer(model)
    enforcer.add_function("above", above)
    enforcer.add_policies(
        [
            [
                str(number + 1),
                rule.tool,
                "*" if rule.directory is None else f"{rule.directory}/*",
                "" if rule.limit is None else str(rule.limit),
                "allow" if rule.says is Says.ALLOW else "deny",
                rule.says.name,
            ]
            for number, rule in enumerate(rules)
        ]
    )
    return Engine(
        [(call.tool, call.path or "", call.amount or 0) for call in calls],
        lambda asked: enforcer.enforce_ex(*asked),
        lambda answer: Says[answer[1][5]] if answer[1] else Says.NOTHING,
    )


ENGINES: dict[str, Build] = {
    "floor: dict and tries": floor,
    "sayso judge": sayso_table,
    "sayso judge, permission lists": sayso_lists,
    "sayso decide, with digest": sayso_decide,
    "linear scan": linear,
    "cedarpy PolicySet": cedar,
    "pycasbin Enforcer": pycasbin,
}
"""All contenders by the name they have in the tables."""
