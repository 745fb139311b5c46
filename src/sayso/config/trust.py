"""Which contents of projects' settings files the user trusts: asked once for each content (POL-60)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sayso.config.reading import MAX_BYTES, read_file
from sayso.config.stamp import Stamp, stamp_of
from sayso.config.writing import YOURS_TO_READ, alone, replace_file
from sayso.errors import SettingsInvalid
from sayso.system.places import private_directory

TRUST_NAME = "trusted.json"
KEPT = 32
"""So many contents of one file stay trusted, the newest: branches are changed back and forth."""


class TrustBook:
    """The file in which trust is kept, in sayso's own directory, where no call reaches it (POL-44).

    Trust is in a file at its place with exactly one content; any other content waits again. A book
    that cannot be read trusts nothing, and `problem` says so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.version = 0
        self.problem: str | None = None
        self._signature: Stamp | None = None
        self._trusted: dict[str, tuple[str, ...]] = {}

    def trusts(self, file: str, digest: str | None) -> bool:
        """Whether the user trusts the file with that SHA-256, as of the last look."""
        return digest is not None and digest in self._trusted.get(file, ())

    def look(self) -> bool:
        """Read the book if it has changed; returns whether it has."""
        try:
            signature = stamp_of(self.path.stat())
        except OSError:
            signature = None
        if signature == self._signature:
            return False
        self._signature = signature
        before = self._trusted, self.problem
        try:
            data = read_file(self.path, YOURS_TO_READ)
            self._trusted, self.problem = _parse(self.path, data), None
        except SettingsInvalid as error:
            self._trusted, self.problem = {}, str(error)
        if (self._trusted, self.problem) == before:
            return False
        self.version += 1
        return True

    def trust(self, file: str, digest: str) -> None:
        """Trust the file with exactly that content; raises SettingsInvalid if it cannot be kept."""
        self._write(file, lambda kept: (*(one for one in kept if one != digest), digest)[-KEPT:])

    def revoke(self, file: str) -> bool:
        """Trust the file with no content any more; returns whether it was trusted with any."""
        self.look()
        known = file in self._trusted
        if known:
            self._write(file, lambda _: ())
        return known

    def files(self) -> tuple[str, ...]:
        """The files that are trusted with some content."""
        return tuple(sorted(self._trusted))

    def _write(self, file: str, change: Any) -> None:
        try:
            private_directory(self.path.parent)
            with alone(self.path.parent):
                before = read_file(self.path, YOURS_TO_READ)
                book = _parse(self.path, before)
                book[file] = change(book.get(file, ()))
                kept = {name: list(digests) for name, digests in sorted(book.items()) if digests}
                text = json.dumps({"trusted": kept}, indent=2) + "\n"
                replace_file(self.path, before, text.encode(), shown=self.path)
        except OSError as error:
            raise SettingsInvalid(
                f"{self.path}:1:1: the file cannot be written: {error.strerror or error}",
                "see whether it is there and yours to use: sayso doctor",
            ) from error
        self._signature = None
        self.look()


def _parse(path: Path, data: bytes | None) -> dict[str, tuple[str, ...]]:
    if data is None:
        return {}
    try:
        if len(data) > MAX_BYTES:
            raise ValueError("it is too large")
        found = json.loads(data)
        return {
            os.fspath(file): tuple(str(digest) for digest in digests)
            for file, digests in found["trusted"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SettingsInvalid(
            f"{path}:1:1: what is trusted cannot be read: nothing is",
            "take the file away and trust again: sayso trust",
        ) from error
