"""Promises about who counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.call import ToolCall, digest_of
from sayso.errors import NotEligible
from sayso.people.eligibility import may_review
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import draft, make_scene, rule
from tests.laws.gate_worlds import calls, policies
from tests.reference.gate import could_approve

rights = st.builds(
    Person,
    person_id=st.sampled_from(["uma", "anna"]),
    name=st.sampled_from(["Uma", "Anna"]),
    admin=st.booleans(),
    operator=st.booleans(),
    agents=st.sampled_from([None, ("coder",), ()]),
)
kinds = st.sampled_from(list(CredentialKind))


@given(rights, kinds, calls, policies)
def test_who_may_decide_equals_the_reference(
    person: Person, kind: CredentialKind, call: ToolCall, policy: ApprovalPolicy
) -> None:
    may = may_review(person, kind, call.owner, policy) is None
    expected = kind is not CredentialKind.AGENT and could_approve(person, call, policy)
    assert may == expected


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


@given(FORBIDDING, st.sampled_from([k for k in CredentialKind if k is not CredentialKind.AGENT]))
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
@given(calls, policies, st.booleans(), st.booleans())
def test_an_agents_credential_decides_nothing(
    call: ToolCall, policy: ApprovalPolicy, admin: bool, operator: bool
) -> None:
    person = Person("uma", "Uma", admin=admin, operator=operator)
    refusal = may_review(person, CredentialKind.AGENT, call.owner, policy)
    assert refusal == "an agent's token can never decide"


@given(calls)
def test_the_owner_of_a_call_is_part_of_its_digest(call: ToolCall) -> None:
    """Nobody's permission can be carried to another user, agent or session."""
    for other in ({"user_id": "x"}, {"agent_id": "x"}, {"session_id": "x"}):
        assert digest_of(replace(call, **other)) != digest_of(call)
