"""What the log and the events say of what decides nothing: reminders, "not now", "why?", broken glass (REQ-68)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.moment import to_rfc3339
from sayso.requests.glass_events import GlassOverdue, GlassReviewed
from sayso.requests.lifecycle import Event
from sayso.requests.nudges import (
    Answered,
    AskedBack,
    Delivered,
    Escalated,
    Nudge,
    QuestionTold,
    Reminded,
    Snoozed,
    SnoozeOver,
)

REMINDED, ESCALATED, SNOOZE_OVER = "reminded", "escalated", "snooze-over"
"""What makes channels show a card again."""

OVERDUE = "not-reviewed"


def overdue_words(count: int) -> str:
    """The alert that nobody has reviewed a broken glass in time."""
    what = "a broken glass was" if count == 1 else f"{count} broken glasses were"
    return f"{what} not reviewed in time; until that is done no glass can be broken"


@dataclass(frozen=True, slots=True)
class Words:
    """One event in words: `what` happened, by whom, over which channel, and what was said with it.

    `silent` is what only the program needs to know; `person_id` whom alone it concerns.
    """

    what: str
    by: str | None = None
    comment: str | None = None
    channel: str | None = None
    person_id: str | None = None
    silent: bool = False


def words_of(event: Event) -> Words | None:
    """The words for an event of people's attention or of a broken glass; None for any other."""
    match event:
        case GlassReviewed(review):
            what = "justified" if review.justified else "not-justified"
            return Words(what, review.person_name, review.comment, review.channel)
        case GlassOverdue():
            return Words(OVERDUE, comment="no second person reviewed the broken glass in time")
        case (
            Delivered()
            | Reminded()
            | Escalated()
            | Snoozed()
            | SnoozeOver()
            | AskedBack()
            | QuestionTold()
            | Answered()
        ):
            return _of_nudge(event)
        case _:
            return None


def _of_nudge(event: Nudge) -> Words:
    match event:
        case Delivered(delivery):
            comment = f"shown to {delivery.person_id}"
            return Words("delivered", comment=comment, channel=delivery.channel)
        case Reminded(number):
            return Words(REMINDED, comment=f"reminder {number}")
        case Escalated():
            return Words(ESCALATED)
        case Snoozed(snooze):
            comment = f"not before {to_rfc3339(snooze.until)}"
            return Words("snoozed", snooze.person_name, comment, person_id=snooze.person_id)
        case SnoozeOver(person_id):
            return Words(SNOOZE_OVER, person_id=person_id)
        case AskedBack(question):
            return Words("asked-back", question.person_name, question.text)
        case QuestionTold():
            return Words("question-told", silent=True)
        case Answered(_, text):
            return Words("answered", comment=text or "the agent cannot answer")
