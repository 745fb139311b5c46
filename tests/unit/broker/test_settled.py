"""What must not stop halfway ends before its caller's cancelling goes on, and is tidied up after."""

from __future__ import annotations

import asyncio

import pytest

from sayso.broker.settled import settled
from sayso.errors import StoreError


@pytest.mark.parametrize("fails", [False, True])
async def test_a_cancelled_caller_waits_for_the_end_and_for_what_tidies_up(fails: bool) -> None:
    begun, go_on, tidied = asyncio.Event(), asyncio.Event(), []

    async def work() -> str:
        begun.set()
        await go_on.wait()
        if fails:
            raise StoreError("it is gone")
        return "done"

    async def tidy(result: str) -> None:
        tidied.append(result)

    caller = asyncio.create_task(settled(work(), tidy))
    await begun.wait()
    caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert tidied == ([] if fails else ["done"])


async def test_without_a_cancelling_it_only_awaits() -> None:
    async def work(fails: bool) -> int:
        if fails:
            raise StoreError("it is gone")
        return 3

    async def tidy(result: int) -> None:
        raise AssertionError(result)

    assert await settled(work(False), tidy) == 3
    with pytest.raises(StoreError):
        await settled(work(True), tidy)
