from __future__ import annotations

import os
from pathlib import Path

import pytest

from sayso.config.settings import load_settings, parse_settings
from sayso.config.source import SettingsRules
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.dialects.rules_json import default_rules

RM = '{"rules": [{"tool": "shell", "action": "run", "pattern": "rm *", "message": "Delete?"}]}'


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(
        '[permissions]\nallow = ["a"]\nrules_json = "rules.json"\n[approval]\ndefault_timeout = 60\n'
    )
    return file


def texts(rules: SettingsRules) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in rules.current().rules]


@pytest.mark.spec("POL-62")
def test_a_rules_json_counts_where_it_is_configured_and_is_followed(settings: Path) -> None:
    file = settings.with_name("rules.json")
    file.write_text(RM)
    rules = SettingsRules(settings)
    assert texts(rules) == ["allow tool(a)", "ask shell(rm *)"]
    asks = rules.current().rules[1]
    assert asks.justification == "Delete?"
    assert asks.place == f"{file}:1:12"
    assert asks.approval is not None
    assert asks.approval.timeout == 60
    before = rules.current().version
    assert rules.current().version == before
    file.write_text(RM.replace("rm *", "dd *"))
    assert texts(rules) == ["allow tool(a)", "ask shell(dd *)"]
    assert rules.current().version != before
    settings.write_text('[permissions]\nallow = ["a"]\n')
    assert texts(rules) == ["allow tool(a)"]


@pytest.mark.spec("POL-62")
def test_one_that_is_not_there_stands_for_the_eight_that_ship(settings: Path) -> None:
    rules = SettingsRules(settings)
    eight = [f"ask {rule.text}" for rule in default_rules().rules]
    assert texts(rules) == ["allow tool(a)", *eight]
    assert rules.current().problem is None
    file = settings.with_name("rules.json")
    file.write_text(RM.replace("rm *", "dd *"))
    assert texts(rules) == ["allow tool(a)", "ask shell(dd *)"]
    file.unlink()
    assert texts(rules) == ["allow tool(a)", "ask shell(dd *)", *eight]


@pytest.mark.spec("POL-62", "POL-63")
@pytest.mark.parametrize(
    "broken", ["{", '{"rules": [{}]}', "\ud800"], ids=["JSON", "rule", "UTF-8"]
)
def test_one_that_becomes_invalid_keeps_what_it_asks_about(settings: Path, broken: str) -> None:
    file = settings.with_name("rules.json")
    file.write_text(RM)
    rules = SettingsRules(settings)
    assert texts(rules) == ["allow tool(a)", "ask shell(rm *)"]
    file.write_bytes(broken.encode("utf-8", "surrogatepass"))
    found = rules.current()
    assert [rule.effect for rule in found.rules] == [Effect.ALLOW, Effect.ASK]
    assert found.problem is not None
    assert found.problem.startswith(f"{file}:1:")
    assert not found.unavailable
    file.write_text(RM)
    assert rules.current().problem is None


@pytest.mark.spec("POL-23", "POL-62")
def test_one_that_is_invalid_from_the_start_makes_the_rules_unavailable(settings: Path) -> None:
    settings.with_name("rules.json").write_text("{")
    found = SettingsRules(settings).current()
    assert found.unavailable
    with pytest.raises(SettingsInvalid, match=r"rules\.json:1:2"):
        load_settings(settings)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(settings: Path) -> None:
    os.mkfifo(settings.with_name("rules.json"))
    assert SettingsRules(settings).current().unavailable


def test_a_file_that_cannot_be_read_or_is_too_large_is_a_problem(settings: Path) -> None:
    file = settings.with_name("rules.json")
    file.mkdir()
    assert "cannot be read" in (SettingsRules(settings).current().problem or "")
    file.rmdir()
    file.write_bytes(b" " * (1024 * 1024 + 1))
    assert "larger than" in (SettingsRules(settings).current().problem or "")


@pytest.mark.spec("POL-60", "POL-62")
def test_a_home_that_nobody_has_is_a_fault_of_the_settings(settings: Path) -> None:
    settings.write_text('[permissions]\nrules_json = "~nosuchuser-at-all/rules.json"\n')
    found = SettingsRules(settings).current()
    assert found.unavailable
    assert (found.problem or "").startswith(
        f"{settings}:2:14: `~nosuchuser-at-all/rules.json` begins with no known home\nhint: "
    )


@pytest.mark.spec("POL-62")
def test_what_is_wrong_with_it_is_among_the_problems_of_the_settings(settings: Path) -> None:
    settings.with_name("rules.json").write_text("{")
    rules = SettingsRules(settings)
    problem = rules.current().problem
    assert problem is not None
    assert rules.problem == problem
    assert rules.problems() == (problem,)


def test_settings_read_once_hold_it_too(settings: Path) -> None:
    assert len(load_settings(settings).rules) == 1 + len(default_rules().rules)
    assert parse_settings(settings, settings.read_bytes()).rules_json == settings.with_name(
        "rules.json"
    )
    with pytest.raises(SettingsInvalid, match="`rules_json` names no file"):
        parse_settings(settings, b'[permissions]\nrules_json = " "\n')


def test_a_project_cannot_name_one(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "sayso.toml").write_text('[permissions]\nrules_json = "rules.json"\n')
    rules = SettingsRules(tmp_path / "none.toml", configuration=tmp_path / "configuration")
    found = rules.current(str(project))
    assert found.rules == ()
    assert "`rules_json` counts only in your own settings" in "\n".join(found.warnings)
