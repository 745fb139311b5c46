"""Plan review: planning begins by the agent's wish and ends by a person's word."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.asking import enter_plan_mode, exit_plan_mode
from sayso.broker.modes import mode_now
from sayso.core.in_force import InForce
from sayso.core.mode import Mode
from sayso.core.session import Session
from sayso.errors import NotEligible, QuestionInvalid, RequestClosed
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.questions.question import Question
from sayso.system.plan_files import save_plan
from tests.fakes.world import Scene, make_scene

OTTO = Person("otto", "Otto", operator=True, agents=("coder",))


async def planning(scene: Scene, **changes: Any) -> Any:
    """The gate of a session that plans."""
    session = await scene.session()
    after = replace(session, **(changes or {"agent_mode": Mode.PLAN}))
    await scene.store.change_session(session, after, [], [])
    return scene.broker.gate(session.session_id)


async def waiting(scene: Scene) -> Question:
    for _ in range(100):
        found = await scene.store.open_questions()
        if found:
            return found[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0)
    raise AssertionError("nothing was asked")


async def session_of(scene: Scene, gate: Any) -> Session:
    return await scene.store.session(gate.session_id)  # type: ignore[no-any-return]


@pytest.mark.spec("Q-5")
async def test_an_approval_saves_the_plan_switches_the_mode_and_ends_planning(
    tmp_path: Path,
) -> None:
    for answer, mode in (("carry-out", Mode.DEFAULT), ("accept-edits", Mode.ACCEPT_EDITS)):
        scene = make_scene()
        gate, actor = await planning(scene), await scene.actor()
        saving = lambda name, plan: save_plan(tmp_path, name, plan)  # noqa: E731
        reviewing = asyncio.create_task(exit_plan_mode(gate, "first\nthen", saving))
        question = await waiting(scene)
        await scene.broker.questions.answer_plan(actor, question.question_id, answer)
        told = await reviewing
        path = told.pop("path")
        assert told == {"approved": True, "mode": mode.value}
        assert (tmp_path / path).read_text() == "first\nthen\n"
        session = await session_of(scene, gate)
        assert ((await mode_now(scene.world, session)).mode, session.agent_mode) == (mode, None)
        notes = [r["note"] for r in await scene.audit() if r.get("by") == "owner"]
        assert notes == ["plan answered", f"mode: {mode.value}, with the plan's approval"]
        with pytest.raises(QuestionInvalid, match="not planning"):
            await exit_plan_mode(gate, "another", saving)


@pytest.mark.spec("Q-5")
async def test_feedback_goes_back_and_planning_goes_on() -> None:
    scene = make_scene()
    gate, actor = await planning(scene), await scene.actor()
    for answer, feedback, told in (
        ("keep-planning", "tests first", "tests first"),
        ("what about Windows?", None, "what about Windows?"),
        ("keep-planning", None, "keep planning"),
    ):
        reviewing = asyncio.create_task(exit_plan_mode(gate, "plan", lambda *_: "never"))
        question = await waiting(scene)
        await scene.broker.questions.answer_plan(actor, question.question_id, answer, feedback)
        assert await reviewing == {"approved": False, "feedback": told}
        assert (await mode_now(scene.world, await session_of(scene, gate))).mode is Mode.PLAN
    with pytest.raises(RequestClosed):
        await scene.broker.questions.answer_plan(actor, question.question_id, "carry-out")


@pytest.mark.spec("Q-5")
async def test_outside_planning_it_is_an_error_and_where_nobody_reviews_the_turn_ends() -> None:
    scene = make_scene()
    gate = await scene.gate()
    with pytest.raises(QuestionInvalid, match="not planning"):
        await exit_plan_mode(gate, "plan", lambda *_: "")
    dont_ask = await planning(scene, mode=Mode.DONT_ASK, agent_mode=Mode.PLAN)
    with pytest.raises(QuestionInvalid, match="not planning"):
        await exit_plan_mode(dont_ask, "plan", lambda *_: "")
    nobody = {"approved": False, "message": "end your turn with the plan as your answer"}
    unattended = await planning(scene, attended=False, agent_mode=Mode.PLAN)
    assert await exit_plan_mode(unattended, "plan", lambda *_: "") == nobody
    gate = await planning(scene)
    scene.notifier.can_ask = False
    assert await exit_plan_mode(gate, "plan", lambda *_: "") == nobody


@pytest.mark.spec("Q-5")
async def test_a_plan_that_cannot_be_saved_is_approved_all_the_same(tmp_path: Path) -> None:
    scene = make_scene()
    gate, actor = await planning(scene), await scene.actor()

    def failing(*_: str) -> str:
        raise PermissionError(13, "Permission denied")

    reviewing = asyncio.create_task(exit_plan_mode(gate, "plan", failing))
    question = await waiting(scene)
    await scene.broker.questions.answer_plan(actor, question.question_id, "1")
    assert await reviewing == {
        "approved": True, "mode": "default", "not_saved": "Permission denied",
    }  # fmt: skip


@pytest.mark.spec("MODE-2", "REQ-11")
async def test_only_the_user_or_an_admin_lets_edits_pass_and_a_mode_of_peoples_choice_stays() -> (
    None
):
    scene = make_scene(people=[OTTO, Person("anna", "Anna", admin=True)])
    gate = await planning(scene)
    otto = await scene.actor(person_id="otto")
    reviewing = asyncio.create_task(exit_plan_mode(gate, "plan", lambda *_: "p"))
    question = await waiting(scene)
    with pytest.raises(NotEligible, match="only the session's user or an admin"):
        await scene.broker.questions.answer_plan(otto, question.question_id, "accept-edits")
    weak = await scene.actor(CredentialKind.APPROVER, person_id="anna")
    with pytest.raises(NotEligible, match="only the session's user or an admin"):
        await scene.broker.questions.answer_plan(weak, question.question_id, "accept-edits")
    assert (await scene.store.question(question.question_id)).waits
    await scene.broker.questions.answer_plan(otto, question.question_id, "carry-out")
    assert (await reviewing)["mode"] == "default"
    # people switched to something else while the plan waited: their word stands
    gate = await planning(scene)
    reviewing = asyncio.create_task(exit_plan_mode(gate, "plan", lambda *_: "p"))
    question = await waiting(scene)
    before = await session_of(scene, gate)
    await scene.store.change_session(before, replace(before, mode=Mode.DONT_ASK), [], [])
    anna = await scene.actor(person_id="anna")
    await scene.broker.questions.answer_plan(anna, question.question_id, "accept-edits")
    await reviewing
    assert (await session_of(scene, gate)).mode is Mode.DONT_ASK


@pytest.mark.spec("Q-6")
async def test_an_agent_begins_to_plan_where_a_plan_can_be_reviewed() -> None:
    scene = make_scene()
    gate = await scene.gate()
    assert await enter_plan_mode(gate, "many files") == {"planning": True}
    session = await session_of(scene, gate)
    assert (session.mode, session.agent_mode) == (None, Mode.PLAN)
    assert await enter_plan_mode(gate) == {"planning": True}, "it plans already"
    notes = [r["note"] for r in await scene.audit() if "plan" in r.get("note", "")]
    assert notes == ["mode: plan, the agent's own choice: many files"]
    # what people switched to is looser: planning is stricter
    gate = await planning(scene, mode=Mode.ACCEPT_EDITS)
    assert await enter_plan_mode(gate) == {"planning": True}
    assert (await session_of(scene, gate)).mode is Mode.PLAN

    gate = await planning(scene, mode=Mode.DONT_ASK)
    assert "no one can review" in (await enter_plan_mode(gate))["error"]
    unattended = await planning(scene, attended=False)
    assert "no one can review" in (await enter_plan_mode(unattended))["error"]
    below = await planning(scene, parent=("s0",))
    assert "sub-agent" in (await enter_plan_mode(below))["error"]
    gate = await scene.gate()
    scene.rules._compiled.in_force = InForce(plan_review=True)
    assert "the settings say so" in (await enter_plan_mode(gate))["error"]
    scene.rules._compiled.in_force = InForce()
    scene.notifier.can_ask = False
    assert "no one can review" in (await enter_plan_mode(gate))["error"]
    assert (await session_of(scene, gate)).agent_mode is None
