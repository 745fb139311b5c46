"""How the glass is broken and looked at afterwards; lifecycle.py says in which states (REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.core.moment import Moment
from sayso.errors import RequestClosed
from sayso.requests.approval import ApprovalRequest, Resolution, Review
from sayso.requests.broken_glass import BrokenGlass, SecondReview


@dataclass(frozen=True, slots=True)
class GlassBroken:
    """Somebody who may decide runs it in the place of the votes that are missing."""

    resolution: Resolution
    review: Review
    glass: BrokenGlass


@dataclass(frozen=True, slots=True)
class GlassReviewed:
    """A second person looked at what was run so."""

    review: SecondReview


@dataclass(frozen=True, slots=True)
class GlassOverdue:
    """Nobody looked at it in time, and people are told."""

    at: Moment


def glass_after(request: ApprovalRequest, event: GlassReviewed | GlassOverdue) -> BrokenGlass:
    """The broken glass after the event.

    Raises RequestClosed where none was broken, where it was reviewed already, and for a review by the
    very person who broke it.
    """
    glass = request.glass
    if glass is None or glass.review is not None:
        raise RequestClosed(
            "nothing here waits for a second review",
            "nobody broke the glass for it, or it was reviewed already",
            status=request.status.value,
        )
    if isinstance(event, GlassOverdue):
        return replace(glass, alerted_at=event.at)
    if event.review.person_id == glass.person_id:
        raise RequestClosed(
            "a second person has to review it",
            "whoever broke the glass cannot review it too",
            status=request.status.value,
        )
    return replace(glass, review=event.review)
