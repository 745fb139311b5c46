"""What the gate offers to agents that ask people something besides approvals, embedded or remote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sayso.core.session import CallDraft
from sayso.questions.clarification import Reply
from sayso.questions.question import Kind, QuestionDraft, Status
from sayso.questions.todo import Task

if TYPE_CHECKING:
    from sayso.broker.ports.gate import Standing

REFUSED = "refused"
"""The status of what nobody was asked."""


@dataclass(frozen=True, slots=True)
class QuestionStanding:
    """How a question stands, for the side that asked it.

    `status` is the question's, or `refused` where nobody could be asked; `message` then says what the
    agent is told. `replies` are the answers to the items so far; `content` is that to a form, or `sealed`
    what only the side that asked can open; `plan_answer` and `comment` are those to a plan. `mode` is the
    session's mode after an approved plan.
    """

    question_id: str
    kind: Kind
    status: str
    message: str = ""
    replies: tuple[Reply, ...] = ()
    content: Mapping[str, Any] | None = None
    sealed: str | None = None
    plan_answer: str | None = None
    by: str | None = None
    comment: str | None = None

    @property
    def waits(self) -> bool:
        """Whether the last word on it is still to come."""
        return self.status == Status.PENDING.value


class AskingPort(Protocol):
    """Questions and the task list of one session; the embedded and the remote one are the same (GATE-2)."""

    @property
    def session_id(self) -> str:
        """The session."""

    async def ask(self, draft: QuestionDraft) -> QuestionStanding:
        """Ask a person; the question is durable before anybody is told of it.

        Raises QuestionInvalid for what cannot be asked, ExternalIdReused if its external id came with
        another question.
        """

    async def wait_for_answer(self, question_id: str, timeout: float) -> QuestionStanding:
        """How the question stands once it is answered or ended, or after so many seconds.

        Shows that whoever asked still waits: an answer with a secret is taken only then.
        """

    async def done_with(self, question_id: str) -> None:
        """Say that whoever asked needs it no more: a question that waits is cancelled, a sealed answer erased."""

    async def ask_approval(self, draft: CallDraft, timeout: float | None) -> Standing:
        """Ask for approval of something that is no tool call (Q-4): awaited like a call, never claimed."""

    async def enter_plan_mode(self, reason: str | None) -> str | None:
        """Begin to plan, which only tightens (Q-6); why that is refused, None if the session plans now."""

    async def set_tasks(self, tasks: Sequence[Task]) -> None:
        """Keep the session's task list, in place of the one before, and show it to people."""
