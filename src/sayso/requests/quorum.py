"""Counting reviews: distinct people, one rejection rejects, recounted from the whole list (REQ-12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sayso.requests.approval import Review, Vote


@dataclass(frozen=True, slots=True)
class Tally:
    """How the votes stand: `have` of `need` distinct people approve; `rejected` is who rejected."""

    have: int
    need: int
    rejected: Review | None = None

    @property
    def approved(self) -> bool:
        """Whether the quorum is reached and nobody rejected."""
        return self.rejected is None and self.have >= self.need


def tally(reviews: Iterable[Review], need: int, digest: str) -> Tally:
    """Count the reviews: each person once, approvals only for exactly this digest."""
    approving: set[str] = set()
    rejected: Review | None = None
    for review in reviews:
        if review.vote is Vote.REJECT:
            rejected = rejected or review
        elif review.digest == digest:
            approving.add(review.person_id)
    return Tally(len(approving), max(1, need), rejected)
