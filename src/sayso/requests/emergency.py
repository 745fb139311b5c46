"""When somebody who may decide may break the glass, and who may look at it afterwards (REQ-68)."""

from __future__ import annotations

from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest
from sayso.requests.quorum import approving, tally


def may_break_glass(
    request: ApprovalRequest, person_id: str, people: Directory, now: Moment, *, others: int
) -> str | None:
    """Why this person, who may decide the request, may not break the glass for it; None if they may.

    `others` is how many other people could review it afterwards.
    """
    policy = request.policy
    if policy.break_glass is None:
        return "the policy does not permit breaking the glass here"
    if not request.waits:
        return "it waits for nobody any more"
    counted = tally(request, people, now)
    voted = person_id in approving(request)
    if counted.need - counted.have <= (0 if voted else 1):
        return "an approval of yours is enough"
    return "nobody else could review it afterwards" if others < 1 else None


def may_review_glass(request: ApprovalRequest, person_id: str) -> str | None:
    """Why this person, who may decide the request, may not review its broken glass; None if they may."""
    glass = request.glass
    if glass is None or glass.review is not None:
        return "nothing here waits for a second review"
    if glass.person_id == person_id:
        return "a second person has to review it"
    return None
