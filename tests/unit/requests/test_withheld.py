from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sayso.core.reason import Reason
from sayso.core.withheld import Withheld
from sayso.errors import ArgumentsWithheld
from sayso.requests.approval import ApprovalRequest, Edited, Lease, Status, Vote
from sayso.requests.glass_events import GlassBroken
from sayso.requests.lifecycle import (
    Approved,
    CallerLeft,
    Cancelled,
    Claimed,
    Event,
    Expired,
    Lapsed,
    Refused,
    Rejected,
    Reviewed,
    Superseded,
    apply,
)
from tests.fakes.values import a_call, a_glass, a_request, a_review, approved, at, said

NEEDS_IT: list[tuple[Callable[[], ApprovalRequest], Event]] = [
    (a_request, Reviewed(a_review())),
    (a_request, Approved(said(Reason.APPROVED), a_review())),
    (a_request, Approved(said(Reason.EXPIRED_ALLOW))),
    (a_request, GlassBroken(said(Reason.BREAK_GLASS), a_review(), a_glass())),
    (approved, Claimed(Lease("t1", at(30), "runner"))),
    (approved, Superseded(said(Reason.NEEDS_FRESH_APPROVAL))),
]
ENDS_IT: list[tuple[Callable[[], ApprovalRequest], Event, Status]] = [
    (a_request, Rejected(said(Reason.REJECTED), a_review(vote=Vote.REJECT)), Status.REJECTED),
    (a_request, Expired(said(Reason.EXPIRED)), Status.EXPIRED),
    (a_request, Cancelled(said(Reason.CANCELLED)), Status.CANCELLED),
    (approved, Refused(said(Reason.DENY_ON_RESOLVE)), Status.REFUSED),
    (approved, Lapsed(said(Reason.LAPSED)), Status.LAPSED),
    (a_request, CallerLeft(), Status.PENDING),
]


def withheld(request: ApprovalRequest, why: Withheld) -> ApprovalRequest:
    return replace(request, call=a_call(withheld=why))


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("why", list(Withheld))
@pytest.mark.parametrize(("make", "event"), NEEDS_IT, ids=lambda value: type(value).__name__)
def test_nothing_is_approved_or_claimed_of_a_call_that_is_not_whole(
    make: Callable[[], ApprovalRequest], event: Event, why: Withheld
) -> None:
    apply(make(), event)
    with pytest.raises(ArgumentsWithheld) as caught:
        apply(withheld(make(), why), event)
    assert caught.value.message == why.words
    assert caught.value.hint == why.hint


@pytest.mark.spec("AUD-1a")
def test_nor_of_one_that_was_edited_and_is_not_whole_before_the_edit() -> None:
    before = a_call(withheld=Withheld.SEALED)
    request = replace(a_request(), edited=Edited(before, "digest", "Anna", "anna", at(1)))
    with pytest.raises(ArgumentsWithheld, match="encrypted"):
        apply(request, Reviewed(a_review()))


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize(("make", "event", "status"), ENDS_IT)
def test_it_can_still_be_rejected_and_ended(
    make: Callable[[], ApprovalRequest], event: Event, status: Status
) -> None:
    assert apply(withheld(make(), Withheld.SEALED), event).status is status
