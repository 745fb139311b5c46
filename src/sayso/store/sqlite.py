"""The SQLite store: one file, several processes, every answered write on the disk (ST-1a, ST-6).

Writes go through the one writer thread. Reads of a few rows run at once, where they are asked for:
they cost microseconds, and a write-ahead log never makes a reader wait for a writer. Reads of many
rows have a thread of their own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sayso.errors import StoreUnavailable
from sayso.store.feed import LocalFeed
from sayso.store.guard import KEEP_NOTICES
from sayso.store.opening import BUSY_SECONDS, connect, prepare, translate
from sayso.store.queries import sqlite_queries
from sayso.store.sealing import NO_KEYS, CallKeys
from sayso.store.sql import SqlStore
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction
from sayso.store.writer import Writer

T = TypeVar("T")


def open_sqlite(
    path: Path,
    *,
    busy_seconds: float = BUSY_SECONDS,
    check: bool = True,
    keys: CallKeys = NO_KEYS,
) -> SqliteStore:
    """Open the store in that file, which is made if it is not there and brought up to date if older.

    `busy_seconds` is how long another process may hold the file before a write gives up; `check`
    False leaves out the walk through every page. `keys` seal the full arguments of calls.
    Blocks for a moment. Raises StoreCorrupt, SchemaTooNew or StoreUnavailable.
    """
    path = path.absolute()
    prepare(path, busy_seconds=busy_seconds, check=check)
    try:
        return SqliteStore(path, busy_seconds=busy_seconds, keys=keys)
    except sqlite3.Error as error:
        raise translate(error, path, busy_seconds) from error


class SqliteStore(SqlStore):
    """The store in one SQLite file; make it with open_sqlite.

    `feed` wakes whoever waits in this process, also for what other processes wrote.
    """

    def __init__(self, path: Path, *, busy_seconds: float, keys: CallKeys = NO_KEYS) -> None:
        self.path = path
        self._keys = keys
        self._busy_seconds = busy_seconds
        self._q = sqlite_queries()
        self._closed = False
        self.feed = LocalFeed(self._listening)
        self._writer = Writer(
            path, self._q, self.feed, busy_seconds=busy_seconds, keep_notices=KEEP_NOTICES
        )
        self._here = connect(path, busy_seconds=0.0, writes=False)
        self._here_lock = threading.Lock()
        self._there = connect(path, busy_seconds=busy_seconds, writes=False)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="sayso-reader")
        self._writer.start()

    def close(self) -> None:
        """Finish what was handed over and close the file; the store is of no use afterwards."""
        if self._closed:
            return
        self._closed = True
        self._writer.close()
        self._reader.shutdown()
        with self._here_lock:
            self._here.close()
        self._there.close()

    def _listening(self) -> None:
        self._writer.listen()

    async def _write(self, unit: Callable[[Transaction], T]) -> T:
        done: T = await self._writer.run(unit)
        return done

    # ── reading ────────────────────────────────────────────────────────────────────────────────

    async def _one(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> T | None:
        rows = await self._at_once(statement, values)
        return read(rows[0]) if rows else None

    async def _few(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return [read(row) for row in await self._at_once(statement, values)]

    async def _at_once(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Read on the calling thread; where that would have to wait, in the reader's."""
        try:
            with self._here_lock:
                return _fetch(self._here, statement, values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise translate(error, self.path, self._busy_seconds) from error
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return await self._in_reader(lambda connection: _fetch(connection, statement, values))

    async def _many(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return await self._in_reader(
            lambda connection: [read(row) for row in _fetch(connection, statement, values)]
        )

    async def _snapshot(self, *wanted: tuple[Statement, Mapping[str, Any]]) -> list[list[Any]]:
        def read(connection: sqlite3.Connection) -> list[list[Any]]:
            connection.execute("BEGIN")
            try:
                return [_fetch(connection, statement, values) for statement, values in wanted]
            finally:
                connection.execute("COMMIT")

        return await self._in_reader(read)

    async def _in_reader(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise StoreUnavailable("the store is closed", "open it again")
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reader, work, self._there)
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: sqlite3.Error) -> Exception:
        if self._closed:
            return StoreUnavailable("the store is closed", "open it again")
        return translate(error, self.path, self._busy_seconds)


def _fetch(
    connection: sqlite3.Connection, statement: Statement, values: Mapping[str, Any]
) -> list[Any]:
    return connection.execute(statement.sql, statement.bind(values)).fetchall()
