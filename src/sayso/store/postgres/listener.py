"""The thread that hears what other replicas wrote, and wakes whoever waits for it here (ST-3)."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable, Container
from typing import Any

import structlog

from sayso.store.feed import LocalFeed
from sayso.store.postgres.address import CHANNEL, Address, connect
from sayso.store.postgres.readers import Connection
from sayso.store.postgres.transaction import EVERYTHING
from sayso.store.queries import Queries

_log = structlog.get_logger("sayso.store")

LOOK_SECONDS = 5.0
"""How often it is looked for events of which no notice came, for all who wait here together."""

MOST_TOPICS = 1000
"""From how many such events on everybody is woken instead."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""How long a lost connection is left alone before the next try, in seconds."""


class Listener:
    """Listens as long as it is open; whatever may have been missed wakes everybody.

    `own` are the server's processes of this replica's writers, whose notices are not news.
    """

    def __init__(
        self,
        address: Address,
        queries: Queries,
        feed: LocalFeed,
        own: Callable[[], Container[int | None]],
    ) -> None:
        self._address = address
        self._queries = queries
        self._feed = feed
        self._own = own
        self._closing = threading.Event()
        self._waker, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="sayso-listener", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._waker.send(b"x")
        self._thread.join()
        self._waker.close()
        self._woken.close()

    # ── in the thread ──────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                with connect(self._address) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    seen = self._last(connection)  # before the waking, which tells all up to here
                    self._feed.publish_everything()  # what was said before nobody heard
                    self._listen(connection, seen)
            except Exception as error:  # a thread that ended would leave all here without news
                if not self._closing.is_set():
                    _log.warning(
                        "the feed is lost", database=self._address.shown, error=repr(error)
                    )
                if time.monotonic() - began > LONGEST_PAUSE:
                    pause = FIRST_PAUSE
                self._closing.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _listen(self, connection: Connection, seen: int) -> None:
        with selectors.DefaultSelector() as waiting:  # select() takes no descriptor above 1023
            for each in (connection.pgconn.socket, self._woken.fileno()):
                waiting.register(each, selectors.EVENT_READ)
            self._hear(connection, seen, waiting)

    def _hear(self, connection: Connection, seen: int, waiting: selectors.BaseSelector) -> None:
        server = connection.pgconn
        look_at = time.monotonic() + LOOK_SECONDS
        while not self._closing.is_set():
            ready = waiting.select(max(0.0, look_at - time.monotonic()))
            topics: set[str] = set()
            if any(key.fd == server.socket for key, _ in ready):
                server.consume_input()
            if time.monotonic() >= look_at:
                missed = self._after(connection, seen)
                seen = missed[-1][0] if missed else seen
                topics.update(topic for _, topic in missed)
                if len(missed) == MOST_TOPICS:
                    seen, topics = self._last(connection), {EVERYTHING}
                look_at = time.monotonic() + LOOK_SECONDS
            while (notice := server.notifies()) is not None:
                if notice.be_pid not in self._own():
                    topics.update(notice.extra.decode().split("\n"))
            if EVERYTHING in topics:
                self._feed.publish_everything()
            elif topics:
                self._feed.publish(topics)

    def _last(self, connection: Connection) -> int:
        found = connection.execute(self._queries.last_notice.sql).fetchone()
        return 0 if found is None else int(found[0])

    def _after(self, connection: Connection, seen: int) -> list[tuple[Any, ...]]:
        statement = self._queries.notice_topics
        values = statement.bind({"after": seen, "limit": MOST_TOPICS})
        return connection.execute(statement.sql, values).fetchall()
