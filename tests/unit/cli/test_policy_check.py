"""`sayso policy check`: findings with their place and hint, and an exit status for CI (POL-70)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.cli.exit_codes import ExitCode
from tests.fakes.command_line import CommandLine

SOUND = '[permissions]\nallow = ["read(src/**)"]\n'
BROAD = '[permissions]\nallow = ["web(*)"]\n'


@pytest.mark.spec("POL-70")
def test_rules_that_are_in_order_end_with_zero(sayso: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(SOUND)
    said = sayso("policy", "check", str(path), "--strict")
    assert (said.code, said.out) == (ExitCode.OK, "1 rule: nothing to mend\n")


@pytest.mark.spec("POL-70")
def test_a_warning_names_its_place_and_fails_only_where_one_is_strict(
    sayso: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(BROAD)
    said = sayso("policy", "check", str(path))
    assert said.out == (
        f"{path}:2:10: warning: `allow web(*)` is dangerously broad: whatever an agent knows can be "
        "sent to any host\n"
        "  hint: name the hosts that are needed\n"
        "1 rule: 1 warning\n"
    )
    assert said.code == ExitCode.OK
    assert sayso("policy", "check", str(path), "--strict").code == ExitCode.FAILURE


@pytest.mark.spec("POL-70")
def test_a_file_that_cannot_be_used_is_an_error_at_its_place_and_others_are_still_read(
    sayso: CommandLine, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(BROAD)
    bad.write_text('[permissions]\ndeny = ["shel(x)"]\n')
    said = sayso("policy", "check", str(bad), str(good), "--json")
    found = json.loads(said.out)
    assert said.code == ExitCode.FAILURE
    assert [(one["severity"], one["code"], one["place"]) for one in found["findings"]] == [
        ("error", "invalid", f"{bad}:2:10"),
        ("warning", "broad", f"{good}:2:10"),
    ]
    assert found["findings"][0]["hint"] == "did you mean `shell(…)`?"


WRONG = """[permissions]
deny = ["shel(x)", "read(a)"]
allow = ["wb(y)"]
[[rule]]
effect = "ask"
rule = "tool(z)"
when = "input.x >"
[tools.save]
kind = "write"
"""


@pytest.mark.spec("POL-70")
def test_every_wrong_rule_of_a_file_is_told(sayso: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(WRONG)
    said = sayso("policy", "check", str(path), "--json")
    assert said.code == ExitCode.FAILURE
    places = [one["place"] for one in json.loads(said.out)["findings"]]
    assert places == [f"{path}:{at}" for at in ("2:10", "3:11", "7:18", "9:8")]
    own = sayso.home / "settings.toml"
    own.write_text(WRONG)
    said = sayso("policy", "check", "--json")
    found = [one for one in json.loads(said.out)["findings"] if one["code"] == "invalid"]
    assert [one["place"] for one in found] == [
        f"{own}:{at}" for at in ("2:10", "3:11", "7:18", "9:8")
    ]
    assert sayso("doctor").out.count("MEND") == 1, "elsewhere the first says that the file is wrong"


@pytest.mark.spec("POL-70")
def test_of_a_file_that_cannot_be_read_one_fault_is_told(
    sayso: CommandLine, tmp_path: Path
) -> None:
    for text in ("[permissions", "nonsense = 1"):
        path = tmp_path / "bad.toml"
        path.write_text(text)
        assert sayso("policy", "check", str(path)).out.endswith("0 rules: 1 error\n")
    assert sayso("policy", "check", str(tmp_path)).out.endswith("0 rules: 1 error\n")


@pytest.mark.spec("POL-70")
def test_rules_of_several_files_count_together(sayso: CommandLine, tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(SOUND)
    two.write_text('[permissions]\ndeny = ["path(src)"]\n')
    said = sayso("policy", "check", str(one), str(two))
    assert "changes nothing: all it matches is denied by `deny path(src)`" in said.out
    assert said.out.endswith("2 rules: 1 warning\n")


@pytest.mark.spec("POL-70")
def test_without_files_what_is_in_force_is_checked(sayso: CommandLine) -> None:
    settings = sayso.home / "settings.toml"
    settings.write_text(BROAD)
    assert f"{settings}:2:10: warning: " in sayso("policy", "check").out
    settings.write_text("[permissions\n")
    said = sayso("policy", "check")
    assert said.code == ExitCode.FAILURE
    assert said.out.startswith(f"{settings}:1:")
    assert ": error: " in said.out


def test_a_file_that_is_not_there_is_an_error(sayso: CommandLine, tmp_path: Path) -> None:
    said = sayso("policy", "check", str(tmp_path / "absent.toml"))
    assert (said.code, "absent.toml:1:1: error: the file is not there" in said.out) == (1, True)


def test_what_a_rule_holds_cannot_move_the_cursor(sayso: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        '[permissions]\ndeny = ["tool(x\\u001b[2J)", "tool(x\\u001b[2J)", "web(\\u001b)"]\n'
    )
    assert "\x1b" not in sayso("policy", "check", str(path)).out
