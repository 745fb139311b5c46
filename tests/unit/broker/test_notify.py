from __future__ import annotations

import pytest

from sayso.errors import ChannelError, StoreUnavailable, Undeliverable
from sayso.requests.approval import Status, Vote
from tests.fakes.world import draft, make_scene, rule


async def test_a_request_is_announced_and_every_change_is_shown() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(0.1)
    assert [r.request_id for r in scene.notifier.announced] == [standing.call_id]
    await scene.broker.review(
        await scene.actor(), standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    await scene.clock.sleep(0.1)
    assert [r.status for r in scene.notifier.updated] == [Status.APPROVED]
    await scene.broker.close()


async def test_what_waits_already_is_announced_at_the_start() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    done = await gate.submit(draft(arguments={}))
    await scene.broker.review(await scene.actor(), done.call_id, Vote.REJECT)
    await scene.broker.start()
    assert [r.request_id for r in scene.notifier.announced] == [standing.call_id]
    await scene.broker.close()


@pytest.mark.parametrize("error", [Undeliverable("nobody there"), ChannelError("x"), KeyError("x")])
async def test_a_channel_that_raises_decides_nothing(error: Exception) -> None:
    scene = make_scene(rule("ask"))
    scene.notifier.fails = error
    await scene.broker.start()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await scene.clock.sleep(10)
    assert (await scene.request(standing.call_id)).status is Status.PENDING
    second = await gate.submit(draft(arguments={}))
    await scene.clock.sleep(10)
    assert [r.request_id for r in scene.notifier.announced] == [standing.call_id, second.call_id]
    await scene.broker.close()


async def test_lost_notices_are_found_by_looking() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()
    scene.world.feed.publish = lambda topics: None  # type: ignore[method-assign]
    standing = await gate.submit(draft())
    await scene.clock.sleep(6)
    assert [r.request_id for r in scene.notifier.announced] == [standing.call_id]
    await scene.broker.close()


async def test_what_could_not_be_read_for_a_moment_is_announced_later() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()

    async def busy(request_id: str) -> object:
        raise StoreUnavailable("busy")

    scene.store.request = busy
    standing = await gate.submit(draft())
    await scene.clock.sleep(1)
    assert scene.notifier.announced == []
    del scene.store.request
    await scene.clock.sleep(6)
    assert [r.request_id for r in scene.notifier.announced] == [standing.call_id]
    await scene.broker.close()
