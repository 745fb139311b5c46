"""What the SQL stores do with questions and task lists."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.broker.ports.questions import QuestionChange
from sayso.core.moment import Moment
from sayso.questions.question import Question
from sayso.questions.todo import Task
from sayso.store.codec.logs import log_rows
from sayso.store.codec.questions import read_question, read_tasks, tasks_row
from sayso.store.question_guard import check_next_question
from sayso.store.sql.access import Access
from sayso.store.units import questions as units
from sayso.store.units.logs import write


class Questions(Access):
    """The part of a SQL store that keeps questions and task lists."""

    async def add_question(
        self,
        question: Question,
        records: Records,
        notices: Notices,
        *,
        at_most: int | None = None,
    ) -> Question | None:
        """Keep a new question, or return the one that has its external id."""
        log = log_rows(records, notices)
        found: Question | None = await self._write(
            lambda tx: units.add_question(tx, question, log, at_most)
        )
        return found

    async def change_question(self, change: QuestionChange) -> None:
        """Write a change of a question, whole or not at all."""
        check_next_question(change)
        log = log_rows(change.records, change.notices)
        await self._write(lambda tx: units.change_question(tx, change, log))

    async def question(self, question_id: str) -> Question | None:
        """The question with that id."""
        return await self._one(self._q.question, {"question_id": question_id}, read_question)

    async def question_called(self, session_id: str, external_id: str) -> Question | None:
        """The question that a session asked under that external id."""
        values = {"session_id": session_id, "external_id": external_id}
        return await self._one(self._q.question_called, values, read_question)

    async def open_questions(self) -> Sequence[Question]:
        """Every question that waits, oldest first."""
        return await self._many(self._q.open_questions, {}, read_question)

    async def questions_due(self, now: Moment) -> Sequence[Question]:
        """The questions that wait although their time is over or their session has stopped."""
        return await self._many(self._q.questions_due, {"now": now}, read_question)

    async def questions_of(self, session_id: str) -> Sequence[Question]:
        """The questions of a session that wait, oldest first."""
        return await self._many(self._q.questions_of, {"session_id": session_id}, read_question)

    async def touch_question(self, question_id: str, now: Moment) -> None:
        """Note that whoever asked still waits."""
        values = {"the_id": question_id, "seen": now}
        await self._write(lambda tx: tx.write(self._q.touch_question, values))

    async def put_tasks(
        self, session_id: str, tasks: Sequence[Task], at: Moment, notices: Notices
    ) -> None:
        """Keep the task list of a session."""
        row, log = tasks_row(session_id, tasks, at), log_rows((), notices)
        await self._write(lambda tx: write(tx, self._q.put_tasks, row, log))

    async def tasks(self, session_id: str) -> Sequence[Task]:
        """The task list of a session; empty if it has none."""
        return await self._one(self._q.tasks, {"session_id": session_id}, read_tasks) or ()
