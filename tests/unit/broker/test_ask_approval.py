"""`ask_approval`: a person approves something that is no tool call, and nothing runs after it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.broker.asking import ask_approval
from sayso.broker.asking_approval import TITLE
from sayso.broker.sweep import sweep
from sayso.channels.card import card_of
from sayso.channels.display import restore
from sayso.channels.terminal.picture import draw
from sayso.channels.terminal.sheet import Look
from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout
from sayso.core.reason import Reason
from sayso.core.session import CallDraft
from sayso.errors import EditRefused, NotEligible, QuestionInvalid, RequestClosed
from sayso.people.person import Person
from sayso.requests.approval import LAPSE_SECONDS, ApprovalRequest, Resolution, Status, Vote
from sayso.requests.lifecycle import Approved, apply
from tests.fakes.world import Scene, make_scene, rule


async def waiting(scene: Scene) -> ApprovalRequest:
    for _ in range(100):
        found = await scene.store.pending()
        if found:
            return found[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0)
    raise AssertionError("nothing was asked")


async def decided(scene: Scene, asking: asyncio.Task[Any], vote: Vote, **more: Any) -> Any:
    request = await waiting(scene)
    actor = await scene.actor()
    await scene.broker.review(actor, request.request_id, vote, digest=request.digest, **more)
    return await asking


@pytest.mark.spec("Q-4", "REQ-3")
async def test_it_ends_at_approved_or_rejected_and_is_never_claimed_nor_lapses() -> None:
    scene = make_scene()
    gate = await scene.gate()
    asking = asyncio.create_task(ask_approval(gate, "Publish", "the post of today"))
    request = await waiting(scene)
    assert (request.action, request.call.arguments["action"]) == (
        "Approve what the agent describes?", "Publish",
    )  # fmt: skip
    assert request.keys == ()
    told = await decided(scene, asking, Vote.APPROVE, comment="go on")
    assert told == {"approved": True, "comment": "go on"}
    name = request.request_id
    with pytest.raises(RequestClosed, match="approved"):
        await gate.claim(name, request.digest)
    assert list(await gate.unfinished()) == []
    scene.clock.jump(LAPSE_SECONDS + 60)
    await sweep(scene.world)
    await gate.stop()
    await sweep(scene.world)
    assert (await scene.request(name)).status is Status.APPROVED

    gate = await scene.gate()
    asking = asyncio.create_task(ask_approval(gate, "Publish"))
    told = await decided(scene, asking, Vote.REJECT, comment="not today")
    assert told == {"approved": False, "comment": "not today"}


@pytest.mark.spec("Q-4")
async def test_a_person_is_asked_whatever_is_allowed_and_a_deny_refuses() -> None:
    scene = make_scene(rule("allow", "*"))
    asking = asyncio.create_task(ask_approval(await scene.gate(), "Publish"))
    assert (await decided(scene, asking, Vote.APPROVE))["approved"]
    scene.rules.say(rule("deny", "ask_approval", justification="decide yourself"))
    told = await ask_approval(await scene.gate(), "Publish")
    assert (told["approved"], "decide yourself" in told["error"]) == (False, True)
    with pytest.raises(QuestionInvalid, match="empty"):
        await ask_approval(await scene.gate(), " ")
    with pytest.raises(QuestionInvalid, match="timeout"):
        await ask_approval(await scene.gate(), "x", timeout=-1)


@pytest.mark.spec("Q-4", "REQ-11")
async def test_the_rules_say_who_decides_and_the_time_never_approves() -> None:
    lenient = ApprovalPolicy(approver=Approver.ADMIN, timeout=60.0, on_timeout=OnTimeout.ALLOW)
    scene = make_scene(
        rule("ask", "ask_approval", approval=lenient),
        people=[Person("otto", "Otto", operator=True)],
    )
    asking = asyncio.create_task(ask_approval(await scene.gate(), "Publish"))
    request = await waiting(scene)
    otto = await scene.actor(person_id="otto")
    with pytest.raises(NotEligible):
        await scene.broker.review(otto, request.request_id, Vote.APPROVE, digest=request.digest)
    me = await scene.actor()
    await scene.broker.attention.shown(me, request.request_id, request.digest)
    scene.clock.jump(61)
    await sweep(scene.world)
    told = await asking
    assert (told["approved"], "error" in told) == (False, True)


@pytest.mark.spec("Q-2", "Q-4")
async def test_where_nobody_can_answer_the_agent_is_told_so() -> None:
    scene = make_scene()
    session = await scene.session(attended=False)
    told = await ask_approval(scene.broker.gate(session.session_id), "Publish")
    assert (told["approved"], "this run is unattended" in told["error"]) == (False, True)
    scene.notifier.can_ask = False
    told = await ask_approval(await scene.gate(), "Publish")
    assert "interactive input is not available" in told["error"]
    assert await scene.store.pending() == []


@pytest.mark.spec("REQ-31", "REQ-35")
async def test_a_retry_joins_by_its_name_and_a_no_sticks() -> None:
    scene = make_scene()
    gate = await scene.gate()
    asking = asyncio.create_task(ask_approval(gate, "Publish", external_id="e1"))
    assert (await decided(scene, asking, Vote.APPROVE))["approved"]
    assert (await ask_approval(gate, "Publish", external_id="e1"))["approved"]
    asking = asyncio.create_task(ask_approval(gate, "Delete"))
    await decided(scene, asking, Vote.REJECT, comment="never")
    again = await ask_approval(gate, "Delete")
    assert (again["approved"], again["comment"]) == (False, "never")
    # an approval is for once: the same is asked about again
    asking = asyncio.create_task(ask_approval(gate, "Publish"))
    request = await waiting(scene)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (await scene.request(request.request_id)).waits


@pytest.mark.spec("Q-4", "REQ-3")
async def test_rules_that_load_again_never_approve_it_and_still_deny_it() -> None:
    for effect, ends in (("allow", Status.PENDING), ("deny", Status.REFUSED)):
        scene = make_scene(rule("allow"))
        scene.rules.say(rule("allow"), unavailable="a broken file")
        asking = asyncio.create_task(ask_approval(await scene.gate(), "Wire it all"))
        request = await waiting(scene)
        scene.rules.say(rule(effect))
        await sweep(scene.world)
        found = await scene.request(request.request_id)
        assert found.status is ends, effect
        if effect == "allow":
            with pytest.raises(RequestClosed):  # whoever asks for it: only a person's vote approves
                apply(found, Approved(Resolution(Reason.RULE_ALLOW, scene.clock.now())))
            told = await decided(scene, asking, Vote.REJECT)
            assert told["approved"] is False
        else:
            assert (await asking)["approved"] is False


@pytest.mark.spec("Q-4", "REQ-14")
async def test_what_it_asks_for_is_not_edited() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(allow_edit=True)))
    asking = asyncio.create_task(ask_approval(await scene.gate(), "Pay 1,000,000"))
    with pytest.raises(EditRefused, match="nothing runs"):
        await decided(scene, asking, Vote.APPROVE, arguments={"action": "Pay 1"})
    assert (await decided(scene, asking, Vote.REJECT))["approved"] is False


@pytest.mark.spec("Q-4", "CH-17", "REQ-31")
async def test_its_card_and_event_say_that_nothing_runs_and_no_call_joins_it() -> None:
    scene = make_scene(rule("ask", "deploy"))
    gate = await scene.gate()
    draft = CallDraft("deploy", {"action": "rm -rf /srv/data"})
    asked = await gate.ask_approval(draft, None)
    request = await scene.request(asked.call_id)
    card = card_of(request, now=scene.clock.now())
    assert (card.to_json()["runs"], restore(card.action)) == (False, TITLE)
    shown = draw(card, now=scene.clock.now(), look=Look.PLAIN).text
    assert "What the agent wants you to agree to; nothing runs by it" in shown
    assert "What will run" not in shown
    (told,) = await scene.store.notices(0, 9)
    assert told.data["action"] == TITLE

    await gate.leave(asked.call_id)
    call = await gate.submit(draft)
    assert (call.status, call.call_id != asked.call_id) == ("pending", True)
    card = card_of(await scene.request(call.call_id), now=scene.clock.now())
    assert "What will run" in draw(card, now=scene.clock.now(), look=Look.PLAIN).text
    with pytest.raises(QuestionInvalid, match="`action` and `details` alone"):
        await gate.ask_approval(CallDraft("shell", {"command": "rm -rf /"}), None)
