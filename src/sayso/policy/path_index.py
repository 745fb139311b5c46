"""An index of patterns for paths: a trie of literal components, and dictionaries for what floats.

The index works on what paths look like (case and look-alike letters folded), so that one walk finds
both the rules that match and those that a look-alike of the path would match.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sayso.policy.compiled import CompiledRule
from sayso.policy.concerned_places import ConcernedPlaces
from sayso.policy.name_index import NameIndex
from sayso.policy.paths import collapse, components
from sayso.policy.patterns.glob import Glob
from sayso.policy.patterns.path import DEEP, PathPattern, fold_component
from sayso.policy.rule import Origin
from sayso.policy.spelling import normal

MAX_SEEN = 4096
NO_MATCH, LOOKS_LIKE, MATCHES = 0, 1, 2


class Place:
    """A directory that paths are seen from: the workspace, in normal form."""

    __slots__ = ("folded", "parts", "path")

    def __init__(self, path: str, *, windows: bool) -> None:
        path = normal(path)
        self.path = collapse(path.replace("\\", "/") if windows else path)
        self.parts = components(self.path)
        self.folded = [fold_component(part) for part in self.parts]


class PathView:
    """One spelling of a path, split: its components, and what they look like."""

    __slots__ = ("_below", "_workspace", "folded", "parts")

    def __init__(self, path: str, workspace: Place | None) -> None:
        self.parts = components(path)
        if path.isascii():
            lower = path.lower()
            self.folded = self.parts if lower == path else components(lower)
        else:
            self.folded = [fold_component(part) for part in self.parts]
        self._workspace = workspace
        self._below: tuple[list[str] | None, list[str] | None] | None = None

    def below(self) -> tuple[list[str] | None, list[str] | None]:
        """The components below the workspace and what they look like; None where it is not inside.

        The second alone is set where the path is inside a directory that looks like the workspace.
        """
        if self._below is None:
            self._below = (None, None)
            if self._workspace is not None:
                depth = len(self._workspace.parts)
                if self.folded[:depth] == self._workspace.folded:
                    inside = self.parts[:depth] == self._workspace.parts
                    self._below = (self.parts[depth:] if inside else None, self.folded[depth:])
        return self._below

    def fits(self, patterns: tuple[PathPattern, ...]) -> int:
        """Whether one of the patterns matches, or at least matches what the path looks like."""
        best = NO_MATCH
        for pattern in patterns:
            parts: list[str] | None = self.parts
            folded: list[str] | None = self.folded
            if pattern.anchored:
                parts, folded = self.below()
            if parts is not None and pattern.matches(parts):
                return MATCHES
            if folded is not None and pattern.looks_like(folded):
                best = LOOKS_LIKE
        return best

    def fits_ignoring_case(self, patterns: tuple[PathPattern, ...]) -> bool:
        """Whether one of the patterns matches where the file system ignores case."""
        for pattern in patterns:
            parts = self.parts
            if pattern.anchored:
                folded = self.below()[1]
                if folded is None:
                    continue
                parts = parts[len(parts) - len(folded) :]
            if pattern.matches_ignoring_case(parts):
                return True
        return False

    def holds(self, other: PathView) -> bool:
        """Whether this path is the other one or a parent of it."""
        return other.folded[: len(self.folded)] == self.folded


class PathIndex:
    """The rules with a path pattern of one source and one tool pattern."""

    __slots__ = (
        "_absolute", "_anchored", "_deep", "_everything", "_floating", "_floats", "_seen", "places",
    )  # fmt: skip

    def __init__(self) -> None:
        self._absolute: dict[Any, Any] = {}
        self._anchored: dict[Any, Any] = {}
        self._deep: dict[Any, Any] = {}
        self._floats: NameIndex[CompiledRule] = NameIndex()
        self._floating = False
        self._seen: dict[str, list[CompiledRule]] = {}
        self._everything: list[CompiledRule] = []
        self.places = ConcernedPlaces()

    def add(self, rule: CompiledRule) -> None:
        """Add a rule under each of its patterns."""
        if rule.critical or rule.problem is not None:
            self._everything.append(rule)
        for pattern in rule.paths or ():
            self._add(pattern, rule)
            if not rule.strict and rule.rule.origin is not Origin.BUILT_IN:
                self.places.add(pattern, rule)

    def _add(self, pattern: PathPattern, rule: CompiledRule) -> None:
        segments = pattern.folded
        if pattern.everything:
            self._everything.append(rule)
            return
        if segments and segments[0] == DEEP and not pattern.anchored:
            if len(segments) > 1 and len(segments[1]) == 1:
                _hang(self._deep, segments[1:], rule)
                return
            self._floats.add(segments[1] if len(segments) > 1 else ("", ""), rule)
            self._floating = True
            return
        _hang(self._anchored if pattern.anchored else self._absolute, segments, rule)

    def find(self, view: PathView) -> list[CompiledRule]:
        """The rules that can match the path or what it looks like; some more, and some twice."""
        found: list[CompiledRule] = list(self._everything)
        if self._absolute:
            _walk(self._absolute, view.folded, found)
        if self._anchored:
            below = view.below()[1]
            if below is not None:
                _walk(self._anchored, below, found)
        if self._deep:
            for place, part in enumerate(view.folded):
                node = self._deep.get(part)
                if node is not None:
                    _walk(node, view.folded[place + 1 :], found)
        if self._floating:
            for part in view.folded:
                floats = self._seen.get(part)
                if floats is None:
                    floats = self._look_up(part)
                found += floats
        return found

    def _look_up(self, part: str) -> list[CompiledRule]:
        # The same names come again and again in paths, so each is looked up once.
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        found = self._seen[part] = self._floats.find(part)
        return found

    @property
    def everything(self) -> list[CompiledRule]:
        """The rules that match every path, also one of which nothing is known."""
        return self._everything


def _hang(node: dict[Any, Any], segments: Iterable[Glob], rule: CompiledRule) -> None:
    """Hang a rule into a trie, below its literal segments up to the first with a star."""
    for segment in segments:
        if len(segment) != 1:
            break
        node = node.setdefault(segment[0], {})
    node.setdefault(None, []).append(rule)


def _walk(root: dict[Any, Any], parts: list[str], found: list[CompiledRule]) -> None:
    node = root
    here = root.get(None)
    if here is not None:
        found += here
    for part in parts:
        below = node.get(part)
        if below is None:
            return
        node = below
        here = node.get(None)
        if here is not None:
            found += here
