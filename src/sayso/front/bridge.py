"""The one bridge between callers, sync or async, and the loop on which a gate lives."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sayso.broker.ports import (
    BatchMade,
    Claim,
    GatePort,
    QuestionStanding,
    Standing,
    Unfinished,
)
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.errors import SaysoError, StoreUnavailable
from sayso.questions.question import QuestionDraft
from sayso.questions.todo import Task

T = TypeVar("T")

LEAVE_SECONDS = 5.0
"""How long an interrupted caller waits until it is noted that it has left."""


def closed() -> SaysoError:
    """The error for a gate that is closed."""
    return StoreUnavailable("this gate is closed", "make a new one; nothing ran")


class LoopThread:
    """An event loop in a thread of its own; a gate's store, feed and channels live on it.

    So one gate serves threads and several event loops at once, and a long synchronous tool does not
    keep its own lease from being renewed.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="sayso-gate", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Have the loop run a coroutine; raises StoreUnavailable once the loop has been stopped."""
        with self._lock:
            if self._ended:
                work.close()
                raise closed()
            return asyncio.run_coroutine_threadsafe(work, self.loop)

    def tell(self, what: Callable[..., object], *about: object) -> None:
        """Have the loop call a function soon; nothing happens if it has been stopped."""
        with self._lock:
            if not self._ended:
                self.loop.call_soon_threadsafe(what, *about)

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the gate's loop and wait for it on the caller's."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        future = self.submit(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if self._ended:  # not the caller was cancelled: the loop was stopped
                raise closed() from None
            raise

    def call_sync(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine on the gate's loop and block until it is done."""
        ended = threading.Event()

        async def whole() -> T:
            try:
                return await work
            finally:
                ended.set()

        try:
            future = self.submit(whole())
        except BaseException:
            work.close()
            raise
        try:
            return future.result(timeout)
        except concurrent.futures.CancelledError:
            raise closed() from None
        except BaseException:
            if future.cancel():
                ended.wait(LEAVE_SECONDS)
            raise

    def stop(self) -> None:
        """Cancel what still runs on the loop, then stop the loop and its thread."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        cancelling = asyncio.run_coroutine_threadsafe(_cancel_others(), self.loop)
        with contextlib.suppress(TimeoutError):
            cancelling.result(LEAVE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(LEAVE_SECONDS)
        if not self._thread.is_alive():
            self.loop.close()


async def in_own_thread(work: Callable[[], T]) -> T:
    """Do blocking work in a thread made for it; the loop's own may all be waiting for people."""
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="sayso-opening", daemon=True).start()
    return await asyncio.shield(asyncio.wrap_future(future))


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@dataclass(slots=True)
class _Job(Generic[T]):
    """Work that the loop asks the calling thread to do, and how it went."""

    work: Callable[[], T]
    done: asyncio.Future[T]
    error: BaseException | None = None
    result: T | None = None

    def do(self, thread: LoopThread) -> None:
        """Do it here, and tell the loop; what is no plain exception is raised here too."""
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
            thread.tell(_fail, self.done, error)
            if not isinstance(error, Exception):
                raise
        else:
            thread.tell(_succeed, self.done, self.result)

    def outcome(self) -> T:
        """What came of it, raised or returned."""
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


class Interrupted(Exception):
    """A tool ended with what cannot be raised into a loop: an interrupt, say."""


