"""Which settings files concern the calls of a workspace: the project's own, and the user's for it (POL-60)."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

PROJECT_FILES = ("sayso.toml", ".sayso/settings.toml", ".sayso/settings.local.toml")
"""Where a folder of a project may hold settings."""

WORKSPACES = "workspaces"
SETTINGS_NAME = "settings.toml"

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


def folders_of(workspace: str) -> tuple[str, ...]:
    """The folders whose settings concern a workspace, the innermost first, as real paths.

    The workspace and what lies above it up to the root of its repository; the workspace alone where
    it lies in none, and nothing for what is no absolute path.
    """
    if not Path(workspace).is_absolute() or "\0" in workspace:
        return ()
    real = os.path.realpath(workspace)
    found = []
    for here in (Path(real), *Path(real).parents):
        found.append(str(here))
        if os.path.lexists(here / ".git"):
            return tuple(found)
    return (real,)


def folders_above(folder: str) -> tuple[str, ...]:
    """What lies above a folder, given as its real path, up to the root of the file system."""
    return tuple(str(parent) for parent in Path(folder).parents)


def project_root(workspace: str) -> str:
    """The root of the repository that a workspace lies in, as a real path, or itself if in none."""
    return (folders_of(workspace) or (os.path.realpath(workspace),))[-1]


def workspace_file(configuration: Path, folder: str) -> Path:
    """The user's own settings file for a folder, given as its real path."""
    name = _NOT_PLAIN.sub("-", Path(folder).name)[:40].strip("-.") or "root"
    key = hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return configuration / WORKSPACES / f"{name}-{key}" / SETTINGS_NAME


def workspace_head(folder: str) -> str:
    """What a new file of the user's for a folder begins with."""
    shown = folder.encode("utf-8", "backslashreplace").decode()
    plain = "".join(char if char.isprintable() else "?" for char in shown)
    return f"# what counts in {plain} and below it\n"
