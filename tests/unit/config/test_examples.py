"""A rule's own examples in a settings file: one that it does not bear out refuses the file (POL-70)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.config.settings import load_settings
from sayso.config.source import SettingsRules
from sayso.errors import SettingsInvalid

BORNE_OUT = """
[permissions]
allow = ["read(src/**)"]

[[rule]]
effect = "deny"
rule = "path(keys)"
examples = ["keys/a", "src/keys/b"]
counter_examples = ["keyset"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


@pytest.mark.spec("POL-70")
def test_examples_that_are_borne_out_change_nothing(file: Path) -> None:
    file.write_text(BORNE_OUT)
    assert [rule.text for rule in load_settings(file).rules] == ["read(src/**)", "path(keys)"]


@pytest.mark.spec("POL-70")
def test_an_example_that_is_not_borne_out_refuses_the_file_at_its_rule(file: Path) -> None:
    file.write_text(BORNE_OUT.replace('"keyset"', '"src/keys"'))
    with pytest.raises(SettingsInvalid) as raised:
        load_settings(file)
    assert raised.value.message == (
        f"{file}:7:8: the rule `path(keys)` matches `src/keys`, which it must not match"
    )
    assert raised.value.hint == "mend the rule, or the example"


@pytest.mark.spec("POL-63", "POL-70")
@pytest.mark.parametrize("seen_before", [True, False])
def test_the_denies_of_such_a_file_count_and_its_allows_do_not(
    file: Path, seen_before: bool
) -> None:
    rules = SettingsRules(file)
    if seen_before:
        file.write_text(BORNE_OUT)
        assert not rules.current().unavailable
    file.write_text(BORNE_OUT.replace('"keyset"', '"src/keys"'))
    lists = rules.current()
    assert {f"{rule.effect.word} {rule.text}" for rule in lists.rules} == {"deny path(keys)"}
    assert lists.unavailable is not seen_before
    assert lists.problem is not None
