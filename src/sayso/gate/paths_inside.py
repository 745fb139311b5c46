"""Whether what a call does to a file lies in a folder where its context lets it (gate.md, sections 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.gate.asked_call import AskedCall
from sayso.policy.descriptors import ToolKind
from sayso.policy.facts import Facts
from sayso.policy.paths import collapse
from sayso.policy.spelling import normal

CHANGES = frozenset({Operation.WRITE, Operation.DELETE})

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


def _spelled(path: str) -> str:
    """A path in the spelling that targets have."""
    return normal(collapse(path.replace("\\", "/") if "\\" in path and path[1:2] == ":" else path))
