from __future__ import annotations

import asyncio

import pytest

from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.reason import Reason
from sayso.errors import NotEligible, StoreUnavailable
from sayso.requests.approval import Caller, Status, Vote
from sayso.requests.event import EventKind
from tests.fakes.world import draft, make_scene, rule


@pytest.mark.spec("REQ-22")
async def test_many_sweepers_expire_it_once_also_for_a_process_that_is_gone() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(60)
    swept = await asyncio.gather(*(sweep(scene.another_broker().world) for _ in range(5)))
    request = await scene.request(standing.call_id)
    assert request.status is Status.EXPIRED
    assert request.resolution is not None
    assert (request.resolution.reason, request.resolution.by) == (Reason.EXPIRED, None)
    assert sum(swept) == 1
    resolved = [r for r in await scene.audit() if r["kind"] == "resolution"]
    assert [r["reason"] for r in resolved] == ["expired"]
    assert resolved[0]["waited"] == 60.0


async def test_what_is_not_due_is_left_alone() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(29)
    before = await scene.request(standing.call_id)
    assert await sweep(scene.world) == 0
    assert await scene.request(standing.call_id) == before


async def test_an_approval_nobody_claimed_lapses() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    await scene.clock.sleep(601)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.LAPSED


async def test_a_run_whose_process_is_gone_becomes_unknown_and_people_are_told() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    await gate.claim(standing.call_id, standing.digest)
    await scene.clock.sleep(30)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.UNKNOWN
    last = (await scene.store.notices(0, 100))[-1]
    assert (last.kind, last.data) == (EventKind.CALL_OUTCOME, {"status": "unknown"})
    assert (await scene.audit())[-1]["reason"] == "unknown"


async def test_a_caller_that_is_not_seen_is_shown_as_gone_and_it_waits_on() -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(30)
    await sweep(scene.world)
    request = await scene.request(standing.call_id)
    assert (request.status, request.caller) == (Status.PENDING, Caller.GONE)
    assert await sweep(scene.world) == 0


# ── stopping a session (REQ-21) ──


async def test_a_stop_cancels_what_waits_and_wakes_who_waits() -> None:
    scene = make_scene(rule("ask"))
    gate, other, person = await scene.gate(), await scene.gate(), await scene.actor()
    pending, approved, running = [
        await gate.submit(draft(arguments={"n": number})) for number in range(3)
    ]
    elsewhere = await other.submit(draft())
    for standing in (approved, running):
        await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    claim = await gate.claim(running.call_id, running.digest)
    waiting = asyncio.create_task(gate.wait(pending.call_id, 3600))
    await scene.clock.sleep(1)
    began = scene.clock.now()
    await gate.stop()
    told = await waiting
    assert (told.status, told.message) == ("cancelled", "cancelled: the session was stopped")
    assert scene.clock.now() == began
    assert (await scene.request(approved.call_id)).status is Status.CANCELLED
    assert (await scene.request(running.call_id)).status is Status.RUNNING
    assert (await scene.request(elsewhere.call_id)).status is Status.PENDING
    await gate.finish(running.call_id, claim.token, True, "sent", 0.1)
    later = await gate.submit(draft(arguments={"n": 9}))
    assert (later.effect, later.reason) == ("deny", "cancelled")


async def test_a_session_is_stopped_by_its_agent_or_its_user_and_nobody_else() -> None:
    scene = make_scene(rule("ask"))
    agent = await scene.agent()
    session = await scene.broker.open_session(agent)
    with pytest.raises(NotEligible):
        await scene.broker.stop_session(await scene.agent("other"), session.session_id)
    await scene.broker.stop_session(agent, session.session_id)
    second = await scene.broker.open_session(agent)
    await scene.broker.stop_session(await scene.actor(), second.session_id)
    stored = await scene.store.session(second.session_id)
    assert stored.stopped_at is not None
    stops = [r for r in await scene.audit() if r.get("note") == "session stopped"]
    assert [(r["session_id"], r.get("by")) for r in stops] == [
        (session.session_id, None), (second.session_id, "owner"),
    ]  # fmt: skip


async def test_a_stop_that_died_halfway_is_finished_by_any_sweeper() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await scene.store.stop_session(gate.session_id, scene.clock.now())  # and the process is gone
    await sweep(scene.another_broker().world)
    assert (await scene.request(standing.call_id)).status is Status.CANCELLED


