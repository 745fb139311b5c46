"""The processes of a benchmark answer in order, say what went wrong, and end when they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bench.processes import Handler, Worker


@asynccontextmanager
async def doubling(ended: Path) -> AsyncIterator[Handler]:
    async def handle(request: int) -> int:
        if request < 0:
            raise ValueError(f"{request} is too little")
        return 2 * request

    try:
        yield handle
    finally:
        ended.touch()  # noqa: ASYNC240


@asynccontextmanager
async def refusing(why: str) -> AsyncIterator[Handler]:
    raise ValueError(why)
    yield


def test_a_process_answers_until_it_is_told_to_end(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    with Worker(doubling, ended) as worker:
        assert [worker.ask(number) for number in (1, 2, 3)] == [2, 4, 6]
        assert not ended.exists()
    assert ended.exists()


def test_what_goes_wrong_in_a_process_is_told(tmp_path: Path) -> None:
    with Worker(doubling, tmp_path / "ended") as worker:
        with pytest.raises(RuntimeError, match="-1 is too little"):
            worker.ask(-1)
        with pytest.raises(RuntimeError, match="ended by itself"):
            worker.ask(1)
    with pytest.raises(RuntimeError, match="not today"):
        Worker(refusing, "not today")
