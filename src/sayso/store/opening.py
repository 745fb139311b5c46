"""Opening a SQLite file: made whole or not at all, checked, brought up to date, private (ST-6, ST-7).

A new file is built under another name and then linked into place, so that a file of that name is
never empty or half made: one that is has been damaged.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sayso.errors import SchemaTooNew, StoreCorrupt, StoreError, StoreUnavailable
from sayso.store import migrations
from sayso.store.as_sqlalchemy import as_sqlalchemy
from sayso.store.tables import APPLICATION_ID

MAGIC = b"SQLite format 3\x00"

BUSY_SECONDS = 10.0
"""How long a busy database is waited for before sayso says so (ST-6)."""

COMPANIONS = ("-wal", "-shm", "-journal")
"""How the names of the files end that SQLite keeps beside a database."""

_RESTORE = (
    "move the file away, and whatever of `-wal`, `-shm` and `-journal` is beside it, and keep them; "
    "then put a backup in their place: sayso db restore FILE"
)


def prepare(path: Path, *, busy_seconds: float = BUSY_SECONDS, check: bool = True) -> None:
    """Make the file if there is none, check it, and bring its schema up to date.

    `check` False leaves out the walk through every page, which takes about a second a gigabyte.
    Raises StoreCorrupt, SchemaTooNew or StoreUnavailable.
    """
    try:
        if not path.exists():
            refuse_leftovers(path)
            _create(path)
        check_header(path)
        _make_private(path)
        connection = connect(path, busy_seconds=busy_seconds)
        try:
            _check_ours(connection, path)
            if check:
                check_pages(connection, path)
            if is_older(connection, path):
                _migrate(connection, path, busy_seconds)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise translate(error, path, busy_seconds) from error
    except OSError as error:
        raise StoreUnavailable(
            f"the database `{path}` cannot be opened: {error.strerror or error}",
            "check that its directory exists, is yours, and has space left",
        ) from error


def connect(path: Path, *, busy_seconds: float, writes: bool = True) -> sqlite3.Connection:
    """A connection to an existing file, with everything set that durability needs."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=rw",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA fullfsync=ON")  # macOS: through the drive's own cache too
        connection.execute("PRAGMA checkpoint_fullfsync=ON")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA journal_size_limit=67108864")
        connection.execute("PRAGMA cache_size=-16384")  # KiB
        if not writes:
            connection.execute("PRAGMA query_only=ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def translate(error: sqlite3.Error, path: Path, busy_seconds: float = BUSY_SECONDS) -> StoreError:
    """The error of the store that an error of SQLite means."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return busy(path, busy_seconds)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorrupt(f"the database `{path}` is damaged: {error}", _RESTORE)
    if code == sqlite3.SQLITE_FULL:
        return StoreUnavailable(
            f"the disk that holds `{path}` is full", "make room; nothing was written"
        )
    if code == sqlite3.SQLITE_CONSTRAINT:
        return StoreError(
            f"the write contradicts what is stored: {error}", "nothing of it was written"
        )
    return StoreUnavailable(
        f"the database `{path}` cannot be used: {error}",
        "check that the file and its directory are there and yours to write",
    )


def busy(path: Path, seconds: float) -> StoreUnavailable:
    """The error for a database that another process has held for too long."""
    return StoreUnavailable(
        f"the database `{path}` was busy for {seconds:g} s",
        "another program holds it; wait for a running backup, or find it with `lsof` on the file",
    )


def moved(path: Path) -> StoreUnavailable:
    """The error for a file that is no longer the one that was opened."""
    return StoreUnavailable(
        f"the database `{path}` was moved, replaced or deleted while in use",
        "put it back and start sayso again; nothing was written",
    )


def refuse_leftovers(path: Path) -> None:
    """Refuse a place where no database is, but the log of one: SQLite would replay it into a new one.

    Raises StoreUnavailable.
    """
    left = [path.with_name(path.name + suffix) for suffix in COMPANIONS]
    left = [file for file in left if os.path.lexists(file)]
    if left and not os.path.lexists(path):  # asked last: another process may just have made it
        raise StoreUnavailable(
            f"`{left[0]}` was left by another database that was at `{path}`",
            "put that database back, or move all that it left away and keep it",
        )


def _create(path: Path) -> None:
    """Build a new database beside its place and link it there; the first of several wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    building = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        os.close(os.open(building, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with contextlib.closing(connect(building, busy_seconds=BUSY_SECONDS)) as connection:
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode=WAL")
            _migrate(connection, building, BUSY_SECONDS)
        put_in_place(building, path)  # or another made it first, which is as good
    finally:
        for suffix in ("", *COMPANIONS):
            building.with_name(building.name + suffix).unlink(missing_ok=True)


def put_in_place(building: Path, path: Path) -> bool:
    """Give a file that is whole its name, unless there is one of that name already; whether it did."""
    try:
        os.link(building, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if path.exists():
            return False
        building.rename(path)  # a file system without hard links
    if os.name == "posix":
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    return True


def check_header(path: Path) -> None:
    """Refuse what is no SQLite file by its first bytes; raises StoreCorrupt."""
    if not path.is_file():
        raise StoreCorrupt(
            f"`{path}` is not a file", "name another place for the database with SAYSO_HOME"
        )
    with path.open("rb") as file:
        start = file.read(100)
    if not start:
        raise StoreCorrupt(
            f"the database `{path}` is empty: it has been cut off",
            f"{_RESTORE}; to start anew, only move them away",
        )
    if len(start) < 100 or not start.startswith(MAGIC):
        raise StoreCorrupt(
            f"`{path}` is not a database, or its beginning was overwritten",
            f"{_RESTORE}; sayso leaves it untouched",
        )


def _make_private(path: Path) -> None:
    """Take the rights of others away from files that are ours."""
    if os.name != "posix":
        return
    for suffix in ("", *COMPANIONS):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError):
            found = file.stat()
            if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
                file.chmod(0o600)


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    check_application(connection, path)
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != ("wal",):
        raise StoreUnavailable(
            f"the database `{path}` cannot use a write-ahead log here",
            "put it on a local disk: network file systems cannot share it safely",
        )


def check_application(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another program's database; raises StoreCorrupt."""
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise StoreCorrupt(
            f"`{path}` is a database, but not one of sayso",
            "name another place for sayso's with SAYSO_HOME; this file was left untouched",
        )


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Walk through every page; raises StoreCorrupt."""
    faults = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    if faults != ["ok"]:
        raise StoreCorrupt(f"the database `{path}` is damaged: {'; '.join(faults)}", _RESTORE)


def is_older(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the schema has to be brought up to date."""
    named = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
        (migrations.VERSION_TABLE,),
    ).fetchone()
    if named == (0,):
        raise StoreCorrupt(f"the database `{path}` has lost its schema", _RESTORE)
    found = connection.execute(_READ_VERSION).fetchall()
    if len(found) != 1:
        raise StoreCorrupt(f"the database `{path}` does not say which schema it has", _RESTORE)
    revision = found[0][0]
    if revision not in migrations.REVISIONS:
        raise SchemaTooNew(
            f"the database `{path}` has the schema `{revision}`, this sayso knows up to "
            f"`{migrations.HEAD}`",
            "install the newer sayso that wrote it, or restore a backup made by this one",
        )
    return bool(revision != migrations.HEAD)


_READ_VERSION = "SELECT version_num FROM schema_version"


def _migrate(connection: sqlite3.Connection, path: Path, busy_seconds: float) -> None:
    """Bring the schema to HEAD in one transaction; who comes second finds it done."""
    connection.execute("PRAGMA foreign_keys=OFF")  # tables may be rebuilt on the way
    connection.execute("PRAGMA busy_timeout=0")
    with as_sqlalchemy("sqlite", connection) as alchemy, alchemy.begin():
        begin(connection, lambda: busy(path, busy_seconds), busy_seconds)
        migrations.upgrade(alchemy)
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise StoreCorrupt(f"rows of `{path}` refer to nothing: {broken}", _RESTORE)


def begin(
    connection: sqlite3.Connection, failure: Callable[[], Exception], busy_seconds: float
) -> None:
    """Begin a write transaction, waiting while another process has one.

    SQLite's own waiting sleeps longer and longer and starves beside a busy writer; this one asks
    about every millisecond.
    """
    until = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() >= until:
                raise failure() from error
            time.sleep(0.0005 + secrets.randbelow(1000) / 1e6)
        else:
            return