async def test_a_call_that_slips_in_while_its_session_is_stopped_is_cancelled_too() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    inner = scene.store.inner.submit

    async def slow(new: object) -> object:
        await gate.stop()
        return await inner(new)

    scene.store.submit = slow
    standing = await gate.submit(draft())
    assert standing.status == "pending"
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.CANCELLED


# ── rules that could not be loaded (POL-23) ──


@pytest.mark.spec("POL-23")
@pytest.mark.parametrize(
    ("effect", "status", "reason"),
    [
        ("allow", Status.APPROVED, "rule-allow"),
        ("deny", Status.REFUSED, "rule-deny"),
        ("ask", Status.PENDING, None),
    ],
)
async def test_what_waits_for_rules_is_decided_again_when_they_load(
    effect: str, status: Status, reason: str | None
) -> None:
    scene = make_scene()
    scene.rules.say(unavailable="broken")
    gate = await scene.gate()
    standing = await gate.submit(draft())
    assert standing.reason == "rules-unavailable"
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.PENDING
    scene.rules.say(rule(effect))
    await sweep(scene.world)
    request = await scene.request(standing.call_id)
    assert request.status is status
    assert (request.resolution.reason.value if request.resolution else None) == reason


async def test_without_rules_a_known_deny_denies() -> None:
    scene = make_scene()
    scene.rules.say(rule("deny", "send_mail"), unavailable="broken")
    gate = await scene.gate()
    assert (await gate.submit(draft())).reason == "rule-deny"
    assert (await gate.submit(draft("read_mail"))).reason == "rules-unavailable"


async def test_without_rules_not_even_an_allow_allows() -> None:
    scene = make_scene()
    scene.rules.say(rule("allow"), unavailable="broken")
    assert (await (await scene.gate()).submit(draft())).effect == "ask"


async def test_what_the_rules_allowed_meanwhile_is_decided_again_at_the_claim() -> None:
    scene = make_scene()
    scene.rules.say(unavailable="broken")
    gate = await scene.gate()
    standing = await gate.submit(draft())
    scene.rules.say(rule("allow"))
    await sweep(scene.world)
    scene.rules.say(rule("ask"))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")


# ── the broker's own work ──


async def test_sweeper_and_presence_outlive_a_store_that_fails() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())

    async def fails(*_: object, **__: object) -> object:
        raise StoreUnavailable("busy")

    async def breaks(*_: object, **__: object) -> object:
        raise AssertionError("a defect")

    for failure in (fails, breaks):
        scene.store.due = scene.store.touch = scene.store.notices = failure
        await scene.clock.sleep(25)
    del scene.store.due, scene.store.touch, scene.store.notices
    await scene.clock.sleep(15)
    assert (await scene.request(standing.call_id)).status is Status.EXPIRED
    assert scene.notifier.updated[-1].status is Status.EXPIRED
    await scene.broker.close()


@pytest.mark.spec("POL-63")
async def test_whoever_watches_is_told_within_two_seconds_that_a_file_has_changed() -> None:
    scene = make_scene()
    await scene.broker.start()
    await scene.clock.sleep(3)
    assert await scene.store.notices(0, 9) == []
    scene.rules.say(rule("deny"))
    await scene.clock.sleep(2)
    (told,) = await scene.store.notices(0, 9)
    assert told.kind is EventKind.SETTINGS_CHANGED
    await scene.clock.sleep(3)
    assert len(await scene.store.notices(0, 9)) == 1, "once for each change"
    await scene.broker.close()


@pytest.mark.spec("POL-23", "POL-63")
async def test_whoever_watches_is_told_that_nothing_can_be_approved_now_or_again() -> None:
    scene = make_scene()
    await scene.broker.start()
    await scene.clock.sleep(3)
    for count, unavailable in enumerate(("the table cannot be read", None), start=1):
        scene.rules.say(rule("ask"), unavailable=unavailable)
        scene.rules.edited -= 1  # no file has changed
        await scene.clock.sleep(3)
        told = await scene.store.notices(0, 9)
        assert [one.kind for one in told] == [EventKind.SETTINGS_CHANGED] * count
    await scene.broker.close()
