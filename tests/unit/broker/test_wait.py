from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from sayso.broker.broker import Broker
from sayso.broker.wait import POLL_SECONDS
from sayso.core.approval_policy import ApprovalPolicy
from sayso.requests.approval import ApprovalRequest, Caller, Vote
from tests.fakes.world import at, draft, make_scene, rule


@pytest.mark.spec("REQ-42")
async def test_a_wait_ends_when_a_person_decides() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 3600))
    await scene.clock.sleep(1)
    await scene.broker.review(
        await scene.actor(), standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    decided = scene.clock.now()
    assert (await waiting).status == "approved"
    assert scene.clock.now() == decided


async def test_a_wait_ends_after_its_time_and_says_how_it_stands() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    began = scene.clock.now()
    assert (await gate.wait(standing.call_id, 50)).status == "pending"
    assert scene.clock.now() - began == 50_000_000


async def test_lost_notices_do_no_harm() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    scene.world.feed.publish = lambda topics: None  # type: ignore[method-assign]
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 3600))
    await scene.clock.sleep(1)
    await scene.broker.review(
        await scene.actor(), standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    decided = scene.clock.now()
    assert (await waiting).status == "approved"
    assert scene.clock.now() - decided <= POLL_SECONDS * 1_000_000


async def test_doubled_and_needless_notices_do_no_harm() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 20))
    for _ in range(5):
        await scene.clock.sleep(1)
        scene.world.feed.publish([standing.call_id, standing.call_id, "other"])
    assert not waiting.done()
    assert (await waiting).status == "pending"


async def test_what_policy_decided_needs_no_wait() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    waited = await gate.wait(standing.call_id, 50)
    assert (waited.effect, waited.status) == ("allow", None)


async def test_who_waits_is_shown_as_present_and_who_is_away_as_gone() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 200))
    await scene.clock.sleep(199)
    assert (await scene.request(standing.call_id)).caller is Caller.WAITING
    await waiting
    await scene.clock.sleep(32)
    assert (await scene.request(standing.call_id)).caller is Caller.GONE
    await scene.broker.close()


async def test_who_was_only_thought_to_have_gone_is_back_with_the_next_wait() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await gate.leave(standing.call_id)
    await gate.wait(standing.call_id, 0)  # looking is not waiting
    assert (await scene.request(standing.call_id)).caller is Caller.GONE
    await gate.wait(standing.call_id, 1)
    assert (await scene.request(standing.call_id)).caller is Caller.WAITING


async def test_a_wait_for_what_is_over_ends_with_the_sweepers_word() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=10)))
    await scene.broker.start()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    assert (await gate.wait(standing.call_id, 60)).status == "expired"
    assert scene.clock.now() < at(13)
    await scene.broker.close()


@pytest.mark.slow
@pytest.mark.spec("REQ-20")
async def test_ten_thousand_calls_wait_without_a_thread_each_and_others_go_on() -> None:
    scene = make_scene(rule("ask", "send_mail"), rule("allow", "read_mail"))
    scene = replace(scene, broker=Broker(replace(scene.world, pending_limit=100_000)))
    gate = await scene.gate()

    async def none(*_: object) -> None:
        """The in-memory store walks through everything to look for twins; there are none here."""

    scene.store.open_twins = lambda *_: asyncio.sleep(0, [])
    scene.store.last_rejection = none
    before = threading.active_count()
    waiting = []
    for number in range(10_000):
        standing = await gate.submit(draft(arguments={"n": number}))
        waiting.append(asyncio.create_task(gate.wait(standing.call_id, 4)))
    await asyncio.sleep(0)
    assert threading.active_count() == before
    assert (await (await scene.gate()).submit(draft("read_mail"))).effect == "allow"
    last = standing
    await scene.broker.review(await scene.actor(), last.call_id, Vote.APPROVE, digest=last.digest)
    assert (await waiting[-1]).status == "approved"
    assert sum(task.done() for task in waiting) == 1
    done = await asyncio.gather(*waiting)
    assert {one.status for one in done} == {"pending", "approved"}


@pytest.mark.spec("REQ-20")
async def test_a_call_that_waits_holds_no_copy_of_its_request() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    step: object = gate.wait(standing.call_id, 3600)
    task = asyncio.create_task(step)
    await asyncio.sleep(0)
    names, held = [], []
    while step is not None:  # down to the future that the task waits for
        if (frame := getattr(step, "cr_frame", None)) is not None:
            names.append(frame.f_code.co_qualname)
            held += frame.f_locals.values()
        step = getattr(step, "cr_await", None)
    task.cancel()
    assert names[-1] == "Place.wait"
    assert not any(isinstance(each, ApprovalRequest) for each in held)
