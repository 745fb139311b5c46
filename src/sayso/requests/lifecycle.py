"""The life of an approval request: the TRANSITIONS table, and the only code that changes a status.

Every change is computed here from the old value and an event, and then written on the condition
that the stored version is still the old one (REQ-3). An event that the table does not name raises
RequestClosed and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, assert_never

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.moment import Moment, plus
from sayso.core.withheld import must_be_whole
from sayso.errors import ClaimLost, RequestClosed
from sayso.requests.approval import (
    ApprovalRequest,
    Caller,
    Edited,
    Lease,
    Outcome,
    Resolution,
    Review,
    Status,
    Why,
)
from sayso.requests.glass_events import GlassBroken, GlassOverdue, GlassReviewed, glass_after
from sayso.requests.nudges import (
    NUDGES,
    Answered,
    AskedBack,
    Delivered,
    Escalated,
    Nudge,
    QuestionTold,
    Reminded,
    Snoozed,
    SnoozeOver,
    attended,
)
from sayso.requests.precondition import Precondition


@dataclass(frozen=True, slots=True)
class Edit:
    """A call with other arguments, and everything about its request that follows from them (REQ-14)."""

    call: ToolCall
    digest: str
    policy: ApprovalPolicy
    why: Why
    action: str
    eligible: tuple[str, ...] | None
    preconditions: tuple[Precondition, ...] | None
    by: str
    person_id: str
    at: Moment


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A person voted and the vote does not decide yet; with an edit the vote is for the edited call."""

    review: Review
    edit: Edit | None = None


@dataclass(frozen=True, slots=True)
class Approved:
    """The quorum is reached (`review` is the vote that did it), rules that could be loaded again allow,
    or the time is over and the policy allows then."""

    resolution: Resolution
    review: Review | None = None
    edit: Edit | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A person rejected."""

    resolution: Resolution
    review: Review


@dataclass(frozen=True, slots=True)
class Expired:
    """The time is over and the policy rejects then."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The session was stopped."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Claimed:
    """A runner took the single-use right to run the call."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class Renewed:
    """The runner still runs it; `token` proves that it is the one that claimed."""

    token: str
    until: Moment


@dataclass(frozen=True, slots=True)
class Superseded:
    """Something it was approved for has changed, so it is asked again."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Refused:
    """A deny has appeared since the approval."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Lapsed:
    """Nobody claimed the approval in time."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Finished:
    """The runner says what came of it; `token` proves that it is the one that claimed."""

    token: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Unreportable:
    """The program that runs it cannot report the outcome."""

    token: str


@dataclass(frozen=True, slots=True)
class LeaseOver:
    """The runner has not shown itself in time: what came of it is not known."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class OutcomeSaid:
    """A person says what came of a run whose outcome is unknown."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Limited:
    """Its quorum went out of reach while no time was set: it waits until then, and no longer (REQ-12)."""

    until: Moment


@dataclass(frozen=True, slots=True)
class CallerLeft:
    """The caller no longer waits; the request stays."""


@dataclass(frozen=True, slots=True)
class CallerJoined:
    """A caller waits (again): the first one, or an identical retry."""

    at: Moment


Event = (
    Reviewed
    | Approved
    | Rejected
    | Expired
    | Cancelled
    | Claimed
    | Renewed
    | Superseded
    | Refused
    | Lapsed
    | Finished
    | Unreportable
    | LeaseOver
    | OutcomeSaid
    | Limited
    | CallerLeft
    | CallerJoined
    | GlassBroken
    | GlassReviewed
    | GlassOverdue
    | Nudge
)

_S = Status
OPEN = (_S.PENDING, _S.APPROVED, _S.RUNNING)
"""States in which the call may still run, or runs: somebody may wait for it."""

AFTER_GLASS = tuple(s for s in _S if s not in (_S.PENDING, _S.REJECTED, _S.EXPIRED))
"""States that a call whose glass was broken can be in: the second review comes in any of them."""

TRANSITIONS: dict[tuple[Status, type[Event]], Status] = {
    (_S.PENDING, Reviewed): _S.PENDING,
    (_S.PENDING, Approved): _S.APPROVED,
    (_S.PENDING, Rejected): _S.REJECTED,
    (_S.PENDING, Expired): _S.EXPIRED,
    (_S.PENDING, Cancelled): _S.CANCELLED,
    (_S.PENDING, Refused): _S.REFUSED,
    (_S.PENDING, Limited): _S.PENDING,
    (_S.APPROVED, Claimed): _S.RUNNING,
    (_S.APPROVED, Superseded): _S.SUPERSEDED,
    (_S.APPROVED, Refused): _S.REFUSED,
    (_S.APPROVED, Lapsed): _S.LAPSED,
    (_S.APPROVED, Cancelled): _S.CANCELLED,
    (_S.RUNNING, Renewed): _S.RUNNING,
    (_S.RUNNING, LeaseOver): _S.UNKNOWN,
    (_S.RUNNING, Unreportable): _S.UNREPORTED,
    # two events whose result depends on what they carry stand in _next_status: Finished, OutcomeSaid
    **{(status, event): status for status in OPEN for event in (CallerLeft, CallerJoined)},
    **{(_S.PENDING, event): _S.PENDING for event in NUDGES},
    (_S.PENDING, GlassBroken): _S.APPROVED,
    **{
        (status, event): status for status in AFTER_GLASS for event in (GlassReviewed, GlassOverdue)
    },
}

