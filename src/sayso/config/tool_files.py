"""Which files the `tool_files` of a settings file name: a glob that is bounded and stays where it may (POL-61)."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sayso.config.workspace import folders_of
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.rule import Origin, Rule

MAX_PATTERNS = 32
MAX_PARTS = 16
MAX_FILES = 100
MAX_ENTRIES = 10_000
"""So many names of folders and files are looked at for one settings file."""

ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """One entry of `tool_files`, and where it stands (`file:line:column`)."""

    pattern: str
    place: str


def protection_of(base: str, entry: NamedFiles, origin: Origin) -> Iterator[Rule]:
    """The denies that keep what an entry names, there or not yet, from being changed by calls (POL-44).

    A folder with such a file in it is asked about before it is taken away, as with every deny (POL-36).
    """
    for folder in dict.fromkeys((base, os.path.realpath(base))):
        exactly = folder if os.name == "nt" else folder.replace("\\", "\\\\").replace("*", "\\*")
        path = f"{exactly.rstrip('/')}/{entry.pattern}"
        for kind in ("write", "delete"):
            yield Rule(
                f"tool_files:{kind}:{path}",
                Effect.DENY,
                origin,
                kind=kind,
                path_pattern=path,
                place=entry.place,
                justification="sayso's own settings are changed by people only",
            )


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with an entry, in words; None if nothing is."""
    parts = pattern.split("/")
    if not pattern.endswith(ENDINGS):
        return f"`{pattern}` does not end in .yaml or .yml"
    if "\0" in pattern or len(parts) > MAX_PARTS:
        return f"`{pattern}` is no path of at most {MAX_PARTS} parts"
    if "**" in pattern or any(char in pattern for char in "?[]{}\\"):
        return f"`{pattern}` holds more than names and `*`"
    if pattern.startswith(("/", "~")) or ".." in parts or ":" in parts[0]:
        return f"`{pattern}` can lead out of its folder"
    return None


def base_of(settings: Path, *, project: bool) -> str:
    """Where the patterns of a settings file begin: its own folder, or the root of the project it is of."""
    folder = settings.absolute().parent
    if not project:
        return str(folder)
    if folder.name == ".sayso":
        folder = folder.parent
    return folders_of(str(folder))[-1]


def find_tool_files(base: str, named: tuple[NamedFiles, ...]) -> list[Path]:
    """The files that are there, sorted, each once.

    `*` stands for characters of one name, never for a dot at its beginning. No link is gone through: who
    may put a link there could name any file. Raises SettingsInvalid, with the entry's place, where too
    much would have to be looked at, a folder cannot be read, or one named without a `*` is a link.
    """
    found: dict[Path, None] = {}
    budget = [MAX_ENTRIES]
    for entry in named:
        try:
            for path in _matching(Path(base), tuple(entry.pattern.split("/")), budget):
                found[path] = None
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            raise SettingsInvalid(
                f"{entry.place}: `{entry.pattern}` cannot be looked for: {why}",
                "name the files more exactly, or make their folder readable",
            ) from error
        if len(found) > MAX_FILES:
            raise SettingsInvalid(
                f"{entry.place}: `tool_files` names more than {MAX_FILES} files",
                "name fewer: several tools can stand in [tools.<name>]",
            )
    return sorted(found)


def is_named(path: Path, base: str, named: Iterable[NamedFiles]) -> bool:
    """Whether an entry stands for that path below the base, there or not."""
    parts = path.relative_to(base).parts
    return any(_fits(parts, tuple(entry.pattern.split("/"))) for entry in named)


def _fits(parts: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    return len(parts) == len(patterns) and all(map(_fits_name, parts, patterns))


def _fits_name(name: str, pattern: str) -> bool:
    dotted = name.startswith(".") and not pattern.startswith(".")
    return not dotted and fnmatch.fnmatchcase(name, pattern)


def _matching(folder: Path, parts: tuple[str, ...], budget: list[int]) -> Iterator[Path]:
    name, rest = parts[0], parts[1:]
    names = [name] if "*" not in name else _names(folder, name, budget)
    for found in names:
        here = folder / found
        try:
            mode = os.lstat(here).st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not rest:
            yield here
        elif not stat.S_ISLNK(mode):
            yield from _matching(here, rest, budget)
        elif "*" not in name:
            raise ValueError(f"`{here}` is a link")


def _names(folder: Path, pattern: str, budget: list[int]) -> list[str]:
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                budget[0] -= 1
                if budget[0] < 0:
                    raise ValueError(f"there are more than {MAX_ENTRIES} names to look at")
                if _fits_name(entry.name, pattern):
                    names.append(entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(names)
