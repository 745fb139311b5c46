"""The events that somebody may read: read from the store by number, so that who comes back misses nothing (SRV-2).

A client holds a connection and a place in the feed, no thread and no queue: what it has not read stays
in the store. Clients of one person that stand at the same number are read for together.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import msgspec

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.ports import ALL
from sayso.errors import AccessError, RequestError
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.requests.event import EventKind, Notice
from sayso.server.cards import Cards

HEARTBEAT_SECONDS = 15.0

PROMISED = 10_000
"""A client that is at most so many events behind misses nothing."""

BATCH = 200


@dataclass(frozen=True)
class Told:
    """An event, and the number up to which everything was looked at; without data nothing else is told.

    `silent` is a heartbeat: it only shows that the connection lives.
    """

    number: int
    data: dict[str, Any] | None = None
    silent: bool = False

    @cached_property
    def chunk(self) -> bytes:
        """It as a server-sent event."""
        if self.silent:
            return b": \n\n"
        if self.data is None:
            return b"id: %d\n\n" % self.number
        kind, data = str(self.data["event"]).encode(), msgspec.json.encode(self.data)
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.number, kind, data)

    @cached_property
    def message(self) -> str:
        """It as a message of a socket."""
        data = {"event": "seen", "id": self.number} if self.data is None else self.data
        return msgspec.json.encode(data).decode()


_Key: TypeAlias = tuple[Person, CredentialKind, int]


@dataclass(slots=True)
class _Reading:
    """A look into the store that goes on; `begun` orders it among the questions of clients."""

    begun: int
    task: asyncio.Task[list[Told]]


class Together:
    """Who asks for the same events of the same person at the same time is read for once."""

    def __init__(self) -> None:
        self._count = itertools.count()
        self._readings: dict[_Key, _Reading] = {}

    async def batch(self, broker: Broker, cards: Cards, actor: Actor, after: int) -> list[Told]:
        """What happened after that number; empty only if there was nothing once this was asked."""
        key, asked = (actor.person, actor.kind, after), next(self._count)
        while True:
            reading = self._readings.get(key)
            if reading is None:
                work = _read(broker, cards, actor, after)
                reading = _Reading(next(self._count), asyncio.create_task(work))
                self._readings[key] = reading
                reading.task.add_done_callback(lambda _: self._readings.pop(key, None))
            # shielded: who goes away takes it from nobody else
            found = await asyncio.shield(reading.task)
            if found or reading.begun > asked:
                return found


async def _read(broker: Broker, cards: Cards, actor: Actor, after: int) -> list[Told]:
    oldest, newest = await broker.events_kept(actor)
    if _too_far(after, oldest, newest):
        return [_reload(newest)]
    seen, notices = await broker.notices(actor, after, BATCH)
    found = [await _written(broker, cards, actor, notice) for notice in notices]
    if seen > (notices[-1].event_id if notices else after):
        found.append(Told(seen))
    return found


async def _written(broker: Broker, cards: Cards, actor: Actor, notice: Notice) -> Told:
    data: dict[str, Any] = notice.to_json()
    if notice.kind is EventKind.APPROVAL_REQUESTED:
        data["card"] = await _card(broker, cards, actor, notice)
    return Told(notice.event_id, data)


async def _card(broker: Broker, cards: Cards, actor: Actor, notice: Notice) -> object:
    """The card, for a reader who may decide; None for others."""
    try:
        request = await broker.request(actor, notice.request_id)
    except (RequestError, AccessError):
        return None
    if await broker.why_not(actor, request) is not None:
        return None
    return await cards.of(actor, request)


class Events:
    """The events that one actor may read, from a number on."""

    def __init__(
        self, broker: Broker, cards: Cards, together: Together, actor: Actor, token: str
    ) -> None:
        self._broker = broker
        self._cards = cards
        self._together = together
        self._actor = actor
        self._token = token

    async def told(self, after: int | None) -> AsyncGenerator[Told, None]:
        """The events after that number, from now on if it is None; a number alone while nothing happens."""
        subscription = self._broker.world.feed.subscribe(ALL)
        try:
            oldest, newest = await self._broker.events_kept(self._actor)
            if after is None:
                seen = newest
                yield Told(seen)
            elif _too_far(after, oldest, newest):
                seen = newest
                yield _reload(seen)
            else:
                seen = after
            proven = time.monotonic()
            while True:
                if time.monotonic() - proven >= HEARTBEAT_SECONDS:
                    await self._prove()
                    proven = time.monotonic()
                batch = await self._together.batch(self._broker, self._cards, self._actor, seen)
                for told in batch:
                    seen = told.number
                    yield told
                if not batch and not await subscription.wait(HEARTBEAT_SECONDS):
                    yield Told(seen, silent=True)
        finally:
            subscription.close()

    async def _prove(self) -> None:
        """A credential that was revoked or has expired reads no further, nor do rights that were taken."""
        self._actor = await self._broker.access.authenticate(self._token, self._actor.channel)


def _too_far(after: int, oldest: int, newest: int) -> bool:
    """Whether something after that number is gone, or the number is not of this log."""
    return after > newest or newest - after > PROMISED or (newest > 0 and after < oldest - 1)


def _reload(newest: int) -> Told:
    return Told(newest, {"id": newest, "event": "reload"})
