"""How the in-memory store keeps questions and task lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.broker.ports import Notices, Records
from sayso.broker.ports.questions import QuestionChange
from sayso.core.moment import Moment
from sayso.questions.question import Question
from sayso.questions.todo import Task
from sayso.store.guard import (
    change_session,
    check_reviewer,
    check_session_goes_on,
    check_waiting,
)
from sayso.store.memory.sessions import Sessions
from sayso.store.question_guard import check_answerer, check_next_question, question_changed


class Questions(Sessions):
    """The part of the in-memory store that keeps questions and task lists."""

    def __init__(self) -> None:
        super().__init__()
        self._questions: dict[str, Question] = {}
        self._task_lists: dict[str, tuple[Task, ...]] = {}

    async def add_question(
        self,
        question: Question,
        records: Records,
        notices: Notices,
        *,
        at_most: int | None = None,
    ) -> Question | None:
        """Keep a new question, or return the one that has its external id."""
        with self._lock:
            session_id = question.session_id
            check_session_goes_on(session_id, self._sessions.get(session_id))
            if question.external_id is not None:
                found = await self.question_called(session_id, question.external_id)
                if found is not None:
                    return found
            if at_most is not None:
                check_waiting(1 + len(await self.questions_of(session_id)), at_most)
            self._questions[question.question_id] = question
            self._append(records, notices)
        return None

    async def change_question(self, change: QuestionChange) -> None:
        """Write a change of a question, whole or not at all."""
        check_next_question(change)
        new = change.question
        with self._lock:
            old, stored = self._questions.get(new.question_id), None
            if change.answerer is not None:
                stored = self._credentials.get(change.answerer.credential_id)
                check_reviewer(stored, change.at)
            if old is None or old.version != change.expected_version:
                raise question_changed(new.question_id)
            if stored is not None:
                check_session_goes_on(new.session_id, self._sessions.get(new.session_id))
                check_answerer(change, stored, self._directory)
            if change.switch is not None:
                before, after = change.switch
                found = self._sessions.get(before.session_id)
                self._sessions[before.session_id] = change_session(found, before, after)
            self._questions[new.question_id] = replace(new, caller_seen=old.caller_seen)
            self._append(change.records, change.notices)

    async def question(self, question_id: str) -> Question | None:
        """The question with that id."""
        return self._questions.get(question_id)

    async def question_called(self, session_id: str, external_id: str) -> Question | None:
        """The question that a session asked under that external id."""
        key = (session_id, external_id)
        found = (q for q in self._questions.values() if (q.session_id, q.external_id) == key)
        return next(found, None)

    async def open_questions(self) -> Sequence[Question]:
        """Every question that waits, oldest first."""
        return self._waiting(lambda question: True)

    async def questions_due(self, now: Moment) -> Sequence[Question]:
        """The questions that wait although their time is over or their session has stopped."""

        def due(question: Question) -> bool:
            session = self._sessions.get(question.session_id)
            stopped = session is not None and session.stopped_at is not None
            return stopped or (question.expires_at is not None and question.expires_at <= now)

        return self._waiting(due)

    async def questions_of(self, session_id: str) -> Sequence[Question]:
        """The questions of a session that wait, oldest first."""
        return self._waiting(lambda question: question.session_id == session_id)

    async def touch_question(self, question_id: str, now: Moment) -> None:
        """Note that whoever asked still waits."""
        with self._lock:
            old = self._questions.get(question_id)
            if old is not None and old.caller_seen < now:
                self._questions[question_id] = replace(old, caller_seen=now)

    async def put_tasks(
        self, session_id: str, tasks: Sequence[Task], at: Moment, notices: Notices
    ) -> None:
        """Keep the task list of a session."""
        with self._lock:
            self._task_lists[session_id] = tuple(tasks)
            self._append((), notices)

    async def tasks(self, session_id: str) -> Sequence[Task]:
        """The task list of a session; empty if it has none."""
        return self._task_lists.get(session_id, ())

    def _waiting(self, wanted: Callable[[Question], bool]) -> list[Question]:
        with self._lock:
            found = [one for one in self._questions.values() if one.waits and wanted(one)]
        return sorted(found, key=lambda one: (one.created_at, one.question_id))
