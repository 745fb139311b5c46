"""What happens to a request that waits and decides nothing: reminders, "not now", "why?" (REQ-16, REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.core.moment import Moment
from sayso.errors import RequestClosed
from sayso.requests.attention import Attention, Delivery, Question, Snooze


@dataclass(frozen=True, slots=True)
class Delivered:
    """A channel confirmed that a person who may decide was shown the card."""

    delivery: Delivery


@dataclass(frozen=True, slots=True)
class Reminded:
    """People are reminded; `number` is how many reminders are out now, with those that were missed."""

    number: int


@dataclass(frozen=True, slots=True)
class Escalated:
    """Those who were to be asked later are asked now."""

    at: Moment


@dataclass(frozen=True, slots=True)
class Snoozed:
    """A person said "not now"."""

    snooze: Snooze


@dataclass(frozen=True, slots=True)
class SnoozeOver:
    """What was hidden from a person is shown to them again."""

    person_id: str


@dataclass(frozen=True, slots=True)
class AskedBack:
    """A person asked the agent something."""

    question: Question


@dataclass(frozen=True, slots=True)
class QuestionTold:
    """A waiting caller was given the question."""

    question_id: str
    at: Moment


@dataclass(frozen=True, slots=True)
class Answered:
    """The agent's side answered a question; `text` None says that it cannot."""

    question_id: str
    text: str | None
    at: Moment


Nudge = (
    Delivered | Reminded | Escalated | Snoozed | SnoozeOver | AskedBack | QuestionTold | Answered
)

NUDGES: tuple[type[Nudge], ...] = (
    Delivered,
    Reminded,
    Escalated,
    Snoozed,
    SnoozeOver,
    AskedBack,
    QuestionTold,
    Answered,
)


def attended(old: Attention, event: Nudge) -> Attention:
    """What is known of people's attention after the event.

    Raises RequestClosed for a word on a question that is not open, and for a second open question.
    """
    match event:
        case Delivered(delivery):
            return replace(old, deliveries=(*old.deliveries, delivery))
        case Reminded(number):
            return replace(old, reminders=max(number, old.reminders))
        case Escalated(at):
            return old if old.escalated_at is not None else replace(old, escalated_at=at)
        case Snoozed(snooze):
            return old.with_snooze(snooze)
        case SnoozeOver(person_id):
            return old.without_snooze(person_id)
        case AskedBack(question):
            if old.open_question is not None:
                raise RequestClosed(
                    "the agent has been asked something already",
                    "wait for its answer, or decide without it",
                    status="pending",
                )
            return old.with_question(question)
        case QuestionTold(question_id, at):
            return old.with_question(replace(_open(old, question_id), told_at=at))
        case Answered(question_id, text, at):
            asked = _open(old, question_id)
            return old.with_question(replace(asked, answer=text, answered_at=at))


def _open(attention: Attention, question_id: str) -> Question:
    """The open question with that id; an answered one stays as it was answered."""
    found = attention.open_question
    if found is None or found.question_id != question_id:
        raise RequestClosed(
            "this question waits for no answer",
            "it was answered already, or was never asked",
            status="pending",
        )
    return found
