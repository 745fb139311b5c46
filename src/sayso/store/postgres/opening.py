"""Opening a PostgreSQL database: looked at, and brought up to date by one replica at a time (ST-7)."""

from __future__ import annotations

import contextlib
from typing import Any

import psycopg

from sayso.errors import SchemaTooNew, StoreCorrupt, StoreUnavailable
from sayso.store import migrations
from sayso.store.as_sqlalchemy import as_sqlalchemy
from sayso.store.postgres.address import (
    BUSY_SECONDS,
    KEY,
    MIGRATION,
    OLDEST,
    Address,
    connect,
    translate,
)

DIALECT = "postgresql+psycopg"
"""How SQLAlchemy calls this database and its driver."""

_LOOK = """\
SELECT current_setting('server_encoding'), current_setting('fsync'), pg_is_in_recovery(),
  to_regclass('schema_version') IS NOT NULL, to_regclass('calls') IS NOT NULL"""


def prepare(address: Address, *, busy_seconds: float = BUSY_SECONDS) -> None:
    """Check the database, and make its tables or bring them up to date.

    Raises StoreCorrupt, SchemaTooNew or StoreUnavailable.
    """
    try:
        with contextlib.closing(connect(address, busy_seconds=busy_seconds)) as connection:
            if _needs_migration(connection, address):
                _migrate(connection, address)
    except psycopg.Error as error:
        raise translate(error, address) from error


def revision_of(connection: psycopg.Connection[Any], address: Address) -> str | None:
    """The revision of the schema; None if there is none yet."""
    if connection.info.server_version < OLDEST * 10_000:
        raise StoreUnavailable(
            f"the database `{address.shown}` is PostgreSQL "
            f"{connection.info.server_version // 10_000}",
            f"sayso needs PostgreSQL {OLDEST} or newer",
        )
    found = connection.execute(_LOOK).fetchone()
    assert found is not None
    encoding, fsync, standby, versioned, furnished = found
    if encoding != "UTF8":
        raise StoreUnavailable(
            f"the database `{address.shown}` has the encoding `{encoding}`",
            "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        )
    if fsync != "on":
        raise StoreUnavailable(
            f"the database `{address.shown}` does not keep what it says it has written",
            "set fsync = on in its settings",
        )
    if standby:
        raise StoreUnavailable(
            f"the database `{address.shown}` is a standby, which only reads",
            "name the primary server",
        )
    if not versioned:
        if furnished:
            raise StoreCorrupt(
                f"the database `{address.shown}` has lost its schema", "restore a backup"
            )
        return None
    rows = connection.execute("SELECT version_num FROM schema_version").fetchall()
    if len(rows) != 1:
        raise StoreCorrupt(
            f"the database `{address.shown}` does not say which schema it has", "restore a backup"
        )
    return str(rows[0][0])


def _needs_migration(connection: psycopg.Connection[Any], address: Address) -> bool:
    revision = revision_of(connection, address)
    if revision is not None and revision not in migrations.REVISIONS:
        raise SchemaTooNew(
            f"the database `{address.shown}` has the schema `{revision}`, this sayso knows up to "
            f"`{migrations.HEAD}`",
            "install the newer sayso that wrote it, or restore a backup made by this one",
        )
    return revision != migrations.HEAD


def _migrate(connection: psycopg.Connection[Any], address: Address) -> None:
    """Bring the schema to HEAD in one transaction; who comes second finds it done."""
    connection.execute("SELECT pg_advisory_lock(%s, %s)", (KEY, MIGRATION))
    if not _needs_migration(connection, address):
        return
    connection.autocommit = False
    with as_sqlalchemy(DIALECT, connection) as alchemy, alchemy.begin():
        migrations.upgrade(alchemy)
