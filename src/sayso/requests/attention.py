"""What was done to get somebody's attention, and what they said besides a vote; none of it decides (REQ-16, REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sayso.core.moment import Moment, to_rfc3339


@dataclass(frozen=True, slots=True)
class Delivery:
    """The card was shown to a person who may decide: over which channel, and when it was confirmed."""

    channel: str
    person_id: str
    at: Moment

    def to_json(self) -> dict[str, Any]:
        """The delivery as plain data."""
        return {"channel": self.channel, "person_id": self.person_id, "at": to_rfc3339(self.at)}


@dataclass(frozen=True, slots=True)
class Snooze:
    """One person said "not now": it is hidden from them until a moment."""

    person_id: str
    person_name: str
    until: Moment


@dataclass(frozen=True, slots=True)
class Question:
    """A person asked back, and what the agent answered.

    `told_at` is when a waiting caller was given it. `answer` stays None with `answered_at` set where
    the agent's side said that it cannot answer.
    """

    question_id: str
    person_id: str
    person_name: str
    text: str
    at: Moment
    told_at: Moment | None = None
    answer: str | None = None
    answered_at: Moment | None = None

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a word of the agent's side."""
        return self.answered_at is None

    def to_json(self) -> dict[str, Any]:
        """The question as plain data."""
        return {
            "question_id": self.question_id,
            "by": self.person_name,
            "text": self.text,
            "at": to_rfc3339(self.at),
            "answer": self.answer,
            "answered_at": None if self.answered_at is None else to_rfc3339(self.answered_at),
        }


@dataclass(frozen=True, slots=True)
class Attention:
    """All of it for one request; `reminders` counts those that are out, also those skipped over."""

    deliveries: tuple[Delivery, ...] = ()
    reminders: int = 0
    escalated_at: Moment | None = None
    snoozes: tuple[Snooze, ...] = ()
    questions: tuple[Question, ...] = ()

    def delivered_to(self, channel: str, person_id: str) -> bool:
        """Whether this delivery is known already."""
        return any((d.channel, d.person_id) == (channel, person_id) for d in self.deliveries)

    def snoozed_until(self, person_id: str) -> Moment | None:
        """Until when the person does not want to see it; None if they did not say so."""
        return next((s.until for s in self.snoozes if s.person_id == person_id), None)

    def with_snooze(self, snooze: Snooze) -> Attention:
        """With this person's newest word on it."""
        others = tuple(s for s in self.snoozes if s.person_id != snooze.person_id)
        return replace(self, snoozes=(*others, snooze))

    def without_snooze(self, person_id: str) -> Attention:
        """With nothing hidden from this person."""
        return replace(self, snoozes=tuple(s for s in self.snoozes if s.person_id != person_id))

    @property
    def open_question(self) -> Question | None:
        """The question that waits for the agent; there is one at a time."""
        return next((q for q in self.questions if q.is_open), None)

    def with_question(self, question: Question) -> Attention:
        """With this question, in the place of an older state of it."""
        known = [q.question_id for q in self.questions]
        if question.question_id not in known:
            return replace(self, questions=(*self.questions, question))
        return replace(
            self,
            questions=tuple(
                question if q.question_id == question.question_id else q for q in self.questions
            ),
        )


NO_ATTENTION = Attention()
