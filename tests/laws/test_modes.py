"""The laws of the gate in every mode and run context, and with every word of a hook or the reviewer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.effect import Effect
from sayso.core.mode import TIGHTENING, Mode
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.core.run_context import RunContext
from sayso.gate.circumstances import Circumstances
from sayso.gate.opinion import Opinion
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin
from sayso.policy.ruleset import judge
from sayso.requests.standing_grant import Remembered
from tests.fakes.values import at
from tests.fakes.world import rule
from tests.laws.gate_worlds import NOW, GateWorld, circumstanced_worlds, of_origin
from tests.laws.people_worlds import IDS, policies
from tests.laws.test_gate import generous
from tests.laws.test_grants import all_there_could_be
from tests.reference.gate import is_the_users_own, look_up

IMPLIED = frozenset(
    {
        Reason.MODE_BYPASS,
        Reason.READ_ONLY,
        Reason.AUTO_POLICY,
        Reason.MODE_ACCEPT_EDITS,
        Reason.RUN_CONTEXT,
        Reason.AUTO_SEVERITY,
        Reason.UNATTENDED_PERMITTED,
        Reason.HOOK_ALLOW,
        Reason.AUTO_ALLOW,
    }
)
"""What allows because the session's user could."""


def plainly(world: GateWorld) -> GateWorld:
    """The same world in the mode `default`, where nothing is implied and nobody has said anything."""
    context = replace(world.context, circumstances=Circumstances(), opinion=None)
    return replace(world, context=context)


def generously(world: GateWorld, mode: Mode) -> GateWorld:
    """The same world, in which everything that can lift an ask is there at once."""
    run = RunContext(auto_approve_severity=Severity.HIGH, permissions=("tool(*)",))
    everything = Circumstances(
        mode, run, ("/",), ("/",), True, ("shell(*)",), True, marked_read_only=True, hooks=True,
        reviewer=True,
    )  # fmt: skip
    opinion = Opinion(Reason.HOOK_ALLOW, world.decide().digest)
    remembered = all_there_could_be(world)
    return replace(
        world,
        context=replace(
            world.context, circumstances=everything, opinion=opinion, remembered=remembered
        ),
    )


@given(circumstanced_worlds())
def test_the_gate_equals_the_decision_table_in_every_mode(world: GateWorld) -> None:
    verdict = world.decide()
    expected = look_up(world.call, world.ruleset, world.grants, world.context, NOTHING_KNOWN, NOW)
    assert (verdict.effect, verdict.reason) == expected


@given(circumstanced_worlds(), st.sampled_from(["*", "{tool}"]), st.sampled_from(list(Mode)))
def test_deny_trumps_every_grant_and_mode(world: GateWorld, pattern: str, mode: Mode) -> None:
    deny = rule("deny", pattern.format(tool=world.call.tool))
    world = replace(world, rules=(*world.rules, deny))
    for there in (world, generously(world, mode)):
        verdict = there.decide(grants=(generous(there.decide().digest), *world.grants))
        assert verdict.effect is Effect.DENY
        assert verdict.reason in (Reason.RULE_DENY, Reason.CANCELLED)
        assert verdict.by == ()


@pytest.mark.spec("POL-31")
@given(circumstanced_worlds(), st.sampled_from(list(Mode)))
def test_a_grant_lifts_ask_and_nothing_else(world: GateWorld, mode: Mode) -> None:
    """No mode, run context or word loosens a deny, what must be asked, or what holds without rules."""
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    for there in (world, generously(world, mode)):
        verdict = there.decide()
        if verdict.effect is Effect.ALLOW and verdict.reason is not policy.reason:
            assert policy.effect is Effect.ASK
            assert policy.reason is not Reason.RULES_UNAVAILABLE
            if verdict.reason is not Reason.APPROVED:
                assert not policy.must_ask
                assert there.context.sticky is None
            assert not there.context.stopped
            assert there.call.attended or not verdict.by or verdict.reason in IMPLIED
        if policy.effect is Effect.ALLOW and not there.context.stopped:
            holds = there.context.circumstances.mode is Mode.PLAN
            assert verdict.reason is (Reason.MODE_PLAN if holds else policy.reason)


