"""The processes of B-6: one holds so many calls that wait for a person, one so many bare futures.

Both answer `weight` once (bytes a waiter) and `(how many, seed)` with the moments of that many
wakes, of waiters chosen by chance, each replaced by a new one before the next.
"""

from __future__ import annotations

import asyncio
import gc
import random
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil  # type: ignore[import-untyped]

from bench.ours import Ours, Trip, close_ours, open_ours, parked
from bench.processes import Handler
from sayso.broker.ports import Standing
from sayso.store.sqlite import open_sqlite

AT_ONCE = 200
"""So many calls are submitted at once while the waiters are gathered."""

SETTLE_SECONDS = 0.5
"""Seconds for the last of many waiters to have parked, and for the loop to be idle."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes a waiter: what Python has allocated for it, and by how much the process has grown."""

    allocated: float
    resident: float


class _Waiters(Protocol):
    async def gather(self, count: int) -> Callable[[], Awaitable[None]]:
        """Prepare so many waiters; what it returns parks them all, which alone is weighed."""

    async def wake(self, which: int) -> Trip:
        """Wake one of them, and put a new one in its place."""


class Calls:
    """Calls that wait for a person, each with a task that waits as an agent of this process does."""

    def __init__(self, ours: Ours) -> None:
        self._ours = ours
        self._waiting: list[tuple[Standing, Trip, asyncio.Task[None]]] = []

    async def gather(self, count: int) -> Callable[[], Awaitable[None]]:
        """See above: the requests are made, in the store; waiting for them is what is weighed."""
        standings: list[Standing] = []
        while (missing := count - len(standings)) > 0:
            drafts = [self._ours.draft() for _ in range(min(missing, AT_ONCE))]
            standings += await asyncio.gather(*map(self._ours.gate.submit, drafts))
        for standing in standings:
            # SQLite's cache of pages is filled now: it has a limit of its own, and is no waiter's
            await self._ours.gate.wait(standing.call_id, 0)
        trips = [Trip() for _ in standings]

        async def park() -> None:
            taken = self._ours.feed.taken(count)
            for standing, trip in zip(standings, trips, strict=True):
                self._park(standing, trip)
            await taken.wait()
            await asyncio.sleep(SETTLE_SECONDS)

        return park

    def _park(self, standing: Standing, trip: Trip) -> asyncio.Task[None]:
        agent = asyncio.create_task(self._ours.agent(standing, trip))
        self._waiting.append((standing, trip, agent))
        return agent

    async def wake(self, which: int) -> Trip:
        """See above."""
        self._waiting[which], self._waiting[-1] = self._waiting[-1], self._waiting[which]
        standing, trip, agent = self._waiting.pop()
        await self._ours.approve([standing], [trip])
        await agent
        standing = await self._ours.gate.submit(self._ours.draft())
        waits = self._ours.feed.parked[standing.call_id] = asyncio.Event()
        await parked(waits, self._park(standing, Trip()))
        del self._ours.feed.parked[standing.call_id]
        return trip


class Futures:
    """Tasks that each wait for a future and nothing else."""

    def __init__(self) -> None:
        self._waiting: list[tuple[asyncio.Future[None], Trip, asyncio.Task[None]]] = []

    async def gather(self, count: int) -> Callable[[], Awaitable[None]]:
        """See above."""
        trips = [Trip() for _ in range(count)]

        async def park() -> None:
            for trip in trips:
                self._park(trip)
            await asyncio.sleep(SETTLE_SECONDS)

        return park

    def _park(self, trip: Trip) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def wait() -> None:
            await future
            trip.awake = time.perf_counter()

        self._waiting.append((future, trip, asyncio.create_task(wait())))

    async def wake(self, which: int) -> Trip:
        """See above."""
        self._waiting[which], self._waiting[-1] = self._waiting[-1], self._waiting[which]
        future, trip, task = self._waiting.pop()
        trip.voting = time.perf_counter()
        future.set_result(None)
        trip.voted = time.perf_counter()
        await task
        self._park(Trip())
        await asyncio.sleep(0)
        return trip


@asynccontextmanager
async def waiting_calls(directory: str, count: int) -> AsyncIterator[Handler]:
    """A process with a broker on a SQLite file in which so many calls wait."""
    ours = await open_ours(open_sqlite(Path(directory) / f"{count}.db"), directory)
    try:
        yield await _handler(Calls(ours), count)
    finally:
        await close_ours(ours)


@asynccontextmanager
async def waiting_futures(count: int) -> AsyncIterator[Handler]:
    """A process in which so many tasks wait for a future each."""
    yield await _handler(Futures(), count)


async def _handler(waiters: _Waiters, count: int) -> Handler:
    """Park the waiters and weigh them: one half as Python counts, the other as the system does."""
    first, second = count // 2, count - count // 2
    parks = await waiters.gather(first)
    before = _resident()
    await parks()
    resident = (_resident() - before) / first

    parks = await waiters.gather(second)
    gc.collect()
    tracemalloc.start()
    await parks()
    gc.collect()
    allocated = tracemalloc.get_traced_memory()[0] / second
    tracemalloc.stop()
    weight = Weight(allocated, resident)

    async def handle(request: Any) -> Any:
        if request == "weight":
            return weight
        many, seed = request
        chosen: Iterable[int] = (random.Random(f"{seed}:{n}").randrange(count) for n in range(many))
        return [await waiters.wake(which) for which in chosen]

    return handle


def _resident() -> int:
    gc.collect()
    found: int = psutil.Process().memory_info().rss
    return found
