"""Long polls that end with their client and with the server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from litestar import Request
from litestar.types import Receive

from sayso.server.live.closing import Closing

T = TypeVar("T")


async def while_present(
    request: Request[Any, Any, Any], closing: Closing, work: Coroutine[Any, Any, T]
) -> T | None:
    """The result of the work; None if the client went away or the server closes, which ends the work."""
    working = asyncio.create_task(work)
    watching = asyncio.create_task(until_gone(request.receive))
    watching.add_done_callback(lambda _: working.cancel())
    try:
        with closing.ending(working):
            return await working
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not working.done() or (task is not None and task.cancelling()):
            raise
        return None
    finally:
        working.cancel()
        watching.cancel()


async def until_gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
