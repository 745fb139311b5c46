"""One suite for every gate port: questions and task lists, embedded and remote, on every store (GATE-2)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.broker.asking import (
    ask_approval,
    ask_user,
    elicit,
    enter_plan_mode,
    exit_plan_mode,
    todo,
)
from sayso.errors import ExternalIdReused, NotEligible, QuestionInvalid, RequestNotFound
from sayso.questions.question import Question
from sayso.requests.approval import Vote
from tests.contracts.test_gate_port import Ports, ports

__all__ = ["ports"]

pytestmark = pytest.mark.spec("GATE-2")
SECRET = {"type": "object", "properties": {"password": {"type": "string"}}}


async def waiting(ports: Ports) -> Question:
    """The question that waits, once there is one."""
    for _ in range(1000):
        found = await ports.scene.store.open_questions()
        if found:
            return found[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was asked")


async def test_a_question_is_asked_awaited_and_answered(ports: Ports) -> None:
    gate, actor = await ports.gate(), await ports.scene.actor()
    asking = asyncio.create_task(ask_user(gate, "Which?", ["a", "b"], True, external_id="q1"))
    question = await waiting(ports)
    await ports.scene.broker.questions.answer(actor, question.question_id, selected=["b"])
    assert await asking == {"answer": "b", "selected": ["b"]}
    assert await ask_user(gate, "Which?", ["a", "b"], True, external_id="q1") == await asking
    with pytest.raises(ExternalIdReused):
        await ask_user(gate, "Which one?", external_id="q1")
    with pytest.raises(QuestionInvalid):
        await elicit(gate, "x", schema={"type": "array"}, secret=lambda: b"k" * 32)
    told = await todo(gate, [{"content": "a", "status": "completed"}])
    assert (told["done"], told["total"]) == (1, 1)


@pytest.mark.spec("Q-8")
async def test_a_secret_goes_from_the_person_to_whoever_asked(ports: Ports) -> None:
    gate, actor = await ports.gate(), await ports.scene.actor()
    asking = asyncio.create_task(elicit(gate, "x", schema=SECRET, secret=lambda: b"k" * 32))
    question = await waiting(ports)
    content: dict[str, Any] = {"password": "hunter2"}
    await ports.scene.broker.questions.accept(actor, question.question_id, content)
    assert await asking == {"action": "accept", "content": content}
    stored = await ports.scene.store.question(question.question_id)
    assert (stored.status.value, stored.sealed) == ("answered", None)


async def test_a_caller_that_leaves_takes_its_question_back(ports: Ports) -> None:
    gate, other = await ports.gate(), await ports.gate("other")
    asking = asyncio.create_task(ask_user(gate, "Which?"))
    question = await waiting(ports)
    with pytest.raises(NotEligible):
        await other.wait_for_answer(question.question_id, 0)
    with pytest.raises(RequestNotFound):
        await gate.wait_for_answer("nobody's", 0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    stored = await ports.scene.store.question(question.question_id)
    assert stored.status.value == "cancelled"


@pytest.mark.spec("Q-5", "Q-6")
async def test_a_plan_is_begun_reviewed_and_ended(ports: Ports) -> None:
    gate, actor = await ports.gate(), await ports.scene.actor()
    with pytest.raises(QuestionInvalid, match="not planning"):
        await exit_plan_mode(gate, "plan", lambda *_: "")
    assert await enter_plan_mode(gate, "it is large") == {"planning": True}
    saved: list[tuple[str, str]] = []

    def save(*plan: str) -> str:
        saved.append((plan[0], plan[1]))
        return "p"

    reviewing = asyncio.create_task(exit_plan_mode(gate, "plan", save))
    question = await waiting(ports)
    await ports.scene.broker.questions.answer_plan(actor, question.question_id, "accept-edits")
    assert await reviewing == {"approved": True, "mode": "accept-edits", "path": "p"}
    assert saved == [(gate.session_id, "plan")]
    assert (await ports.scene.store.session(gate.session_id)).mode == "accept-edits"


@pytest.mark.spec("Q-4")
async def test_an_approval_of_what_is_no_call_is_asked_and_awaited(ports: Ports) -> None:
    gate = await ports.gate()
    asking = asyncio.create_task(ask_approval(gate, "Publish", "today"))
    for _ in range(1000):
        found = await ports.scene.store.pending()
        if found:
            break
        await asyncio.sleep(0.01)
    actor, request = await ports.scene.actor(), found[0]
    assert (request.no_claim, request.call.arguments) == (
        True, {"action": "Publish", "details": "today"},
    )  # fmt: skip
    await ports.scene.broker.review(
        actor, request.request_id, Vote.APPROVE, digest=request.digest, comment="yes"
    )
    assert await asking == {"approved": True, "comment": "yes"}
    await gate.stop()
    assert (await ports.scene.request(request.request_id)).status.value == "approved"
