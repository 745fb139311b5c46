"""Backups: one SQLite file of the whole, whichever database it came from and goes to (ST-7).

Both databases have one schema, so that a backup of either can be restored to either. A backup is as
secret as the database itself: it holds arguments of calls and hashes of secrets.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sayso.errors import StoreCorrupt, StoreUnavailable
from sayso.store.opening import (
    BUSY_SECONDS,
    COMPANIONS,
    check_application,
    check_header,
    check_pages,
    connect,
    is_older,
    prepare,
    put_in_place,
    refuse_leftovers,
    translate,
)


@dataclass(frozen=True, slots=True)
class Health:
    """What a check found of a database that is good: its schema, and how much it holds."""

    schema: str
    calls: int
    requests: int
    audit_entries: int


def back_up_sqlite(path: Path, to: Path) -> None:
    """Copy a database that may be in use, as it stands at one moment, to a new file.

    Raises StoreCorrupt, SchemaTooNew or StoreUnavailable; there is no file then.
    """
    with being_made(to) as building:
        check_backup(path, pages=False)
        _copy(path, building)


def restore_sqlite(backup: Path, path: Path) -> None:
    """Put a backup where no database is, brought up to date if it is older.

    Raises StoreCorrupt, SchemaTooNew or StoreUnavailable; nothing has changed then.
    """
    check_backup(backup)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with being_made(path) as building:
        _copy(backup, building)
        prepare(building)


def check_backup(path: Path, *, pages: bool = True) -> Health:
    """Check a database file without changing anything of it; `pages` False leaves out the long walk.

    Raises StoreCorrupt or SchemaTooNew.
    """
    try:
        if not path.exists():
            raise StoreUnavailable(f"there is no file `{path}`", "name the file of a backup")
        check_header(path)
        with contextlib.closing(connect(path, busy_seconds=BUSY_SECONDS, writes=False)) as found:
            check_application(found, path)
            is_older(found, path)
            if pages:
                check_pages(found, path)
                broken = found.execute("PRAGMA foreign_key_check").fetchone()
                if broken is not None:
                    raise StoreCorrupt(f"rows of `{path}` refer to nothing: {broken}")
            return Health(
                found.execute("SELECT version_num FROM schema_version").fetchone()[0],
                found.execute("SELECT count(*) FROM calls").fetchone()[0],
                found.execute("SELECT count(*) FROM requests").fetchone()[0],
                found.execute("SELECT count(*) FROM audit").fetchone()[0],
            )
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except OSError as error:
        raise StoreUnavailable(
            f"`{path}` cannot be read: {error.strerror or error}", "give yourself the right to"
        ) from error


@contextlib.contextmanager
def being_made(to: Path) -> Iterator[Path]:
    """A private file that gets its name once it is whole; one that is there is never overwritten.

    Raises StoreUnavailable.
    """
    if to.exists() or to.is_symlink():
        raise _taken(to)
    refuse_leftovers(to)
    building = to.with_name(f".{to.name}.{secrets.token_hex(8)}")
    try:
        try:
            os.close(os.open(building, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            yield building
            if not put_in_place(building, to):
                raise _taken(to)
        except sqlite3.Error as error:
            raise translate(error, to) from error
        except OSError as error:
            raise StoreUnavailable(
                f"the file `{to}` cannot be written: {error.strerror or error}",
                "check that its directory exists, is yours, and has space left",
            ) from error
    finally:
        for suffix in ("", *COMPANIONS):
            building.with_name(building.name + suffix).unlink(missing_ok=True)


def _taken(to: Path) -> StoreUnavailable:
    return StoreUnavailable(f"there is a file `{to}` already", "name another, or move it away")


def _copy(source: Path, to: Path) -> None:
    """Copy a database in one step, which sees one moment and holds up no writer, to one file."""
    with (
        contextlib.closing(connect(source, busy_seconds=BUSY_SECONDS, writes=False)) as old,
        contextlib.closing(sqlite3.connect(to, isolation_level=None)) as new,
    ):
        new.execute("PRAGMA synchronous=FULL")
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # a backup is one file
        check_pages(new, to)
