"""Where in the tree of files people's denies and asks lie, to tell what a walk below a folder reaches."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.paths import components
from sayso.policy.patterns.glob import Glob, glob_matches
from sayso.policy.patterns.path import DEEP, PathPattern
from sayso.policy.spelling import any_spelling, normal, spelled_one_way

MAX_LOOKED_AT = 64
"""How many places of rules are looked for on one walk; with more below it the answer is not known."""

MAX_STARS = 2
"""So many components with a star are looked up for one pattern; what comes after them may be there."""

_SIGNS = frozenset("*?[\\")
_STAR: Glob = ("", "")
_MATCHED_ITSELF = ((), (DEEP,))
"""What is left of a pattern that the folder itself fits: it is weighed as any match."""


class ConcernedPlaces:
    """The patterns that deny or ask, by where their fixed beginnings lie.

    A pattern at a fixed place concerns a walk if the folder, or one above it, fits its beginning and
    something may be there that fits the next of it. One that floats (`**/.env`) also concerns it if it
    begins in the folder itself or directly below: how deep a walk goes would have to be walked.
    """

    __slots__ = ("_absolute", "_anchored", "_floating")

    def __init__(self) -> None:
        self._absolute: dict[Any, Any] = {}
        self._anchored: dict[Any, Any] = {}
        self._floating: list[tuple[tuple[Glob, ...], CompiledRule]] = []

    def add(self, pattern: PathPattern, rule: CompiledRule) -> None:
        """Add a rule under one of its patterns."""
        if pattern.everything:
            return  # it matches the folder itself
        segments = pattern.segments
        if segments[:1] == (DEEP,) and not pattern.anchored:
            if segments != (DEEP,):
                bisect.insort(self._floating, (segments, rule), key=_by_rule)
            return
        node = self._anchored if pattern.anchored else self._absolute
        fixed = list(itertools.takewhile(lambda segment: len(segment) == 1, segments))
        for segment in fixed:
            node = node.setdefault(segment[0], {})
        node.setdefault(None, []).append((segments[len(fixed) :], rule))

    def reached(
        self, parts: Sequence[str], workspace: Sequence[str] | None, facts: Facts
    ) -> Iterator[CompiledRule]:
        """The rules about what lies, or may lie, below the folder with these components.

        In an order of their own, whichever way the rules were listed.
        """
        here = _absolute(parts)
        if here != "/" and not (_found("*", here, facts) or _found(".*", here, facts)):
            return  # a file, or nothing: nothing lies below it
        looked = 0
        for folder, left, rule in sorted(self._below(parts, workspace), key=_by_rule):
            looked += 1
            if looked > MAX_LOOKED_AT or _exists(folder, left, facts):
                yield rule
        for segments, rule in self._floating:
            looked += 1
            if looked > MAX_LOOKED_AT or any(
                _exists(here, left, facts, deeper=left == segments)
                for left in _left(segments, parts)
            ):
                yield rule

    def _below(
        self, parts: Sequence[str], workspace: Sequence[str] | None
    ) -> Iterator[tuple[str, tuple[Glob, ...], CompiledRule]]:
        for left, rule in _subtree(self._absolute, parts):
            yield _absolute(parts), left, rule
        if workspace is None:
            return
        inside = parts[: len(workspace)] == workspace
        if inside or workspace[: len(parts)] == parts:
            folder = _absolute(parts if inside else workspace)
            for left, rule in _subtree(self._anchored, parts[len(workspace) :]):
                yield folder, left, rule


def _by_rule(place: tuple[Any, ...]) -> tuple[str, Any]:
    *_, segments, rule = place
    return rule.rule.id, segments


def _subtree(
    node: dict[Any, Any], parts: Sequence[str]
) -> Iterator[tuple[tuple[Glob, ...], CompiledRule]]:
    """What is left of each pattern whose beginning the components fit, as far as both go."""
    for place, part in enumerate(parts):
        for segments, rule in node.get(None, ()):
            for left in _left(segments, parts[place:]):
                yield left, rule
        if part not in node:
            return
        node = node[part]
    waiting: list[tuple[tuple[Glob, ...], dict[Any, Any]]] = [((), node)]
    while waiting:
        names, node = waiting.pop()
        for segments, rule in node.get(None, ()):
            if (*names, *segments) not in _MATCHED_ITSELF:
                yield (*names, *segments), rule
        waiting += [((*names, (name,)), below) for name, below in node.items() if name is not None]


def _left(segments: tuple[Glob, ...], parts: Sequence[str]) -> Iterator[tuple[Glob, ...]]:
    """What is left of a pattern below a folder that fits its beginning, in each way in which it fits."""
    floats = len(segments) > 1 and segments[0] == DEEP and len(segments[1]) == 1
    if floats and segments[1][0] not in parts:
        yield segments  # nothing on the way is what it begins with: most are told by that
        return
    at = {0}
    for part in parts:
        after = set()
        for place in _with_next(segments, at):
            if place < len(segments) and segments[place] == DEEP:
                after.add(place)
            elif place < len(segments) and glob_matches(segments[place], part):
                after.add(place + 1)
        at = after
        if not at:
            return
    for place in sorted(at):
        if segments[place:] not in _MATCHED_ITSELF:
            yield segments[place:]


def _with_next(segments: tuple[Glob, ...], at: set[int]) -> set[int]:
    """The places in a pattern, with those after a `**`, which may stand for nothing."""
    return at | {place + 1 for place in at if segments[place : place + 1] == (DEEP,)}


def _absolute(parts: Sequence[str]) -> str:
    drive = bool(parts) and len(parts[0]) == 2 and parts[0][1] == ":"
    return "/".join(parts) if drive else "/" + "/".join(parts)


def _exists(folder: str, segments: tuple[Glob, ...], facts: Facts, *, deeper: bool = False) -> bool:
    """Whether something is in the folder that fits the next of a pattern; what is not known may be.

    With `deeper` the pattern floats: what follows its `**` is looked for there and one folder below.
    """
    ways: list[tuple[str, ...]] = []
    stars = 0
    for place, segment in enumerate(segments[1:] if deeper else segments):
        if segment == DEEP:
            break
        if len(segment) > 1:
            # How a file system that ignores case compares letters beside a star is not known here.
            stars += 1
            if stars > MAX_STARS or not (segment == _STAR or (deeper and place == 0)):
                break
        if any(_SIGNS & set(piece) for piece in segment):
            return True
        ways.append(tuple(_spelled(segment)))
    if not ways:
        return bool(_SIGNS & set(folder)) or _found(folder, folder, facts)
    root = "/" if folder == "/" else ""
    starts = (root, f"{root}*/") if deeper else (root,)
    names = ["/".join(way) for way in itertools.product(*ways)]
    return any(_found(f"{start}{name}", folder, facts) for start in starts for name in names)


def _found(pattern: str, folder: str, facts: Facts) -> bool:
    """Whether a shell's glob stands for something in a folder, or may, both being in normal form.

    The same letters may be written otherwise on the disk (macOS takes them apart), and two spellings are
    two names to most file systems: whatever could be a spelling of them is looked at.
    """
    if spelled_one_way(folder) and spelled_one_way(pattern):
        return facts.glob(pattern, folder) != ()
    whole = pattern if pattern == folder or pattern.startswith("/") else f"{folder}/{pattern}"
    names = facts.glob(any_spelling(whole), folder)
    if names is None:
        return True
    pieces = components(whole)
    return any(_fits(name.replace("\\", "/") if facts.windows else name, pieces) for name in names)


def _fits(path: str, pieces: list[str]) -> bool:
    parts = components(normal(path))
    return len(parts) == len(pieces) and all(map(fnmatchcase, parts, pieces))


def _spelled(segment: Glob) -> Iterator[str]:
    """A component as a shell's globs: its first star also stands for the dot that hides a name."""
    text = "*".join(segment)
    yield text
    if len(segment) > 1 and not segment[0]:
        yield f".{text}"
        if text.startswith("*."):
            yield text[1:]
