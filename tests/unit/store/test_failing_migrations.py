"""A migration or a restore that the database refuses is an error of the store, with a hint."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import psycopg
import pytest

from sayso.errors import StoreUnavailable
from sayso.store import migrations
from sayso.store.backup import back_up_sqlite
from sayso.store.opening import prepare
from sayso.store.postgres import open_postgres
from sayso.store.postgres.backup import restore_postgres
from tests.fakes.postgres import server


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path = tmp_path / "sayso.db"
    prepare(path)
    back_up_sqlite(path, tmp_path / "backup.db")
    return tmp_path / "backup.db"


@pytest.fixture
def restricted() -> str:
    """The URL of an empty database for a role that may make no tables in it."""
    url = server().new_database(template=None)
    name = url.rpartition("/")[2]
    server().run("DROP ROLE IF EXISTS restricted")
    server().run("CREATE ROLE restricted LOGIN", name)
    return url.replace("postgres@", "restricted@", 1)


def refuse(alchemy: object) -> None:
    alchemy.exec_driver_sql("CREATE TABLE calls (a)")  # type: ignore[attr-defined]


@pytest.mark.spec("ST-6", "ST-7")
def test_a_migration_that_sqlite_refuses_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sayso.db"
    prepare(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE schema_version SET version_num = '0000'")
    connection.close()
    monkeypatch.setattr(migrations, "REVISIONS", ("0000", *migrations.REVISIONS))
    monkeypatch.setattr(migrations, "upgrade", refuse)
    with pytest.raises(StoreUnavailable, match="table calls already exists") as caught:
        prepare(path)
    assert caught.value.hint


@pytest.mark.spec("ST-7")
def test_a_role_that_may_make_no_tables_is_told_so(restricted: str, backup: Path) -> None:
    with pytest.raises(StoreUnavailable, match="permission denied for schema public") as caught:
        open_postgres(restricted)
    assert "GRANT" in (caught.value.hint or "")
    with pytest.raises(StoreUnavailable, match="permission denied for schema public"):
        restore_postgres(backup, restricted)


@pytest.mark.spec("ST-7")
@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk I/O error"), OSError(28, "full")])
def test_a_restore_whose_copy_cannot_be_made_or_read_is_said(
    backup: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    url = server().new_database(template=None)

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sayso.store.postgres.backup.connect_sqlite", fail)
    with pytest.raises(StoreUnavailable) as caught:
        restore_postgres(backup, url)
    assert caught.value.hint
    with psycopg.connect(url) as other:
        assert other.execute("SELECT to_regclass('calls')").fetchone() == (None,)
