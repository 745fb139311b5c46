"""How a gate ends: its session is stopped, and one that was left open is closed with the program."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
import weakref
from typing import Protocol

from sayso.broker.ports import GatePort
from sayso.errors import SaysoError

CLOSE_SECONDS = 5.0
"""How long closing waits for the calls that are under way, and for a server that does not answer."""


class Closable(Protocol):
    """A gate, as far as its end goes; `_process` is the one that opened it."""

    _process: int

    def close(self) -> None:
        """Stop the session and close the store."""


async def stop(port: GatePort) -> None:
    """Stop a session; if the store or server has gone, its sweeper shows the caller as gone."""
    with contextlib.suppress(SaysoError, TimeoutError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await port.stop()


def at_exit(gate: weakref.ref[Closable]) -> None:
    """Have a gate closed when the program ends, if nobody has closed it until then."""

    def close() -> None:
        left = gate()
        if left is not None and left._process == os.getpid():
            with contextlib.suppress(SaysoError, OSError, RuntimeError):
                left.close()

    # The store reads in an executor, and those end before what `atexit` calls.
    register = getattr(threading, "_register_atexit", atexit.register)
    with contextlib.suppress(RuntimeError):  # the program ends already
        register(close)
