"""Units of work on their way to a thread that writes or reads, and the answers on their way back.

A caller that waits costs a future; what is asked for in one turn of a loop is handed over together.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from sayso.errors import StoreUnavailable
from sayso.store.transaction import Transaction

Place = TypeVar("Place")
"""What the thread hands to each unit: a transaction, or a connection to read from."""

Unit = Callable[[Transaction], Any]


class Job(NamedTuple, Generic[Place]):
    """A unit of work, who waits for it, and since when (monotonic seconds)."""

    unit: Callable[[Place], Any]
    future: asyncio.Future[Any]
    since: float


class Answer(NamedTuple):
    """What came of a unit."""

    future: asyncio.Future[Any]
    result: Any
    error: BaseException | None


class Jobs(Generic[Place]):
    """The way from any number of loops to one thread, which takes about `most` units at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._queue: queue.SimpleQueue[list[Job[Place]] | None] = queue.SimpleQueue()
        self._gathered: dict[asyncio.AbstractEventLoop, list[Job[Place]]] = {}
        self._handing_over = threading.Lock()
        self._closing = False

    async def do(self, unit: Callable[[Place], Any]) -> Any:
        """Hand a unit over and wait for what comes of it; it is done even if the caller goes away."""
        loop = asyncio.get_running_loop()
        job = Job(unit, loop.create_future(), time.monotonic())
        with self._handing_over:
            if self._closing:
                raise StoreUnavailable("the store is closed", "open it again")
            gathered = self._gathered.get(loop)
            if gathered is None:
                self._gathered[loop] = [job]
                loop.call_soon(self._hand_over, loop)
            else:
                gathered.append(job)
        return await job.future

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._handing_over:
            gathered = self._gathered.pop(loop, None)
            if gathered is not None:  # else closing was faster
                self._queue.put(gathered)

    def wake(self) -> None:
        """Let `take` return, even with nothing."""
        self._queue.put(None)

    def close(self) -> None:
        """Take no more; what was handed over is still to be done."""
        with self._handing_over:
            self._closing = True
            for gathered in self._gathered.values():
                self._queue.put(gathered)
            self._gathered.clear()
        self._queue.put(None)

    # ── in the thread ──────────────────────────────────────────────────────────────────────────

    @property
    def empty(self) -> bool:
        """Whether nothing waits to be taken."""
        return self._queue.empty()

    @property
    def over(self) -> bool:
        """Whether nothing waits, and nothing will come."""
        return self._closing and self._queue.empty()

    def take(self, wait: float | None) -> list[Job[Place]]:
        """Wait for work, at most so many seconds, then take all that is there; it may be nothing."""
        jobs: list[Job[Place]] = []
        try:
            gathered = self._queue.get(timeout=wait)
            while gathered is not None:
                jobs += gathered
                if len(jobs) >= self._most:
                    break
                gathered = self._queue.get_nowait()
        except queue.Empty:
            pass
        return jobs


def deliver(answers: Iterable[Answer]) -> None:
    """Wake the callers, with one call a loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Answer]] = {}
    for answer in answers:
        by_loop.setdefault(answer.future.get_loop(), []).append(answer)
    for loop, theirs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, theirs)
        except RuntimeError:
            continue  # the loop was closed meanwhile: nobody waits there any more


def _settle(answers: list[Answer]) -> None:
    for future, result, error in answers:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
