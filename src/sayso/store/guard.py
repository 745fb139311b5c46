"""What every store checks and knows alike, whatever it is made of: values only, no database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sayso.broker.ports import Change, Given, Group
from sayso.core.budget import Booking
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.core.session import DEFAULT_GROUP, Session
from sayso.errors import BudgetSpent, LostRace, NotEligible, TooManyWait
from sayso.people.directory import Directory
from sayso.people.eligibility import counts_as
from sayso.people.token import DECIDING, Credential
from sayso.policy.spending import fits
from sayso.requests.approval import ApprovalRequest, Caller, Review, Status
from sayso.requests.channel_cap import check_channel
from sayso.requests.quorum import asked_of, tally
from sayso.requests.standing_grant import KeyGrant

WAITING_FOR_PEOPLE = frozenset({Status.PENDING, Status.UNKNOWN})
"""The states in which a person's word is wanted."""

NOT_OVER = (Status.RUNNING, Status.UNKNOWN)
"""The states in which a call holds its part of a budget, however long ago it was booked (REQ-37)."""

KEEP_NOTICES = 20_000
"""How many events are kept at least, where there were so many; readers are promised 10,000."""

THE_GROUP = Group(DEFAULT_GROUP, DEFAULT_GROUP, "what applies unless another group says otherwise")
"""The permission group that always exists."""


def change_session(stored: Session | None, before: Session, after: Session) -> Session:
    """The session as it is to be stored, which stays stopped; raises LostRace if it is not as before."""
    if stored is None or replace(stored, stopped_at=before.stopped_at) != before:
        raise LostRace("the session has changed meanwhile", "look again and decide on that")
    return replace(after, stopped_at=stored.stopped_at)


def check_next(change: Change) -> None:
    """Refuse a change that is not one step from the version it expects; ValueError means misuse."""
    if change.request.version != change.expected_version + 1:
        raise ValueError(
            f"a change goes from version {change.expected_version} to the next, "
            f"not to {change.request.version}"
        )
    if change.follow_up is not None and (
        change.follow_up.call.call_id == change.request.request_id
    ):
        raise ValueError("a call that is asked again has an id of its own")


def check_waiting(waiting: int, at_most: int | None) -> None:
    """Check that so many requests of one session may wait, the new one among them (GATE-9); raises TooManyWait."""
    if at_most is not None and waiting > at_most:
        raise TooManyWait(
            f"{at_most} requests of this session wait already", "decide some of them first"
        )


def check_reviewer(stored: Credential | None, at: Moment) -> None:
    """Check the credential behind a change, as it is stored now: known, deciding and live (REQ-64).

    Raises NotEligible otherwise.
    """
    if stored is None:
        raise NotEligible("this credential is not known here", "log in again")
    if stored.kind not in DECIDING:
        raise NotEligible("an agent's token can never decide", "decide with a person's credential")
    if not stored.live(at):
        raise NotEligible("this credential was revoked or has expired", "log in again")


def check_reviews(
    request: ApprovalRequest, reviews_before: int, stored: Credential | None
) -> Review | None:
    """Check how the reviews of a request grow, and return the new one, if there is one.

    A review is added one at a time, with the credential it came with (`stored`) and in the name of
    the person that credential belongs to, over a channel that may; none is taken away. Raises
    NotEligible otherwise.
    """
    added = len(request.reviews) - reviews_before
    if added == 0:
        return None
    if added != 1:
        raise NotEligible("reviews are added one at a time and never taken away")
    if stored is None:
        raise NotEligible(
            "a review needs the credential it came with", "decide with a person's credential"
        )
    latest = request.reviews[-1]
    if (latest.credential_id, latest.person_id) != (stored.credential_id, stored.person_id):
        raise NotEligible("this credential belongs to somebody else than the review names")
    check_channel(request, latest)
    return latest


def sessions_of(given: Given) -> list[str]:
    """The sessions for which something is remembered."""
    named = [grant.session_id for grant in given.grants if grant.session_id is not None]
    named += [] if given.bypass is None else [given.bypass.session_id]
    return list(dict.fromkeys(named))


def check_session_goes_on(session_id: str, stored: Session | None) -> None:
    """Refuse to remember something for a session that has stopped or is not known; raises LostRace."""
    if stored is None or stored.stopped_at is not None:
        raise LostRace(f"the session `{session_id}` has stopped", "nothing is remembered for it")


def check_no_veto(new: KeyGrant, kept: Iterable[KeyGrant]) -> None:
    """Refuse a grant that would take the place of a veto, which is taken back first; raises LostRace."""
    if new.veto:
        return
    row = (new.user_id, new.session_id, new.key)
    if any(one.veto and (one.user_id, one.session_id, one.key) == row for one in kept):
        raise LostRace("there is a veto on what would be granted", "take the veto back first")


def check_eligible(request: ApprovalRequest, review: Review, people: Directory, at: Moment) -> None:
    """Check that the person behind a new review may decide, of those there are now (REQ-12).

    Raises NotEligible otherwise, and LostRace where the votes are no longer enough for an approval.
    """
    asked = asked_of(request)
    counts = counts_as(review.person_id, asked, people, at)
    if not counts:
        raise NotEligible("this person may not decide this any more", "ask somebody who may")
    if request.status is not Status.APPROVED or request.resolution is None:
        return
    if request.resolution.reason is Reason.APPROVED and not tally(request, people, at).approved:
        raise people_changed()


def people_changed() -> LostRace:
    """The error for a write that was computed from people, roles and stand-ins of before."""
    return LostRace(
        "people, roles or stand-ins have changed in the meantime", "look again and decide on that"
    )


def check_glass(overdue: object) -> None:
    """Refuse to break the glass while one was broken and nobody reviewed it in time (REQ-68).

    `overdue` is what is known of such a one, None if there is none. Raises NotEligible.
    """
    if overdue is not None:
        raise NotEligible(
            "the glass was broken before, and no second person has reviewed it in time",
            "let a second person review that first: it stands in the inbox",
        )


def check_budget(booking: Booking, spent: float) -> None:
    """Refuse to book what no longer fits into a budget; raises BudgetSpent."""
    if not fits(spent, booking.amount, booking.budget.most):
        raise BudgetSpent("the budget of a rule is spent meanwhile", "it is decided again")


def lost_race(request_id: str) -> LostRace:
    """The error for a conditional write that found another version."""
    return LostRace(
        f"the request `{request_id}` has changed in the meantime",
        "read it again and decide on what it is now",
    )


def far(now: Moment, until: Moment) -> Moment:
    """Beyond it a timer's taking was made under a clock that was set back since, and does not count."""
    return Moment(2 * until - now)


def is_unseen(request: ApprovalRequest, caller_before: Moment) -> bool:
    """Whether its caller should have shown itself: the same conditions as the query of the SQL stores."""
    return (
        request.status in (Status.PENDING, Status.APPROVED)
        and not request.ended_approved
        and request.caller is Caller.WAITING
        and request.caller_seen <= caller_before
    )


def resolved_at(request: ApprovalRequest) -> Moment:
    """When the request was resolved; 0 if it was not."""
    return Moment(0) if request.resolution is None else request.resolution.at


def resolution_order(request: ApprovalRequest) -> tuple[Moment, str]:
    """How requests are ordered by their resolution."""
    return resolved_at(request), request.request_id
