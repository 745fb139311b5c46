"""The statements about questions and task lists."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, bindparam, func, or_, select, update

from sayso.questions.question import Status
from sayso.store import question_tables as q
from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import word


class Questions(Compiler):
    """The statements about questions and task lists."""

    def _questions(self) -> None:
        c, s = q.QUESTIONS.c, t.SESSIONS.c
        values: dict[str, Any] = {column.name: bindparam(column.name) for column in c}
        self.add_question = self._compile(
            self._upsert(q.QUESTIONS).values(values).on_conflict_do_nothing()
        )
        read = select(c.document, c.caller_seen)
        oldest = (c.created_at, self._text(c.question_id))
        waits = c.status == word(Status.PENDING)
        one_session = c.session_id == bindparam("session_id")
        self.question = self._compile(read.where(c.question_id == bindparam("question_id")))
        self.question_called = self._compile(
            read.where(one_session, c.external_id == bindparam("external_id"))
        )
        self.open_questions_in_session = self._compile(
            select(func.count(c.question_id)).where(waits, one_session)
        )
        self.open_questions = self._compile(read.where(waits).order_by(*oldest))
        self.questions_of = self._compile(read.where(waits, one_session).order_by(*oldest))
        over = and_(c.expires_at.is_not(None), c.expires_at <= bindparam("now"))
        self.questions_due = self._compile(
            read.join_from(q.QUESTIONS, t.SESSIONS, s.session_id == c.session_id, isouter=True)
            .where(waits, or_(over, s.stopped_at.is_not(None)))
            .order_by(*oldest)
        )
        one = c.question_id == bindparam("the_id")
        self.change_question = self._compile(
            update(q.QUESTIONS).where(one, c.version == bindparam("expected_version")),
            ["status", "version", "document"],
        )
        self.touch_question = self._compile(
            update(q.QUESTIONS)
            .where(one, c.caller_seen < bindparam("seen"))
            .values(caller_seen=bindparam("seen"))
        )
        lists = q.TASK_LISTS
        put = self._upsert(lists).values({one.name: bindparam(one.name) for one in lists.c})
        self.put_tasks = self._compile(
            put.on_conflict_do_update(
                index_elements=[lists.c.session_id],
                set_={name: put.excluded[name] for name in ("at", "document")},
            )
        )
        self.tasks = self._compile(
            select(lists.c.document).where(lists.c.session_id == bindparam("session_id"))
        )
