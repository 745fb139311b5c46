"""What the documents say to write or to type works: programs, settings, rules and commands."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclopts.exceptions import CycloptsError

import sayso
from sayso.cli.exit_codes import ExitCode
from sayso.cli.main import COMMANDS, make_app
from sayso.config.settings import parse_settings
from sayso.front.assembly import open_broker
from tests.house.plan import ROOT
from tests.unit.front.conftest import Aside

DOCUMENTS = sorted(
    path
    for pattern in ("README.md", "docs/*.md", "docs/guides/*.md", "docs/reference/*.md")
    for path in ROOT.glob(pattern)
)
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[Any]:
    """The blocks of a language, each with its document's name."""
    made = []
    for document in DOCUMENTS:
        found = [m for m in BLOCK.finditer(document.read_text()) if m[2] == language]
        for number, match in enumerate(found, 1):
            text = "".join(line.removeprefix(match[1]) for line in match[3].splitlines(True))
            made.append(pytest.param(text, id=f"{document.stem}-{number}"))
    return made


@pytest.mark.parametrize("text", blocks("toml"))
def test_settings_can_be_read(text: str, tmp_path: Path) -> None:
    if not text.startswith("["):  # only what more a rule may hold
        text = f'[[rule]]\neffect = "ask"\nrule = "web(*)"\n{text}'
    tomllib.loads(text)
    parse_settings(tmp_path / "settings.toml", text.encode())


@pytest.mark.parametrize("text", blocks("python"))
def test_programs_import_what_there_is(text: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == "sayso":
            assert {name.name for name in node.names} <= set(sayso.__all__)


@pytest.mark.parametrize("text", [b for b in blocks("json") if "mcpServers" in b.values[0]])
def test_configurations_of_clients_start_what_there_is(text: str) -> None:
    for server in json.loads(text)["mcpServers"].values():
        check_command([server["command"], *server["args"]])


def commands(text: str) -> Iterator[list[str]]:
    """The command lines of `sayso` in a piece of shell, also those inside others."""
    for line in text.splitlines():
        for part in re.split(r"\$\(|\)|[|;&]", line.partition("#")[0]):
            words = shlex.split(part)
            while words and re.fullmatch(r"\w+=\S*|export", words[0]):
                words = words[1:]
            if words and words[0] == "sayso":
                yield words


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands_in_blocks_are_there(text: str) -> None:
    for words in commands(text):
        check_command(words)
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"^make (\w+)", text, re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if d.stem != "benchmarks"], ids=lambda path: path.stem
)
def test_commands_in_sentences_are_there(document: Path) -> None:
    for text in re.findall(r"`(sayso [^`\n]+)`", document.read_text()):
        words = text.replace("[", "").replace("]", "").split(" … ")[0].split()
        if any(word.isupper() or "…" in word for word in words[1:2]):
            continue
        assert words[1] in COMMANDS, text
        if len(words) > 2 and words[1] in ("audit", "inbox", "passphrase", "tokens"):
            check_command(shlex.split(text))


def check_command(words: list[str]) -> None:
    """Fail unless the command line can be read by `sayso`."""
    words = [word for word in words[1:] if word != "…"]
    if words in (["tokens", "create"], ["inbox"], ["audit"], ["tokens"], ["passphrase"]):
        return  # it stands for the command, not for a call of it
    try:
        make_app(words[0]).parse_args(words, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        pytest.fail(f"sayso {shlex.join(words)}: {error}")


def test_a_command_that_is_not_there_is_noticed() -> None:
    for line in ("sayso approve", "sayso inbox look", "sayso audit list --nope"):
        with pytest.raises(pytest.fail.Exception):
            check_command(line.split())


def test_the_exit_statuses_are_told() -> None:
    told = (ROOT / "docs/reference/cli.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ", told, re.MULTILINE)
    assert sorted(map(int, rows)) == sorted(map(int, ExitCode))


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


@pytest.mark.parametrize("decision", ["approve", "reject", "deny"])
async def test_the_program_of_the_guide_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    decision: str,
) -> None:
    """As it is written, but for where a person is asked: in the inbox instead of on a terminal."""
    (first, *_) = [block.values[0] for block in blocks("python") if block.id == "python-1"]
    program = first.replace('agent="report-writer"', 'agent="report-writer", inbox=True')
    assert program != first
    rules = "[permissions]\n" + ('deny = ["tool(write_file)"]\n' if decision == "deny" else "")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text(rules)
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SAYSO_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "program"}
    running = asyncio.create_task(asyncio.to_thread(exec, program, scope))
    try:
        if decision != "deny":
            async with open_broker() as broker:
                person = Aside(broker)
                request = await person.asked()
                assert dict(request.call.arguments)["path"] == "report.md"
                assert not (tmp_path / "report.md").exists()
                await (
                    person.approve(request)
                    if decision == "approve"
                    else person.reject(request, "not this week")
                )
        await asyncio.wait_for(running, 30)
    finally:
        with contextlib.suppress(KeyError):
            scope["gate"].close()
    said = capsys.readouterr().out
    if decision == "approve":
        assert (tmp_path / "report.md").read_text() == "# Weekly report\n"
    else:
        assert not (tmp_path / "report.md").exists()
        assert {"reject": "not this week owner", "deny": "by the rule"}[decision] in said
