"""The feed in one process: who waits for which topic, woken from any thread (ST-3).

Hints from other processes come in through the same `publish`: the SQLite store looks for them
while anybody listens (`writer.py`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable

from sayso.broker.ports import ALL


class LocalFeed:
    """Topics and the places in them; a place that waits costs a future and a timer, nothing more.

    Works across several event loops and threads of one process: every place wakes on the loop that
    waits in it. `on_listening` is called when the first place is taken.
    """

    def __init__(self, on_listening: Callable[[], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, list[Place]] = {}
        self._on_listening = on_listening

    @property
    def listening(self) -> bool:
        """Whether there is any place in the feed."""
        return bool(self._places)

    def publish(self, topics: Iterable[str]) -> None:
        """Wake whoever waits for these topics, and everyone who waits for ALL; from any thread."""
        with self._lock:
            if not self._places:
                return
            futures: list[asyncio.Future[None]] = []
            for topic in {*topics, ALL}:
                self._fire(self._places.get(topic, ()), futures)
        self._wake(futures)

    def publish_everything(self) -> None:
        """Wake everyone: used where it is not known what changed."""
        with self._lock:
            futures: list[asyncio.Future[None]] = []
            for places in self._places.values():
                self._fire(places, futures)
        self._wake(futures)

    def subscribe(self, topic: str) -> Place:
        """Take a place in a topic; nothing published from now on is missed."""
        place = Place(self, topic)
        with self._lock:
            first = not self._places
            self._places.setdefault(topic, []).append(place)
            if first and self._on_listening is not None:
                self._on_listening()
        return place

    def _leave(self, place: Place) -> None:
        with self._lock:
            places = self._places.get(place.topic)
            if places is None or place not in places:
                return
            places.remove(place)
            if not places:
                del self._places[place.topic]

    @staticmethod
    def _fire(places: Iterable[Place], futures: list[asyncio.Future[None]]) -> None:
        for place in places:
            if not place.fired:
                place.fired = True
                if place.future is not None:
                    futures.append(place.future)

    @staticmethod
    def _wake(futures: list[asyncio.Future[None]]) -> None:
        """Resolve the futures, each on its own loop, with one call a loop."""
        if not futures:
            return
        here = _running_loop()
        by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        for future in futures:
            by_loop.setdefault(future.get_loop(), []).append(future)
        for loop, waiting in by_loop.items():
            if loop is here:
                _resolve(waiting)
            elif not loop.is_closed():
                try:
                    loop.call_soon_threadsafe(_resolve, waiting)
                except RuntimeError:
                    continue  # the loop was closed meanwhile: nobody waits there any more


class Place:
    """One listener's place in one topic; one task at a time may wait in it."""

    __slots__ = ("_feed", "fired", "future", "topic")

    def __init__(self, feed: LocalFeed, topic: str) -> None:
        self._feed = feed
        self.topic = topic
        self.fired = False
        self.future: asyncio.Future[None] | None = None

    async def wait(self, timeout: float) -> bool:
        """Wait until the topic is published again, at most so many seconds; whether it was.

        What was published since the last wait counts, so nothing is missed between two waits.
        """
        lock = self._feed._lock
        loop = asyncio.get_running_loop()
        with lock:
            if self.fired:
                self.fired = False
                return True
            if self.future is not None:
                raise RuntimeError("another task waits in this place of the feed already")
            future = self.future = loop.create_future()
        timer = loop.call_later(max(0.0, timeout), _resolve, (future,))
        try:
            await future
            with lock:
                fired, self.fired = self.fired, False
            return fired
        finally:
            timer.cancel()
            self.future = None

    def close(self) -> None:
        """Give the place back; a wait in it ends."""
        self._feed._leave(self)
        future = self.future
        if future is not None:
            self._feed._wake([future])


def _resolve(futures: Iterable[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
