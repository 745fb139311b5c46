"""`sayso db`: backups of either database, restored to either, and what is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from pathlib import Path

import psycopg
import pytest

from sayso.store.migrations import HEAD
from tests.fakes.command_line import CommandLine, mail
from tests.fakes.postgres import server


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a database file."""
    connection = sqlite3.connect(path)
    names = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
    ]
    found = {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}
    connection.close()
    return found


def everything(sayso: CommandLine, file: Path) -> dict[str, list[tuple[object, ...]]]:
    assert sayso("db", "backup", str(file)).code == 0
    return rows(file)


@pytest.mark.spec("ST-7")
def test_a_backup_holds_everything_and_is_restored_anywhere(
    sayso: CommandLine, tmp_path: Path
) -> None:
    asked, _ = sayso.ask(mail(), mail("bob@example.com"))
    assert sayso.owner("approve", asked.call_id, "--code", asked.code).code == 0
    first = everything(sayso, tmp_path / "one.db")
    assert len(first["requests"]) == 2
    assert len(first["reviews"]) == 1
    assert stat.S_IMODE((tmp_path / "one.db").stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".*"))
    url = server().new_database(template=None)
    sayso.patch.setenv("SAYSO_DATABASE", url)
    assert sayso("db", "restore", str(tmp_path / "one.db")).code == 0
    assert everything(sayso, tmp_path / "two.db") == first
    assert sayso("audit", "verify").code == 0
    assert len(json.loads(sayso("inbox", "list", "--json").out)) == 1
    sayso.ask(mail("carol@example.com"))  # and it goes on from there
    assert sayso("audit", "verify").code == 0
    moved = everything(sayso, tmp_path / "three.db")
    sayso.patch.delenv("SAYSO_DATABASE")
    sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
    assert sayso("db", "restore", str(tmp_path / "three.db")).code == 0
    assert rows(tmp_path / "new" / "sayso.db") == moved
    assert stat.S_IMODE((tmp_path / "new" / "sayso.db").stat().st_mode) == 0o600
    assert sayso("audit", "verify").code == 0
    assert len(json.loads(sayso("inbox", "list", "--json").out)) == 2
    sayso.ask(mail("dave@example.com"))
    assert sayso("audit", "verify").code == 0


@pytest.mark.spec("ST-7")
def test_nothing_is_overwritten(sayso: CommandLine, tmp_path: Path) -> None:
    backup = tmp_path / "b.db"
    assert sayso("db", "backup", str(backup)).out == f"The backup is {backup}.\n"
    again = sayso("db", "backup", str(backup))
    assert (again.code, f"there is a file `{backup}` already" in again.err) == (1, True)
    held = (sayso.home / "sayso.db").read_bytes()
    refused = sayso("db", "restore", str(backup))
    assert (refused.code, "there is a file" in refused.err) == (1, True)
    assert (sayso.home / "sayso.db").read_bytes() == held
    url = server().new_database()
    sayso.patch.setenv("SAYSO_DATABASE", url)
    refused = sayso("db", "restore", str(backup))
    assert (refused.code, "holds tables of sayso already" in refused.err) == (1, True)


