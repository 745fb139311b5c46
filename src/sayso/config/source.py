"""The permission lists of the settings file, followed live: what holds now, also while it is broken."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sayso.broker.rule_source import ListRules
from sayso.config.reading import MAX_BYTES
from sayso.config.settings import Settings, parse_settings
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid

SETTLED_NANOSECONDS = 100_000_000
"""A file changed less than this ago is read again: another change may carry the same time."""

Signature = tuple[int, int, int, int]


class SettingsRules:
    """The rules of one settings file; `current` costs one `stat` as long as the file stays the same.

    A file that becomes invalid, unreadable or goes away keeps its last good deny and ask rules,
    loses its allow rules and is reported (POL-63). One that is invalid from the start makes the
    rules unavailable (POL-23); one that is not there from the start says nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._signature: Signature | None = None
        self._settled = False
        self._data: bytes | None = None
        self._seen = False
        self._version = 0
        self._good: Settings | None = None
        self._problem: str | None = None

    @property
    def settings(self) -> Settings:
        """The last settings that were good; the defaults if there never were any."""
        return self._good or Settings()

    @property
    def problem(self) -> str | None:
        """What is wrong with the file, as found at the last call of `current`."""
        return self._problem

    def current(self) -> ListRules:
        """What the lists say now; never raises for what is in the file or wrong with it."""
        self._follow()
        good = self._good
        if self._problem is None:
            settings = good or Settings()
            return ListRules(self._version, settings.rules, descriptors=settings.descriptors)
        kept = () if good is None else good.rules
        return ListRules(
            self._version,
            tuple(rule for rule in kept if rule.effect is not Effect.ALLOW),
            problem=self._problem,
            unavailable=good is None,
            descriptors=() if good is None else good.descriptors,
        )

    def _follow(self) -> None:
        """Read the file if it may have changed."""
        try:
            signature = _signature(self.path.stat())
        except FileNotFoundError:
            self._gone()
            return
        except OSError as error:
            self._unreadable(error)
            return
        if self._settled and signature == self._signature:
            return
        try:
            with self.path.open("rb") as file:
                signature = _signature(os.fstat(file.fileno()))
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            self._unreadable(error)
            return
        self._signature = signature
        self._settled = time.time_ns() - signature[0] > SETTLED_NANOSECONDS
        self._take(data)

    def _take(self, data: bytes) -> None:
        if self._seen and data == self._data:
            return
        self._seen, self._data = True, data
        try:
            settings = parse_settings(self.path, data)
        except SettingsInvalid as error:
            self._broken(str(error))
            return
        self._version += 1
        self._good, self._problem = settings, None

    def _unreadable(self, error: OSError) -> None:
        self._signature, self._settled, self._data = None, False, None
        self._seen = True
        self._broken(f"{self.path}:1:1: the file cannot be read: {error.strerror or error}")

    def _gone(self) -> None:
        self._signature, self._settled, self._data = None, False, None
        if self._seen:
            self._broken(
                f"{self.path}:1:1: the file is gone; its deny and ask rules stay\n"
                "hint: an empty file there says that nothing is set"
            )
        elif self._good is None:
            self._good = Settings()

    def _broken(self, problem: str) -> None:
        if problem != self._problem:
            self._version += 1
            self._problem = problem


def _signature(found: os.stat_result) -> Signature:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_size
