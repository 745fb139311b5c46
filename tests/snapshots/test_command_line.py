"""What the command line says: the help of each command, and its main outputs with ids and times taken out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from sayso.core.session import CallDraft
from tests.fakes.command_line import CommandLine, furnish, mail, make_template

COMMANDS = [
    "",
    "approve",
    "audit",
    "audit list",
    "audit verify",
    "demo",
    "doctor",
    "inbox",
    "inbox list",
    "inbox show",
    "mcp",
    "passphrase",
    "passphrase reset",
    "passphrase set",
    "policy",
    "policy add",
    "policy cases",
    "policy check",
    "policy explain",
    "policy import",
    "policy list",
    "policy remove",
    "reject",
    "serve",
    "tokens",
    "tokens create",
    "tokens list",
    "tokens revoke",
]

FILTERS = [
    (re.compile(r"\b[0-9a-v]{36}\b"), "I" * 36),
    (re.compile(r"(?m)^(look|approve|reject)(.*) [0-9a-v]{14}\b"), r"\1\2 ID............"),
    (re.compile(r"(?m)^[0-9a-v]{14}\b"), "ID............"),
    (re.compile(r"sayso_agent_[0-9a-f]{64}"), "sayso_agent_SECRET"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "H" * 64),
    (re.compile(r"(?m)^( Medium) +.*$"), r"\1 CODE"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "HH:MM:SS"),
    (re.compile(r"(?m)\b\d+(\.\d+)? s( ago)?\b"), r"N s\2"),
    (re.compile(r"Python 3\.\S+"), "Python 3.x"),
    (re.compile(r"the sandbox (works|does not).*"), "the sandbox …"),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template") / "sayso.db")


@pytest.fixture
def sayso(
    tmp_path: Path,
    template: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> CommandLine:
    return CommandLine(furnish(tmp_path / "home", template), monkeypatch, capsys)


def filtered(sayso: CommandLine, *words: str, owner: bool = False, code: str = "") -> str:
    """What a command says, without what differs from run to run."""
    said = sayso.owner(*words) if owner else sayso(*words)
    text = f"$ sayso {' '.join(words)}\n{said.out}{said.err}[{said.code}]\n"
    text = text.replace(str(sayso.home), "HOME")
    if code:
        text = text.replace(code, "word word word word")
    for pattern, name in FILTERS:
        text = pattern.sub(name, text)
    return re.sub(r"[ \t]+\n", "\n", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(tmp_path: Path, snapshot: SnapshotAssertion, command: str) -> None:
    # A process of its own: which commands were used before in this one shows in the help.
    words = [*command.split(), "--help"]
    said = subprocess.run(
        [sys.executable, "-m", "sayso.cli.main", *words],
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "SAYSO_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    text = f"$ sayso {' '.join(words)}\n{said.stdout}{said.stderr}[{said.returncode}]\n"
    assert re.sub(r"[ \t]+\n", "\n", text) == snapshot


def test_outputs(sayso: CommandLine, snapshot: SnapshotAssertion) -> None:
    first, second, _ = sayso.ask(
        CallDraft("write_file", {"path": "src/app.py", "content": "print(1)\n"}, detail="I try."),
        mail(),
        CallDraft("wipe", {}),
    )
    said = [
        filtered(sayso, "inbox", "list"),
        filtered(sayso, "inbox", "show", first.call_id, code=first.code),
        filtered(
            sayso, "approve", first.call_id, "--code", first.code, owner=True, code=first.code
        ),
        filtered(sayso, "approve", first.call_id, owner=True),
        filtered(sayso, "reject", second.call_id, "-m", "no", owner=True, code=second.code),
        filtered(sayso, "inbox", "list"),
        filtered(sayso, "tokens", "create", "--kind", "agent", "--agent", "coder", owner=True),
        filtered(sayso, "tokens", "list"),
        filtered(sayso, "audit", "list"),
        filtered(sayso, "audit", "verify"),
        filtered(sayso, "doctor"),
    ]
    text = "\n".join(said)
    text = re.sub(r"(?m)^(ID\.{12}  medium +N s +).*?  (Edit|Run)", r"\1CODE  \2", text)
    text = re.sub(r"(?m)^ID  +SEVERITY.*$", "ID SEVERITY WAITS CODE ACTION", text)
    text = re.sub(r'--code "[a-z ]+"', '--code "CODE"', text)
    assert text == snapshot
