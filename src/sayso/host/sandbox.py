"""The sandbox of sayso's own agent: a command line for bubblewrap, made of a value (MODE-3).

Inside it the workspace can be written and all else only read. Of the home directory nothing is there but
what is named; what commonly holds secrets, and sayso's own files, cannot be read; there is no network
unless it is allowed; processes, sockets and environment of the machine are out of reach.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from sayso.errors import CallInvalid
from sayso.policy.protection import NO_SECRETS, OWN_PROJECT_FILES, RUNS_LATER, SECRETS

PROGRAM = "bwrap"

MOST_LOOKED_AT = 200_000
"""So many files of a workspace are looked at for secrets; one that holds more is not run in."""

ENVIRONMENT = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "COLUMNS",
    "LINES",
)
"""The variables that a command gets, beside those that begin with `LC_`: no token is among them."""

_EMPTY = ("/run", "/tmp", "/var/tmp", "/dev/shm")
"""Where programs of the machine listen and leave things: a command has its own, which are empty at first."""

_SKIPPED = frozenset({"node_modules", "__pycache__"})
"""Folders of other people's code, which keys for tests lie about in: nobody looks there for one's own."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a command may reach; make it with `sandbox_for`. All paths are resolved.

    `hidden` cannot be read, `kept` can be read and not changed though it is in the workspace.
    """

    workspace: Path
    home: Path
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    network: bool = False


def sandbox_for(
    workspace: Path,
    *,
    home: Path | None = None,
    own: Sequence[Path] = (),
    readable: Sequence[Path] = (),
    network: bool = False,
) -> Sandbox:
    """The sandbox for the commands of a workspace, as its files are now: it is made anew for each command.

    `own` are sayso's own directories and files, `readable` what else of the home directory can be read,
    a toolchain say. Secrets of the home directory stay hidden in what is readable. Secrets known only by
    their name (`.env`, `*.pem`) are looked for in the workspace, not in the rest of the machine, whose
    certificates are called alike. Raises CallInvalid for a workspace that is no directory, that holds the
    home directory or sayso's own files or lies within these, or in which too much would have to be looked at.
    """
    root = workspace.resolve()
    house = (Path.home() if home is None else home).resolve()
    mine = tuple(path.resolve() for path in own)
    if not root.is_dir():
        raise CallInvalid(f"the workspace `{root}` is not a directory", "name one that is there")
    for path in (house, *mine):
        if path.is_relative_to(root):
            raise CallInvalid(
                f"the workspace `{root}` holds `{path}`, which no command in it may change",
                "work in a folder of its own",
            )
    if any(root.is_relative_to(path) for path in mine):
        raise CallInvalid(f"the workspace `{root}` is sayso's own", "work in another folder")
    hidden = [*mine, *_placed(SECRETS, house), *_in_workspace(root)]
    kept = [root / name for name in (*RUNS_LATER, *OWN_PROJECT_FILES) if _plain(name)]
    kept += [root / ".git" / name for name in ("hooks", "config", "info/attributes")]
    return Sandbox(
        workspace=root,
        home=house,
        readable=tuple(path.resolve() for path in readable),
        hidden=tuple(dict.fromkeys(hidden)),
        kept=tuple(path for path in kept if _stays(path, root)),
        network=network,
    )


def command_line(sandbox: Sandbox, command: Sequence[str], folder: Path | None = None) -> list[str]:
    """The words that run a command in the sandbox, in a folder of it; of two mounts the later one counts."""
    root = str(sandbox.workspace)
    words = [PROGRAM, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if not sandbox.network:
        words.append("--unshare-net")
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for place in _EMPTY:
        words += ["--tmpfs", place]
    if sandbox.network:
        words += ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"]
    words += ["--tmpfs", str(sandbox.home)]
    for path in sandbox.readable:
        words += ["--ro-bind-try", str(path), str(path)]
    words += ["--bind", root, root]
    for path in sandbox.kept:
        words += ["--ro-bind-try", str(path), str(path)]
    for path in sandbox.hidden:
        words += _hiding(path, sandbox)
    return [*words, "--chdir", str(folder or sandbox.workspace), "--", *command]


def environment(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """What of the environment a command gets: nothing that is not known to be harmless."""
    kept = {
        name: value
        for name, value in environ.items()
        if name in ENVIRONMENT or name.startswith("LC_")
    }
    return {"PATH": os.defpath, **kept, "HOME": str(home)}


def _hiding(path: Path, sandbox: Sandbox) -> list[str]:
    """What puts something empty over a path; nothing where it is out of reach already."""
    shown = any(path.is_relative_to(there) for there in (sandbox.workspace, *sandbox.readable))
    covered = any(path.is_relative_to(place) for place in (sandbox.home, *_EMPTY, "/proc"))
    if covered and not shown:
        return []
    if path.is_dir():
        return ["--tmpfs", str(path), "--remount-ro", str(path)]
    return ["--ro-bind", "/dev/null", str(path)] if path.exists() else []


def _placed(patterns: Sequence[str], home: Path) -> Iterator[Path]:
    """The secrets that stand at one place, as far as they are there."""
    for pattern in patterns:
        if pattern.startswith("~/"):
            found = home / pattern.removeprefix("~/")
        elif pattern.startswith("/") and "*" not in pattern:
            found = Path(pattern)
        else:
            continue
        if found.exists():
            yield found.resolve()


def _in_workspace(root: Path) -> Iterator[Path]:
    """The secrets that are known by their name, links followed."""
    names = [pattern for pattern in SECRETS if "/" not in pattern]
    looked = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        looked += len(files) + len(folders)
        if looked > MOST_LOOKED_AT:
            raise CallInvalid(
                f"the workspace `{root}` holds too many files to look for secrets among",
                "work in a smaller folder",
            )
        for name in (*files, *folders):
            if any(fnmatch(name, p) for p in names) and not any(
                fnmatch(name, p) for p in NO_SECRETS
            ):
                yield (Path(folder) / name).resolve()


def _plain(name: str) -> bool:
    """Whether it is a name in the workspace that can be kept as it is: git has to write in `.git`."""
    return not name.startswith(("~", "/")) and name != ".git"


def _stays(path: Path, root: Path) -> bool:
    """Whether it is there, and no link out of the workspace: what is elsewhere cannot be written anyway."""
    return path.exists() and path.resolve() == path and path.is_relative_to(root)
