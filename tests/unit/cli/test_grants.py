"""`sayso grants`: what is remembered is listed, taken back, and carried elsewhere."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from sayso.broker.broker import Broker
from sayso.broker.remembering import Wish
from sayso.cli.exit_codes import ExitCode
from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from sayso.requests.approval import Vote
from tests.fakes.command_line import PASSPHRASE, CommandLine

RULES = [
    {"key": "write:/w", "label": "harmless", "added": "2026-01-02T03:04:05Z"},
    {"key": "cmd:/w\0echo \u202e", "label": "x", "added": "2026-01-02T03:04:05Z"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "given.json"
    path.write_text(json.dumps({"version": 1, "rules": RULES}))
    return path


@pytest.mark.spec("REQ-51", "REQ-53")
def test_grants_are_imported_listed_revoked_exported_and_cleared(
    sayso: CommandLine, file: Path, tmp_path: Path
) -> None:
    assert sayso.owner("grants", "list").out == "Nothing is remembered.\n"
    done = sayso.owner("grants", "import", str(file))
    assert (done.code, done.err) == (0, "")
    assert "granted: edit any file in /w\n" in done.out
    assert "run exactly `echo [U+202E]` in /w" in done.out
    assert "\u202e" not in done.out
    told = json.loads(sayso.owner("grants", "list", "--json").out)
    assert {g["key"] for g in told["grants"]} == {rule["key"] for rule in RULES}
    assert len(told["grants"]) == 2
    assert told["bypasses"] == told["vetoes"] == []
    listed = sayso.owner("grants", "list").out
    assert "\u202e" not in listed

    written = tmp_path / "new" / "out.json"
    assert sayso.owner("grants", "export", str(written)).out == f"written: {written}\n"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700
    keys = [rule["key"] for rule in json.loads(written.read_text())["rules"]]
    assert keys == sorted(rule["key"] for rule in RULES)
    assert [path.name for path in written.parent.iterdir()] == ["out.json"]
    assert sayso.owner("grants", "export", "--print").out == written.read_text()

    gone = sayso.owner("grants", "revoke", told["grants"][0]["id"])
    assert gone.out.startswith("taken back: ")
    again = sayso.owner("grants", "revoke", told["grants"][0]["id"])
    assert (again.code, "nothing that is remembered has the id" in again.err) == (
        ExitCode.FAILURE, True,
    )  # fmt: skip
    assert sayso.owner("grants", "clear").out == "taken back: 1\n"
    assert sayso.owner("grants", "list").out == "Nothing is remembered.\n"


@pytest.mark.spec("REQ-51", "REQ-54")
def test_to_clear_what_is_a_users_ends_their_bypasses_too(sayso: CommandLine) -> None:
    (asked,) = sayso.ask(CallDraft("send_mail", {"to": "bob"}))

    async def bypassed(broker: Broker) -> None:
        _, owner = await broker.access.login(PASSPHRASE, "test", 60)
        wish = Wish(bypass_secs=0)
        await broker.answer(owner, asked.call_id, Vote.APPROVE, digest=asked.digest, wish=wish)

    sayso.within(bypassed)
    assert "every call of this session" in sayso.owner("grants", "list").out
    assert sayso.owner("grants", "clear", "--user", "anna").out == "taken back: 0\n"
    assert sayso.owner("grants", "clear", "--user", "owner").out == "taken back: 1\n"
    assert sayso.owner("grants", "list").out == "Nothing is remembered.\n"


@pytest.mark.spec("REQ-53")
def test_a_missing_file_is_empty_and_a_corrupt_one_a_clear_error(
    sayso: CommandLine, file: Path
) -> None:
    missing = sayso.owner("grants", "import", str(file.with_name("none.json")))
    assert (missing.code, missing.out) == (0, "There are no grants in it.\n")
    file.write_text("{")
    broken = sayso.owner("grants", "import", str(file))
    assert broken.code == ExitCode.FAILURE
    assert "the file of grants is not JSON" in broken.err
    assert "hint: export the grants anew, or take the file away" in broken.err


@pytest.mark.spec("REQ-51", "REQ-64")
def test_it_takes_a_persons_credential(sayso: CommandLine) -> None:
    agent = sayso.owner("tokens", "create", "--kind", "agent").out.strip()
    for words in (["list"], ["clear"], ["export", "--print"], ["import"], ["revoke", "x"]):
        said = sayso("grants", *words, "--token-stdin", stdin=agent)
        assert said.code == ExitCode.REFUSED, said
    approver = sayso.token(CredentialKind.APPROVER)
    assert sayso("grants", "list", "--token-stdin", stdin=approver).code == 0