FINAL = frozenset(
    {
        _S.REJECTED,
        _S.EXPIRED,
        _S.CANCELLED,
        _S.SUPERSEDED,
        _S.REFUSED,
        _S.LAPSED,
        _S.DONE,
        _S.FAILED,
        _S.UNREPORTED,
    }
)
"""States that nothing leaves; `unknown` is left only by a person's word.

The second review of a broken glass is noted in them and changes no status.
"""


def apply(request: ApprovalRequest, event: Event) -> ApprovalRequest:
    """The request after the event, one version on.

    Raises RequestClosed if the table has no such step, ClaimLost if the event carries another
    claim's token, ArgumentsWithheld where it needs a call that is not whole; nothing changes then.
    """
    status = _next_status(request, event)
    if isinstance(event, Reviewed | Approved | Claimed | Superseded | GlassBroken):
        must_be_whole(request.withheld)
    changes: dict[str, Any] = {}
    match event:
        case Reviewed(review, edit):
            request = request if edit is None else edited(request, edit)
            changes["reviews"] = (*request.reviews, review)
        case Approved(resolution, review, edit):
            request = request if edit is None else edited(request, edit)
            changes.update(resolution=resolution, approved_at=resolution.at)
            if review is not None:
                changes["reviews"] = (*request.reviews, review)
        case Rejected(resolution, review):
            changes.update(resolution=resolution, reviews=(*request.reviews, review))
        case Claimed(lease):
            changes["lease"] = lease
        case Renewed(token, until):
            lease = _lease(request, token)
            changes["lease"] = replace(lease, until=max(until, lease.until))
        case Finished(token, outcome):
            _lease(request, token)
            changes["outcome"] = outcome
        case Unreportable(token):
            _lease(request, token)
        case OutcomeSaid(outcome):
            changes["outcome"] = outcome
        case Limited(until):
            changes["expires_at"] = until
        case CallerLeft():
            changes["caller"] = Caller.GONE
        case CallerJoined(at):
            changes.update(caller=Caller.WAITING, caller_seen=at)
        case GlassBroken(resolution, review, glass):
            changes.update(resolution=resolution, approved_at=resolution.at, glass=glass)
            changes["reviews"] = (*request.reviews, review)
        case GlassReviewed() | GlassOverdue():
            changes["glass"] = glass_after(request, event)
        case (
            Delivered()
            | Reminded()
            | Escalated()
            | Snoozed()
            | SnoozeOver()
            | AskedBack()
            | QuestionTold()
            | Answered()
        ):
            changes["attention"] = attended(request.attention, event)
        case (
            Expired(resolution)
            | Cancelled(resolution)
            | Superseded(resolution)
            | Refused(resolution)
            | Lapsed(resolution)
            | LeaseOver(resolution)
        ):
            changes["resolution"] = resolution
        case _:
            assert_never(event)
    return replace(request, status=status, version=request.version + 1, **changes)


def edited(request: ApprovalRequest, edit: Edit) -> ApprovalRequest:
    """The request with the edited call in place of its own; the votes given before count no more."""
    original = request.call if request.edited is None else request.edited.original
    voided = len(request.reviews)
    return replace(
        request,
        call=edit.call,
        digest=edit.digest,
        policy=edit.policy,
        why=edit.why,
        action=edit.action,
        eligible=edit.eligible,
        preconditions=edit.preconditions,
        keys=(),  # they were those of another call
        attention=replace(request.attention, deliveries=()),  # and nobody was shown this one
        edited=Edited(original, request.asked_digest, edit.by, edit.person_id, edit.at, voided),
    )


def lapses_at(request: ApprovalRequest) -> Moment | None:
    """When an approval that nobody claimed lapses; None if it is not approved."""
    if request.status is not Status.APPROVED or request.approved_at is None or request.no_claim:
        return None
    return plus(request.approved_at, request.lapse_after)


_LET_THROUGH = (Status.APPROVED, Status.RUNNING, Status.DONE, Status.FAILED)


def closed(request: ApprovalRequest) -> RequestClosed:
    """The error that says how and by whom the request was resolved, or that it is not yet at that point."""
    status, resolution = request.status.value, request.resolution
    if resolution is None:
        return RequestClosed(
            f"this cannot be done while the request is {status}",
            "look at how it stands now",
            status=status,
        )
    return RequestClosed(
        f"already resolved by {resolution.by or 'sayso'}: {status}",
        "nothing was changed"
        if request.status in _LET_THROUGH
        else f"the reason is {resolution.reason.value}; a new call asks again",
        status=status,
        resolution=resolution.to_json(),
    )


def _next_status(request: ApprovalRequest, event: Event) -> Status:
    if isinstance(event, Finished) and request.status is Status.RUNNING:
        return Status.DONE if event.outcome.ok else Status.FAILED
    if isinstance(event, OutcomeSaid) and request.status is Status.UNKNOWN:
        return Status.DONE if event.outcome.ok else Status.FAILED
    status = TRANSITIONS.get((request.status, type(event)))
    if status is None or request.ended_approved:
        raise closed(request)
    if request.no_claim and isinstance(event, Approved) and event.review is None:
        raise closed(request)  # a person approves what is no call, never rules or time
    return status


def _lease(request: ApprovalRequest, token: str) -> Lease:
    if request.lease is None or request.lease.token != token:
        raise ClaimLost(
            "this claim is not the one that runs the call",
            "whoever claimed it reports the outcome; a lost claim is never taken up again",
        )
    return request.lease
