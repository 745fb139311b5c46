"""A grant lifts `ask` and nothing else; this version knows the grant of one approval, for one digest."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest, Resolution, Status
from sayso.requests.lifecycle import lapses_at
from sayso.requests.quorum import approving


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's permission for one call, once: it fits one digest and ends at a moment.

    `givers` are the distinct people whose approvals made it, `eligible` those who could decide when it
    was asked; policy decides anew whether they suffice. `made` tells what made it: their votes, the end
    of the time, or a broken glass.
    """

    request_id: str
    digest: str
    givers: tuple[str, ...]
    until: Moment
    eligible: tuple[str, ...] | None = None
    made: Reason = Reason.APPROVED

    def fits(self, digest: str, now: Moment) -> bool:
        """Whether the grant is for exactly this call and has not ended."""
        return self.digest == digest and now < self.until


@dataclass(frozen=True, slots=True)
class StickyRejection:
    """A person's fresh rejection of an identical call; it refuses the retry with the same reason (REQ-35)."""

    request_id: str
    resolution: Resolution


WITHOUT_VOTES = frozenset({Reason.EXPIRED_ALLOW, Reason.BREAK_GLASS})
"""What approves a request in the place of its votes, where the policy permits it."""

OF_THIS_CALL = WITHOUT_VOTES | {Reason.APPROVED}
"""What allows a call because this very one was approved; every other allow stands for more calls."""

STICKY_SECONDS = 600.0
"""How long a rejection sticks where the session has no messages of a user (REQ-35)."""


def allowed_as(request: ApprovalRequest) -> Reason:
    """Why a call that was let through may run, as the log and its standing say it.

    A lease that ran out leaves only its own end of the resolution: then it is what people approved.
    """
    said = request.resolution
    return Reason.APPROVED if said is None or said.reason is Reason.ERROR else said.reason


def grant_of(request: ApprovalRequest) -> Grant | None:
    """The grant that people's approvals make of an unclaimed request; None in any other state.

    What rules alone approved is no grant: it is for the rules to say so again.
    """
    until, said = lapses_at(request), request.resolution
    made = said.reason if said is not None and said.reason in WITHOUT_VOTES else Reason.APPROVED
    nobody = not request.reviews and made not in WITHOUT_VOTES
    nobody = nobody or (said is not None and said.reason not in OF_THIS_CALL)
    if request.status is not Status.APPROVED or until is None or nobody:
        return None
    givers = approving(request) if request.glass is None else (request.glass.person_id,)
    return Grant(request.request_id, request.digest, givers, until, request.eligible, made)
