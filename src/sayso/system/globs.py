"""What a glob stands for on this machine; unlike Python's own, a folder that refuses to be listed is no empty one."""

from __future__ import annotations

import errno
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR})
"""What the system says where there is nothing; all else says that it is not known."""

_MOST_STARS = 64
"""Components with a star that are followed; no tree that people work in is deeper."""


def names_of(pattern: str, folder: str, most: int) -> tuple[str, ...] | None:
    """The paths that a glob of `*` and `?` stands for in an absolute folder; None for more than `most`.

    Hidden names count only where the pattern writes their dot. Raises OSError where a folder or a name
    that may belong to them cannot be looked at, ValueError for what can be no name.
    """
    drive, below = os.path.splitdrive(pattern)
    base = folder
    if below.startswith("/"):
        base = (drive or os.path.splitdrive(folder)[0]) + "/"
    elif drive:
        return None  # relative to wherever that drive is at
    steps = list(_steps(below))
    if len(steps) > _MOST_STARS:
        return None
    found: Iterable[str] = [base]
    for step in steps:
        found = _listed(found, step) if _has_star(step) else _there(found, step)
    if below.endswith("/"):
        found = (os.path.join(path, "") for path in found if _is_folder(path))
    names = tuple(itertools.islice(found, most + 1))
    return None if len(names) > most else names


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except OSError as error:
        if error.errno not in ABSENT:
            raise
        return False


def _has_star(step: str) -> bool:
    return "*" in step or "?" in step


def _steps(pattern: str) -> Iterator[str]:
    """The components with a star one by one, and what lies between them in one piece."""
    parts = [part for part in pattern.split("/") if part]
    for star, run in itertools.groupby(parts, _has_star):
        if star:
            yield from run
        else:
            yield "/".join(run)


def _there(folders: Iterable[str], name: str) -> Iterator[str]:
    for folder in folders:
        path = os.path.join(folder, name)
        try:
            os.lstat(path)
        except OSError as error:
            if error.errno not in ABSENT:
                raise
        else:
            yield path


def _listed(folders: Iterable[str], pattern: str) -> Iterator[str]:
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries]
        except OSError as error:
            if error.errno not in ABSENT:
                raise
            continue
        for name in names:
            if fnmatchcase(os.path.normcase(name), os.path.normcase(pattern)) and (
                not name.startswith(".") or pattern.startswith(".")
            ):
                yield os.path.join(folder, name)
