"""Processes of a benchmark: each answers one request after the other, through a pipe.

What a process does is an asynchronous context manager at the top of a module: it is entered in the
new process and gives the function that answers. Requests and answers are plain values. The counter
`time.perf_counter` is the system's monotonic clock, so moments of several processes of one machine
can be compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

PATIENCE = 20.0
"""How many seconds a process has to end after it was told."""

Handler: TypeAlias = Callable[[Any], Awaitable[Any]]
Opening: TypeAlias = Callable[..., AbstractAsyncContextManager[Handler]]


class Worker:
    """A process that is ready once this has been made; one request at a time."""

    def __init__(self, opening: Opening, *given: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, opening, given))
        self._process.start()
        theirs.close()
        try:
            self._answer()
        except BaseException:
            self.close()
            raise

    def ask(self, request: Any) -> Any:
        """Have a request answered; raises RuntimeError with what went wrong in the process."""
        with contextlib.suppress(BrokenPipeError):  # its last word may still be there
            self._connection.send(request)
        return self._answer()

    def close(self) -> None:
        """End the process; whatever it holds is given back there."""
        self._connection.close()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _answer(self) -> Any:
        try:
            failed, answer = self._connection.recv()
        except (EOFError, ConnectionResetError):
            raise RuntimeError("a process of the benchmark ended by itself") from None
        if failed:
            raise RuntimeError(f"a process of the benchmark failed:\n{answer}")
        return answer


def _serve(connection: Connection, opening: Opening, given: tuple[Any, ...]) -> None:
    try:
        asyncio.run(_answer_all(connection, opening, given))
    except BaseException:
        connection.send((True, traceback.format_exc()))


async def _answer_all(connection: Connection, opening: Opening, given: tuple[Any, ...]) -> None:
    async with opening(*given) as handle:
        connection.send((False, None))
        # in a thread: what runs in the process goes on while nobody asks
        while requests := await asyncio.to_thread(_next, connection):
            connection.send((False, await handle(requests[0])))


def _next(connection: Connection) -> tuple[Any, ...]:
    """The next request; nothing once the process is to end."""
    try:
        return (connection.recv(),)
    except EOFError:
        return ()
