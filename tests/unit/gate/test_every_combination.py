"""Every combination of what can matter to a verdict, held against the table of tests/reference/gate.py.

Policy outcome × must_ask × routing × mode × grant, veto, bypass, run context, severity × attended or not ×
approver present or not; then the same with opinions, and with approvals of the very call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest

from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.asking import Unreachable
from sayso.core.call import ToolCall, digest_of
from sayso.core.deciders import Approver
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.reason import Reason
from sayso.core.run_context import RunContext, Unattended
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.opinion import Opinion
from sayso.gate.opinions import voices
from sayso.gate.parts import offered_keys, parts_of
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.requests.approval import Resolution
from sayso.requests.grant import Grant, StickyRejection
from sayso.requests.standing_grant import Bypass, BypassScope, Extent, KeyGrant, Remembered
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call, at
from tests.reference.gate import look_up

NOW = at(0)
FACTS = FakeFacts(files=("/w", "/w/a.txt"))
PEOPLE = Directory(
    {
        "uma": Person("uma", "uma"),
        "anna": Person("anna", "anna", admin=True),
        "olga": Person("olga", "olga", operator=True),
    }
)


def call(tool: str, **arguments: Any) -> ToolCall:
    return a_call(tool=tool, arguments=arguments, workspace="/w", user_id="uma")


CALLS = {
    "a file": call("write_file", path="/w/a.txt"),
    "a line": call("Bash", command="ls"),
    "a name": call("send_mail", to="anna"),
    "in doubt": call("write_file", path="/w/a\u202e.txt"),
}

ROUTING = {
    "anybody": ApprovalPolicy(severity=Severity.LOW),
    "the user": ApprovalPolicy(severity=Severity.MEDIUM, approver=Approver.END_USER),
    "an admin": ApprovalPolicy(severity=Severity.LOW, approver=Approver.ADMIN),
    "a list": ApprovalPolicy(severity=Severity.LOW, approvers=("uma",), self_approval=True),
    "two people": ApprovalPolicy(severity=Severity.LOW, quorum=2),
    "or nobody": ApprovalPolicy(severity=Severity.LOW, unreachable=Unreachable.REFUSE),
}


def rules_of(
    effect: str,
    approval: ApprovalPolicy | None = None,
    *,
    must_ask: bool = False,
    seeded: bool = False,
    origin: Origin = Origin.DATABASE,
    unavailable: str | None = None,
) -> RuleSet:
    kind = None if origin is Origin.DATABASE else "tool"
    row = Rule(
        "r",
        Effect.parse(effect),
        origin,
        kind=kind,
        approval=approval,
        must_ask=must_ask,
        seeded=seeded,
    )
    lists, table = ([], [row]) if origin is Origin.DATABASE else ([row], [])
    return compile_ruleset(lists, table, SHIPPED, facts=FACTS, unavailable=unavailable)


POLICIES = {
    "deny": rules_of("deny"),
    "allow": rules_of("allow"),
    "no rule": compile_ruleset([], [], SHIPPED, facts=FACTS),
    "seeded row": rules_of("ask", seeded=True),
    "no rules": rules_of("ask", unavailable="broken"),
    **{f"row, {name}": rules_of("ask", approval) for name, approval in ROUTING.items()},
    **{
        f"must ask, {name}": rules_of("ask", ROUTING[name], must_ask=True)
        for name in ("anybody", "an admin")
    },
    "tool's policy": rules_of("ask", ROUTING["anybody"], origin=Origin.TOOL_POLICY),
}
ASKING = {name: rules for name, rules in POLICIES.items() if name not in ("deny", "allow")}


def remembered(one: ToolCall, what: str, giver: str) -> Remembered:
    """That grant, veto or bypass for the call."""
    rules = POLICIES["no rule"]
    keys = offered_keys(parts_of(one, judge(one, rules, FACTS), SHIPPED, FACTS))
    session = None if what == "saved" else one.session_id
    veto = what == "veto"
    grants = [
        KeyGrant(f"g{n}", key, "uma", session, giver, giver, at(-60), veto=veto)
        for n, key in enumerate(keys)
    ]
    everywhere = BypassScope(Extent.ALL)
    bypass = Bypass("b", everywhere, "uma", one.session_id, "h1", giver, giver, at(-60))
    if what == "bypass":
        return Remembered((), (bypass,), "h1")
    return Remembered(tuple(grants), (), "h1")


@dataclass(frozen=True)
class Lift:
    """Something beside rules that could change what an ask comes to."""

    name: str
    kept: tuple[str, str] | None = None
    context: dict[str, Any] | None = None
    run: dict[str, Any] | None = None


LIFTS = (
    Lift("nothing"),
    Lift("session grant", ("session", "uma")),
    Lift("saved grant", ("saved", "uma")),
    Lift("an admin's grant", ("saved", "anna")),
    Lift("a stranger's grant", ("session", "nobody")),
    Lift("veto", ("veto", "uma")),
    Lift("bypass", ("bypass", "uma")),
    Lift("run context", context={"readable": ("/w",), "writable": ("/w",)}),
    Lift("readable", context={"readable": ("/w",), "read_only_defaults": True}),
    Lift("severity", run={"auto_approve_severity": Severity.LOW}),
    Lift("severity of all", run={"auto_approve_severity": Severity.HIGH}),
    Lift("auto policy", context={"auto_approve_commands": ("shell(ls)", "(", "tool(*)")}),
    Lift(
        "everything", ("session", "uma"),
        {"readable": ("/w",), "writable": ("/w",), "read_only_defaults": True,
         "auto_approve_commands": ("shell(ls)",), "sandboxed": True},
        {"auto_approve_severity": Severity.HIGH},
    ),
)  # fmt: skip

RUNS: tuple[tuple[bool, dict[str, Any]], ...] = (
    (True, {}),
    (False, {}),
    (False, {"unattended": Unattended.REFUSE}),
    (False, {"permissions": ()}),
    (False, {"permissions": ("tool(send_mail)", "tool(write_file)", "tool(Bash)", "(")}),
    (False, {"permissions": ("tool(send_mail)",), "unattended": Unattended.ASK_INBOX}),
)
"""Whether somebody attends, and what the run context says of a run that nobody does."""


def contexts(
    one: ToolCall,
    mode: Mode,
    lifts: Sequence[Lift],
    present: Sequence[dict[str, Any]],
    runs: Sequence[tuple[bool, dict[str, Any]]] = RUNS,
) -> Iterator[tuple[str, ToolCall, Context]]:
    """Each way in which a call of that mode can stand; who is there matters most where nothing lifts it."""
    for lift in lifts:
        kept = Remembered() if lift.kept is None else remembered(one, *lift.kept)
        there = {"mode": mode, **(lift.context or {})}
        ways = present if lift.name == "nothing" else present[:2]
        for (attended, run), more in product(runs, ways):
            run_context = RunContext(**{**(lift.run or {}), **run})
            circumstances = Circumstances(run_context=run_context, **there)
            yield (
                f"{lift.name}, {run}, {more}",
                replace(one, attended=attended),
                Context(people=PEOPLE, remembered=kept, circumstances=circumstances, **more),
            )


def compare(
    name: str, one: ToolCall, rules: RuleSet, context: Context, grants: tuple[Grant, ...] = ()
) -> tuple[Effect, Reason]:
    """Hold `decide` against the table."""
    verdict = decide(one, rules, grants, context, FACTS, NOW)
    found = verdict.effect, verdict.reason
    expected = look_up(one, rules, grants, context, FACTS, NOW)
    assert found == expected, f"{name}: {found}, and the table says {expected}"
    return found


PRESENT: tuple[dict[str, Any], ...] = (
    {},
    {"can_ask": False},
    {"nobody_reachable": True, "flooded": True},
    {"sticky": StickyRejection("r9", Resolution(Reason.REJECTED, at(-60), "Anna"))},
)


@pytest.mark.parametrize("mode", list(Mode))
def test_every_combination_is_what_the_table_says(mode: Mode) -> None:
    reasons = set()
    for name, one in CALLS.items():
        lifts = LIFTS if name in ("a file", "a line") else LIFTS[-6:]
        for lift, there, context in contexts(one, mode, lifts, PRESENT):
            for said, rules in POLICIES.items():
                _, reason = compare(f"{name}, {said}, {lift}, {mode}", there, rules, context)
                reasons.add(reason)
    assert {Reason.RULE_DENY, Reason.RULE_ALLOW} <= reasons
    assert {Reason.UNATTENDED_REFUSED, Reason.UNATTENDED_PERMITTED} <= reasons
    assert (Reason.STICKY_DENY in reasons) == (mode is not Mode.PLAN)  # there little asks at all
    assert (Reason.NO_APPROVER in reasons) == (mode is not Mode.DONT_ASK)
    assert (Reason.FLOOD in reasons) == (mode not in (Mode.PLAN, Mode.DONT_ASK))
    assert (Reason.MODE_DONT_ASK in reasons) == (mode is Mode.DONT_ASK)
    assert (Reason.MODE_PLAN in reasons) == (mode is Mode.PLAN)
    assert (Reason.MODE_BYPASS in reasons) == (mode is Mode.BYPASS)
    assert (Reason.MODE_ACCEPT_EDITS in reasons) == (mode is Mode.ACCEPT_EDITS)


WORDS = (
    Reason.HOOK_ALLOW,
    Reason.HOOK_DENY,
    Reason.AUTO_ALLOW,
    Reason.AUTO_DENY,
    Reason.AUTO_ERROR,
)
NOTHING, GRANT, VETO = (lift for lift in LIFTS if lift.name in ("nothing", "saved grant", "veto"))


@pytest.mark.parametrize("mode", list(Mode))
def test_every_word_of_a_hook_or_the_reviewer_is_weighed_as_the_table_says(mode: Mode) -> None:
    for name in ("a name", "in doubt"):
        ways = contexts(CALLS[name], mode, (NOTHING, GRANT), PRESENT[:2], (RUNS[0], RUNS[1]))
        for lift, there, context in ways:
            for (said, rules), able in product(
                ASKING.items(), ((), ("hooks",), ("hooks", "reviewer"))
            ):
                implied = replace(context.circumstances, **dict.fromkeys(able, True))
                _heard(
                    f"{name}, {said}, {lift}", there, rules, replace(context, circumstances=implied)
                )


def _heard(what: str, one: ToolCall, rules: RuleSet, context: Context) -> None:
    """Each word, as the table has it: who is not to be asked does not count, and who is does."""
    before = decide(one, rules, (), context, FACTS, NOW)
    asked = {voice.value for voice in voices(one, before, context, NOW)}
    for reason in WORDS:
        opinion = Opinion(reason, before.digest, "because")
        found = compare(f"{what}, {reason}", one, rules, replace(context, opinion=opinion))
        counts = ("hooks" if reason.value.startswith("hook") else "reviewer") in asked
        if not counts:
            assert found == (before.effect, before.reason)
        elif reason is not Reason.AUTO_ERROR:
            assert found[1] is reason
    other = replace(context, opinion=Opinion(Reason.HOOK_ALLOW, "0" * 64))
    assert decide(one, rules, (), other, FACTS, NOW) == before


@pytest.mark.parametrize("mode", list(Mode))
def test_every_approval_of_the_very_call_is_weighed_as_the_table_says(mode: Mode) -> None:
    for name in ("a file", "in doubt"):
        digest = digest_of(CALLS[name])
        approvals = (
            Grant("r1", digest, ("uma",), at(60)),
            Grant("r2", digest, ("anna", "uma"), at(60)),
            Grant("r3", digest, ("nobody",), at(60)),
            Grant("r4", digest, ("uma", "anna"), at(0)),
        )
        ways = contexts(CALLS[name], mode, (NOTHING, VETO), PRESENT[::3], RUNS[:3])
        for lift, there, context in ways:
            for (said, rules), grant in product(POLICIES.items(), approvals):
                compare(f"{name}, {said}, {lift}, {grant}", there, rules, context, (grant,))


@pytest.mark.parametrize("mode", list(Mode))
def test_nothing_goes_on_where_it_was_stopped(mode: Mode) -> None:
    for name, one in CALLS.items():
        grant = Grant("r2", digest_of(one), ("anna", "uma"), at(60))
        for lift, there, context in contexts(one, mode, LIFTS[-1:], PRESENT[:1]):
            for rules in POLICIES.values():
                stopped = replace(context, stopped=True)
                found = compare(f"{name}, {lift}", there, rules, stopped, (grant,))
                assert found == (Effect.DENY, Reason.CANCELLED)
