"""What is due at a moment: computed from stored moments, not timed, so that any replica can do it (REQ-22, ST-5).

Two kinds of things: what ends or moves a request (`due`), and what only tells people again (`nudge`).
"""

from __future__ import annotations

from collections.abc import Collection

from sayso.core.approval_policy import OnTimeout, may_end_in_allow
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest, Caller, Resolution, Status
from sayso.requests.glass_events import GlassOverdue
from sayso.requests.lifecycle import (
    Approved,
    CallerLeft,
    Event,
    Expired,
    Lapsed,
    LeaseOver,
    lapses_at,
)
from sayso.requests.nudges import Escalated, Reminded, SnoozeOver

CALLER_SECONDS = 30.0
"""A caller that has not shown itself for so long is gone; waiters show themselves far more often."""

LEASE_SECONDS = 30.0
"""How long a claim lasts unless it is renewed; runners renew it at a third of this."""

_UNTOLD = "no delivery to an eligible person was confirmed"
_ALWAYS_A_PERSON = "a person is always asked about this, so time cannot allow it"
_NO_TIME = "its policy sets no time, so time cannot allow it"


def is_over(request: ApprovalRequest, now: Moment) -> bool:
    """Whether the time to decide is over, whether or not any sweeper has run."""
    return request.expires_at is not None and now >= request.expires_at


UNREACHABLE_SECONDS = 600.0
"""How long a request waits whose quorum cannot be reached, where its policy sets no time (REQ-12)."""


def due(
    request: ApprovalRequest,
    now: Moment,
    out_of_reach: str | None = None,
    eligible: Collection[str] = (),
) -> Event | None:
    """The event that time alone brings to the request by now, if any.

    `out_of_reach` is why its quorum cannot be reached, None if it can: then its end is a refusal,
    whatever the policy says of time (REQ-12). `eligible` are the ids of the people who may decide it
    now: a delivery to anybody else does not count, so where they are not known time never approves.
    """
    if request.status is Status.PENDING and is_over(request, now):
        if out_of_reach is not None:
            return Expired(Resolution(Reason.QUORUM_UNREACHABLE, now, comment=out_of_reach))
        return _expiry(request, now, eligible)
    lapse = lapses_at(request)
    if lapse is not None and now >= lapse:
        return Lapsed(Resolution(Reason.LAPSED, now))
    if request.status is Status.RUNNING and request.lease and now >= request.lease.until:
        return LeaseOver(
            Resolution(
                Reason.ERROR,
                now,
                comment="the program that ran it has gone; whether it ran to its end is unknown",
            )
        )
    if (
        request.status in (Status.PENDING, Status.APPROVED)
        and request.caller is Caller.WAITING
        and now >= plus(request.caller_seen, CALLER_SECONDS)
    ):
        return CallerLeft()
    return None


def nudge(request: ApprovalRequest, now: Moment) -> Event | None:
    """What is due to be told to people by now and decides nothing; None if nothing is (REQ-16).

    Reminders that were missed, because no process was there or the clock was set, are one reminder.
    """
    glass = request.glass
    if glass is not None and glass.overdue(now) and glass.alerted_at is None:
        return GlassOverdue(now)
    if request.status is not Status.PENDING or is_over(request, now):
        return None
    for snooze in request.attention.snoozes:
        if now >= snooze.until:
            return SnoozeOver(snooze.person_id)
    escalation = _escalates_at(request)
    if escalation is not None and now >= escalation:
        return Escalated(now)
    passed = sum(now >= moment for moment in _reminders(request))
    return Reminded(passed) if passed > request.attention.reminders else None


def next_due(request: ApprovalRequest) -> Moment | None:
    """The earliest moment at which `due` or `nudge` brings something, its caller aside; None is never."""
    moments: list[Moment | None] = []
    if request.status is Status.PENDING:
        moments += [request.expires_at, _escalates_at(request)]
        moments += _reminders(request)[request.attention.reminders :]
        moments += [snooze.until for snooze in request.attention.snoozes]
    elif request.status is Status.RUNNING:
        moments.append(None if request.lease is None else request.lease.until)
    else:
        moments.append(lapses_at(request))
    glass = request.glass
    if glass is not None and glass.review is None and glass.alerted_at is None:
        moments.append(glass.review_by)
    return min((moment for moment in moments if moment is not None), default=None)


def time_may_allow(request: ApprovalRequest) -> bool:
    """Whether the policy lets the time's end approve this request at all, told to anybody or not."""
    why = request.why
    strict = why.must_ask or why.doubtful or why.reason is Reason.RULES_UNAVAILABLE
    return may_end_in_allow(request.policy) and not strict


def _expiry(request: ApprovalRequest, now: Moment, eligible: Collection[str]) -> Approved | Expired:
    told = any(delivery.person_id in eligible for delivery in request.attention.deliveries)
    if time_may_allow(request) and told:
        return Approved(Resolution(Reason.EXPIRED_ALLOW, now))
    comment = None
    if request.policy.on_timeout is OnTimeout.ALLOW:
        if request.policy.wait_seconds is None:
            comment = _NO_TIME
        else:
            comment = _UNTOLD if time_may_allow(request) else _ALWAYS_A_PERSON
    return Expired(Resolution(Reason.EXPIRED, now, comment=comment))


def _escalates_at(request: ApprovalRequest) -> Moment | None:
    escalation = request.policy.escalate
    if escalation is None or escalation.after is None or request.attention.escalated_at is not None:
        return None
    return plus(request.created_at, escalation.after)


def _reminders(request: ApprovalRequest) -> list[Moment]:
    return [plus(request.created_at, seconds) for seconds in request.policy.reminders]
