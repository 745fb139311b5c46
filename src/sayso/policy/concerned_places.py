"""Where in the tree of files people's denies and asks lie, to tell what a walk below a folder reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.patterns.path import DEEP, PathPattern

MAX_LOOKED_AT = 64
"""How many places of rules are looked for on one walk; with more below it the answer is not known."""

_SIGNS = frozenset("*?[\\")


class ConcernedPlaces:
    """The fixed beginnings of patterns that deny or ask, by where they lie.

    A pattern at a fixed place concerns a walk from above it if something is there. One that floats
    (`**/.env`) concerns it if such a name lies in the folder itself or directly below: how deep a walk
    goes would have to be walked.
    """

    __slots__ = ("_absolute", "_anchored", "_floating")

    def __init__(self) -> None:
        self._absolute: dict[Any, Any] = {}
        self._anchored: dict[Any, Any] = {}
        self._floating: list[tuple[str, CompiledRule]] = []

    def add(self, pattern: PathPattern, rule: CompiledRule) -> None:
        """Add a rule under one of its patterns."""
        if pattern.everything:
            return  # it matches the folder itself
        names = [segment for segment in pattern.segments if segment != DEEP]
        if pattern.segments[:1] == (DEEP,) and not pattern.anchored:
            if names:
                self._floating.append(("*".join(names[0]), rule))
            return
        fixed: list[str] = []
        for segment in pattern.segments:
            if len(segment) != 1:
                break
            fixed.append(segment[0])
        node = self._anchored if pattern.anchored else self._absolute
        for name in fixed:
            node = node.setdefault(name, {})
        node.setdefault(None, []).append((tuple(fixed), rule))

    def reached(
        self, parts: Sequence[str], workspace: Sequence[str] | None, facts: Facts
    ) -> Iterator[CompiledRule]:
        """The rules about what lies, or may lie, below the folder with these components."""
        looked = 0
        for names, rule in self._below(parts, workspace):
            looked += 1
            if looked > MAX_LOOKED_AT or _exists("/".join(names), "/", facts):
                yield rule
        folder = _absolute(parts)
        for name, rule in self._floating:
            looked += 1
            if looked > MAX_LOOKED_AT or _exists(name, folder, facts, deeper=True):
                yield rule

    def _below(
        self, parts: Sequence[str], workspace: Sequence[str] | None
    ) -> Iterator[tuple[Sequence[str], CompiledRule]]:
        for names, rule in _subtree(self._absolute, parts):
            yield names, rule
        if workspace is None:
            return
        inside = parts[: len(workspace)] == workspace
        if inside or workspace[: len(parts)] == parts:
            for names, rule in _subtree(self._anchored, parts[len(workspace) :]):
                yield (*workspace, *names), rule


def _subtree(
    node: dict[Any, Any], parts: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], CompiledRule]]:
    for part in parts:
        if part not in node:
            return
        node = node[part]
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield from node.get(None, ())
        waiting += [below for name, below in node.items() if name is not None]


def _absolute(parts: Sequence[str]) -> str:
    drive = bool(parts) and len(parts[0]) == 2 and parts[0][1] == ":"
    return "/".join(parts) if drive else "/" + "/".join(parts)


def _exists(name: str, folder: str, facts: Facts, *, deeper: bool = False) -> bool:
    """Whether something of that name is there; what is not known may be."""
    if not deeper:
        path = _absolute(name.split("/"))
        return bool(_SIGNS & set(path)) or facts.glob(path, folder) != ()
    return any(facts.glob(f"{below}{name}", folder) != () for below in ("", "*/"))
