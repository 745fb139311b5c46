"""Awaiting what must not stop halfway."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def settled(
    asking: Awaitable[T], afterwards: Callable[[T], Awaitable[object]] | None = None
) -> T:
    """Await something; a caller that is cancelled lets it end and tidies up, then the cancelling goes on."""
    task = asyncio.ensure_future(asking)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            result = await task
            if afterwards is not None:
                await afterwards(result)
        raise
