"""A grant lifts `ask` and nothing else; this version knows the grant of one approval, for one digest."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.moment import Moment
from sayso.requests.approval import ApprovalRequest, Resolution, Status
from sayso.requests.lifecycle import lapses_at
from sayso.requests.quorum import approving


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's permission for one call, once: it fits one digest and ends at a moment.

    `givers` are the distinct people whose approvals made it, `eligible` those who could decide when it
    was asked; policy decides anew whether they suffice.
    """

    request_id: str
    digest: str
    givers: tuple[str, ...]
    until: Moment
    eligible: tuple[str, ...] | None = None

    def fits(self, digest: str, now: Moment) -> bool:
        """Whether the grant is for exactly this call and has not ended."""
        return self.digest == digest and now < self.until


@dataclass(frozen=True, slots=True)
class StickyRejection:
    """A person's fresh rejection of an identical call; it refuses the retry with the same reason (REQ-35)."""

    request_id: str
    resolution: Resolution


STICKY_SECONDS = 600.0
"""How long a rejection sticks where the session has no messages of a user (REQ-35)."""


def grant_of(request: ApprovalRequest) -> Grant | None:
    """The grant that people's approvals make of an unclaimed request; None in any other state.

    What rules alone approved is no grant: it is for the rules to say so again.
    """
    until = lapses_at(request)
    if request.status is not Status.APPROVED or until is None or not request.reviews:
        return None
    givers = approving(request)
    return Grant(request.request_id, request.digest, givers, until, request.eligible)
