"""Waiting on a server: one long poll after the other until something has come of it, or the time is over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sayso.client.connection import ANSWER_SECONDS, Connection

T = TypeVar("T")

POLL_SECONDS = 50.0
"""How long one poll waits; the server takes at most 55."""

SOON_SECONDS = 0.2
"""A poll that comes back early is not repeated sooner."""


async def polled(
    connection: Connection,
    path: str,
    timeout: float,
    read: Callable[[Any], T],
    done: Callable[[T], bool],
) -> T:
    """What the route answers once it is `done`, or after `timeout` seconds; a restarted server is waited for."""
    end = time.monotonic() + timeout
    while True:
        asked = time.monotonic()
        seconds = max(0.0, min(end - asked, POLL_SECONDS))
        found = await connection.send(
            "GET",
            path,
            params={"timeout": f"{seconds:.3f}"},
            again=True,
            within=seconds + ANSWER_SECONDS,
        )
        told, now = read(found), time.monotonic()
        if done(told) or now >= end - 0.001:
            return told
        if now - asked < SOON_SECONDS:
            await asyncio.sleep(min(SOON_SECONDS, end - now))
