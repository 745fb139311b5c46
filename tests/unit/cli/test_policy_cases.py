"""`sayso policy cases`: the cases that differ, counted and told with their reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.cli.exit_codes import ExitCode
from tests.fakes.command_line import CommandLine

HEAD = "id\tsurface\trules\tinput\texpected\twhy\tsource\n"
RIGHT = "a-1\tpath\tallow path(a)\ta\tallow\tcovered\tours\n"
WRONG = "a-2\tpath\tallow path(a); deny odd(b); deny path(b)\tb\tallow\tFP: \x1b[2Jnot so\tours\n"


def table(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "cases.tsv"
    path.write_text(HEAD + "".join(rows))
    return path


@pytest.mark.spec("POL-75")
def test_cases_that_are_all_right_end_with_zero(sayso: CommandLine, tmp_path: Path) -> None:
    said = sayso("policy", "cases", str(table(tmp_path, RIGHT)))
    assert (said.code, said.out) == (ExitCode.OK, "1 case: all as expected\n")


@pytest.mark.spec("POL-75")
def test_a_case_that_differs_is_printed_with_what_decided(
    sayso: CommandLine, tmp_path: Path
) -> None:
    path = table(tmp_path, RIGHT, WRONG)
    said = sayso("policy", "cases", str(path))
    assert said.code == ExitCode.FAILURE
    assert said.out == (
        f"{path}:3: a-2: expected allow, got deny\n"
        "  rules    allow path(a); deny odd(b); deny path(b)\n"
        "  input    b\n"
        "  why      FP: [U+001B][2Jnot so\n"
        "  decided  rule-deny, deny path(b) (global)\n"
        "  target   path /srv/proj/b\n"
        "  refused  deny odd(b): `odd` is not a kind of rule\n"
        "\n"
        "2 cases: 1 differs\n"
    )


def test_programs_read_what_differs_as_json(sayso: CommandLine, tmp_path: Path) -> None:
    said = sayso("policy", "cases", str(table(tmp_path, WRONG, RIGHT)), "--json")
    found = json.loads(said.out)
    assert (said.code, found["cases"]) == (ExitCode.FAILURE, 2)
    [differs] = found["differ"]
    assert (differs["id"], differs["line"], differs["effect"]) == ("a-2", 2, "deny")
    assert (differs["accepted"], differs["rule"]["text"]) == (["allow"], "path(b)")


@pytest.mark.parametrize("data", [b"nonsense", HEAD.encode() + b"\xff"])
def test_a_table_that_cannot_be_read_ends_with_three(
    data: bytes, sayso: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "cases.tsv"
    path.write_bytes(data)
    said = sayso("policy", "cases", str(path))
    assert (said.code, said.out) == (ExitCode.INVALID, "")
    assert said.err.startswith(f"error: {path}:")
    assert "hint:" in said.err


def test_a_fact_that_is_not_known_says_in_which_line(sayso: CommandLine, tmp_path: Path) -> None:
    path = table(tmp_path, RIGHT, "a-3\tpath\tgiven moon(full)\tb\task\tw\ts\n")
    said = sayso("policy", "cases", str(path))
    assert said.code == ExitCode.INVALID
    assert said.err.startswith(f"error: {path}:3: `given moon(full)` is no fact that is known\n")


def test_a_table_that_is_not_there_is_named(sayso: CommandLine, tmp_path: Path) -> None:
    said = sayso("policy", "cases", str(tmp_path / "none.tsv"))
    assert (said.code, said.out) == (ExitCode.INVALID, "")
    assert said.err == (
        f"error: {tmp_path}/none.tsv: the table cannot be read: No such file or directory\n"
        "hint: name a table of cases\n"
    )
