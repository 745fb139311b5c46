"""Promises of the one decision procedure, under the names of docs/spec/architecture.md."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.people.person import Person
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.ruleset import judge
from sayso.requests.grant import Grant
from sayso.requests.standing_grant import Remembered
from tests.fakes.values import a_call, at
from tests.fakes.world import rule
from tests.laws.gate_worlds import IDS, NOW, GateWorld, gate_worlds
from tests.reference.gate import enough, look_up
from tests.reference.people import how_many_needed, in_own_right


def generous(digest: str) -> Grant:
    """A grant for that call from everybody there is."""
    return Grant("r0", digest, IDS, at(600))


@given(gate_worlds())
def test_the_gate_equals_the_decision_table(world: GateWorld) -> None:
    verdict = world.decide()
    expected = look_up(world.call, world.ruleset, world.grants, world.context, NOTHING_KNOWN, NOW)
    assert (verdict.effect, verdict.reason) == expected


@given(gate_worlds(), st.sampled_from(["*", "{tool}"]))
def test_deny_trumps_every_grant_and_mode(world: GateWorld, pattern: str) -> None:
    """Modes are a later milestone's; whatever lifts an ask comes in as a grant or in the context."""
    deny = rule("deny", pattern.format(tool=world.call.tool))
    world = replace(world, rules=(*world.rules, deny))
    digest = world.decide().digest
    verdict = world.decide(grants=(generous(digest), *world.grants))
    assert verdict.effect is Effect.DENY
    assert verdict.grant_request_id is None
    if world.context.stopped:
        assert verdict.reason is Reason.CANCELLED
    else:
        assert verdict.reason is Reason.RULE_DENY
        assert verdict.policy is not None
        assert verdict.policy.rule is not None
        assert verdict.policy.rule.effect is Effect.DENY


@given(gate_worlds())
def test_a_grant_lifts_ask_and_nothing_else(world: GateWorld) -> None:
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    world = replace(world, context=replace(world.context, remembered=Remembered()))
    without = world.decide(grants=())
    for grants in (world.grants, (generous(without.digest),), (generous("0" * 64),)):
        verdict = world.decide(grants=grants)
        if verdict.reason is Reason.APPROVED:
            assert policy.effect is Effect.ASK
            assert policy.reason is not Reason.RULES_UNAVAILABLE
            assert not world.context.stopped
            assert verdict.grant_request_id in {grant.request_id for grant in grants}
        elif policy.effect is not Effect.ASK or world.context.stopped:
            assert verdict == without
        else:
            assert verdict.effect is not Effect.ALLOW
            assert verdict.reason in (
                without.reason, Reason.NEEDS_FRESH_APPROVAL, Reason.RULES_UNAVAILABLE,
            )  # fmt: skip
            assert verdict.grant_request_id is None


@given(gate_worlds())
def test_nothing_is_lifted_while_rules_cannot_be_loaded(world: GateWorld) -> None:
    world = replace(world, unavailable="broken")
    verdict = world.decide(grants=(generous(world.decide().digest),))
    assert verdict.effect is not Effect.ALLOW


@settings(max_examples=400)
@given(gate_worlds())
def test_a_grant_counts_only_if_its_giver_could_approve(world: GateWorld) -> None:
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    assume(policy.effect is Effect.ASK and policy.reason is not Reason.RULES_UNAVAILABLE)
    world = replace(world, context=replace(world.context, stopped=False, remembered=Remembered()))
    verdict = world.decide()
    mine = [g for g in world.grants if g.fits(verdict.digest, NOW)]
    sufficient = [g for g in mine if enough(g, world.call, policy, world.context.people, NOW)]
    assert (verdict.reason is Reason.APPROVED) == bool(sufficient)
    if sufficient:
        assert verdict.grant_request_id in {grant.request_id for grant in sufficient}
    elif mine:
        assert (verdict.effect, verdict.reason) == (Effect.ASK, Reason.NEEDS_FRESH_APPROVAL)

    # one person too few is not enough, however often those who gave it are named
    asked, people = Asked(world.call.owner, policy.approval), world.context.people
    able = [name for name in people.people if in_own_right(name, asked, people)]
    need = how_many_needed(asked, people)
    few = able[: need - 1]
    lacking = Grant("r7", verdict.digest, tuple(few * 4), at(600))
    assert world.decide((lacking,)).reason is Reason.NEEDS_FRESH_APPROVAL
    if len(able) >= need:
        enough_people = replace(lacking, givers=tuple(able[:need]))
        assert world.decide((enough_people,)).reason is Reason.APPROVED


