"""Modes and read-only defaults from settings files: what counts of whose file, also while one is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.config.settings import Scope, parse_settings
from sayso.config.source import LOOK_SECONDS, SettingsRules
from sayso.config.workspace import workspace_file
from sayso.core.in_force import InForce
from sayso.core.mode import ALSO_READ, Mode
from sayso.errors import SettingsInvalid


class Files:
    """The user's settings, those for a workspace and the folder around it, and a project's."""

    def __init__(self, place: Path) -> None:
        self.time = 1000.0
        self.configuration = place / "home"
        self.project = place / "project"
        self.inner = self.project / "inner"
        (self.project / ".git").mkdir(parents=True)
        self.inner.mkdir()
        self.user = self.configuration / "settings.toml"
        self.outer_own = workspace_file(self.configuration, str(self.project))
        self.inner_own = workspace_file(self.configuration, str(self.inner))
        self.theirs = self.project / "sayso.toml"
        for file in (self.user, self.outer_own, self.inner_own):
            file.parent.mkdir(parents=True, exist_ok=True)
        self.rules = SettingsRules(
            self.user, configuration=self.configuration, now=lambda: self.time
        )

    def say(self, file: Path, *lines: str) -> InForce:
        file.write_text("[permissions]\n" + "\n".join(lines) + "\n")
        return self.now

    @property
    def now(self) -> InForce:
        self.time += LOOK_SECONDS
        return self.rules.current(str(self.inner)).in_force


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_without_files_only_the_read_only_defaults_hold(files: Files) -> None:
    assert files.now == InForce()
    assert files.now.read_only_defaults


@pytest.mark.spec("MODE-2", "POL-63")
def test_the_innermost_of_the_user_s_files_that_names_a_mode_counts_and_auto_approve_last(
    files: Files,
) -> None:
    assert files.say(files.user, "auto_approve = true").mode is Mode.BYPASS
    assert (
        files.say(files.user, "auto_approve = true", 'permission_mode = "auto"').mode is Mode.AUTO
    )
    assert files.say(files.outer_own, 'permission_mode = "dontAsk"').mode is Mode.DONT_ASK
    assert files.say(files.inner_own, 'permission_mode = "default"').mode is Mode.DEFAULT
    assert files.say(files.inner_own, "").mode is Mode.DONT_ASK, "it leaves it to the others"
    assert files.say(files.outer_own, "auto_approve = false").mode is Mode.AUTO
    assert files.say(files.user, "auto_approve = true").mode is None


@pytest.mark.spec("MODE-1")
def test_a_mode_is_read_by_the_names_of_other_programs_too() -> None:
    for word, mode in [*ALSO_READ.items(), *((mode.value, mode) for mode in Mode)]:
        data = f'[permissions]\npermission_mode = "{word}"'.encode()
        assert parse_settings(Path("s.toml"), data).gate.permission_mode is mode
    with pytest.raises(SettingsInvalid, match=r'^s.toml:2:19: .*"yolo"') as wrong:
        parse_settings(Path("s.toml"), b'[permissions]\npermission_mode = "yolo"')
    assert "bypassPermissions" in str(wrong.value)


@pytest.mark.spec("POL-35", "POL-60")
def test_a_workspace_may_set_read_only_defaults_either_way_and_a_project_only_off(
    files: Files,
) -> None:
    assert not files.say(files.user, "read_only_defaults = false").read_only_defaults
    assert files.say(files.outer_own, "read_only_defaults = true").read_only_defaults
    assert not files.say(files.theirs, "read_only_defaults = false").read_only_defaults
    assert files.say(files.theirs, "read_only_defaults = true").read_only_defaults
    files.say(files.user, "")
    assert not files.say(files.outer_own, "read_only_defaults = false").read_only_defaults
    warnings = files.rules.current(str(files.inner)).warnings
    assert f"{files.theirs}:2:1: a project can only switch `read_only_defaults` off" in warnings


@pytest.mark.spec("MODE-2", "POL-60")
def test_a_project_can_set_neither_the_mode_nor_what_is_approved_by_itself(files: Files) -> None:
    said = files.say(
        files.theirs,
        'permission_mode = "bypass"', "auto_approve = true",
        'auto_approve_commands = ["shell(rm *)"]', "plan_review = false",
    )  # fmt: skip
    assert said == InForce()
    warnings = files.rules.current(str(files.inner)).warnings
    for key in ("permission_mode", "auto_approve", "auto_approve_commands", "plan_review"):
        assert any(f"`{key}` counts only in your own settings" in text for text in warnings)


def test_commands_that_are_approved_by_themselves_are_text_rules_and_add_up(files: Files) -> None:
    files.say(files.user, 'auto_approve_commands = ["shell(make test)"]')
    said = files.say(files.inner_own, 'auto_approve_commands = ["shell(git fetch)"]')
    assert said.auto_approve_commands == ("shell(git fetch)", "shell(make test)")
    with pytest.raises(SettingsInvalid, match=r"^s.toml:2:\d+: "):
        parse_settings(Path("s.toml"), b'[permissions]\nauto_approve_commands = ["shell("]')


@pytest.mark.spec("POL-63")
def test_a_file_that_becomes_invalid_loses_what_loosens_and_keeps_what_tightens(
    files: Files,
) -> None:
    files.say(files.user, 'permission_mode = "auto"')
    files.say(
        files.inner_own, 'permission_mode = "accept-edits"', 'auto_approve_commands = ["shell(x)"]'
    )
    said = files.say(files.inner_own, "[[rule")
    assert (said.mode, said.auto_approve_commands) == (Mode.DEFAULT, ()), "and not the user's auto"
    files.say(files.inner_own, 'permission_mode = "plan"', "read_only_defaults = false")
    said = files.say(files.inner_own, 'permission_mode = "accept-edits"', "typo = 1")
    assert (said.mode, said.read_only_defaults) == (Mode.PLAN, False)


@pytest.mark.spec("POL-63")
def test_what_tightens_in_a_file_that_is_invalid_elsewhere_counts_at_once(files: Files) -> None:
    files.say(files.user, 'permission_mode = "auto"')
    said = files.say(
        files.user, 'permission_mode = "dont-ask"', "read_only_defaults = false", "typo = 1"
    )
    assert (said.mode, said.read_only_defaults) == (Mode.DONT_ASK, False)
    said = files.say(files.user, 'permission_mode = "bypass"', "typo = 1")
    assert said.mode is Mode.DEFAULT


def test_a_broken_file_of_a_project_sets_no_mode_either() -> None:
    from sayso.config.settings import readable_part

    data = b'[permissions]\npermission_mode = "plan"\nread_only_defaults = false\ntypo = 1'
    gate = readable_part(Path("sayso.toml"), data, Scope.PROJECT).gate
    assert (gate.permission_mode, gate.read_only_defaults) == (None, False)


@pytest.mark.spec("POL-46")
def test_servers_are_trusted_by_the_user_s_own_files_alone(files: Files) -> None:
    def say(file: Path, text: str) -> frozenset[str]:
        file.write_text(text)
        return files.now.trusted_servers

    shop, not_shop = "[mcp.shop]\ntrusted = true\n", "[mcp.shop]\ntrusted = false\n"
    assert say(files.theirs, shop) == frozenset()
    assert say(files.user, shop) == {"shop"}
    assert say(files.inner_own, not_shop) == frozenset(), "the innermost that says so counts"
    assert say(files.inner_own, "") == {"shop"}
    assert say(files.user, shop + "[[rule]]\n") == frozenset(), "what is broken loosens nothing"
