from __future__ import annotations

from pathlib import Path

import pytest

from sayso.config import followed, stamp
from sayso.config.source import SettingsRules

GOOD = '[permissions]\nallow = ["a"]\nask = ["b"]\ndeny = ["c"]\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def texts(rules: SettingsRules) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in rules.current().rules]


def test_without_a_file_nothing_is_said(file: Path) -> None:
    lists = SettingsRules(file).current()
    assert (lists.rules, lists.problem, lists.unavailable) == ((), None, False)


def test_a_change_holds_from_the_next_call_on(file: Path) -> None:
    rules = SettingsRules(file)
    assert texts(rules) == []
    before = rules.current().version
    file.write_text(GOOD)
    assert texts(rules) == ["allow tool(a)", "ask tool(b)", "deny tool(c)"]
    after = rules.current().version
    assert after != before
    assert rules.current().version == after
    file.write_text(GOOD.replace('"a"', '"x"'))  # the same size, perhaps the same time
    assert texts(rules)[0] == "allow tool(x)"
    replaced = file.with_suffix(".new")
    replaced.write_text('[permissions]\ndeny = ["d"]\n')
    replaced.replace(file)
    assert texts(rules) == ["deny tool(d)"]


def test_a_broken_file_keeps_its_denies_and_asks_and_loses_its_allows(file: Path) -> None:
    file.write_text(GOOD)
    rules = SettingsRules(file)
    good = rules.current()
    file.write_text(GOOD + "[[rule")
    broken = rules.current()
    assert [rule.effect.word for rule in broken.rules] == ["ask", "deny"]
    assert broken.problem is not None
    assert broken.problem.startswith(f"{file}:5:")
    assert not broken.unavailable
    assert broken.version != good.version
    assert rules.current().version == broken.version
    file.write_text(GOOD)
    mended = rules.current()
    assert (mended.rules, mended.problem) == (good.rules, None)
    assert mended.version not in (good.version, broken.version)


def test_a_file_that_goes_away_is_a_broken_one(file: Path) -> None:
    file.write_text(GOOD)
    rules = SettingsRules(file)
    rules.current()
    file.unlink()
    gone = rules.current()
    assert [rule.effect.word for rule in gone.rules] == ["ask", "deny"]
    assert gone.problem is not None
    assert "the file is gone" in gone.problem
    file.write_text(GOOD)
    assert rules.current().problem is None
    assert len(rules.current().rules) == 3


def test_a_file_that_cannot_be_read_is_a_broken_one(file: Path) -> None:
    file.write_text(GOOD)
    rules = SettingsRules(file)
    rules.current()
    file.unlink()
    file.mkdir()
    assert "cannot be read" in (rules.current().problem or "")
    assert [rule.effect.word for rule in rules.current().rules] == ["ask", "deny"]
    file.rmdir()
    file.write_text(GOOD)
    assert rules.current().problem is None
    assert len(rules.current().rules) == 3


def test_broken_from_the_start_the_rules_are_unavailable(file: Path) -> None:
    file.write_text("[permissions]\nallow = 3\n")
    rules = SettingsRules(file)
    lists = rules.current()
    assert lists.unavailable
    assert lists.rules == ()
    assert (lists.problem or "").startswith(f"{file}:2:9: `allow` is the number 3")
    file.unlink()
    assert rules.current().unavailable, "taking the broken file away mends nothing by itself"
    file.write_text("")
    assert not rules.current().unavailable
    assert rules.current().problem is None


def test_a_file_that_stays_the_same_is_not_read_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(GOOD)
    monkeypatch.setattr(stamp, "SETTLED_NANOSECONDS", 0)
    rules = SettingsRules(file)
    rules.current()

    def fail(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(followed, "parse_settings", fail)
    monkeypatch.setattr(followed.os, "open", fail)
    for _ in range(3):
        assert len(rules.current().rules) == 3


def test_the_settings_are_the_last_good_ones(file: Path) -> None:
    rules = SettingsRules(file)
    assert rules.settings.diff_lines == 120
    file.write_text("[ui]\ndiff_lines = 7\n")
    rules.current()
    file.write_text("[ui]\ndiff_lines = no\n")
    rules.current()
    assert rules.settings.diff_lines == 7
    assert (rules.problem or "").startswith(str(file))
