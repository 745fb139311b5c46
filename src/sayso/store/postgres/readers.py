"""The threads that read from PostgreSQL, each with a connection of its own.

Short reads share one thread and what wakes their callers, for that costs more than a row does; long ones
have threads of their own, lest anything short waits behind them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg

from sayso.errors import StoreUnavailable
from sayso.store.jobs import Answer, Jobs, deliver
from sayso.store.postgres.address import Address, connect, is_lost, translate

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

READERS = 4
"""How many long reads of one replica can be on their way at once."""

TOGETHER = 8
"""After so many short reads their callers are woken."""

_AGAIN_SECONDS = 0.1


class Readers:
    """Runs reads; one whose connection is lost is done again while its caller has patience left."""

    def __init__(self, address: Address, *, busy_seconds: float) -> None:
        self._address = address
        self._busy_seconds = busy_seconds
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="sayso-reader")
        self._jobs: Jobs[Connection] = Jobs(TOGETHER)
        self._thread = threading.Thread(target=self._run, name="sayso-short-reader", daemon=True)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._open: set[Connection] = set()
        self._closed = False

    def start(self) -> None:
        """Start the thread of the short reads."""
        self._thread.start()

    async def read_few(self, work: Callable[[Connection], T]) -> T:
        """Read a few rows by a key; raises a StoreError."""
        found: T = await self._jobs.do(work)
        return found

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read what may be long; raises a StoreError."""
        if self._closed:
            raise StoreUnavailable("the store is closed", "open it again")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._do, work, time.monotonic())

    def close(self) -> None:
        """Finish what was asked for and close the connections."""
        self._closed = True
        self._jobs.close()
        self._thread.join()
        self._pool.shutdown()
        for connection in self._open:
            connection.close()

    # ── in the threads ─────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        while not self._jobs.over:
            jobs = self._jobs.take(None)
            for start in range(0, len(jobs), TOGETHER):
                deliver([self._answer(*job) for job in jobs[start : start + TOGETHER]])

    def _answer(
        self, work: Callable[[Connection], Any], future: asyncio.Future[Any], since: float
    ) -> Answer:
        try:
            return Answer(future, self._do(work, since), None)
        except Exception as error:  # whoever waits is told, whatever it was
            return Answer(future, None, error)

    def _do(self, work: Callable[[Connection], T], since: float) -> T:
        while True:
            try:
                return work(self._ready())
            except psycopg.Error as error:
                lost = is_lost(error, getattr(self._own, "connection", None))
                self._drop()
                late = time.monotonic() >= since + self._busy_seconds
                if not lost or late or self._closed:
                    raise translate(error, self._address) from error
                time.sleep(_AGAIN_SECONDS)

    def _ready(self) -> Connection:
        connection: Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = connect(self._address, busy_seconds=self._busy_seconds)
            self._own.connection = connection
            with self._lock:
                self._open.add(connection)
        return connection

    def _drop(self) -> None:
        connection: Connection | None = getattr(self._own, "connection", None)
        if connection is not None:
            self._own.connection = None
            with self._lock:
                self._open.discard(connection)
            connection.close()
