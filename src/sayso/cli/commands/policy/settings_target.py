"""The settings file that a command of `sayso policy` writes to, by whose settings are meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sayso.config.settings import Scope, parse_settings
from sayso.config.workspace import PROJECT_FILES, SETTINGS_NAME, workspace_file, workspace_head
from sayso.system.places import find_places


@dataclass(frozen=True, slots=True)
class SettingsTarget:
    """A settings file to write to; `head` is what it begins with if it is new."""

    path: Path
    scope: Scope
    head: str = ""

    def check(self, path: Path, data: bytes) -> object:
        """Read the file as it will be used."""
        return parse_settings(path, data, self.scope)


def settings_target(scope: Scope, here: Path) -> SettingsTarget:
    """The user's own file, the user's for a folder, or the one that a project keeps there."""
    configuration = find_places().config
    if scope is Scope.PROJECT:
        return SettingsTarget(here / PROJECT_FILES[0], scope)
    if scope is Scope.WORKSPACE:
        folder = str(here.resolve())
        return SettingsTarget(workspace_file(configuration, folder), scope, workspace_head(folder))
    return SettingsTarget(configuration / SETTINGS_NAME, scope)
