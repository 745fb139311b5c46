"""The PostgreSQL store: several replicas on one database, every answered write on its disk.

Writes that change what is there come one after the other over all replicas, in transactions of many
units: what SQLite's one writer excludes is excluded here too. Writes that only add, such as an allowed
call and its audit record, have a thread of their own and wait for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from sayso.store.feed import LocalFeed
from sayso.store.guard import KEEP_NOTICES
from sayso.store.postgres.address import BUSY_SECONDS, Address, parse_address
from sayso.store.postgres.listener import Listener
from sayso.store.postgres.opening import prepare
from sayso.store.postgres.readers import Connection, Readers
from sayso.store.postgres.writer import PostgresWriter
from sayso.store.queries import Queries
from sayso.store.sealing import NO_KEYS, CallKeys
from sayso.store.sql import SqlStore
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction

T = TypeVar("T")


def open_postgres(
    url: str, *, busy_seconds: float = BUSY_SECONDS, keys: CallKeys = NO_KEYS
) -> PostgresStore:
    """Open the store in that database, whose tables are made or brought up to date.

    `busy_seconds` is how long a database that is busy or away is waited for. `keys` seal the full
    arguments of calls. Blocks for a moment.
    Raises SettingsInvalid, StoreCorrupt, SchemaTooNew or StoreUnavailable.
    """
    address = parse_address(url)
    prepare(address, busy_seconds=busy_seconds)
    return PostgresStore(address, busy_seconds=busy_seconds, keys=keys)


@cache
def postgres_queries() -> Queries:
    """The statements as the driver for PostgreSQL takes them."""
    return Queries(PGDialect_psycopg(paramstyle="format"))  # type: ignore[no-untyped-call]


class PostgresStore(SqlStore):
    """The store in one PostgreSQL database; make it with open_postgres.

    `feed` wakes whoever waits in this process, also for what other replicas wrote.
    """

    def __init__(self, address: Address, *, busy_seconds: float, keys: CallKeys = NO_KEYS) -> None:
        self.address = address
        self._keys = keys
        self._q = postgres_queries()
        self._closed = False
        self.feed = LocalFeed()
        self._writer, self._adder = (
            PostgresWriter(
                address,
                self._q,
                in_turn=in_turn,
                busy_seconds=busy_seconds,
                keep_notices=KEEP_NOTICES,
            )
            for in_turn in (True, False)
        )
        self._readers = Readers(address, busy_seconds=busy_seconds)
        self._listener = Listener(
            address, self._q, self.feed, lambda: (self._writer.server_process,)
        )
        for thread in (self._writer, self._adder, self._readers, self._listener):
            thread.start()

    def close(self) -> None:
        """Finish what was handed over and close the connections; the store is of no use afterwards."""
        if self._closed:
            return
        self._closed = True
        self._writer.close()
        self._adder.close()
        self._readers.close()
        self._listener.close()

    async def _write(self, unit: Callable[[Transaction], T]) -> T:
        done: T = await self._writer.run(unit)
        return done

    async def _append(self, unit: Callable[[Transaction], T]) -> T:
        done: T = await self._adder.run(unit)
        return done

    async def _one(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> T | None:
        def one(connection: Connection) -> T | None:
            found = connection.execute(statement.sql, statement.bind(values)).fetchone()
            return None if found is None else read(found)

        return await self._readers.read_few(one)

    async def _few(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return await self._readers.read_few(
            lambda connection: [read(row) for row in _fetch(connection, statement, values)]
        )

    async def _many(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return await self._readers.read(
            lambda connection: [read(row) for row in _fetch(connection, statement, values)]
        )

    async def _snapshot(self, *wanted: tuple[Statement, Mapping[str, Any]]) -> list[list[Any]]:
        def read(connection: Connection) -> list[list[Any]]:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                return [_fetch(connection, statement, values) for statement, values in wanted]
            finally:
                if not connection.closed:
                    connection.execute("ROLLBACK")

        return await self._readers.read(read)


def _fetch(
    connection: Connection, statement: Statement, values: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    return connection.execute(statement.sql, statement.bind(values)).fetchall()
