"""Backups of a SQLite file: what lies beside the place of a new one, and who takes its name first."""

from __future__ import annotations

import contextlib
import errno
import shutil
import sqlite3
from pathlib import Path

import pytest

from sayso.errors import StoreCorrupt, StoreUnavailable
from sayso.store.backup import back_up_sqlite, being_made, restore_sqlite
from sayso.store.opening import BUSY_SECONDS, connect, prepare

LEFT = ("-wal", "-shm", "-journal")


def describe(path: Path, text: str) -> None:
    with contextlib.closing(connect(path, busy_seconds=BUSY_SECONDS)) as connection:
        connection.execute("UPDATE groups SET description = ?", (text,))


def described(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT description FROM groups").fetchone()[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that was backed up to `backup.db`, and changed since."""
    path = tmp_path / "sayso.db"
    prepare(path)
    describe(path, "before")
    back_up_sqlite(path, tmp_path / "backup.db")
    return path


@pytest.mark.spec("ST-7")
def test_the_log_of_the_database_that_was_there_is_not_replayed(path: Path) -> None:
    log = path.with_name("sayso.db-wal")
    with contextlib.closing(connect(path, busy_seconds=BUSY_SECONDS)) as connection:
        connection.execute("UPDATE groups SET description = 'after'")
        shutil.copyfile(log, path.with_name("kept"))
    path.unlink()
    path.with_name("kept").rename(log)  # as a crash leaves it
    backup = path.with_name("backup.db")
    with pytest.raises(StoreUnavailable, match="-wal` was left by another") as caught:
        restore_sqlite(backup, path)
    assert "move" in (caught.value.hint or "")
    assert not path.exists()
    with pytest.raises(StoreUnavailable, match="was left by another"):
        prepare(path)
    assert not path.exists()
    log.rename(path.with_name("evidence"))
    restore_sqlite(backup, path)
    prepare(path)
    assert described(path) == "before"


@pytest.mark.spec("ST-7")
@pytest.mark.parametrize("suffix", LEFT)
def test_nothing_is_made_beside_what_another_database_left(path: Path, suffix: str) -> None:
    new = path.with_name("new.db")
    left = path.with_name(f"new.db{suffix}")
    left.write_bytes(b"")
    with pytest.raises(StoreUnavailable, match=f"new.db{suffix}` was left by another"):
        back_up_sqlite(path, new)
    with pytest.raises(StoreUnavailable, match=f"new.db{suffix}` was left by another"):
        restore_sqlite(path.with_name("backup.db"), new)
    with pytest.raises(StoreUnavailable, match=f"new.db{suffix}` was left by another"):
        prepare(new)
    assert not new.exists()
    assert left.read_bytes() == b""


@pytest.mark.spec("ST-6", "ST-7")
def test_who_has_a_damaged_file_is_told_to_move_its_log_away_too(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(StoreCorrupt, match="is empty") as caught:
        prepare(path)
    hint = caught.value.hint or ""
    assert all(f"`{suffix}`" in hint for suffix in LEFT)
    assert "sayso db restore" in hint


@pytest.mark.spec("ST-7")
@pytest.mark.parametrize("links", [True, False])
def test_a_backup_whose_name_was_taken_meanwhile_is_not_called_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr("sayso.store.opening.os.link", refuse_to_link)
    to = tmp_path / "backup.db"
    making = being_made(to)
    making.__enter__().write_bytes(b"ours")
    to.write_bytes(b"theirs")
    with pytest.raises(StoreUnavailable, match="there is a file"):
        making.__exit__(None, None, None)
    assert to.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [to]


def refuse_to_link(*_: object) -> None:
    raise OSError(errno.EPERM, "no hard links here")
