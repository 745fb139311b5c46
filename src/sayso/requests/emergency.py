"""When somebody who may decide may break the glass, and who may look at it afterwards (REQ-68)."""

from __future__ import annotations

from sayso.core.moment import Moment
from sayso.people.asking import deciding
from sayso.people.counting import counted
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest
from sayso.requests.quorum import approving, asked_of, tally


def may_break_glass(
    request: ApprovalRequest, person_id: str, people: Directory, now: Moment
) -> str | None:
    """Why this person, who may decide the request, may not break the glass for it; None if they may."""
    policy = request.policy
    if policy.break_glass is None:
        return "the policy does not permit breaking the glass here"
    if not request.waits:
        return "it waits for nobody any more"
    votes = tally(request, people, now)
    voted = person_id in approving(request)
    if votes.need - votes.have <= (0 if voted else 1):
        return "an approval of yours is enough"
    others = deciding(asked_of(request), people, now)
    if not any(_is_second(other, person_id, request, people, now) for other in others):
        return "nobody else could review it afterwards"
    return None


def may_review_glass(
    request: ApprovalRequest, person_id: str, people: Directory, now: Moment
) -> str | None:
    """Why this person, who may decide the request, may not review its broken glass; None if they may."""
    glass = request.glass
    if glass is None or glass.review is not None:
        return "nothing here waits for a second review"
    if not _is_second(person_id, glass.person_id, request, people, now):
        return "a second person has to review it"
    return None


def _is_second(
    person_id: str, breaker: str, request: ApprovalRequest, people: Directory, now: Moment
) -> bool:
    """Whether somebody is another one than the breaker, as votes are counted.

    Whoever only stands in for the breaker decides with the breaker's own right, and was named by them.
    """
    if person_id == breaker:
        return False
    asked = asked_of(request)
    alone = counted((breaker,), asked, people, now)
    return len(counted((breaker, person_id), asked, people, now)) > len(alone)
