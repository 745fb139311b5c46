"""What the broker needs of questions and task lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.audit.record import AuditRecord
from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.moment import Moment
from sayso.core.session import Session
from sayso.people.token import Credential
from sayso.questions.question import Question
from sayso.questions.todo import Task
from sayso.requests.event import Notice


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A change of a question, written whole or not at all.

    `answerer` is the credential of the person whose word it is: the same transaction checks that it
    decides, and that its person may answer. `switch` is a session before and after, written with it if
    nothing else has changed it.
    """

    question: Question
    expected_version: int
    at: Moment
    answerer: Credential | None = None
    records: tuple[AuditRecord, ...] = ()
    notices: tuple[Notice, ...] = ()
    switch: tuple[Session, Session] | None = None


class QuestionStore(Protocol):
    """Questions and task lists; see Store."""

    async def add_question(
        self,
        question: Question,
        records: Records,
        notices: Notices,
        *,
        at_most: int | None = None,
    ) -> Question | None:
        """Keep a new question; if its session has one of the same external id, return that instead.

        Raises LostRace if the session has stopped: what is asked then would wait for nothing; TooManyWait
        where it would be more than `at_most` questions of its session that wait.
        """

    async def change_question(self, change: QuestionChange) -> None:
        """Write a change on the condition that nothing changed the question meanwhile.

        Raises LostRace if something did, NotEligible if the answerer may not answer.
        """

    async def question(self, question_id: str) -> Question | None:
        """The question with that id."""

    async def question_called(self, session_id: str, external_id: str) -> Question | None:
        """The question that a session asked under that external id."""

    async def open_questions(self) -> Sequence[Question]:
        """Every question that waits, oldest first."""

    async def questions_due(self, now: Moment) -> Sequence[Question]:
        """The questions that wait although their time is over or their session has stopped."""

    async def questions_of(self, session_id: str) -> Sequence[Question]:
        """The questions of a session that wait, oldest first."""

    async def touch_question(self, question_id: str, now: Moment) -> None:
        """Note that whoever asked still waits."""

    async def put_tasks(
        self, session_id: str, tasks: Sequence[Task], at: Moment, notices: Notices
    ) -> None:
        """Keep the task list of a session, in place of the one before."""

    async def tasks(self, session_id: str) -> Sequence[Task]:
        """The task list of a session; empty if it has none."""
