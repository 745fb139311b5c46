"""Whether what a call does to a file lies in a folder where its context lets it (gate.md, sections 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.gate.asked_call import AskedCall
from sayso.policy.descriptors import ToolKind
from sayso.policy.facts import Facts
from sayso.policy.paths import collapse
from sayso.policy.spelling import normal, spelled_one_way

CHANGES = frozenset({Operation.WRITE, Operation.DELETE})

_TOO_SHARED = frozenset(
    {"/tmp", "/var", "/opt", "/srv", "/mnt", "/media", "/run", "/private", "/private/tmp"}
)
"""Folders that hold what belongs to many: nobody's workspace, though what lies in them may be one."""

_OF_THE_SYSTEM = (
    *(
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/proc",
        "/sbin",
        "/sys",
    ),
    *(
        "/usr",
        "/var/spool",
        "/private/etc",
        "/private/var/spool",
        "/System",
        "/Library",
        "/Applications",
    ),
    *("C:/Windows", "C:/Program Files", "C:/Program Files (x86)", "C:/ProgramData"),
)
_NOT_OF_THE_SYSTEM = ("/usr/src", "/usr/local/src")

_FILE_TOOLS = frozenset({ToolKind.READ_FILE, ToolKind.WRITE_FILE, ToolKind.DELETE_FILE})


def is_of_a_file(ask: AskedCall, target: Target) -> bool:
    """Whether a path is all that this part of the call is about.

    It is where files are what the tool is for, and for a file that a command line touches, where the command
    asks for itself. Any other tool may do more to it than reading or writing.
    """
    if target.kind is not TargetKind.PATH or target.resolved is None:
        return False
    descriptor = ask.descriptor
    if target.own:
        return descriptor is not None and descriptor.kind in _FILE_TOOLS
    return target.command is not None


def lies_in(target: Target, roots: Iterable[str]) -> bool:
    """Whether a path, with its links followed, is one of the roots or below one; an unknown one is not."""
    path = target.resolved
    return path is not None and any(
        path == root or path.startswith(f"{root.rstrip('/')}/") for root in map(_spelled, roots)
    )


def lies_below(target: Target, folder: str | None, facts: Facts) -> bool:
    """Whether a path, with its links followed, is below a folder that is not the root of everything."""
    root = None if folder is None else facts.resolve(_spelled(folder))
    if root is None or target.resolved is None:
        return False
    root = _spelled(root)
    return root != "/" and target.resolved.startswith(f"{root}/")


def is_as_wide_as_home(folder: str, facts: Facts) -> bool:
    """Whether a folder is the root, the home directory or above it, or may be for all that is known."""
    real = facts.resolve(folder)
    home = None if facts.home is None else facts.resolve(facts.home)
    if real is None or home is None:
        return True
    return real == "/" or f"{_spelled(home)}/".startswith(f"{_spelled(real).rstrip('/')}/")


def is_no_project(folder: str, facts: Facts) -> bool:
    """Whether a folder is as wide as the home directory, of the system, or shared by many."""
    real = facts.resolve(folder)
    if real is None or is_as_wide_as_home(folder, facts):
        return True
    path = _spelled(real)
    if path in _TOO_SHARED or path.rstrip("/").endswith(":"):
        return True
    return _is_in(path, _OF_THE_SYSTEM) and not _is_in(path, _NOT_OF_THE_SYSTEM)


def may_hold_something(target: Target, facts: Facts) -> bool:
    """Whether a path is, or may be, a folder with something in it, which goes with it when it goes."""
    path = target.resolved
    if path is None or not spelled_one_way(path):
        return True
    return facts.glob("*", path) != () or facts.glob(".*", path) != ()


def _is_in(path: str, roots: Iterable[str]) -> bool:
    return any(f"{path}/".startswith(f"{root}/") for root in roots)


def _spelled(path: str) -> str:
    """A path in the spelling that targets have."""
    return normal(collapse(path.replace("\\", "/") if "\\" in path and path[1:2] == ":" else path))
