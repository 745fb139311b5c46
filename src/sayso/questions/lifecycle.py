"""The life of a question: the TRANSITIONS table, and the only code that changes a status (REQ-3).

As for approvals every change is computed here and written on the condition that the stored version is
still the old one; what the table does not name raises RequestClosed and changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.moment import Moment
from sayso.errors import RequestClosed
from sayso.questions.clarification import Reply
from sayso.questions.plan import PlanAnswer
from sayso.questions.question import Ending, Kind, Question, Status


@dataclass(frozen=True, slots=True)
class Replied:
    """A person answered the next of several questions; others are still to come, perhaps for others to answer."""

    reply: Reply
    by: str | None = None
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A person gave the whole answer: the last replies, the content of a form (or it sealed), or a word on a plan.

    An elicitation by URL is answered with nothing but the person's consent.
    """

    ending: Ending
    replies: tuple[Reply, ...] = ()
    content: Mapping[str, Any] | None = None
    sealed: str | None = None
    plan_answer: PlanAnswer | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """A person will not answer the form."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class Expired:
    """The time is over."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A person put it away, its session was stopped, or whoever asked took it back."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class Told:
    """The side that asked has the sealed answer: nothing of it is kept."""


Event = Replied | Answered | Declined | Expired | Cancelled | Told

TRANSITIONS: dict[tuple[Status, type[Event]], Status] = {
    (Status.PENDING, Replied): Status.PENDING,
    (Status.PENDING, Answered): Status.ANSWERED,
    (Status.PENDING, Declined): Status.DECLINED,
    (Status.PENDING, Expired): Status.EXPIRED,
    (Status.PENDING, Cancelled): Status.CANCELLED,
    (Status.ANSWERED, Told): Status.ANSWERED,
}


def apply(question: Question, event: Event) -> Question:
    """The question after the event, one version on.

    Raises RequestClosed if the table has no such step; only an elicitation can be declined.
    """
    status = TRANSITIONS.get((question.status, type(event)))
    if status is None or (status is Status.DECLINED and question.kind is not Kind.ELICITATION):
        raise closed(question)
    changes: dict[str, Any] = {}
    match event:
        case Replied(reply, _, _):
            changes["replies"] = (*question.replies, reply)
        case Answered(ending, replies, content, sealed, plan_answer):
            changes.update(
                ending=ending,
                replies=(*question.replies, *replies),
                content=content,
                sealed=sealed,
                plan_answer=plan_answer,
            )
        case Declined(ending) | Expired(ending) | Cancelled(ending):
            changes["ending"] = ending
        case Told():
            changes["sealed"] = None
    return replace(question, status=status, version=question.version + 1, **changes)


def is_over(question: Question, now: Moment) -> bool:
    """Whether the time to answer is over, whether or not any sweeper has run (REQ-22)."""
    return question.waits and question.expires_at is not None and now >= question.expires_at


def closed(question: Question) -> RequestClosed:
    """The error that says how and by whom the question ended."""
    status, ending = question.status, question.ending
    if ending is None:
        return RequestClosed(
            f"this cannot be done while the question is {status.value}",
            "look at how it stands now",
            status=status.value,
        )
    return RequestClosed(
        f"already resolved by {ending.by or 'sayso'}: {status.value}",
        "nothing was changed",
        status=status.value,
        resolution=ending.to_json(status),
    )
