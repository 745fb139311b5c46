"""What an agent's side does with questions, over any GatePort: ask, wait, and say it as the spec does.

Outcomes are values: where nobody can be asked or an answer did not come, `error` says so in the words that
are meant for the agent, with the answers so far. Misuse raises QuestionInvalid before anybody is asked.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sayso.broker.asking_approval import ASK_APPROVAL
from sayso.broker.ports import AskingPort, GatePort, QuestionStanding
from sayso.broker.sealed_answer import public_key, unseal
from sayso.broker.settled import settled
from sayso.core.session import CallDraft
from sayso.errors import QuestionInvalid, SaysoError
from sayso.questions.clarification import Item, answers_json, read_items
from sayso.questions.plan import MODE_AFTER, PlanAnswer
from sayso.questions.question import Kind, QuestionDraft, Status
from sayso.questions.todo import list_json, read_tasks

WAIT_SECONDS = 3600.0
"""One wait; those that wait longer wait again."""

DONE_SECONDS = 5.0
"""How long taking a question back may take."""


async def ask_user(
    port: AskingPort,
    question: str | None = None,
    options: Sequence[str] | None = None,
    multi_select: bool | None = None,
    *,
    questions: Sequence[Mapping[str, Any] | Item] | None = None,
    timeout: float | None = None,
    external_id: str | None = None,
) -> dict[str, Any]:
    """Ask one question, or up to 8 in turn (Q-1).

    One question is answered by `answer`, and `selected` where several options could be chosen; several by
    `answers`. What did not come is an `error` at the `question` it happened on, with the `answers` so far.
    """
    items = read_items(question, options, multi_select, questions)
    draft = QuestionDraft(Kind.CLARIFICATION, items, external_id=external_id, timeout=timeout)
    found = await asked(port, draft)
    if found.status == Status.ANSWERED.value:
        if questions is None:
            return found.replies[0].to_json()
        return {"answers": answers_json(items, found.replies)}
    error: dict[str, Any] = {"error": found.message, "question": items[len(found.replies)].question}
    if questions is not None:
        error["answers"] = answers_json(items, found.replies)
    return error


async def elicit(
    port: AskingPort,
    message: str,
    *,
    secret: Callable[[], bytes],
    schema: Mapping[str, Any] | None = None,
    url: str | None = None,
    server: str | None = None,
    timeout: float | None = None,
) -> dict[str, Any]:
    """Have a person fill in a form or open a URL (Q-8); `{action, content?}` as MCP writes it.

    `secret` gives 32 random bytes: the key with which an answer that may hold a secret is opened here and
    nowhere else. Where nobody can be asked the action is `cancel`.
    """
    key = secret()
    draft = QuestionDraft(
        Kind.ELICITATION,
        message=message,
        schema=schema,
        url=url,
        server=server,
        timeout=timeout,
        answer_key=public_key(key),
    )
    found = await asked(port, draft)
    if found.status == Status.DECLINED.value:
        return {"action": "decline"}
    if found.status != Status.ANSWERED.value:
        return {"action": "cancel"}
    if found.sealed is not None:
        content: Mapping[str, Any] | None = unseal(found.sealed, key)
        await _done(port, found.question_id)
    else:
        content = found.content
    return {"action": "accept"} if content is None else {"action": "accept", "content": content}


async def exit_plan_mode(
    port: AskingPort,
    plan: str,
    save: Callable[[str, str], str],
    *,
    timeout: float | None = None,
    external_id: str | None = None,
) -> dict[str, Any]:
    """Have a plan reviewed (Q-5): `{approved, mode, path}`, or `approved` false with `feedback` or a `message`.

    `save` writes an approved plan for a session id and tells its path; where it cannot, `not_saved` says why.
    Raises QuestionInvalid where the session does not plan.
    """
    draft = QuestionDraft(Kind.PLAN, plan=plan, timeout=timeout, external_id=external_id)
    found = await asked(port, draft)
    if found.status != Status.ANSWERED.value or found.plan_answer is None:
        return {"approved": False, "message": found.message}
    mode = MODE_AFTER.get(PlanAnswer(found.plan_answer))
    if mode is None:
        return {"approved": False, "feedback": found.comment or "keep planning"}
    told: dict[str, Any] = {"approved": True, "mode": mode.value}
    try:
        told["path"] = await asyncio.to_thread(save, port.session_id, plan)
    except OSError as error:  # the approval stands all the same
        told["not_saved"] = error.strerror or str(error)
    return told


async def ask_approval(
    port: GatePort,
    action: str,
    details: str | None = None,
    *,
    timeout: float | None = None,
    tool: str = ASK_APPROVAL,
    external_id: str | None = None,
) -> dict[str, Any]:
    """Ask a person about something that is no tool call (Q-4): `{approved, comment}`.

    `error` says why nobody was asked, or did not answer. `tool` is the name that rules see.
    Raises QuestionInvalid for an empty action.
    """
    if not action.strip():
        raise QuestionInvalid("the action is empty", "say what you want to do")
    arguments = {"action": action} if details is None else {"action": action, "details": details}
    draft = CallDraft(tool, arguments, external_id=external_id)
    standing = await port.ask_approval(draft, timeout)
    try:
        while standing.status == "pending":
            standing = await port.wait(standing.call_id, WAIT_SECONDS)
    except asyncio.CancelledError:
        with contextlib.suppress(SaysoError, TimeoutError):
            await asyncio.wait_for(port.leave(standing.call_id), DONE_SECONDS)
        raise
    told: dict[str, Any] = {"approved": standing.status == "approved", "comment": standing.comment}
    if not told["approved"] and standing.status != "rejected":
        told["error"] = standing.message
    return told


async def enter_plan_mode(port: AskingPort, reason: str | None = None) -> dict[str, Any]:
    """Begin to plan (Q-6): `{planning}`, with an `error` for the agent where that is refused."""
    refused = await port.enter_plan_mode(reason)
    return {"planning": True} if refused is None else {"planning": False, "error": refused}


async def todo(port: AskingPort, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Keep the whole task list (Q-7): the items, how many are `done` of the `total`, and a note perhaps."""
    tasks = read_tasks(items)
    await port.set_tasks(tasks)
    return list_json(tasks)


async def asked(port: AskingPort, draft: QuestionDraft) -> QuestionStanding:
    """Ask and wait for the end. A caller that is cancelled takes the question back, unless it has a
    name by which it can be asked for again."""

    async def take_back(standing: QuestionStanding) -> None:
        if draft.external_id is None:
            await _done(port, standing.question_id)

    standing = await settled(port.ask(draft), take_back)
    try:
        while standing.waits:
            standing = await port.wait_for_answer(standing.question_id, WAIT_SECONDS)
    except asyncio.CancelledError:
        await take_back(standing)
        raise
    return standing


async def _done(port: AskingPort, question_id: str) -> None:
    """Take it back or let it go; where that fails the session's end does it."""
    with contextlib.suppress(SaysoError, TimeoutError):
        await asyncio.wait_for(port.done_with(question_id), DONE_SECONDS)