@given(circumstanced_worlds(), st.sampled_from(list(Mode)), st.none() | policies)
def test_a_grant_counts_only_if_its_giver_could_approve(
    world: GateWorld, mode: Mode, policy: ApprovalPolicy | None
) -> None:
    """What acts for the session's user counts only where it is theirs alone to decide."""
    routed = of_origin(rule("ask", world.call.tool, approval=policy), Origin.TOOL_POLICY)
    world = replace(world, rules=(*world.rules, routed))
    said = judge(world.call, world.ruleset, NOTHING_KNOWN)
    for there in (world, generously(world, mode)):
        verdict = there.decide()
        own = is_the_users_own(there.call, said, there.context.people, NOW)
        if verdict.reason in IMPLIED:
            assert own
        assert own or verdict.reason not in (Reason.HOOK_DENY, Reason.AUTO_DENY)
    nobody = replace(world, context=replace(world.context, people=Directory()))
    assert generously(nobody, mode).decide().reason not in IMPLIED


@given(circumstanced_worlds(), st.integers(0, 10**9))
def test_an_expired_grant_is_no_grant(world: GateWorld, ago: int) -> None:
    """An approval that has ended, and a word that was given for another call, are none in any mode."""
    until = Moment(at(0) - ago)
    ended = tuple(
        replace(grant, until=until) for grant in (*world.grants, generous(world.decide().digest))
    )
    assert world.decide(ended) == world.decide(())
    for reason in (Reason.HOOK_ALLOW, Reason.AUTO_ALLOW, Reason.HOOK_DENY, Reason.AUTO_DENY):
        elsewhere = replace(world.context, opinion=Opinion(reason, "0" * 64))
        unheard = replace(world.context, opinion=None)
        assert (
            replace(world, context=elsewhere).decide() == replace(world, context=unheard).decide()
        )


@given(circumstanced_worlds(), st.sampled_from(sorted(TIGHTENING)))
def test_a_mode_that_an_agent_may_choose_only_tightens(world: GateWorld, mode: Mode) -> None:
    """Whatever asks or is refused in the mode `default` is not allowed because of it (decision 9)."""
    before = plainly(world)
    context = replace(before.context, circumstances=Circumstances(mode=mode))
    after = replace(before, context=context).decide()
    assert after.effect >= before.decide().effect


@given(circumstanced_worlds())
def test_a_flood_refuses_only_what_would_wait(world: GateWorld) -> None:
    calm = replace(world, context=replace(world.context, flooded=False)).decide()
    flooded = replace(world, context=replace(world.context, flooded=True)).decide()
    stale = (Reason.NEEDS_FRESH_APPROVAL, Reason.RULES_UNAVAILABLE)
    if calm.effect is Effect.ASK and calm.reason not in stale:
        assert (flooded.effect, flooded.reason) == (Effect.DENY, Reason.FLOOD)
    elif calm.effect is not Effect.ASK:
        assert flooded == calm


@given(circumstanced_worlds(), st.sampled_from(list(Mode)))
def test_an_approved_call_does_not_run_in_plan_mode(world: GateWorld, mode: Mode) -> None:
    """An approval of the very call lifts every ask, in every mode but the one that holds back an allow too."""
    people = Directory({name: Person(name, name, admin=True) for name in IDS})
    there = replace(world.context.circumstances, mode=mode)
    context = replace(
        world.context, people=people, circumstances=there, stopped=False, remembered=Remembered()
    )
    asks = of_origin(rule("ask", world.call.tool), Origin.TOOL_POLICY)
    world = replace(world, rules=(asks,), unavailable=None, context=context)
    verdict = world.decide(grants=(generous(world.decide().digest),))
    holds = mode is Mode.PLAN
    assert verdict.reason is (Reason.MODE_PLAN if holds else Reason.APPROVED)
