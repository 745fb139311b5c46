"""Backups of a PostgreSQL database: its rows as they stand at one moment, in a file of SQLite (ST-7)."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg.sql import SQL, Composed, Identifier
from sqlalchemy import Table, insert
from sqlalchemy.dialects import sqlite

from sayso.errors import SchemaTooNew, StoreUnavailable
from sayso.store import migrations
from sayso.store.as_sqlalchemy import as_sqlalchemy
from sayso.store.backup import Health, being_made, check_backup, restore_sqlite
from sayso.store.opening import BUSY_SECONDS, prepare
from sayso.store.opening import connect as connect_sqlite
from sayso.store.opening import translate as translate_sqlite
from sayso.store.postgres.address import KEY, MIGRATION, Address, connect, parse_address, translate
from sayso.store.postgres.opening import DIALECT, revision_of
from sayso.store.schema import METADATA

T = TypeVar("T")
_ROWS = 1000


def back_up_postgres(url: str, to: Path) -> None:
    """Write all rows, as they stand at one moment, to a new file that can be restored anywhere.

    Raises SchemaTooNew, StoreUnavailable or SettingsInvalid; there is no file then.
    """
    address = parse_address(url)

    def read(connection: psycopg.Connection[Any]) -> None:
        connection.execute("SET statement_timeout = 0")
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        _must_be_current(connection, address)
        with being_made(to) as building:
            building.unlink()
            prepare(building)
            with contextlib.closing(connect_sqlite(building, busy_seconds=BUSY_SECONDS)) as file:
                file.execute("PRAGMA foreign_keys=OFF")
                file.execute("BEGIN")
                for table in METADATA.sorted_tables:
                    file.execute(str(table.delete().compile(dialect=sqlite.dialect())))
                    columns = [column.name for column in table.columns]
                    statement = str(
                        insert(table).compile(dialect=sqlite.dialect(), column_keys=columns)
                    )
                    with connection.cursor(name="rows") as cursor:
                        cursor.execute(_select(table))
                        while rows := cursor.fetchmany(_ROWS):
                            file.executemany(statement, rows)
                file.execute("COMMIT")
                file.execute("PRAGMA journal_mode=DELETE")  # a backup is one file

    _with(address, read)


def restore_postgres(backup: Path, url: str) -> None:
    """Put a backup into a database without tables of sayso, in one transaction.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable or SettingsInvalid; nothing has changed then.
    """
    address = parse_address(url)
    check_backup(backup)

    def write(connection: psycopg.Connection[Any]) -> None:
        connection.execute("SELECT pg_advisory_lock(%s, %s)", (KEY, MIGRATION))
        if revision_of(connection, address) is not None:
            raise StoreUnavailable(
                f"the database `{address.shown}` holds tables of sayso already",
                "restore into an empty one: createdb, then name it",
            )
        connection.execute("SET statement_timeout = 0")
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        try:
            with tempfile.TemporaryDirectory(prefix="sayso-") as directory:
                current = Path(directory) / "current.db"
                restore_sqlite(backup, current)  # a copy, brought up to date
                _pour(current, connection)
        except sqlite3.Error as error:
            raise translate_sqlite(error, backup) from error
        except OSError as error:
            raise StoreUnavailable(
                f"no copy of `{backup}` can be made: {error.strerror or error}",
                "make room in the directory for temporary files, or name another with TMPDIR",
            ) from error

    _with(address, write)


def _pour(file: Path, connection: psycopg.Connection[Any]) -> None:
    """Write every row of an up-to-date file into a database without tables, in one transaction."""
    with contextlib.closing(
        connect_sqlite(file, busy_seconds=BUSY_SECONDS, writes=False)
    ) as source:
        connection.autocommit = False
        with as_sqlalchemy(DIALECT, connection) as alchemy, alchemy.begin():
            migrations.upgrade(alchemy)
            for table in reversed(METADATA.sorted_tables):
                alchemy.execute(table.delete())
            for table in METADATA.sorted_tables:
                names = ", ".join(f'"{column.name}"' for column in table.columns)
                rows = source.execute(f'SELECT {names} FROM "{table.name}"')  # noqa: S608
                with connection.cursor() as cursor, cursor.copy(_copy(table)) as copy:
                    for row in rows:
                        copy.write_row(row)


def check_postgres(url: str) -> Health:
    """Check that a database is one of sayso that this program can work with, changing nothing.

    Raises SchemaTooNew, StoreCorrupt, StoreUnavailable or SettingsInvalid.
    """
    address = parse_address(url)

    def read(connection: psycopg.Connection[Any]) -> Health:
        revision = _known(revision_of(connection, address), address)
        counts = [
            connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(name))).fetchone()
            for name in ("calls", "requests", "audit")
        ]
        return Health(revision, *(int(found[0]) for found in counts if found is not None))

    return _with(address, read)


def schema_of(url: str) -> str | None:
    """The revision of the schema of a database; None if it has none of sayso yet."""
    address = parse_address(url)
    return _with(address, lambda connection: revision_of(connection, address))


def _with(address: Address, work: Callable[[psycopg.Connection[Any]], T]) -> T:
    try:
        with contextlib.closing(connect(address)) as connection:
            return work(connection)
    except psycopg.Error as error:
        raise translate(error, address) from error


def _must_be_current(connection: psycopg.Connection[Any], address: Address) -> None:
    revision = _known(revision_of(connection, address), address)
    if revision != migrations.HEAD:
        raise StoreUnavailable(
            f"the database `{address.shown}` has the older schema `{revision}`",
            "bring it up to date first: sayso db migrate",
        )


def _known(revision: str | None, address: Address) -> str:
    if revision is None:
        raise StoreUnavailable(
            f"the database `{address.shown}` holds nothing of sayso", "look at its URL"
        )
    if revision not in migrations.REVISIONS:
        raise SchemaTooNew(
            f"the database `{address.shown}` has the schema `{revision}`, this sayso knows up to "
            f"`{migrations.HEAD}`",
            "install the newer sayso that wrote it, or restore a backup made by this one",
        )
    return revision


def _names(table: Table) -> Composed:
    return SQL(", ").join(Identifier(column.name) for column in table.columns)


def _select(table: Table) -> Composed:
    return SQL("SELECT {} FROM {}").format(_names(table), Identifier(table.name))


def _copy(table: Table) -> Composed:
    return SQL("COPY {} ({}) FROM STDIN").format(Identifier(table.name), _names(table))
