"""The feed of one process: who is woken, on which loop, and what a waiter costs."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from collections.abc import Coroutine
from typing import Any

import pytest

from sayso.broker.ports import ALL
from sayso.store.feed import LocalFeed


async def soon(waiting: Coroutine[Any, Any, bool]) -> asyncio.Task[bool]:
    """A task that has begun to wait."""
    task = asyncio.ensure_future(waiting)
    await asyncio.sleep(0)
    return task


async def test_a_topic_wakes_its_own_listeners_and_those_of_all() -> None:
    feed = LocalFeed()
    mine, other, everything = (feed.subscribe(topic) for topic in ("a", "b", ALL))
    waiting = [await soon(place.wait(5)) for place in (mine, everything)]
    feed.publish(["a"])
    assert await asyncio.gather(*waiting) == [True, True]
    assert not await other.wait(0)
    feed.publish([])
    assert await everything.wait(0)


async def test_what_is_published_between_two_waits_is_not_missed() -> None:
    feed = LocalFeed()
    place = feed.subscribe("a")
    feed.publish(["a"])
    feed.publish(["a"])
    assert await place.wait(0)
    assert not await place.wait(0.01)
    feed.publish(["a"])
    assert await place.wait(5)


async def test_what_was_published_before_is_not_heard() -> None:
    feed = LocalFeed()
    feed.publish(["a"])
    assert not await feed.subscribe("a").wait(0.01)


async def test_several_places_of_one_topic_are_all_woken_and_leave_one_by_one() -> None:
    feed = LocalFeed()
    places = [feed.subscribe("a") for _ in range(3)]
    places[1].close()
    places[1].close()
    feed.publish(["a"])
    assert [await place.wait(0) for place in places] == [True, False, True]
    places[0].close()
    assert feed.listening
    places[2].close()
    assert not feed.listening


async def test_closing_ends_a_wait() -> None:
    place = LocalFeed().subscribe("a")
    waiting = await soon(place.wait(60))
    place.close()
    assert await waiting is False


async def test_a_cancelled_wait_leaves_the_place_usable() -> None:
    feed = LocalFeed()
    place = feed.subscribe("a")
    waiting = await soon(place.wait(60))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    feed.publish(["a"])
    assert await place.wait(0)


async def test_a_publication_beside_the_timeout_is_kept() -> None:
    feed = LocalFeed()
    place = feed.subscribe("a")
    waiting = await soon(place.wait(0))
    asyncio.get_running_loop().call_soon(feed.publish, ["a"])
    first = await waiting
    assert first or await place.wait(0), "it counts for this wait or for the next"


async def test_two_tasks_do_not_share_a_place() -> None:
    place = LocalFeed().subscribe("a")
    waiting = await soon(place.wait(60))
    with pytest.raises(RuntimeError, match="another task waits"):
        await place.wait(1)
    waiting.cancel()


async def test_publishing_from_a_thread_wakes_listeners_on_several_loops() -> None:
    feed = LocalFeed()
    place = feed.subscribe("a")
    ready = threading.Barrier(3)
    heard: list[bool] = []

    def elsewhere() -> None:
        async def listen() -> bool:
            there = feed.subscribe("a")
            waiting = await soon(there.wait(10))
            ready.wait(5)
            return await waiting

        heard.append(asyncio.run(listen()))

    def publish() -> None:
        ready.wait(5)
        feed.publish(["a"])

    threads = [threading.Thread(target=each) for each in (elsewhere, elsewhere, publish)]
    for thread in threads:
        thread.start()
    assert await place.wait(10)
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert heard == [True, True]


async def test_a_loop_that_was_closed_with_listeners_disturbs_nobody() -> None:
    feed = LocalFeed()

    def leave_without_closing() -> None:
        loop = asyncio.new_event_loop()
        task = loop.create_task(feed.subscribe("a").wait(60))
        loop.call_later(0.01, loop.stop)
        loop.run_forever()
        left.append(task)
        loop.close()

    left: list[asyncio.Task[bool]] = []
    await asyncio.to_thread(leave_without_closing)
    place = feed.subscribe("a")
    waiting = await soon(place.wait(5))
    feed.publish(["a"])
    assert await waiting
    left[0]._log_destroy_pending = False  # type: ignore[attr-defined]
    left[0].get_coro().close()  # type: ignore[union-attr]


async def test_everybody_is_woken_where_it_is_not_known_what_changed() -> None:
    feed = LocalFeed()
    places = [feed.subscribe(topic) for topic in ("a", "b", ALL)]
    feed.publish_everything()
    assert [await place.wait(0) for place in places] == [True, True, True]


def test_the_first_listener_is_told_of() -> None:
    told: list[str] = []
    feed = LocalFeed(lambda: told.append("listening"))
    first, second = feed.subscribe("a"), feed.subscribe("b")
    assert told == ["listening"]
    first.close()
    second.close()
    feed.subscribe("c")
    assert told == ["listening", "listening"]


@pytest.mark.spec("REQ-20")
async def test_ten_thousand_wait_for_little() -> None:
    feed = LocalFeed()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    places = [feed.subscribe(f"topic-{n}") for n in range(10_000)]
    tasks = [asyncio.ensure_future(place.wait(60)) for place in places]
    await asyncio.sleep(0.1)
    each = (tracemalloc.get_traced_memory()[0] - before) / len(places)
    tracemalloc.stop()
    assert each < 2048, f"{each:.0f} bytes, the task of the test included"
    feed.publish(["topic-5000"])
    assert await asyncio.wait_for(tasks[5000], 5)
    assert sum(task.done() for task in tasks) == 1
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for place in places:
        place.close()
    assert not feed.listening
