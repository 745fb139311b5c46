"""Promises about who counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.call import Owner, ToolCall, digest_of
from sayso.core.deciders import Approver
from sayso.errors import NotEligible
from sayso.people.counting import counted, needed, out_of_reach
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, counts_as, eligible_people, may_review
from sayso.people.person import Person
from sayso.people.stand_in import StandIn
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from tests.fakes.values import at
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import draft, make_scene, rule
from tests.laws.gate_worlds import calls
from tests.laws.people_worlds import IDS, directories, frozen, names, own_words, policies, users
from tests.reference.people import (
    as_whom,
    how_many,
    how_many_needed,
    in_own_right,
    is_somebody,
)

kinds = st.sampled_from(list(CredentialKind))
DECIDES = [kind for kind in CredentialKind if kind is not CredentialKind.AGENT]

questions = st.builds(
    Asked,
    st.builds(Owner, users, st.sampled_from(["coder", "writer"]), st.just("s1")),
    policies,
    frozen,
)


ADMINS_ONLY = Asked(Owner("uma", "coder", "s1"), ApprovalPolicy(approver=Approver.ADMIN))
TWO_FOR_ANNA = Directory(
    {name: Person(name, name, admin=name == "anna") for name in IDS},
    stand_ins=tuple(StandIn("anna", name, at(-60), at(60)) for name in ("nils", "olga")),
)
"""Only Anna may decide, and two stand in for her."""


@pytest.mark.spec("REQ-10", "REQ-11")
@settings(max_examples=400)
@given(names, kinds, questions, directories)
def test_who_may_decide_equals_the_reference(
    name: str, kind: CredentialKind, asked: Asked, directory: Directory
) -> None:
    assert set(counts_as(name, asked, directory, at(0))) == as_whom(name, asked, directory, at(0))
    may = may_review(name, kind, asked, directory, at(0)) is None
    decides = kind is not CredentialKind.AGENT
    assert may == (decides and bool(as_whom(name, asked, directory, at(0))))


@pytest.mark.spec("REQ-12")
@settings(max_examples=400)
@given(st.lists(names), questions, directories)
@example(["nils", "olga"], ADMINS_ONLY, TWO_FOR_ANNA)
def test_distinct_people_count_once(givers: list[str], asked: Asked, directory: Directory) -> None:
    """However often, under however many identities, in their own right and for others."""
    votes = counted(givers, asked, directory, at(0))
    assert len(votes) == len(set(votes.values()))
    assert len(votes) == how_many(givers, asked, directory, at(0))
    assert votes == counted(reversed(givers), asked, directory, at(0))
    assert needed(asked, directory) == how_many_needed(asked, directory)


@pytest.mark.spec("REQ-12")
@settings(max_examples=400)
@given(names, questions, directories, directories)
def test_eligible_is_then_and_now(name: str, asked: Asked, then: Directory, now: Directory) -> None:
    """Whoever counts, counts as somebody who could decide when it was asked and still could today."""
    frozen_then = replace(asked, eligible=eligible_people(replace(asked, eligible=None), then))
    for person in counts_as(name, frozen_then, now, at(0)):
        assert in_own_right(person, replace(asked, eligible=None), then)
        assert in_own_right(person, replace(asked, eligible=None), now)
    for person in eligible_people(frozen_then, now):
        assert person in (frozen_then.eligible or ())


@pytest.mark.spec("REQ-66")
@settings(max_examples=400)
@given(questions, directories)
def test_a_requester_never_approves_himself(asked: Asked, directory: Directory) -> None:
    """Under none of their identities, and not as somebody's stand-in."""
    asked = replace(asked, policy=replace(asked.policy, self_approval=False))
    word = asked.policy.deciders
    known = [p for p in directory.people.values() if p.counts and p.is_called(asked.owner.user_id)]
    user = next(iter(known), None)
    if user is None or all(
        one.approver in (Approver.ANY, Approver.END_USER)
        and one.role is None
        and one.approvers is None
        for one in word
    ):
        return
    for kind in DECIDES:
        assert may_review(user.person_id, kind, asked, directory, at(0)) is not None
    assert user.person_id not in counted(directory.people, asked, directory, at(0))


