"""The bridge: work runs where it was called, and a stopped loop leaves nobody waiting."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from sayso.errors import StoreUnavailable
from sayso.front.bridge import LoopThread, run_sync

Here = Callable[[Callable[[], Any]], Awaitable[Any]]


@pytest.fixture
def thread() -> Iterator[LoopThread]:
    made = LoopThread()
    yield made
    made.stop()


def test_the_body_runs_on_the_loop_and_the_work_in_the_calling_thread(thread: LoopThread) -> None:
    places = []
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable")
    variable.set(7)

    async def body(here: Here) -> str:
        places.append(threading.current_thread().name)
        first = await here(lambda: places.append(threading.current_thread().name) or 1)
        second = await here(lambda: variable.get())
        return f"{first} {second}"

    assert run_sync(thread, body) == "1 7"
    assert places == ["sayso-gate", threading.current_thread().name]


def test_the_loop_goes_on_while_the_work_takes_its_time(thread: LoopThread) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    async def body(here: Here) -> None:
        beating = asyncio.create_task(beat())
        await here(lambda: time.sleep(0.2))
        beating.cancel()

    run_sync(thread, body)
    assert beats >= 3


@pytest.mark.parametrize("error", [ValueError("v"), StopIteration(3), KeyError("k")])
def test_what_the_work_raises_is_raised_here_and_told_there(
    thread: LoopThread, error: Exception
) -> None:
    told: list[BaseException] = []

    def work() -> None:
        raise error

    async def body(here: Here) -> None:
        try:
            await here(work)
        except BaseException as raised:
            told.append(raised)
            raise

    with pytest.raises(type(error)) as caught:
        run_sync(thread, body)
    assert caught.value is error
    assert len(told) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError()])
def test_an_interrupt_of_the_work_is_raised_once_the_loop_has_noted_it(
    thread: LoopThread, error: BaseException
) -> None:
    told: list[str] = []

    def work() -> None:
        raise error

    async def body(here: Here) -> None:
        try:
            await here(work)
        except Exception as raised:
            await asyncio.sleep(0.05)  # as writing it down takes time
            told.append(type(raised).__name__)
            raise

    with pytest.raises(type(error)):
        run_sync(thread, body)
    assert told == ["Interrupted"]


def test_a_loop_that_is_stopped_leaves_nobody_waiting(thread: LoopThread) -> None:
    waiting = threading.Event()
    ended: list[BaseException] = []

    async def body(here: Here) -> None:
        waiting.set()
        await asyncio.sleep(60)

    def call() -> None:
        try:
            run_sync(thread, body)
        except BaseException as error:
            ended.append(error)

    def call_plainly() -> None:
        try:
            thread.call_sync(asyncio.sleep(60))
        except BaseException as error:
            ended.append(error)

    callers = [threading.Thread(target=call), threading.Thread(target=call_plainly)]
    for caller in callers:
        caller.start()
    assert waiting.wait(5)
    thread.stop()
    for caller in callers:
        caller.join(5)
        assert not caller.is_alive()
    assert [str(error) for error in ended] == [
        "this gate is closed\nhint: make a new one; nothing ran"
    ] * 2
    with pytest.raises(StoreUnavailable):
        run_sync(thread, body)
    thread.stop()  # a second time does nothing


def test_what_ran_while_the_loop_was_stopped_is_still_the_callers(thread: LoopThread) -> None:
    def work() -> str:
        thread.stop()
        return "ran"

    def broken() -> str:
        other.stop()
        raise ValueError("broken")

    async def body(here: Here) -> Any:
        return await here(work)

    async def broken_body(here: Here) -> Any:
        return await here(broken)

    assert run_sync(thread, body) == "ran"
    other = LoopThread()
    with pytest.raises(ValueError, match="broken"):
        run_sync(other, broken_body)


async def test_a_caller_on_another_loop_is_told_of_the_stop_and_keeps_its_own_cancellation(
    thread: LoopThread,
) -> None:
    waiting = asyncio.create_task(thread.call(asyncio.sleep(60)))
    cancelled = asyncio.create_task(thread.call(asyncio.sleep(60)))
    await asyncio.sleep(0.05)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    await asyncio.to_thread(thread.stop)
    with pytest.raises(StoreUnavailable, match="this gate is closed"):
        await waiting
