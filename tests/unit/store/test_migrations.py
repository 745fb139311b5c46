"""The schema: its history is whole, ends at what the program uses, and says who may review."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, create_engine
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from sayso.core.observed_tool import ObservedTool
from sayso.errors import StoreError
from sayso.store import migrations
from sayso.store.codec.tools import tool_row
from sayso.store.guard import THE_GROUP
from sayso.store.opening import prepare
from sayso.store.schema import METADATA
from tests.fakes.values import at


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "sayso.db"
    prepare(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    yield connection
    connection.close()


def test_the_revisions_are_those_of_the_files() -> None:
    script = ScriptDirectory.from_config(migrations.configuration())
    found = tuple(revision.revision for revision in script.walk_revisions())[::-1]
    assert found == migrations.REVISIONS
    assert script.get_current_head() == migrations.HEAD


def test_the_migrations_make_the_tables(tmp_path: Path, database: sqlite3.Connection) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'sayso.db'}")
    with engine.connect() as connection:
        command.check(migrations.configuration(connection))
    engine.dispose()


def test_what_alembic_prints_goes_where_the_program_prints_now(
    tmp_path: Path, database: sqlite3.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrations.configuration().stdout is sys.stdout
    engine = create_engine(f"sqlite:///{tmp_path / 'sayso.db'}")
    with engine.connect() as connection:
        command.check(migrations.configuration(connection))
    engine.dispose()
    assert "No new upgrade operations" in capsys.readouterr().out


def test_the_migrations_make_every_check_of_the_tables(database: sqlite3.Connection) -> None:
    made = {
        name: " ".join(sql.split())
        for name, sql in database.execute("SELECT name, sql FROM sqlite_master WHERE type='table'")
    }
    for table in METADATA.sorted_tables:
        for constraint in table.constraints:
            if isinstance(constraint, CheckConstraint):
                assert f"CHECK ({constraint.sqltext})" in made[table.name]
        if table.dialect_options["sqlite"]["with_rowid"] is False:
            assert "WITHOUT ROWID" in made[table.name]


def test_the_default_group_is_the_one_that_other_stores_have(database: sqlite3.Connection) -> None:
    rows = database.execute("SELECT group_id, name, description FROM groups").fetchall()
    assert rows == [(THE_GROUP.group_id, THE_GROUP.name, THE_GROUP.description)]


@pytest.mark.spec("REQ-64")
def test_no_review_can_come_from_an_agents_credential(database: sqlite3.Connection) -> None:
    database.execute(
        "INSERT INTO calls VALUES ('c', 'u', 'a', 's', NULL, '', '', '', NULL, '', '', NULL, NULL)"
    )
    columns = [row[1] for row in database.execute("PRAGMA table_info(requests)")]
    values = {**dict.fromkeys(columns, 0), "request_id": "c", "status": "pending"}
    database.execute(
        f"INSERT INTO requests ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )
    database.execute(
        "INSERT INTO credentials VALUES ('k', 'agent', 'u', 'h', 0, NULL, NULL, 'a', '', '[]')"
    )
    add = "INSERT INTO reviews VALUES ('c', ?, 'u', ?, ?, 'web', ?, 0)"
    for number, (key, kind, vote) in enumerate(
        (("k", "agent", "approve"), ("k", "robot", "approve"), ("k", "admin", "perhaps"))
    ):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            database.execute(add, (number, key, kind, vote))
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        database.execute(add, (1, "nobody", "admin", "approve"))
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        database.execute("UPDATE credentials SET kind = 'god'")


def test_the_tables_are_ready_for_postgresql() -> None:
    for table in METADATA.sorted_tables:
        text = str(CreateTable(table).compile(dialect=postgresql.dialect()))
        assert "BIGINT" in text or "TEXT" in text


def test_alembic_alone_says_how_migrations_run() -> None:
    with pytest.raises(StoreError, match="need an open database") as caught:
        command.upgrade(migrations.configuration(), "head")
    assert "when sayso opens a database" in (caught.value.hint or "")


def test_an_older_schema_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sayso.db"
    prepare(path)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM schema_version")
    connection.execute("INSERT INTO schema_version VALUES ('0000')")
    connection.commit()
    monkeypatch.setattr(migrations, "REVISIONS", ("0000", *migrations.REVISIONS))
    upgraded: list[bool] = []

    def upgrade(alchemy: object) -> None:
        assert connection.in_transaction is False
        upgraded.append(True)
        alchemy.exec_driver_sql(f"UPDATE schema_version SET version_num = '{migrations.HEAD}'")  # type: ignore[attr-defined]

    monkeypatch.setattr(migrations, "upgrade", upgrade)
    prepare(path)
    prepare(path)
    assert upgraded == [True]
    assert connection.execute("SELECT * FROM schema_version").fetchall() == [(migrations.HEAD,)]
    connection.close()


def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sayso.db"
    prepare(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE schema_version SET version_num = '0000'")
    connection.commit()
    monkeypatch.setattr(migrations, "REVISIONS", ("0000", *migrations.REVISIONS))

    def upgrade(alchemy: object) -> None:
        alchemy.exec_driver_sql("UPDATE schema_version SET version_num = '0001'")  # type: ignore[attr-defined]
        alchemy.exec_driver_sql("CREATE TABLE half (a)")  # type: ignore[attr-defined]
        raise StoreError("it broke")

    monkeypatch.setattr(migrations, "upgrade", upgrade)
    with pytest.raises(StoreError, match="it broke"):
        prepare(path)
    assert connection.execute("SELECT * FROM schema_version").fetchall() == [("0000",)]
    tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'")
    assert tables.fetchone() == (0,)
    connection.close()


@pytest.mark.spec("POL-46")
def test_the_tools_that_were_known_before_are_approved_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sayso.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(migrations, "REVISIONS", ("0001",))
        earlier.setattr(migrations, "HEAD", "0001")
        prepare(path)
    mail = ObservedTool("mail", "send", "sends ü", {"type": "object", "a": [1, 2.5]})
    rows = [tool_row(tool, at(1)) for tool in (mail, ObservedTool(None, "own"))]
    connection = sqlite3.connect(path)
    for row in rows:
        del row["definition"]
        names = ", ".join(row)
        connection.execute(
            f"INSERT INTO known_tools ({names}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
    connection.commit()
    prepare(path)
    found = connection.execute("SELECT server, name, definition, at FROM approved_definitions")
    assert found.fetchall() == [("mail", "send", mail.definition, at(1))]
    found = connection.execute("SELECT definition FROM known_tools WHERE server = 'mail'")
    assert found.fetchall() == [(mail.definition,)]
    connection.close()


@pytest.mark.spec("AUD-1a")
def test_calls_that_are_there_already_are_kept_since_they_were_submitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sayso.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(migrations, "REVISIONS", migrations.REVISIONS[:8])
        earlier.setattr(migrations, "HEAD", "0008")
        prepare(path)
    connection = sqlite3.connect(path, isolation_level=None)
    for call_id in ("asked", "allowed", "unknown"):
        connection.execute(
            "INSERT INTO calls VALUES (?, 'u', 'a', 's', NULL, '', '', '', NULL, '', '')",
            (call_id,),
        )
    columns = [row[1] for row in connection.execute("PRAGMA table_info(requests)")]
    values = {**dict.fromkeys(columns, 0), "request_id": "asked", "created_at": at(5)}
    connection.execute(
        f"INSERT INTO requests ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )
    for seq, call_id in enumerate(("asked", "allowed", "allowed"), 7):
        connection.execute(
            "INSERT INTO audit VALUES (?, ?, ?, '', NULL, '', '', '', '')", (seq, at(seq), call_id)
        )
    prepare(path)
    since = dict(connection.execute("SELECT call_id, kept_since FROM calls"))
    connection.close()
    assert (since["asked"], since["allowed"]) == (at(5), at(8))
    assert abs(since["unknown"] / 1e6 - time.time()) < 60