@pytest.mark.spec("REQ-12")
@given(questions, directories)
def test_a_quorum_is_out_of_reach_exactly_where_all_together_are_too_few(
    asked: Asked, directory: Directory
) -> None:
    everybody = [p for p in directory.people if in_own_right(p, asked, directory)]
    roles = [one.role for one in asked.policy.deciders if one.role is not None]
    gone = any(
        role not in directory.roles
        or not directory.roles[role].enabled
        or not any(is_somebody(m, directory) for m in directory.roles[role].members)
        for role in roles
    )
    too_few = len(everybody) < how_many_needed(asked, directory)
    assert (out_of_reach(asked, directory) is not None) == (gone or too_few)


@pytest.mark.spec("POL-24")
@settings(max_examples=400)
@given(st.lists(own_words, min_size=1, max_size=3), users, directories)
def test_who_decides_for_several_rules_may_for_each(
    several: list[ApprovalPolicy], user: str, directory: Directory
) -> None:
    """Eligible people are intersected, and the highest quorum counts, in whatever order the rules come."""
    owner = Owner(user, "coder", "s1")
    merged = Asked(owner, merge(several))
    able = set(eligible_people(merged, directory))
    backwards = merge(reversed(several))
    assert set(eligible_people(Asked(owner, backwards), directory)) == able
    need = needed(merged, directory)
    assert needed(Asked(owner, backwards), directory) == need
    telling = [p for p in several if not p.deciders[0].says_nothing] or several
    for policy in telling:
        assert able <= set(eligible_people(Asked(owner, policy), directory))
    for policy in several:
        # whom all of them together keep from approving their own call is missing from each
        alone = replace(policy, self_approval=merged.policy.self_approval)
        assert need >= needed(Asked(owner, alone), directory)
        if policy.deciders[0].quorum != "all":
            assert need >= needed(Asked(owner, policy), directory)


@pytest.mark.spec("POL-24", "REQ-12")
@settings(max_examples=400)
@given(st.lists(own_words, min_size=1, max_size=3), users, directories, directories)
def test_several_rules_need_no_fewer_than_each_whoever_comes_or_goes_meanwhile(
    several: list[ApprovalPolicy], user: str, then: Directory, now: Directory
) -> None:
    """Each rule's question is asked of those whom that rule names; what they leave behind is not less."""
    owner = Owner(user, "coder", "s1")
    policy = merge(several)
    together = Asked(owner, policy)
    together = replace(together, eligible=eligible_people(together, then))
    for one in several:
        alone = Asked(owner, replace(one, self_approval=policy.self_approval))
        alone = replace(alone, eligible=eligible_people(alone, then))
        assert needed(together, now) >= needed(alone, now)


FORBIDDING = st.sampled_from(
    [
        ApprovalPolicy(approver=Approver.OPERATOR),
        ApprovalPolicy(approver=Approver.ADMIN),
        ApprovalPolicy(approvers=("owner", "anna")),
        ApprovalPolicy(approvers=("web:owner",)),
        ApprovalPolicy(approvers=("owner",), quorum=2),
        ApprovalPolicy(role="finance"),
    ]
)


@given(FORBIDDING, st.sampled_from(DECIDES))
def test_the_requester_never_counts_where_forbidden(
    policy: ApprovalPolicy, kind: CredentialKind
) -> None:
    """Not at the review, whatever the credential; and not at the claim, if the rule came later."""

    async def story() -> None:
        scene = make_scene(rule("ask", approval=policy))
        gate, user = await scene.gate(), await scene.actor(kind)
        standing = await gate.submit(draft())
        for vote in Vote:
            with pytest.raises(NotEligible):
                await scene.broker.review(user, standing.call_id, vote, digest=standing.digest)
        request = await scene.request(standing.call_id)
        assert (request.status, request.reviews) == (Status.PENDING, ())

        scene.rules.say(rule("ask"))
        free = await gate.submit(draft(arguments={}))
        await scene.broker.review(user, free.call_id, Vote.APPROVE, digest=free.digest)
        scene.rules.say(rule("ask", approval=policy))
        taken = await gate.claim(free.call_id, free.digest)
        assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")
        assert scene.runs == []

    run_virtual(story())


@pytest.mark.spec("REQ-64")
@given(names, questions, directories)
def test_an_agents_credential_decides_nothing(
    name: str, asked: Asked, directory: Directory
) -> None:
    refusal = may_review(name, CredentialKind.AGENT, asked, directory, at(0))
    assert refusal == "an agent's token can never decide"


@given(calls)
def test_the_owner_of_a_call_is_part_of_its_digest(call: ToolCall) -> None:
    """Nobody's permission can be carried to another user, agent or session."""
    for other in ({"user_id": "x"}, {"agent_id": "x"}, {"session_id": "x"}):
        assert digest_of(replace(call, **other)) != digest_of(call)
