"""Approved plans as files of the workspace: `.sayso/plans/<session>-<n>.md` (Q-5).

The folder is the agent's too, so nothing is followed: a link where a folder or the file should be is
refused, and a file that is there is never written over.
"""

from __future__ import annotations

import os
from pathlib import Path

from sayso.questions.plan import plan_name

FOLDERS = (".sayso", "plans")


def save_plan(workspace: Path, session_id: str, plan: str) -> str:
    """Write a plan, under the first free number; its path within the workspace. Raises OSError."""
    folder = workspace
    for name in FOLDERS:
        folder = folder / name
        if folder.is_symlink():
            raise NotADirectoryError(f"`{'/'.join(FOLDERS)}` is or leads through a link")
        folder.mkdir(exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    taken = set(os.listdir(folder))
    while True:
        name = plan_name(session_id, taken)
        try:
            fd = os.open(folder / name, flags, 0o644)
        except FileExistsError:
            taken.add(name)
            continue
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(plan if plan.endswith("\n") else f"{plan}\n")
        return "/".join((*FOLDERS, name))
