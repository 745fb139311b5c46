"""`sayso policy explain` and `list`: a verdict with its trace, and the rules it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.cli.exit_codes import ExitCode
from tests.fakes.command_line import CommandLine


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text('[permissions]\nallow = ["read(src/**)"]\ndeny = ["read(src/keys/**)"]\n')
    return path


@pytest.mark.spec("POL-71")
def test_a_verdict_names_the_rule_that_decides_and_what_would_change_it(
    sayso: CommandLine, settings: Path
) -> None:
    words = [
        "policy",
        "explain",
        "--tool",
        "read_file",
        "--arg",
        "path=src/keys/k",
        "--workspace",
        "/w",
        "--file",
    ]
    said = sayso(*words, str(settings))
    assert said.code == ExitCode.OK
    assert said.out == (
        "deny: rule-deny\n"
        "path /w/src/keys/k: deny\n"
        f"  list: allow read(src/**) in your settings, {settings}:2:10\n"
        f"  list: deny read(src/keys/**) in your settings, {settings}:3:9 <- decides\n"
        "what would change it: only taking away deny read(src/keys/**) in your settings, "
        f"{settings}:3:9; a deny is final\n"
    )


@pytest.mark.spec("POL-71")
def test_the_settings_of_the_installation_count_unless_a_file_is_named(
    sayso: CommandLine, settings: Path
) -> None:
    (sayso.home / "settings.toml").write_text('[permissions]\ndeny = ["tool(wipe)"]\n')
    assert sayso("policy", "explain", "--tool", "wipe").out.startswith("deny: rule-deny\n")
    elsewhere = sayso("policy", "explain", "--tool", "wipe", "--file", str(settings))
    assert elsewhere.out.startswith("ask: no-rule\n")


@pytest.mark.spec("POL-71")
def test_rules_given_as_flags_count_too(sayso: CommandLine) -> None:
    said = sayso("policy", "explain", "--allow", "tool(todo2)", "--tool", "todo2", "--json")
    found = json.loads(said.out)
    assert (found["effect"], found["reason"]) == ("allow", "rule-allow")
    assert (found["rule"]["origin"], found["tool"]) == ("flag", "todo2")
    denied = sayso(
        *("policy", "explain", "--allow", "tool(t)", "--deny", "tool(t)", "--tool", "t", "--json")
    )
    assert json.loads(denied.out)["effect"] == "deny"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["git", "push", "--force"], "git push --force"),
        (["git status && rm x"], "git status && rm x"),
        (["echo", "a b"], "echo 'a b'"),
    ],
)
@pytest.mark.spec("POL-71")
def test_a_command_line_is_what_the_words_after_the_dashes_are(
    words: list[str], line: str, sayso: CommandLine
) -> None:
    said = sayso("policy", "explain", "--json", "--", *words)
    assert json.loads(said.out)["arguments"] == {"command": line}


def test_what_a_call_names_cannot_move_the_cursor_or_begin_a_line(sayso: CommandLine) -> None:
    said = sayso("policy", "explain", "--tool", "x\x1b[2J\nallow: rule-allow")
    assert "\x1b" not in said.out
    assert "\nallow" not in said.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no call to explain"),
        (["--tool", "t", "--arg", "a"], "`a` is not an argument"),
        (["--tool", "t", "--arg", "a=1", "--json-args", "{}"], "both --arg and --json-args"),
        (["--tool", "t", "--json-args", "[]"], ""),
        (["--arg", "a=1", "--", "ls"], "a command line takes no arguments"),
        (["--deny", "shel(x)", "--", "ls"], "--deny: `shel` is not a kind of rule"),
    ],
)
def test_a_call_that_cannot_be_read_is_refused_with_a_hint(
    words: list[str], message: str, sayso: CommandLine
) -> None:
    said = sayso("policy", "explain", *words)
    assert (said.code, said.out) == (ExitCode.FAILURE, "")
    assert said.err.startswith(f"error: {message}")
    assert "hint: " in said.err


def test_a_settings_file_that_is_broken_or_absent_ends_with_three(
    sayso: CommandLine, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[permissions\n")
    for path in (broken, tmp_path / "absent.toml"):
        said = sayso("policy", "explain", "--file", str(path), "--", "ls")
        assert (said.code, said.out) == (ExitCode.INVALID, "")
        assert said.err.startswith(f"error: {path}:1:")


def test_rules_are_listed_by_where_they_come_from(sayso: CommandLine, settings: Path) -> None:
    said = sayso("policy", "list", "--file", str(settings))
    lines = said.out.splitlines()
    assert lines[1].split() == ["global", "allow", "read(src/**)", f"{settings}:2:10"]
    assert lines[2].split() == ["global", "deny", "read(src/keys/**)", f"{settings}:3:9"]
    assert lines[3].startswith("and the built-in protection, ")
    every = json.loads(sayso("policy", "list", "--all", "--json", "--file", str(settings)).out)
    assert {rule["origin"] for rule in every} == {"built-in", "global"}


def test_settings_that_are_broken_are_told_beside_the_list(sayso: CommandLine) -> None:
    (sayso.home / "settings.toml").write_text("nonsense\n")
    said = sayso("policy", "list")
    assert said.code == ExitCode.OK
    assert "warning: " in said.err
    assert "settings.toml:1:" in said.err


def test_places_in_the_home_are_listed_as_people_write_them(sayso: CommandLine) -> None:
    (sayso.home / "settings.toml").write_text('[permissions]\nallow = ["web(a.test)"]\n')
    sayso.patch.setenv("HOME", str(sayso.home.parent))
    assert f"~/{sayso.home.name}/settings.toml:2:10" in sayso("policy", "list").out


def test_a_project_that_waits_for_trust_is_a_warning_in_plain_words(
    sayso: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "sayso.toml").write_text('[permissions]\nallow = ["shell(npm *)"]\n')
    sayso.patch.chdir(tmp_path)
    for words in (("check",), ("list",), ("explain", "--", "npm ci")):
        said = sayso("policy", *words)
        assert said.err == (
            f"warning: {tmp_path}/sayso.toml: what it loosens waits for your trust: sayso trust\n"
        )


@pytest.mark.spec("POL-71")
def test_a_workspace_that_is_not_there_is_told(sayso: CommandLine, tmp_path: Path) -> None:
    away = tmp_path / "away"
    said = sayso("policy", "explain", "--workspace", str(away), "--", "ls")
    assert said.code == ExitCode.OK
    assert said.err == (
        f"warning: `{away}` is no folder that is there: no settings of a project count, and no links\n"
    )
    away.mkdir()
    assert sayso("policy", "explain", "--workspace", str(away), "--", "ls").err == ""
