"""Questions and task lists as rows, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sayso.core.moment import Moment
from sayso.questions.question import Question
from sayso.questions.todo import Task
from sayso.store.codec.document import Row, reader, written

_question = reader(Question)
_tasks = reader(tuple[Task, ...])


def question_row(question: Question) -> dict[str, Any]:
    """The row of a question."""
    return {
        "question_id": question.question_id,
        "session_id": question.session_id,
        "external_id": question.external_id,
        "status": question.status.value,
        "version": question.version,
        "created_at": question.created_at,
        "expires_at": question.expires_at,
        "caller_seen": question.caller_seen,
        "document": written(question),
    }


def read_question(row: Row) -> Question:
    """A question from its document and when its caller was seen last."""
    return replace(_question(row[0]), caller_seen=Moment(row[1]))


def tasks_row(session_id: str, tasks: Sequence[Task], at: Moment) -> dict[str, Any]:
    """The row of a session's task list."""
    return {"session_id": session_id, "at": at, "document": written(tuple(tasks))}


def read_tasks(row: Row) -> tuple[Task, ...]:
    """A task list from its document."""
    return _tasks(row[0])
