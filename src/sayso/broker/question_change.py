"""What an event does to a question, whole: its new value, its audit records and what people are told.

Nobody's answer to a form stands in a record or an event, and of other answers only their redacted form
in the record.
"""

from __future__ import annotations

from typing import Any

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact, redact_text
from sayso.broker.ports.questions import QuestionChange
from sayso.broker.world import World
from sayso.core.moment import Moment, seconds_between
from sayso.people.token import Credential
from sayso.questions.lifecycle import Answered, Event, Replied, Told, apply
from sayso.questions.question import Kind, Question, subject_digest
from sayso.requests.event import EventKind, Notice

_REQUESTED = {
    Kind.CLARIFICATION: EventKind.CLARIFICATION_REQUESTED,
    Kind.ELICITATION: EventKind.ELICITATION_REQUESTED,
    Kind.PLAN: EventKind.PLAN_REQUESTED,
}
_RESOLVED = {
    Kind.CLARIFICATION: EventKind.CLARIFICATION_RESOLVED,
    Kind.ELICITATION: EventKind.ELICITATION_RESOLVED,
    Kind.PLAN: EventKind.PLAN_RESOLVED,
}
REQUESTED = frozenset(_REQUESTED.values())
ABOUT_QUESTIONS = REQUESTED | {*_RESOLVED.values(), EventKind.QUESTION_CHANGED}


def question_change(
    question: Question, event: Event, now: Moment, answerer: Credential | None = None
) -> QuestionChange:
    """The conditional write that makes the event so; raises what lifecycle.apply raises."""
    changed = apply(question, event)
    return QuestionChange(
        changed,
        question.version,
        now,
        answerer=answerer,
        records=_records(changed, event, now),
        notices=_notices(changed, event, now),
    )


async def write_question(world: World, change: QuestionChange) -> Question:
    """Make the change durable, wake whoever waits, and return the question as it now stands."""
    await world.store.change_question(change)
    if change.notices:
        world.feed.publish([change.question.question_id])
    return change.question


def asked_record(question: Question) -> AuditRecord:
    """The record that something was asked."""
    return _record(question, question.created_at, f"asked: {redact_text(question.title)}")


def asked_notice(question: Question) -> Notice:
    """The event that something was asked."""
    kind, title = _REQUESTED[question.kind], redact_text(question.title)
    return _notice(kind, question, question.created_at, title=title)


def _records(question: Question, event: Event, now: Moment) -> tuple[AuditRecord, ...]:
    if isinstance(event, Replied):
        said = _in_words(question, len(question.replies) - 1)
        note = f"{question.kind.value} answered in part"
        return (_record(question, now, note, by=event.by, channel=event.channel, comment=said),)
    if isinstance(event, Told) or question.ending is None:
        return ()
    ending = question.ending
    comment = None
    if isinstance(event, Answered) and question.kind is Kind.CLARIFICATION:
        # what others answered before stands in records of its own, under their names
        comment = _in_words(question, len(question.replies) - len(event.replies))
    elif question.kind is Kind.PLAN:
        words = [question.plan_answer, ending.comment]
        comment = ": ".join(redact_text(word) for word in words if word)
    elif ending.comment is not None:
        comment = redact_text(ending.comment)
    waited = max(0.0, seconds_between(question.created_at, now))
    more: dict[str, Any] = {"by": ending.by, "channel": ending.channel, "comment": comment or None}
    note = f"{question.kind.value} {question.status.value}"
    return (_record(question, now, note, reason=question.status.value, waited=waited, **more),)


def _in_words(question: Question, first: int) -> str:
    """The replies from one on; by their questions, so that an answer to "Which password?" is hidden by that word."""
    pairs = list(zip(question.items, question.replies, strict=False))[first:]
    said = [redact({item.question: reply.answer}) for item, reply in pairs]
    return "; ".join(str(text) for one in said for text in one.values())


def _notices(question: Question, event: Event, now: Moment) -> tuple[Notice, ...]:
    if isinstance(event, Told):
        return ()
    if isinstance(event, Replied):
        count = len(question.replies)
        return (_notice(EventKind.QUESTION_CHANGED, question, now, answered=count),)
    by = None if question.ending is None else question.ending.by
    kind = _RESOLVED[question.kind]
    return (_notice(kind, question, now, status=question.status.value, by=by),)


def _record(question: Question, now: Moment, note: str, **more: Any) -> AuditRecord:
    return AuditRecord(
        RecordKind.QUESTION,
        now,
        call_id=question.question_id,
        session_id=question.session_id,
        agent_id=question.agent_id,
        user_id=question.user_id,
        source=question.source,
        digest=subject_digest(question),
        note=note,
        **more,
    )


def _notice(kind: EventKind, question: Question, now: Moment, **data: object) -> Notice:
    return Notice(
        kind,
        now,
        request_id=question.question_id,
        session_id=question.session_id,
        root_session_id=question.root_session_id,
        user_id=question.user_id,
        agent_id=question.agent_id,
        eligible=question.eligible,
        version=question.version,
        data=dict(data),
    )
