"""What is due at a moment: expiry, lapse, a lost lease, a caller that has gone; computed, not timed (REQ-22)."""

from __future__ import annotations

from sayso.core.approval_policy import OnTimeout
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest, Caller, Resolution, Status
from sayso.requests.lifecycle import CallerLeft, Event, Expired, Lapsed, LeaseOver, lapses_at

CALLER_SECONDS = 30.0
"""A caller that has not shown itself for so long is gone; waiters show themselves far more often."""

LEASE_SECONDS = 30.0
"""How long a claim lasts unless it is renewed; runners renew it at a third of this."""


def is_over(request: ApprovalRequest, now: Moment) -> bool:
    """Whether the time to decide is over, whether or not any sweeper has run."""
    return request.expires_at is not None and now >= request.expires_at


UNREACHABLE_SECONDS = 600.0
"""How long a request waits whose quorum cannot be reached, where its policy sets no time (REQ-12)."""


def due(request: ApprovalRequest, now: Moment, out_of_reach: str | None = None) -> Event | None:
    """The event that time alone brings to the request by now, if any.

    `out_of_reach` is why its quorum cannot be reached, None if it can: then its end is a refusal,
    whatever the policy says of time (REQ-12).
    """
    if request.status is Status.PENDING and is_over(request, now):
        if out_of_reach is not None:
            return Expired(Resolution(Reason.QUORUM_UNREACHABLE, now, comment=out_of_reach))
        # `on_timeout: allow` needs a confirmed delivery to an eligible person; no channel of this
        # version can confirm one, so time never approves.
        comment = None
        if request.policy.on_timeout is OnTimeout.ALLOW:
            comment = "no delivery to an eligible person was confirmed"
        return Expired(Resolution(Reason.EXPIRED, now, comment=comment))
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