@pytest.mark.spec("ST-7")
def test_what_a_newer_sayso_wrote_is_refused(sayso: CommandLine, tmp_path: Path) -> None:
    newer = tmp_path / "newer.db"
    shutil.copy(sayso.home / "sayso.db", newer)
    connection = sqlite3.connect(newer)
    connection.execute("UPDATE schema_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    held = newer.read_bytes()
    sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
    for words in (("restore", str(newer)), ("check", str(newer))):
        said = sayso("db", *words)
        assert (said.code, "has the schema `9999`" in said.err) == (1, True)
    assert not (tmp_path / "new" / "sayso.db").exists()
    assert newer.read_bytes() == held
    url = server().new_database()
    sayso.patch.setenv("SAYSO_DATABASE", url)
    server().run("UPDATE schema_version SET version_num = '9999'", url.rpartition("/")[2])
    for words in (("migrate",), ("check",), ("backup", str(tmp_path / "no.db"))):
        said = sayso("db", *words)
        assert (said.code, "has the schema `9999`" in said.err) == (1, True)
    assert not (tmp_path / "no.db").exists()


@pytest.mark.spec("ST-7")
def test_damage_is_found(sayso: CommandLine, tmp_path: Path) -> None:
    assert sayso("db", "check").out.startswith(f"good: schema {HEAD}, 0 calls, 0 requests, ")
    backup = tmp_path / "b.db"
    sayso("db", "backup", str(backup))
    data = bytearray(backup.read_bytes())
    data[4096 : 4096 * 9] = b"\xff" * (4096 * 8)
    backup.write_bytes(data)
    for words in (("check", str(backup)), ("restore", str(backup))):
        sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
        said = sayso("db", *words)
        assert (said.code, "is damaged" in said.err) == (1, True)
    assert not (tmp_path / "new" / "sayso.db").exists()
    missing = sayso("db", "check", str(tmp_path / "none.db"))
    assert (missing.code, "there is no file" in missing.err) == (1, True)
    orphan = tmp_path / "orphan.db"
    sayso.patch.setenv("SAYSO_HOME", str(sayso.home))
    sayso("db", "backup", str(orphan))
    connection = sqlite3.connect(orphan)
    connection.execute("INSERT INTO reviews VALUES ('x', 0, 'p', 'c', 'admin', 't', 'approve', 0)")
    connection.commit()
    connection.close()
    said = sayso("db", "check", str(orphan))
    assert (said.code, "refer to nothing" in said.err) == (1, True)


@pytest.mark.spec("ST-7")
def test_migrating_makes_and_brings_up_to_date(sayso: CommandLine, tmp_path: Path) -> None:
    assert sayso("db", "migrate").out == f"The schema is {HEAD} already.\n"
    sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
    assert sayso("db", "migrate").out == f"The schema is {HEAD} now; it was none.\n"
    assert json.loads(sayso("db", "check", "--json").out)["schema"] == HEAD
    sayso.patch.setenv("SAYSO_DATABASE", server().new_database(template=None))
    nothing = sayso("db", "check")
    assert (nothing.code, "holds nothing of sayso" in nothing.err) == (1, True)
    assert sayso("db", "migrate").out == f"The schema is {HEAD} now; it was none.\n"
    assert sayso("db", "migrate").out == f"The schema is {HEAD} already.\n"
    assert json.loads(sayso("db", "check", "--json").out) == {
        "schema": HEAD,
        "calls": 0,
        "requests": 0,
        "audit_entries": 0,
    }


@pytest.mark.spec("ST-7")
def test_a_restore_that_fails_leaves_nothing(sayso: CommandLine, tmp_path: Path) -> None:
    backup = tmp_path / "b.db"
    sayso("db", "backup", str(backup))
    connection = sqlite3.connect(backup)
    # PostgreSQL has no such text
    changed = connection.execute("UPDATE groups SET description = 'a' || char(0) || 'b'").rowcount
    assert changed > 0
    connection.commit()
    connection.close()
    url = server().new_database(template=None)
    sayso.patch.setenv("SAYSO_DATABASE", url)
    assert sayso("db", "restore", str(backup)).code == 1
    with psycopg.connect(url) as other:
        assert other.execute("SELECT to_regclass('calls')").fetchone() == (None,)


@pytest.mark.spec("ST-7")
def test_what_a_check_and_a_restore_do_not_do_is_said(sayso: CommandLine, tmp_path: Path) -> None:
    check = " ".join(sayso("db", "check", "--help").out.split())
    assert "Of a PostgreSQL database it reads the schema and counts rows" in check
    assert "pg_amcheck" in check
    backup = tmp_path / "b.db"
    sayso("db", "backup", str(backup))
    sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
    said = sayso("db", "restore", str(backup))
    assert said.code == 0
    for words in (said.out, " ".join(sayso("db", "restore", "--help").out.split())):
        assert "revoked" in words
        assert "taken back" in words
