"""SAYSO_CALLS_KEY: full arguments are encrypted, and whoever needs them without the key is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.broker.broker import Broker
from sayso.broker.ports import Claim, Standing
from sayso.core.session import CallDraft
from sayso.errors import ArgumentsWithheld
from sayso.system.places import DATABASE_NAME
from tests.fakes.command_line import CommandLine, mail

SECRET = "hunter2-and-more"
KEY, OTHER = "ab" * 32, "cd" * 32


def secret_mail() -> CallDraft:
    return mail(password=SECRET)


def files(sayso: CommandLine) -> bytes:
    """All of the database, as it lies on the disk."""
    return b"".join(path.read_bytes() for path in sayso.home.glob(f"{DATABASE_NAME}*"))


def claim(sayso: CommandLine, asked: Standing) -> Claim | Standing:
    async def claiming(broker: Broker) -> Claim | Standing:
        found = await broker.world.store.call(asked.call_id)
        assert found is not None
        return await broker.gate(found[1].session_id).claim(asked.call_id, asked.digest)

    done: Claim | Standing = sayso.within(claiming)
    return done


@pytest.mark.spec("AUD-1a")
def test_with_the_key_nothing_changes_but_what_lies_on_the_disk(sayso: CommandLine) -> None:
    sayso.patch.setenv("SAYSO_CALLS_KEY", KEY)
    (asked,) = sayso.ask(secret_mail())
    assert SECRET.encode() not in files(sayso)
    assert SECRET in sayso("inbox", "show", asked.call_id).out
    assert sayso.owner("approve", asked.call_id, "--code", asked.code).code == 0
    assert isinstance(claim(sayso, asked), Claim)
    assert SECRET.encode() not in files(sayso)
    assert sayso("audit", "verify").code == 0


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("key", [None, OTHER], ids=["no key", "another key"])
def test_without_the_key_it_is_neither_approved_nor_run_and_not_lost(
    sayso: CommandLine, key: str | None
) -> None:
    sayso.patch.setenv("SAYSO_CALLS_KEY", KEY)
    waiting, approved = sayso.ask(secret_mail(), mail("bob@example.com"))
    assert sayso.owner("approve", approved.call_id, "--code", approved.code).code == 0
    if key is None:
        sayso.patch.delenv("SAYSO_CALLS_KEY")
    else:
        sayso.patch.setenv("SAYSO_CALLS_KEY", key)
    assert waiting.call_id[:8] in sayso("inbox", "list").out
    shown = sayso("inbox", "show", waiting.call_id).out
    assert SECRET not in shown
    assert "no key that is here opens them" in " ".join(shown.split())
    refused = sayso.owner("approve", waiting.call_id, "--code", waiting.code)
    assert refused.code == 1
    assert "no key that is here opens them" in refused.err
    assert "SAYSO_CALLS_KEY" in refused.err
    with pytest.raises(ArgumentsWithheld, match="encrypted"):
        claim(sayso, approved)
    sayso.patch.setenv("SAYSO_CALLS_KEY", f"{OTHER}, {KEY}")
    assert sayso.owner("approve", waiting.call_id, "--code", waiting.code).code == 0
    assert isinstance(claim(sayso, waiting), Claim)
    assert isinstance(claim(sayso, approved), Claim)


@pytest.mark.spec("AUD-1a")
def test_a_backup_stays_encrypted_and_is_read_with_the_key(
    sayso: CommandLine, tmp_path: Path
) -> None:
    sayso.patch.setenv("SAYSO_CALLS_KEY", KEY)
    (asked,) = sayso.ask(secret_mail())
    backup = tmp_path / "b.db"
    assert sayso("db", "backup", str(backup)).code == 0
    assert SECRET.encode() not in backup.read_bytes()
    sayso.patch.setenv("SAYSO_HOME", str(tmp_path / "new"))
    sayso.patch.delenv("SAYSO_CALLS_KEY")
    assert sayso("db", "restore", str(backup)).code == 0
    assert SECRET not in sayso("inbox", "show", asked.call_id).out
    sayso.patch.setenv("SAYSO_CALLS_KEY", KEY)
    assert SECRET in sayso("inbox", "show", asked.call_id).out


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("value", ["", "ab", "zz" * 32, f"{KEY},", f"{KEY},{KEY[:-2]}"])
def test_what_is_no_key_is_refused_before_anything_is_opened(
    sayso: CommandLine, value: str
) -> None:
    sayso.patch.setenv("SAYSO_CALLS_KEY", value)
    said = sayso("inbox", "list")
    assert said.code == 3
    assert "`SAYSO_CALLS_KEY` holds something that is no key" in said.err
    assert "openssl rand -hex 32" in said.err
    assert value == "" or value not in said.err, "a key is never shown"
