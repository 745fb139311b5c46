"""Where a PostgreSQL database is, how it is reached, and what its errors mean; passwords are never shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sayso.errors import SettingsInvalid, StoreError, StoreUnavailable

OLDEST = 15
"""The oldest major version of PostgreSQL that is supported."""

BUSY_SECONDS = 10.0
"""How long a database that is busy or away is waited for before sayso says so."""

STOPPED_SECONDS = 5.0
"""How long a replica that stands still may hold what others wait for."""

KEY = 0x73617973
"""The first half of the advisory locks of sayso (`says`); the second halves are below."""

TURN, MIGRATION, CHAINS = 0, 1, 1000
"""The lock of whose turn it is to write, that of a migration, and the first of those of the chains."""

CHANNEL = "sayso"
"""The channel of LISTEN and NOTIFY."""

_LOST = ("08", "57P", "25P03", "53300")
"""How the codes of errors begin that a server says goodbye with, or does not let in with."""

_DEFAULTS: dict[str, Any] = {
    "application_name": "sayso",
    "connect_timeout": 3,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}

_SETTINGS = """\
SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', %s, false),
  set_config('lock_timeout', %s, false),
  set_config('idle_in_transaction_session_timeout', %s, false),
  set_config('client_encoding', 'UTF8', false)"""


@dataclass(frozen=True, slots=True)
class Address:
    """A database: how the driver reaches it, and how it is named to people, without a password."""

    conninfo: str = field(repr=False)
    shown: str


def parse_address(url: str) -> Address:
    """Read the URL of a database; raises SettingsInvalid, which never holds the URL itself."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        raise SettingsInvalid(
            "the URL of the database cannot be read",
            "write it as postgresql://user@host:5432/name",
        ) from None
    given = {name: value for name, value in given.items() if value is not None}
    host = str(given.get("host", "localhost"))
    if _is_misread(host, str(given.get("port", "")), str(given.get("dbname", ""))):
        raise SettingsInvalid(
            "the URL of the database has a host, a port or a name that cannot be right",
            "percent-encode what is special in a password: `/` is %2F and `@` is %40",
        )
    port = f":{given['port']}" if "port" in given else ""
    user = f"{given['user']}@" if "user" in given else ""
    shown = f"postgresql://{user}{host}{port}/{given.get('dbname', '')}"
    return Address(make_conninfo(**{**_DEFAULTS, **given}), shown)


def _is_misread(host: str, port: str, name: str) -> bool:
    """Whether part of a password may stand where none belongs, because it holds a bare `/` or `@`."""
    digits = all(not each or (each.isascii() and each.isdigit()) for each in port.split(","))
    return not digits or "@" in host or "@" in name


def connect(
    address: Address, *, busy_seconds: float = BUSY_SECONDS
) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection that begins no transaction by itself, with what durability and patience need.

    Raises psycopg.Error.
    """
    connection = psycopg.connect(address.conninfo, autocommit=True, prepare_threshold=2)
    try:
        busy, stopped = (f"{int(s * 1000)}ms" for s in (busy_seconds, STOPPED_SECONDS))
        connection.execute(_SETTINGS, (busy, busy, stopped))
    except psycopg.Error:
        connection.close()
        raise
    return connection


def is_lost(error: psycopg.Error, connection: psycopg.Connection[Any] | None) -> bool:
    """Whether an error means that the connection is gone, or was never there."""
    if connection is None or connection.closed or connection.broken:
        return True
    return isinstance(error, psycopg.OperationalError) and (
        error.sqlstate is None or error.sqlstate.startswith(_LOST)
    )


def translate(error: psycopg.Error, address: Address) -> StoreError:
    """The error of the store that an error of PostgreSQL means."""
    said = " ".join(str(error.diag.message_primary or error).split())[:300]
    if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled):
        return StoreUnavailable(
            f"the database `{address.shown}` was busy for too long",
            "another program holds a lock; look for it in `pg_stat_activity`",
        )
    if isinstance(error, psycopg.errors.DiskFull):
        return StoreUnavailable(
            f"the disk of the database `{address.shown}` is full", "make room; nothing was written"
        )
    if isinstance(error, psycopg.IntegrityError):
        return StoreError(
            f"the write contradicts what is stored: {said}", "nothing of it was written"
        )
    if isinstance(error, psycopg.DataError):
        return StoreError(f"a value cannot be stored: {said}")
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return StoreUnavailable(
            f"the database `{address.shown}` refuses: {said}",
            "make this user its owner, or let it make tables there: GRANT CREATE ON SCHEMA public TO …",
        )
    return StoreUnavailable(
        f"the database `{address.shown}` cannot be used: {said}",
        "check that the server runs and lets this user in",
    )
