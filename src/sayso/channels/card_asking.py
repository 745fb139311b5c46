"""The part of a card that is about asking: who can be reached, what was asked back, a broken glass (REQ-67, REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sayso.channels.display import Shown, safe, show, shown_json
from sayso.core.moment import Moment, to_rfc3339
from sayso.requests.approval import ApprovalRequest
from sayso.requests.attention import Question
from sayso.requests.broken_glass import BrokenGlass
from sayso.requests.deadline import time_may_allow


@dataclass(frozen=True, slots=True)
class Viewed:
    """What differs from one viewer to another, and from one moment to another, beside the request.

    `nobody` says in words that nobody can answer, None where somebody can, or where it is not known.
    `snoozed_until` is the viewer's own.
    """

    nobody: str | None = None
    snoozed_until: Moment | None = None
    may_break_glass: bool = False
    may_review_glass: bool = False


NOT_KNOWN = Viewed()


@dataclass(frozen=True, slots=True)
class CardQuestion:
    """What a person asked back, and what the agent said: its own words, and not checked."""

    by: str
    text: Shown
    at: Moment
    answer: Shown | None
    answered_at: Moment | None

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "by": self.by,
            "text": shown_json(self.text),
            "at": to_rfc3339(self.at),
            "answer": None if self.answer is None else shown_json(self.answer),
            "answered_at": None if self.answered_at is None else to_rfc3339(self.answered_at),
        }


@dataclass(frozen=True, slots=True)
class CardGlass:
    """Who ran it without its votes and why, and the second person's word; `review_by` is until when."""

    by: str
    why: Shown
    at: Moment
    review_by: Moment
    reviewed_by: str | None
    justified: bool | None
    comment: Shown | None

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "by": self.by,
            "why": shown_json(self.why),
            "at": to_rfc3339(self.at),
            "review_by": to_rfc3339(self.review_by),
            "reviewed_by": self.reviewed_by,
            "justified": self.justified,
            "comment": None if self.comment is None else shown_json(self.comment),
        }


@dataclass(frozen=True, slots=True)
class CardAsking:
    """Everything about asking: what the viewer is told of it, and what they may do besides voting."""

    nobody: str | None
    escalated: bool
    confirms: bool
    snoozed_until: Moment | None
    questions: tuple[CardQuestion, ...]
    may_ask_back: bool
    glass: CardGlass | None
    may_break_glass: bool
    may_review_glass: bool

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "nobody": self.nobody,
            "escalated": self.escalated,
            "confirms": self.confirms,
            "snoozed_until": None if self.snoozed_until is None else to_rfc3339(self.snoozed_until),
            "questions": [question.to_json() for question in self.questions],
            "may_ask_back": self.may_ask_back,
            "glass": None if self.glass is None else self.glass.to_json(),
            "may_break_glass": self.may_break_glass,
            "may_review_glass": self.may_review_glass,
        }


def asking_of(request: ApprovalRequest, viewed: Viewed, *, may_decide: bool) -> CardAsking:
    """The part for one viewer; `may_decide` says whether they may decide the request now."""
    attention = request.attention
    return CardAsking(
        nobody=viewed.nobody if request.waits else None,
        escalated=attention.escalated_at is not None,
        confirms=may_decide and request.waits and time_may_allow(request),
        snoozed_until=viewed.snoozed_until if request.waits else None,
        questions=tuple(_question(question) for question in attention.questions),
        may_ask_back=may_decide and request.waits and attention.open_question is None,
        glass=None if request.glass is None else _glass(request.glass),
        may_break_glass=viewed.may_break_glass,
        may_review_glass=viewed.may_review_glass,
    )


def _question(question: Question) -> CardQuestion:
    return CardQuestion(
        by=safe(question.person_name),
        text=show(question.text),
        at=question.at,
        answer=None if question.answer is None else show(question.answer),
        answered_at=question.answered_at,
    )


def _glass(glass: BrokenGlass) -> CardGlass:
    review = glass.review
    return CardGlass(
        by=safe(glass.person_name),
        why=show(glass.why),
        at=glass.at,
        review_by=glass.review_by,
        reviewed_by=None if review is None else safe(review.person_name),
        justified=None if review is None else review.justified,
        comment=None if review is None or review.comment is None else show(review.comment),
    )
