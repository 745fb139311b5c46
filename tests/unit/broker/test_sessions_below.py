"""Sub-agents' sessions: what ends or binds one above them ends and binds them, at once (RC-3, GATE-3)."""

from __future__ import annotations

import pytest

from sayso.broker.access import Actor
from sayso.core.effect import Effect
from sayso.core.session import Session
from sayso.errors import NotEligible
from sayso.questions.clarification import Item
from sayso.questions.question import Kind, QuestionDraft
from sayso.requests.approval import Status
from tests.fakes.circumstances import scene_with_settings
from tests.fakes.world import Scene, draft, rule

ASKS = QuestionDraft(Kind.CLARIFICATION, (Item("Which?"),))


async def three() -> tuple[Scene, Actor, tuple[Session, Session, Session]]:
    """A session, one below it, and one below that."""
    scene, _ = scene_with_settings(rule("allow", "add"))
    agent, opened = await scene.agent(), scene.broker.open_session
    top = await opened(agent)
    middle = await opened(agent, parent=top.session_id, name="searcher")
    inner = await opened(agent, parent=middle.session_id, name="reader")
    return scene, agent, (top, middle, inner)


@pytest.mark.spec("GATE-3", "RC-3")
async def test_a_stopped_session_stops_all_below_it_and_no_other() -> None:
    scene, agent, (top, middle, inner) = await three()
    gate = scene.broker.gate(inner.session_id)
    waits = await gate.submit(draft())
    above = await scene.broker.gate(top.session_id).submit(draft(arguments={"n": 1}))
    beside = await scene.broker.open_session(agent, parent=top.session_id, name="beside")
    idle = await scene.broker.open_session(agent, parent=middle.session_id, name="idle")
    question = await scene.broker.gate(idle.session_id).ask(ASKS)
    assert question.waits
    await scene.broker.stop_session(await scene.actor(), middle.session_id)
    over = await scene.store.question(question.question_id)
    assert over.status.value == "cancelled"
    assert (await scene.request(waits.call_id)).status is Status.CANCELLED
    assert (await scene.request(above.call_id)).status is Status.PENDING
    for session in (middle, inner, idle):
        one = scene.broker.gate(session.session_id)
        assert (await one.decide(draft("add"))).reason == "cancelled"
        assert (await one.submit(draft("add"))).reason == "cancelled"
        asked = await one.ask(ASKS)
        assert "stopped" in asked.message
        with pytest.raises(NotEligible, match="has stopped"):
            await scene.broker.open_session(agent, parent=session.session_id, name="late")
    for session in (top, beside):
        assert (await scene.broker.gate(session.session_id).decide(draft("add"))).effect == "allow"
    await scene.broker.stop_session(agent, top.session_id)
    late = await scene.broker.gate(beside.session_id).submit(draft("add"))
    assert (late.effect, late.reason) == ("deny", "cancelled")


@pytest.mark.spec("GATE-5", "RC-3")
async def test_rules_that_people_give_a_session_count_in_those_below_from_the_next_call_on() -> (
    None
):
    scene, agent, (top, middle, inner) = await three()
    owner, rules = await scene.actor(), scene.broker.session_rules
    gate = scene.broker.gate(inner.session_id)
    assert (await gate.decide(draft("add"))).reason == "rule-allow"
    await rules.add(owner, middle.session_id, Effect.DENY, "add")
    assert (await gate.decide(draft("add"))).reason == "rule-deny"
    assert (await scene.broker.gate(top.session_id).decide(draft("add"))).effect == "allow"
    await rules.remove(owner, middle.session_id, Effect.DENY, "add")
    await rules.add(owner, top.session_id, Effect.ALLOW, "send_mail")
    late = await scene.broker.open_session(agent, parent=top.session_id, name="late")
    for session in (inner, late):
        one = scene.broker.gate(session.session_id)
        assert (await one.decide(draft())).reason == "rule-allow"
    await rules.remove(owner, top.session_id, Effect.ALLOW, "send_mail")
    for session in (inner, late):
        one = scene.broker.gate(session.session_id)
        assert (await one.decide(draft())).effect == "ask", "an allow is over where it was given"
