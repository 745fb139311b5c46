"""The one bridge between callers, sync or async, and the loop on which a gate lives."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sayso.broker.ports import Claim, GatePort, ObservedTool, Standing
from sayso.core.session import CallDraft

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread of its own; a gate's store, feed and channels live on it.

    So one gate serves threads and several event loops at once, and a long synchronous tool does not
    keep its own lease from being renewed.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="sayso-gate", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the gate's loop and wait for it on the caller's."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    def call_sync(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the gate's loop and block until it is done."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Stop the loop and its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self.loop.close()


@dataclass(frozen=True, slots=True)
class _Job:
    """Work that the loop asks the calling thread to do."""

    work: Callable[[], Any]
    done: asyncio.Future[Any]


def run_sync(
    thread: LoopThread,
    body: Callable[[Callable[[Callable[[], T]], Awaitable[T]]], Coroutine[Any, Any, T]],
) -> T:
    """Run `body` on the gate's loop, doing the tool's own work in the calling thread.

    `body` gets a function that hands a piece of work back to this thread and awaits its result: a
    synchronous tool runs where it was called, while the loop waits, claims and renews. Interrupting
    the thread while it waits cancels the call.
    """
    jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()

    async def here(work: Callable[[], T]) -> T:
        job = _Job(work, thread.loop.create_future())
        jobs.put(job)
        result: T = await job.done
        return result

    async def whole() -> T:
        try:
            return await body(here)
        finally:
            jobs.put(None)

    future = asyncio.run_coroutine_threadsafe(whole(), thread.loop)
    try:
        while (job := jobs.get()) is not None:
            try:
                result = job.work()
            except BaseException as error:
                thread.loop.call_soon_threadsafe(_fail, job.done, error)
                if not isinstance(error, Exception):
                    raise
            else:
                thread.loop.call_soon_threadsafe(_succeed, job.done, result)
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _succeed(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        # A StopIteration or an interrupt cannot be raised into a future as it is.
        safe = error if isinstance(error, Exception) else RuntimeError(repr(error))
        future.set_exception(RuntimeError(repr(safe)) if isinstance(safe, StopIteration) else safe)


class BridgedGate:
    """A GatePort for any loop, over one that lives on the gate's loop."""

    def __init__(self, thread: LoopThread, port: GatePort) -> None:
        self._thread = thread
        self._port = port

    async def decide(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.decide(draft))

    async def submit(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.submit(draft))

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.wait(call_id, timeout))

    async def leave(self, call_id: str) -> None:
        """See GatePort."""
        await self._thread.call(self._port.leave(call_id))

    async def claim(self, call_id: str, digest: str) -> Claim | Standing:
        """See GatePort."""
        return await self._thread.call(self._port.claim(call_id, digest))

    async def renew(self, claim: Claim) -> None:
        """See GatePort."""
        await self._thread.call(self._port.renew(claim))

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        """See GatePort."""
        await self._thread.call(self._port.finish(call_id, token, ok, summary, seconds))

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        """See GatePort."""
        return await self._thread.call(self._port.see_tools(tools))

    async def stop(self) -> None:
        """See GatePort."""
        await self._thread.call(self._port.stop())
