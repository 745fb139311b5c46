"""An index of patterns for names: exact ones in a dictionary, affixes in tries, the rest in a list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from sayso.policy.patterns.glob import Glob, glob_matches

Entry = TypeVar("Entry")


class NameIndex(Generic[Entry]):
    """Finds the entries whose glob fits a name, at the cost of those that can fit."""

    __slots__ = ("_exact", "_prefixes", "_rest", "_suffixes")

    def __init__(self) -> None:
        self._exact: dict[str, list[Entry]] = {}
        self._prefixes: dict[str, Any] = {}
        self._suffixes: dict[str, Any] = {}
        self._rest: list[tuple[Glob, Entry]] = []

    def add(self, glob: Glob, entry: Entry) -> None:
        """Add an entry under its glob."""
        if len(glob) == 1:
            self._exact.setdefault(glob[0], []).append(entry)
        elif len(glob) == 2 and glob[1] == "":
            _grow(self._prefixes, glob[0], entry)
        elif len(glob) == 2 and glob[0] == "":
            _grow(self._suffixes, reversed(glob[1]), entry)
        else:
            self._rest.append((glob, entry))

    def find(self, name: str) -> list[Entry]:
        """The entries whose glob fits the whole name."""
        found = list(self._exact.get(name, ()))
        _collect(self._prefixes, name, found)
        if self._suffixes:
            _collect(self._suffixes, reversed(name), found)
        found += [entry for glob, entry in self._rest if glob_matches(glob, name)]
        return found


def _grow(node: dict[str, Any], letters: Iterable[str], entry: Any) -> None:
    for letter in letters:
        node = node.setdefault(letter, {})
    node.setdefault("", []).append(entry)  # no letter is empty: these are the node's own entries


def _collect(node: dict[str, Any] | None, letters: Iterable[str], found: list[Any]) -> None:
    assert node is not None
    found += node.get("", ())
    for letter in letters:
        node = node.get(letter)
        if node is None:
            return
        found += node.get("", ())
