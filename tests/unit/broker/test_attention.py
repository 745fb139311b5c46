"""Deliveries and what the end of the time may do then, "not now", and "why?"."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sayso.broker.ports import Standing
from sayso.broker.run import run
from sayso.broker.sweep import sweep
from sayso.channels.display import plain
from sayso.channels.viewing import card_now
from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout
from sayso.core.reason import Reason
from sayso.errors import CallInvalid, NotEligible, RequestClosed
from sayso.people.person import OWNER, Person
from sayso.policy.rule import Origin
from sayso.requests.approval import Caller, Status, Vote
from tests.fakes.world import Scene, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)
NILS = Person("nils", "Nils")

ALLOWS = ApprovalPolicy(timeout=60, on_timeout=OnTimeout.ALLOW)


def allowing(policy: ApprovalPolicy = ALLOWS) -> Scene:
    asks = replace(rule("ask", approval=policy), origin=Origin.TOOL_POLICY)
    return make_scene(asks, people=[ANNA, NILS])


async def over(scene: Scene, request_id: str) -> tuple[Status, str]:
    """How the request stands after its time, and why."""
    await scene.clock.sleep(60)
    await sweep(scene.another_broker().world)
    request = await scene.request(request_id)
    assert request.resolution is not None
    return request.status, request.resolution.reason.value


async def test_time_allows_once_somebody_who_may_decide_was_shown_the_card_and_it_runs() -> None:
    scene = allowing()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", ["anna"])
    assert await over(scene, standing.call_id) == (Status.APPROVED, "expired-allow")
    told = await gate.wait(standing.call_id, 0)
    assert (told.effect, told.reason, told.by) == ("allow", "expired-allow", None)
    assert told.message == "approved: nobody decided in time, and the policy allows it then"
    claim = await gate.claim(standing.call_id, standing.digest)
    assert claim.call_id == standing.call_id
    assert (await scene.request(standing.call_id)).status is Status.RUNNING
    last = (await scene.audit())[-1]
    assert (last["kind"], last["reason"]) == ("claim", "expired-allow")


@pytest.mark.spec("REQ-22")
@pytest.mark.parametrize("vote", list(Vote))
async def test_who_is_late_is_told_what_the_time_has_brought(vote: Vote) -> None:
    """The same answer as the sweeper gives, whichever of the two comes first."""
    scene = allowing()
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", ["anna"])
    await scene.clock.sleep(60)
    anna = await scene.actor(person_id="anna")
    with pytest.raises(
        RequestClosed, match="nobody decided in time, and the policy allows"
    ) as late:
        await scene.broker.review(anna, standing.call_id, vote, digest=standing.digest)
    assert late.value.status == "approved"
    await sweep(scene.world)
    swept = await scene.request(standing.call_id)
    assert swept.resolution is not None
    assert late.value.resolution == swept.resolution.to_json()
    assert swept.resolution.reason is Reason.EXPIRED_ALLOW


async def test_without_a_delivery_the_time_rejects() -> None:
    scene = allowing()
    standing = await (await scene.gate()).submit(draft())
    assert await over(scene, standing.call_id) == (Status.EXPIRED, "expired")


@pytest.mark.spec("REQ-12")
@pytest.mark.parametrize("when", ["before it was asked", "after"])
async def test_the_limit_of_what_was_out_of_reach_for_a_while_allows_nothing(when: str) -> None:
    """The policy sets no time: that there is an end at all comes from the quorum, and it refuses."""
    scene = allowing(ApprovalPolicy(quorum=2, timeout="none", on_timeout=OnTimeout.ALLOW))
    gate, away = await scene.gate(), replace(ANNA, admin=False)
    if when == "before it was asked":
        scene.store.folk["anna"] = away
    standing = await gate.submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", [OWNER])
    if when == "after":
        scene.store.folk["anna"] = away
        await sweep(scene.world)
    scene.store.folk["anna"] = ANNA
    await scene.clock.sleep(600)
    await sweep(scene.world)
    request = await scene.request(standing.call_id)
    assert request.status is Status.EXPIRED
    if when == "after":
        assert request.resolution is not None
        assert request.resolution.comment == "its policy sets no time, so time cannot allow it"


async def test_time_allows_nothing_that_a_list_asks_about() -> None:
    """An ask of a list always goes to a person (POL-20)."""
    scene = make_scene(rule("ask", approval=ALLOWS))
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", [OWNER])
    assert await over(scene, standing.call_id) == (Status.EXPIRED, "expired")
    request = await scene.request(standing.call_id)
    assert request.resolution is not None
    assert (
        request.resolution.comment == "a person is always asked about this, so time cannot allow it"
    )


async def test_a_delivery_to_somebody_who_may_not_decide_is_none() -> None:
    scene = allowing()
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.delivered(
        standing.call_id, standing.digest, "telegram", ["nils", "nobody"]
    )
    assert (await scene.request(standing.call_id)).attention.deliveries == ()
    assert await over(scene, standing.call_id) == (Status.EXPIRED, "expired")


async def test_a_delivery_to_somebody_who_may_decide_no_longer_does_not_count() -> None:
    scene = allowing(replace(ALLOWS, approver=Approver.ADMIN))
    scene.store.folk["bob"] = Person("bob", "Bob", admin=True)
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", ["anna"])
    scene.store.folk["anna"] = replace(ANNA, admin=False)
    assert await over(scene, standing.call_id) == (Status.EXPIRED, "expired")


async def test_what_time_allowed_is_asked_again_where_the_policy_no_longer_says_so() -> None:
    scene = allowing()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", [OWNER])
    assert (await over(scene, standing.call_id))[0] is Status.APPROVED
    scene.rules.say(rule("ask"))
    asked = await gate.claim(standing.call_id, standing.digest)
    assert (await scene.request(standing.call_id)).status is Status.SUPERSEDED
    assert (await scene.request(asked.call_id)).status is Status.PENDING


@pytest.mark.spec("REQ-2")
async def test_a_delivery_is_noted_once_and_recorded_and_tells_no_channel_anew() -> None:
    scene = allowing()
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())
    for _ in range(3):
        await scene.broker.attention.delivered(
            standing.call_id, standing.digest, "telegram", ["anna", OWNER]
        )
    request = await scene.request(standing.call_id)
    shown = [(d.channel, d.person_id) for d in request.attention.deliveries]
    assert shown == [("telegram", "anna"), ("telegram", OWNER)]
    records = [r for r in await scene.audit() if r["reason"] == "delivered"]
    assert [(r["channel"], r["comment"]) for r in records] == [
        ("telegram", "shown to anna"), ("telegram", "shown to owner")
    ]  # fmt: skip
    await scene.clock.sleep(6)
    assert scene.notifier.updated == []
    await scene.broker.close()


async def test_the_page_says_itself_that_it_shows_the_card() -> None:
    scene = allowing()
    standing = await (await scene.gate()).submit(draft())
    person = replace(await scene.actor(), channel="web")
    await scene.broker.attention.shown(person, standing.call_id, standing.digest)
    request = await scene.request(standing.call_id)
    assert [(d.channel, d.person_id) for d in request.attention.deliveries] == [("web", OWNER)]
    with pytest.raises(NotEligible):
        await scene.broker.attention.shown(await scene.agent(), standing.call_id, standing.digest)


async def test_a_delivery_after_the_end_changes_nothing() -> None:
    scene = allowing()
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(60)
    before = await scene.request(standing.call_id)
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", [OWNER])
    await scene.broker.attention.delivered("nothing", standing.digest, "telegram", [OWNER])
    assert await scene.request(standing.call_id) == before


# ── not now ──


@pytest.mark.spec("REQ-68")
async def test_what_is_put_off_is_hidden_from_one_person_who_is_reminded_then() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())
    owner = await scene.actor()
    changed = await scene.broker.attention.snooze(owner, standing.call_id, 900)
    assert changed.status is Status.PENDING
    assert changed.attention.snoozed_until(OWNER) == scene.clock.now() + 900 * 1_000_000
    assert changed.attention.snoozed_until("anna") is None
    await scene.clock.sleep(899)
    assert scene.notifier.reminded == []
    await scene.clock.sleep(3)
    assert scene.notifier.reminded == [(standing.call_id, [OWNER])]
    assert (await scene.request(standing.call_id)).attention.snoozes == ()
    said = [r["reason"] for r in await scene.audit() if r["kind"] == "attention"]
    assert said == ["snoozed", "snooze-over"]
    await scene.broker.close()


async def test_whoever_put_it_off_is_not_reminded_with_the_others() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(reminders=(60.0,))), people=[ANNA])
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.snooze(await scene.actor(), standing.call_id, 900)
    await scene.clock.sleep(62)
    assert scene.notifier.reminded == [(standing.call_id, ["anna"])]
    await scene.broker.close()


async def test_putting_off_can_be_taken_back_and_decides_and_prolongs_nothing() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    standing = await (await scene.gate()).submit(draft())
    owner = await scene.actor()
    await scene.broker.attention.snooze(owner, standing.call_id, 900)
    await scene.broker.attention.snooze(owner, standing.call_id, 30)
    back = await scene.broker.attention.snooze(owner, standing.call_id, 0)
    assert back.attention.snoozes == ()
    for seconds in (-1, 8 * 86_400):
        with pytest.raises(CallInvalid):
            await scene.broker.attention.snooze(owner, standing.call_id, seconds)
    await scene.clock.sleep(60)
    with pytest.raises(RequestClosed):
        await scene.broker.attention.snooze(owner, standing.call_id, 900)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.EXPIRED


# ── why? ──


@pytest.mark.spec("REQ-68")
async def test_a_question_reaches_the_waiting_agent_and_its_answer_the_card() -> None:
    scene = make_scene(rule("ask"))
    gate, owner = await scene.gate(), await scene.actor()
    heard: list[tuple[str, str]] = []

    async def answers(standing: Standing) -> str:
        assert standing.question is not None
        heard.append((standing.question.by, standing.question.text))
        return "the customer was charged twice"

    running = asyncio.create_task(run(gate, draft(), scene.execute, on_question=answers))
    await scene.clock.sleep(1)
    (request,) = await scene.store.pending()
    await scene.broker.attention.ask_back(owner, request.request_id, " why twice? ")
    await scene.clock.sleep(1)
    asked = await scene.request(request.request_id)
    assert heard == [("owner", "why twice?")]
    (question,) = asked.attention.questions
    assert question.answer == "the customer was charged twice"
    card = await card_now(scene.world, asked, None, OWNER)
    assert plain(card.asking.questions[0].answer or ()) == "the customer was charged twice"
    assert card.asking.may_ask_back
    await scene.broker.review(owner, request.request_id, Vote.APPROVE, digest=request.digest)
    assert await running == "sent"
    said = [(r["reason"], r.get("by")) for r in await scene.audit() if r["kind"] == "attention"]
    assert said == [("asked-back", "owner"), ("answered", None)]


async def test_an_agent_that_cannot_answer_says_so_and_waits_on() -> None:
    scene = make_scene(rule("ask"))
    gate, owner = await scene.gate(), await scene.actor()

    async def fails(_: Standing) -> str:
        raise ValueError("no")

    for handler in (None, fails):
        running = asyncio.create_task(run(gate, draft(), scene.execute, on_question=handler))
        await scene.clock.sleep(1)
        (request,) = await scene.store.pending()
        await scene.broker.attention.ask_back(owner, request.request_id, "why?")
        await scene.clock.sleep(1)
        (question,) = (await scene.request(request.request_id)).attention.questions
        assert (question.answer, question.is_open) == (None, False)
        await scene.broker.review(owner, request.request_id, Vote.APPROVE, digest=request.digest)
        assert await running == "sent"


async def test_an_agent_that_never_answers_stops_no_call() -> None:
    scene = make_scene(rule("ask"))
    gate, owner = await scene.gate(), await scene.actor()
    ended: list[str] = []

    async def hangs(_: Standing) -> str:
        try:
            await asyncio.sleep(100_000)
        finally:
            ended.append("stopped")
        return "too late"

    running = asyncio.create_task(run(gate, draft(), scene.execute, on_question=hangs))
    await scene.clock.sleep(1)
    (request,) = await scene.store.pending()
    await scene.broker.attention.ask_back(owner, request.request_id, "why?")
    await scene.clock.sleep(120)
    assert (await scene.request(request.request_id)).caller is Caller.WAITING
    await scene.broker.review(owner, request.request_id, Vote.APPROVE, digest=request.digest)
    async with asyncio.timeout(5):
        assert await running == "sent"
    assert ended == ["stopped"], "nobody waits for the answer any more"


async def test_who_is_cancelled_while_it_answers_is_shown_as_gone() -> None:
    scene = make_scene(rule("ask"))
    gate, owner = await scene.gate(), await scene.actor()
    ended: list[str] = []

    async def hangs(_: Standing) -> str:
        try:
            await asyncio.sleep(100_000)
        finally:
            ended.append("stopped")
        return "too late"

    running = asyncio.create_task(run(gate, draft(), scene.execute, on_question=hangs))
    await scene.clock.sleep(1)
    (request,) = await scene.store.pending()
    await scene.broker.attention.ask_back(owner, request.request_id, "why?")
    await scene.clock.sleep(1)
    running.cancel()
    await asyncio.wait([running])
    await scene.clock.sleep(1)
    assert (await scene.request(request.request_id)).caller is Caller.GONE
    assert ended == ["stopped"]


async def test_a_caller_that_knows_nothing_of_questions_is_woken_once() -> None:
    scene = make_scene(rule("ask"))
    gate, owner = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.attention.ask_back(owner, standing.call_id, "why?")
    before = scene.clock.now()
    told = await gate.wait(standing.call_id, 50)
    assert told.question is not None
    assert scene.clock.now() == before
    again = await gate.wait(standing.call_id, 50)
    assert scene.clock.now() - before == 50 * 1_000_000
    assert again.question == told.question, "it still waits for an answer"


async def test_one_question_at_a_time_and_an_answer_only_to_that_one() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    gate, owner = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    with pytest.raises(RequestClosed):
        await gate.answer(standing.call_id, "nothing", "x")
    asked = await scene.broker.attention.ask_back(owner, standing.call_id, "why?")
    with pytest.raises(RequestClosed, match="asked something already"):
        await scene.broker.attention.ask_back(owner, standing.call_id, "how?")
    question = asked.attention.open_question
    assert question is not None
    for wrong in ("", "x" * 1001):
        with pytest.raises(CallInvalid):
            await scene.broker.attention.ask_back(owner, standing.call_id, wrong)
    with pytest.raises(CallInvalid):
        await gate.answer(standing.call_id, question.question_id, "x" * 4001)
    with pytest.raises(NotEligible):
        await (await scene.gate()).answer(standing.call_id, question.question_id, "not mine")
    await gate.answer(standing.call_id, question.question_id, "because")
    with pytest.raises(RequestClosed):
        await gate.answer(standing.call_id, question.question_id, "or rather")
    with pytest.raises(NotEligible):
        await scene.broker.attention.ask_back(await scene.agent(), standing.call_id, "why?")


async def test_what_was_shown_before_an_edit_was_another_call() -> None:
    scene = allowing(replace(ALLOWS, allow_edit=True, quorum=2))
    standing = await (await scene.gate()).submit(draft())
    await scene.broker.attention.delivered(
        standing.call_id, standing.digest, "telegram", ["anna", OWNER]
    )
    owner = await scene.actor()
    await scene.broker.review(
        owner,
        standing.call_id,
        Vote.APPROVE,
        digest=standing.digest,
        arguments={"to": "bob@example.com"},
    )
    request = await scene.request(standing.call_id)
    assert (request.status, request.attention.deliveries) == (Status.PENDING, ())
    # Nor does it count when it is told only now: what was before their eyes was the other call.
    anna = await scene.actor(person_id="anna")
    await scene.broker.attention.shown(anna, standing.call_id, standing.digest)
    await scene.broker.attention.delivered(standing.call_id, standing.digest, "telegram", ["anna"])
    assert (await scene.request(standing.call_id)).attention.deliveries == ()
    assert await over(scene, standing.call_id) == (Status.EXPIRED, "expired")