def run_sync(
    thread: LoopThread,
    body: Callable[[Callable[[Callable[[], T]], Awaitable[T]]], Coroutine[Any, Any, T]],
) -> T:
    """Run `body` on the gate's loop, doing the tool's own work in the calling thread.

    `body` gets a function that hands a piece of work back to this thread and awaits its result: a
    synchronous tool runs where it was called, while the loop waits, claims and renews. Interrupting
    the thread while it waits cancels the call, and returns once that has been noted.
    """
    jobs: queue.SimpleQueue[_Job[T] | None] = queue.SimpleQueue()

    async def here(work: Callable[[], T]) -> T:
        job = _Job(work, asyncio.get_running_loop().create_future())
        jobs.put(job)
        result: T = await job.done
        return result

    async def whole() -> T:
        try:
            return await body(here)
        finally:
            jobs.put(None)

    future = thread.submit(whole())
    job: _Job[T] | None = None
    try:
        while (following := jobs.get()) is not None:
            job = following
            job.do(thread)
    except BaseException:
        if job is None or job.error is None:
            future.cancel()
        _until_noted(jobs)
        raise
    try:
        return future.result()
    except (concurrent.futures.CancelledError, Interrupted):
        # Whether or not the gate was closed meanwhile: what ran has run, and its result is the caller's.
        if job is None:
            raise closed() from None
        return job.outcome()


def _until_noted(jobs: queue.SimpleQueue[Any]) -> None:
    """Wait until the loop is done with a call; nothing that it asks for is done any more."""
    with contextlib.suppress(queue.Empty):
        while jobs.get(timeout=LEAVE_SECONDS) is not None:
            continue


def _succeed(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        # A StopIteration or an interrupt cannot be raised into a future as it is.
        plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
        future.set_exception(error if plain else Interrupted(repr(error)))


class BridgedGate:
    """A GatePort for any loop, over one that lives on the gate's loop."""

    def __init__(self, thread: LoopThread, port: GatePort) -> None:
        self._thread = thread
        self._port = port

    @property
    def session_id(self) -> str:
        """See AskingPort."""
        return self._port.session_id

    async def decide(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.decide(draft))

    async def submit(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.submit(draft))

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """See GatePort."""
        return await self._thread.call(self._port.wait(call_id, timeout))

    async def answer(self, call_id: str, question_id: str, text: str | None) -> None:
        """See GatePort."""
        await self._thread.call(self._port.answer(call_id, question_id, text))

    async def leave(self, call_id: str) -> None:
        """See GatePort."""
        await self._thread.call(self._port.leave(call_id))

    async def claim(
        self, call_id: str, digest: str, audience: str | None = None
    ) -> Claim | Standing:
        """See GatePort."""
        return await self._thread.call(self._port.claim(call_id, digest, audience))

    async def unfinished(self) -> Sequence[Unfinished]:
        """See GatePort."""
        return await self._thread.call(self._port.unfinished())

    async def submit_batch(self, name: str, drafts: Sequence[CallDraft]) -> BatchMade:
        """See GatePort."""
        return await self._thread.call(self._port.submit_batch(name, drafts))

    async def take_turn(self, batch_id: str) -> str | None:
        """See GatePort."""
        return await self._thread.call(self._port.take_turn(batch_id))

    async def end_turn(self, batch_id: str, token: str) -> None:
        """See GatePort."""
        await self._thread.call(self._port.end_turn(batch_id, token))

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

    async def ask(self, draft: QuestionDraft) -> QuestionStanding:
        """See AskingPort."""
        return await self._thread.call(self._port.ask(draft))

    async def wait_for_answer(self, question_id: str, timeout: float) -> QuestionStanding:
        """See AskingPort."""
        return await self._thread.call(self._port.wait_for_answer(question_id, timeout))

    async def done_with(self, question_id: str) -> None:
        """See AskingPort."""
        await self._thread.call(self._port.done_with(question_id))

    async def ask_approval(self, draft: CallDraft, timeout: float | None) -> Standing:
        """See AskingPort."""
        return await self._thread.call(self._port.ask_approval(draft, timeout))

    async def enter_plan_mode(self, reason: str | None) -> str | None:
        """See AskingPort."""
        return await self._thread.call(self._port.enter_plan_mode(reason))

    async def set_tasks(self, tasks: Sequence[Task]) -> None:
        """See AskingPort."""
        await self._thread.call(self._port.set_tasks(tasks))

    async def stop(self) -> None:
        """See GatePort."""
        await self._thread.call(self._port.stop())