@given(st.integers(1, 4), st.lists(st.sampled_from(IDS), max_size=6))
def test_a_grant_takes_as_many_people_as_the_quorum(quorum: int, givers: list[str]) -> None:
    people = Directory({name: Person(name, name, admin=True) for name in IDS})
    world = GateWorld(
        a_call(user_id="uma"),
        (rule("ask", approval=ApprovalPolicy(quorum=quorum)),),
        None,
        (),
        Context(people=people),
    )
    grant = Grant("r1", world.decide().digest, tuple(givers), at(600))
    verdict = world.decide((grant,))
    if len(set(givers)) >= quorum:
        assert (verdict.effect, verdict.reason) == (Effect.ALLOW, Reason.APPROVED)
    else:
        assert (verdict.effect, verdict.reason) == (Effect.ASK, Reason.NEEDS_FRESH_APPROVAL)


CHANGES: list[dict[str, Any]] = [
    {"arguments": {"to": 7}},
    {"tool": "wipe_disk"},
    {"server": "mail"},
    {"session_id": "s9"},
    {"agent_id": "another"},
    {"user_id": "anna"},
    {"workspace": "/elsewhere"},
    {"detail": "please"},
]


@given(gate_worlds(), st.sampled_from(CHANGES))
def test_a_grant_fits_one_digest(world: GateWorld, change: dict[str, Any]) -> None:
    other = replace(world.call, **change)
    grants = (generous(world.decide().digest), generous("0" * 64))
    assert world.decide(grants, call=other) == world.decide((), call=other)
    # what is only shown, or only names the call, is no other call
    same = replace(world.call, call_id="c2", external_id="e2", diff="+ a")
    assert world.decide(grants, call=same).reason is world.decide(grants).reason


@given(gate_worlds(), st.integers(0, 10**9))
def test_an_expired_grant_is_no_grant(world: GateWorld, later: int) -> None:
    world = replace(world, context=replace(world.context, remembered=Remembered()))
    digest = world.decide().digest
    ended = [replace(g, until=min(g.until, NOW)) for g in (*world.grants, generous(digest))]
    assert world.decide(tuple(ended)) == world.decide(())
    until = at(0.000001)
    lasting = tuple(replace(grant, until=until) for grant in ended)
    assert world.decide(lasting, now=until) == world.decide((), now=until)
    at_the_end = world.decide(lasting, now=type(until)(until + later))
    assert at_the_end == world.decide((), now=until)
    if judge(world.call, world.ruleset, NOTHING_KNOWN).effect is Effect.ASK:
        fitting = world.decide(lasting).reason
        assert world.context.stopped or fitting in (
            Reason.APPROVED, Reason.NEEDS_FRESH_APPROVAL, Reason.RULES_UNAVAILABLE,
        )  # fmt: skip


@given(gate_worlds(), st.integers(0, 2**32))
def test_same_inputs_same_verdict(world: GateWorld, seed: int) -> None:
    first = world.decide()
    assert world.decide() == first
    shuffled = list(world.grants)
    random.Random(seed).shuffle(shuffled)
    twice = world.decide((*shuffled, *shuffled))
    assert (twice.effect, twice.reason, twice.digest) == (first.effect, first.reason, first.digest)
    nobodys = Grant("r8", first.digest, (), at(600))
    one_way = world.decide((nobodys, *world.grants, generous(first.digest)))
    other_way = world.decide((generous(first.digest), *world.grants, nobodys))
    assert (one_way.effect, one_way.reason) == (other_way.effect, other_way.reason)


@given(gate_worlds(), gate_worlds())
def test_nothing_is_remembered_from_one_decision_to_the_next(
    world: GateWorld, between: GateWorld
) -> None:
    ruleset = world.ruleset

    def once(other: GateWorld) -> Any:
        return decide(other.call, ruleset, other.grants, other.context, NOTHING_KNOWN, NOW)

    first = once(world)
    once(between)
    assert once(world) == first
