"""Breaking the glass: one person ran a call without the votes it needs, and a second one has to look (REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sayso.core.moment import Moment, to_rfc3339


@dataclass(frozen=True, slots=True)
class SecondReview:
    """What a second person says afterwards: whether it was right, and why."""

    person_id: str
    person_name: str
    credential_id: str
    channel: str
    justified: bool
    comment: str | None
    at: Moment

    def to_json(self) -> dict[str, Any]:
        """The review as plain data."""
        return {
            "by": self.person_name,
            "person_id": self.person_id,
            "channel": self.channel,
            "justified": self.justified,
            "comment": self.comment,
            "at": to_rfc3339(self.at),
        }


@dataclass(frozen=True, slots=True)
class BrokenGlass:
    """Who broke it, why, until when a second person has to review it, and what came of that.

    `alerted_at` is when people were told that nobody had reviewed it in time.
    """

    person_id: str
    person_name: str
    why: str
    at: Moment
    review_by: Moment
    review: SecondReview | None = None
    alerted_at: Moment | None = None

    def overdue(self, now: Moment) -> bool:
        """Whether nobody has reviewed it in time, whether or not people were told."""
        return self.review is None and now >= self.review_by

    def to_json(self) -> dict[str, Any]:
        """The whole of it as plain data."""
        return {
            "by": self.person_name,
            "person_id": self.person_id,
            "why": self.why,
            "at": to_rfc3339(self.at),
            "review_by": to_rfc3339(self.review_by),
            "review": None if self.review is None else self.review.to_json(),
        }
