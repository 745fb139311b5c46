from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.reason import Reason
from sayso.errors import ClaimLost, RequestClosed
from sayso.requests.approval import LAPSE_SECONDS, Caller, Status, Vote
from sayso.requests.glass_events import GlassOverdue, GlassReviewed
from sayso.requests.lifecycle import (
    FINAL,
    TRANSITIONS,
    Approved,
    CallerJoined,
    CallerLeft,
    Finished,
    OutcomeSaid,
    Refused,
    Rejected,
    Renewed,
    Reviewed,
    Unreportable,
    apply,
    closed,
    lapses_at,
)
from tests.fakes.values import (
    a_request,
    a_review,
    approved,
    at,
    in_every_state,
    outcome,
    running,
    said,
)


def test_every_state_can_be_reached_by_the_table() -> None:
    reached = {request.status for request in in_every_state().values()}
    assert reached == set(Status)
    assert all(request.status.value == name for name, request in in_every_state().items())


def test_nothing_leads_out_of_a_final_state() -> None:
    leading = {(status, event) for status, event in TRANSITIONS if status in FINAL}
    # a second person looks at a broken glass whatever came of the call, which changes no status
    assert {event for _, event in leading} == {GlassReviewed, GlassOverdue}
    assert all(TRANSITIONS[step] is step[0] for step in leading)
    assert set(Status) - FINAL == {
        Status.PENDING, Status.APPROVED, Status.RUNNING, Status.UNKNOWN
    }  # fmt: skip


@pytest.mark.parametrize("status", [s.value for s in Status if s is not Status.PENDING])
@pytest.mark.parametrize("vote", [Vote.APPROVE, Vote.REJECT])
def test_a_review_of_what_is_resolved_says_who_resolved_it(status: str, vote: Vote) -> None:
    request = in_every_state()[status]
    resolution = said(Reason.APPROVED, by="bob")
    event = (
        Approved(resolution, a_review("bob"))
        if vote is Vote.APPROVE
        else Rejected(resolution, a_review("bob", vote))
    )
    with pytest.raises(RequestClosed) as caught:
        apply(request, event)
    assert caught.value.status == status
    assert request.resolution is not None
    by = request.resolution.by or "sayso"
    assert caught.value.message == f"already resolved by {by}: {status}"
    assert caught.value.resolution == request.resolution.to_json()


def test_what_is_not_resolved_is_not_said_to_be() -> None:
    with pytest.raises(RequestClosed) as caught:
        apply(a_request(), OutcomeSaid(outcome(said_by="owner")))
    assert caught.value.message == "this cannot be done while the request is pending"
    assert caught.value.resolution is None
    assert caught.value.status == "pending"


def test_a_vote_short_of_the_quorum_is_kept_and_it_waits_on() -> None:
    request = apply(a_request(), Reviewed(a_review("alice")))
    assert request.status is Status.PENDING
    assert [review.person_id for review in request.reviews] == ["alice"]
    assert request.waits


def test_the_vote_that_decides_is_kept_with_the_resolution() -> None:
    request = approved(None, "alice", "bob")
    assert [review.person_id for review in request.reviews] == ["alice", "bob"]
    assert request.resolution == said(Reason.APPROVED, by="bob")
    assert request.approved_at == at(1)
    assert not request.waits


def test_only_the_token_of_the_claim_finishes_renews_or_hands_over() -> None:
    for event in (Finished("t2", outcome()), Renewed("t2", at(99)), Unreportable("t2")):
        with pytest.raises(ClaimLost):
            apply(running(), event)


def test_a_claim_is_renewed_to_the_later_moment_only() -> None:
    later = apply(running(), Renewed("t1", at(60))).lease
    assert later is not None
    assert later.until == at(60)
    earlier = apply(running(), Renewed("t1", at(5))).lease
    assert earlier is not None
    assert earlier.until == at(32)


def test_a_run_without_a_lease_is_nobodys() -> None:
    with pytest.raises(ClaimLost):
        apply(replace(running(), lease=None), Finished("t1", outcome()))


def test_a_person_says_what_came_of_an_unknown_run() -> None:
    unknown = in_every_state()["unknown"]
    assert apply(unknown, OutcomeSaid(outcome(said_by="owner"))).status is Status.DONE
    assert apply(unknown, OutcomeSaid(outcome(ok=False, said_by="owner"))).status is Status.FAILED


@pytest.mark.parametrize("name", ["pending", "approved", "running"])
def test_a_caller_leaves_and_comes_back_and_the_state_stays(name: str) -> None:
    request = in_every_state()[name]
    gone = apply(request, CallerLeft())
    assert (gone.caller, gone.status) == (Caller.GONE, request.status)
    back = apply(gone, CallerJoined(at(50)))
    assert (back.caller, back.caller_seen, back.status) == (
        Caller.WAITING,
        at(50),
        request.status,
    )


def test_a_deny_that_appears_refuses_what_waits_and_what_is_approved() -> None:
    for request in (a_request(), approved()):
        refused = apply(request, Refused(said(Reason.DENY_ON_RESOLVE)))
        assert refused.status is Status.REFUSED


def test_an_approval_lapses_after_its_time_and_nothing_else_does() -> None:
    assert lapses_at(approved()) == at(1 + LAPSE_SECONDS)
    for name, request in in_every_state().items():
        if name != "approved":
            assert lapses_at(request) is None


def test_closed_says_the_reason_in_its_hint() -> None:
    error = closed(in_every_state()["expired"])
    assert error.message == "already resolved by sayso: expired"
    assert error.hint is not None
    assert "expired" in error.hint
