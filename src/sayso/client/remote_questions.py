"""Questions over the HTTP API: the same port as the embedded gate's (GATE-2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from sayso.broker.ports import QuestionStanding
from sayso.client.connection import Connection
from sayso.client.polling import polled
from sayso.client.problems import expect
from sayso.questions.clarification import Reply
from sayso.questions.question import Kind, QuestionDraft
from sayso.questions.todo import Task


class RemoteQuestions:
    """The part of a remote gate that asks people; a server that is restarted is waited for."""

    _connection: Connection
    session_id: str

    async def ask(self, draft: QuestionDraft) -> QuestionStanding:
        """See AskingPort; sent again only with an external id."""
        told: dict[str, Any] = {
            "items": [item.to_json() for item in draft.items] or None,
            "plan": draft.plan,
            "message": draft.message,
            "schema": None if draft.schema is None else dict(draft.schema),
            "url": draft.url,
            "server": draft.server,
            "external_id": draft.external_id,
            "timeout": draft.timeout,
            "answer_key": draft.answer_key,
        }
        body = {name: value for name, value in told.items() if value is not None}
        body.update(session_id=self.session_id, kind=draft.kind.value)
        again = draft.external_id is not None
        return _standing(await self._connection.send("POST", "/api/questions", body, again=again))

    async def wait_for_answer(self, question_id: str, timeout: float) -> QuestionStanding:
        """See AskingPort."""
        path = _path(question_id, "wait")
        return await polled(
            self._connection, path, timeout, _standing, lambda standing: not standing.waits
        )

    async def done_with(self, question_id: str) -> None:
        """See AskingPort."""
        await self._connection.send("POST", _path(question_id, "done"), again=True)

    async def enter_plan_mode(self, reason: str | None) -> str | None:
        """See AskingPort."""
        path = f"/api/sessions/{quote(self.session_id, safe='')}/plan"
        body = {} if reason is None else {"reason": reason}
        found = await self._connection.send("POST", path, body, again=True)
        refused: str | None = expect(found, "planning", "refused")["refused"]
        return refused

    async def set_tasks(self, tasks: Sequence[Task]) -> None:
        """See AskingPort."""
        path = f"/api/sessions/{quote(self.session_id, safe='')}/tasks"
        body = {"items": [task.to_json() for task in tasks]}
        await self._connection.send("PUT", path, body, again=True)


def _path(question_id: str, act: str) -> str:
    return f"/api/questions/{quote(question_id, safe='')}/{act}"


def _standing(found: Any) -> QuestionStanding:
    told = expect(found, "question_id", "kind", "status", "message", "replies")
    replies = [expect(one, "answer", "selected") for one in told["replies"]]
    return QuestionStanding(
        question_id=told["question_id"],
        kind=Kind(told["kind"]),
        status=told["status"],
        message=told["message"],
        replies=tuple(
            Reply(
                one["answer"], None if one["selected"] is None else tuple(map(str, one["selected"]))
            )
            for one in replies
        ),
        content=told.get("content"),
        sealed=told.get("sealed"),
        plan_answer=told.get("plan_answer"),
        by=told.get("by"),
        comment=told.get("comment"),
    )
