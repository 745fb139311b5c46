"""The stream of events: read from the store by number, so that a client that comes back misses nothing (SRV-2).

A client holds a connection and a place in the feed, no thread and no queue: what it has not read stays
in the store. One that does not take what it is sent is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import structlog
from litestar import Request, Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Send

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.ports import ALL
from sayso.errors import AccessError, RequestError, SaysoError
from sayso.requests.event import EventKind, Notice
from sayso.server.cards import Cards
from sayso.server.live.closing import Closing
from sayso.server.live.polling import until_gone

_log = structlog.get_logger("sayso.server")

MEDIA_TYPE = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
SLOW_SECONDS = 20.0
"""A client that does not take a chunk within so many seconds is disconnected."""

PROMISED = 10_000
"""A client that is at most so many events behind misses nothing."""

BATCH = 200
RETRY_MILLISECONDS = 1000


class Events:
    """The events that one actor may read, from a number on, as the chunks of a stream."""

    def __init__(self, broker: Broker, cards: Cards, actor: Actor, token: str) -> None:
        self._broker = broker
        self._cards = cards
        self._actor = actor
        self._token = token

    async def chunks(self, after: int | None) -> AsyncGenerator[bytes, None]:
        """The stream, from the event after that number; from now on if it is None."""
        subscription = self._broker.world.feed.subscribe(ALL)
        try:
            oldest, newest = await self._broker.events_kept(self._actor)
            if after is None:
                seen = newest
                yield f"retry: {RETRY_MILLISECONDS}\nid: {seen}\n\n".encode()
            elif _too_far(after, oldest, newest):
                seen = newest
                yield _reload(seen)
            else:
                seen = after
                yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
            proven = time.monotonic()
            while True:
                if time.monotonic() - proven >= HEARTBEAT_SECONDS:
                    await self._prove()
                    proven = time.monotonic()
                batch = await self._batch(seen)
                for number, chunk in batch:
                    seen = number
                    yield chunk
                if not batch and not await subscription.wait(HEARTBEAT_SECONDS):
                    yield b": \n\n"
        finally:
            subscription.close()

    async def _prove(self) -> None:
        """A credential that was revoked or has expired reads no further, nor do rights that were taken."""
        self._actor = await self._broker.access.authenticate(self._token, self._actor.channel)

    async def _batch(self, after: int) -> list[tuple[int, bytes]]:
        """The next chunks, each with the number up to which everything was looked at; empty if there are none."""
        oldest, newest = await self._broker.events_kept(self._actor)
        if _too_far(after, oldest, newest):
            return [(newest, _reload(newest))]
        seen, notices = await self._broker.notices(self._actor, after, BATCH)
        batch = [(notice.event_id, await self._written(notice)) for notice in notices]
        if seen > (notices[-1].event_id if notices else after):
            batch.append((seen, f"id: {seen}\n\n".encode()))
        return batch

    async def _written(self, notice: Notice) -> bytes:
        data: dict[str, Any] = notice.to_json()
        if notice.kind is EventKind.APPROVAL_REQUESTED:
            data["card"] = await self._card(notice)
        return _event(notice.kind.value, notice.event_id, data)

    async def _card(self, notice: Notice) -> object:
        """The card, for a reader who may decide; None for others."""
        try:
            request = await self._broker.request(self._actor, notice.request_id)
        except (RequestError, AccessError):
            return None
        if await self._broker.why_not(self._actor, request) is not None:
            return None
        return await self._cards.of(self._actor, request)


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
            async with contextlib.aclosing(self._events.chunks(self._after)) as chunks:
                async for chunk in chunks:
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


def _too_far(after: int, oldest: int, newest: int) -> bool:
    """Whether something after that number is gone, or the number is not of this log."""
    return after > newest or newest - after > PROMISED or (newest > 0 and after < oldest - 1)


def _reload(newest: int) -> bytes:
    return _event("reload", newest, {"id": newest, "event": "reload"})


def _event(kind: str, number: int, data: object) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        number,
        kind.encode(),
        msgspec.json.encode(data),
    )
