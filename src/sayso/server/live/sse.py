"""The stream of events over HTTP, as server-sent events (SRV-2).

A client that does not take what it is sent is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import structlog
from litestar import Request, Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Send

from sayso.errors import AccessError, SaysoError
from sayso.server.live.closing import Closing
from sayso.server.live.events import Events
from sayso.server.live.polling import until_gone

_log = structlog.get_logger("sayso.server")

MEDIA_TYPE = "text/event-stream"
SLOW_SECONDS = 20.0
"""A client that does not take a chunk within so many seconds is disconnected."""

RETRY_MILLISECONDS = 1000


async def chunks(events: Events, after: int | None) -> AsyncGenerator[bytes, None]:
    """The stream as it goes over the line, from the event after that number; from now on if it is None."""
    yield b"retry: %d\n\n" % RETRY_MILLISECONDS
    async with contextlib.aclosing(events.told(after)) as all_told:
        async for told in all_told:
            yield told.chunk


class EventStream(Response[None]):
    """The response that carries a stream until its client goes, is too slow, or the server closes."""

    def __init__(self, events: Events, after: int | None, closing: Closing) -> None:
        super().__init__(None, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})
        self._events = events
        self._after = after
        self._closing = closing

    def to_asgi_response(
        self, app: Any, request: Request[Any, Any, Any], **kwargs: Any
    ) -> ASGIResponse:
        """The ASGI application that streams."""
        del app, request, kwargs
        return _Streaming(
            self._events, self._after, self._closing, headers=dict(self.headers or {})
        )


class _Streaming(ASGIResponse):
    _should_set_content_length = False

    def __init__(
        self, events: Events, after: int | None, closing: Closing, headers: dict[str, str]
    ) -> None:
        super().__init__(media_type=MEDIA_TYPE, headers=headers)
        self._events = events
        self._after = after
        self._closing = closing

    async def send_body(self, send: Send, receive: Receive) -> None:
        """Send the stream; ends without a word when nobody reads it any more."""
        pumping = asyncio.create_task(self._pump(send))
        watching = asyncio.create_task(until_gone(receive))
        watching.add_done_callback(lambda _: pumping.cancel())
        try:
            with self._closing.ending(pumping):
                await asyncio.wait({pumping})
        finally:
            pumping.cancel()
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await pumping
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> None:
        try:
            async with contextlib.aclosing(chunks(self._events, self._after)) as written:
                async for chunk in written:
                    async with asyncio.timeout(SLOW_SECONDS):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except TimeoutError:
            _log.info("a client that read too slowly was disconnected")
        except AccessError:
            return
        except SaysoError as error:
            _log.warning("an event stream ended; its client comes back", error=error.message)
        except OSError:
            return  # the client has gone
