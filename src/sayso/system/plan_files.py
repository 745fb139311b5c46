"""Approved plans as files of the workspace: `.sayso/plans/<session>-<n>.md` (Q-5).

The folder is the agent's too, so nothing is followed: a link where a folder or the file should be is
refused, and a file that is there is never written over. Each folder is opened from the one above it,
so that none can be swapped for a link in between; where a system cannot do that, it is looked at first.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from sayso.questions.plan import plan_name

FOLDERS = (".sayso", "plans")

_FROM_ABOVE = {os.open, os.mkdir} <= os.supports_dir_fd and os.listdir in os.supports_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def save_plan(workspace: Path, session_id: str, plan: str) -> str:
    """Write a plan, under the first free number; its path within the workspace. Raises OSError."""
    if not _FROM_ABOVE:
        return _write(_looked_at(workspace), session_id, plan)
    folder = os.open(workspace, _FOLDER)
    try:
        for name in FOLDERS:
            below = _below(folder, name)
            os.close(folder)
            folder = below
        return _write(folder, session_id, plan)
    finally:
        os.close(folder)


def _below(folder: int, name: str) -> int:
    """A folder within a folder that is open, made if it is not there."""
    with suppress(FileExistsError):  # it may be anything; what is no folder is not opened
        os.mkdir(name, dir_fd=folder)
    try:
        return os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _no_folder() from error
        raise


def _looked_at(workspace: Path) -> Path:
    folder = workspace
    for name in FOLDERS:
        folder = folder / name
        if folder.is_symlink():
            raise _no_folder()
        folder.mkdir(exist_ok=True)
    return folder


def _no_folder() -> NotADirectoryError:
    return NotADirectoryError(f"`{'/'.join(FOLDERS)}` is no folder, or leads through a link")


def _write(folder: int | Path, session_id: str, plan: str) -> str:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
    taken = set(os.listdir(folder))
    while True:
        name = plan_name(session_id, taken)
        try:
            if isinstance(folder, int):
                fd = os.open(name, flags, 0o644, dir_fd=folder)
            else:
                fd = os.open(folder / name, flags, 0o644)
        except FileExistsError:
            taken.add(name)
            continue
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(plan if plan.endswith("\n") else f"{plan}\n")
        return "/".join((*FOLDERS, name))
