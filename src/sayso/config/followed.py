"""One settings file, followed: what it says now, also while it is broken or away (POL-63)."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sayso.config.faults import faults_of
from sayso.config.gate_settings import NO_GATE_SETTINGS, GateSettings
from sayso.config.reading import MAX_BYTES, unreadable
from sayso.config.rules_file import RulesFile
from sayso.config.settings import (
    Scope,
    Settings,
    in_time,
    parse_settings,
    parse_tool_file,
    readable_part,
    readable_tool_file,
    tightened,
)
from sayso.config.stamp import Stamp, is_settled, stamp_of
from sayso.config.tool_files import NamedFiles, base_of, find_tool_files, is_named, protection_of
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.rule import Rule

FIND_SECONDS = 0.5
"""Files that a pattern names are looked for at most so often; those known already at each look."""

GONE_SECONDS = 1.0
"""So long a project's file that goes away still counts: editors take a file away to replace it."""

_VERSIONS = itertools.count(1)
"""Never the same twice in a process, so that a version stands for one content of one file."""


@dataclass(frozen=True, slots=True)
class Said:
    """What counts of a file now; `waiting` tells that something in it waits for the user's trust."""

    rules: tuple[Rule, ...] = ()
    descriptors: tuple[ToolDescriptor, ...] = ()
    problem: str | None = None
    unavailable: bool = False
    warnings: tuple[str, ...] = ()
    waiting: bool = False
    gate: GateSettings = NO_GATE_SETTINGS


class FollowedFile:
    """A settings file that costs one `stat` as long as it stays the same.

    One that becomes invalid or unreadable keeps its last good denies and asks, beside those that can
    still be read, and loses its allows (POL-63). One that is so from the start makes the rules
    unavailable (POL-23). A user's file that goes away is broken; a project's then says nothing any more.
    `inside` is the real folder that the file has to lie in, also where links lead. `version` is
    another one whenever what the file says has changed. `named_by` is the settings file that names this
    one, if this is a `tool.yaml`; `tools` are those that this one names, each trusted for itself.
    """

    def __init__(
        self,
        path: Path,
        scope: Scope = Scope.USER,
        *,
        inside: str | None = None,
        named_by: FollowedFile | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.scope = scope
        self.version = 0
        self.digest: str | None = None
        self.problem: str | None = None
        self._inside = inside
        self._now = now
        self._signature: Stamp | None = None
        self._settled = False
        self._data: bytes | None = None
        self._seen = False
        self._gone_at: float | None = None
        self._good: Settings | None = None
        self._good_digest: str | None = None
        self._readable = Settings()
        self._further: RulesFile | None = None
        self._named_by = named_by
        self._named: tuple[NamedFiles, ...] = ()
        self._tools: dict[Path, FollowedFile] = {}
        self._found_at: float | None = None
        self._not_found: str | None = None

    @property
    def settings(self) -> Settings:
        """The last settings that were good; the defaults if there never were any."""
        return self._good or Settings()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file, with what it names and with its `rules.json`, as of the last look."""
        further = None if self._further is None else self._further.problem
        return tuple(text for text in (self.problem, self._not_found, further) if text is not None)

    @property
    def faults(self) -> tuple[str, ...]:
        """The problems, with every rule among them that cannot be read, for who mends the file."""
        if self.problem is None or self._data is None or self._named_by is not None:
            return self.problems
        faults = faults_of(self.path, self._data, self.scope)
        return (*(faults or (self.problem,)), *self.problems[1:])

    @property
    def silent(self) -> bool:
        """Whether the file says nothing: it is not there, and nothing is left of it."""
        return not self._seen

    @property
    def tools(self) -> tuple[FollowedFile, ...]:
        """The `tool.yaml` files that this one names, as of the last look."""
        return tuple(file for file in self._tools.values() if not file.silent)

    def look(self) -> bool:
        """Read the file, and those it names, if they may have changed; returns whether what they say has."""
        changed = self._look()
        path = self.settings.rules_json
        if path != (None if self._further is None else self._further.path):
            self._further = None if path is None else RulesFile(path, self.scope.value)
            changed = True
        if self._further is not None and self._further.look():
            changed = True
            self.version = next(_VERSIONS)
        if self._look_at_tools():
            changed = True
            self.version = next(_VERSIONS)
        return changed

    def _look_at_tools(self) -> bool:
        named, changed = self.settings.tool_files, False
        anew = named != self._named
        if not named and not anew:
            return False
        self._named = named
        now = self._now()
        if anew or self._found_at is None or now - self._found_at >= FIND_SECONDS:
            self._found_at = now
            changed = self._find_tools()
        for file in self._tools.values():
            changed = file.look() or changed
        return changed

    @property
    def _base(self) -> str:
        project = self.scope is Scope.PROJECT
        return self._inside if project and self._inside else base_of(self.path, project=project)

    def _find_tools(self) -> bool:
        before = self._not_found, set(self._tools)
        try:
            found = find_tool_files(self._base, self._named)
        except SettingsInvalid as error:
            self._not_found = str(error)
            return (self._not_found, set(self._tools)) != before
        self._not_found = None
        # One that is away may be about to be replaced, so it is followed on until it says nothing.
        for path in set(self._tools).difference(found):
            if self._tools[path].silent or not is_named(path, self._base, self._named):
                del self._tools[path]
        for path in found:
            if path not in self._tools:
                self._tools[path] = FollowedFile(
                    path,
                    self.scope,
                    inside=os.path.realpath(self._base),
                    named_by=self,
                    now=self._now,
                )
        return (self._not_found, set(self._tools)) != before

    def _look(self) -> bool:
        before = self.version
        try:
            signature = stamp_of(self.path.stat())
            self._gone_at = None
            if self._settled and signature == self._signature:
                return False
            signature, data = self._read()
        except (FileNotFoundError, NotADirectoryError):
            self._gone()
            return self.version != before
        except (OSError, ValueError) as error:
            self._unreadable(error)
            return self.version != before
        except SettingsInvalid as error:
            self._lost()
            self._broken(str(error), Settings())
            return self.version != before
        self._signature = signature
        self._settled = is_settled(signature)
        self._take(data)
        return self.version != before

    def said(self, trusted: Callable[[str, str | None], bool]) -> Said:
        """What counts now; `trusted` tells whether the user trusts a project's file with that digest."""
        said = self._own(trusted)
        if self._named:
            guards = {
                rule.id: rule
                for entry in self._named
                for rule in protection_of(self._base, entry, self.scope.value)
            }
            said = replace(said, rules=(*said.rules, *guards.values()))
        if self._not_found is not None:
            said = replace(said, unavailable=True)
        if self._further is not None:
            further = in_time(self._further.rules, self.settings)
            said = replace(
                said,
                rules=(*said.rules, *further),
                unavailable=said.unavailable or self._further.unavailable,
            )
        return replace(said, problem="\n".join(self.problems) or None)

    def _own(self, trusted: Callable[[str, str | None], bool]) -> Said:
        """What counts of the file itself."""
        good = self._counting(self._good or Settings(), self._good_digest, trusted)
        if self.problem is None:
            waiting = bool(self.settings.loosens) and not self._counts(self._good_digest, trusted)
            told = good.warnings
            return Said(
                good.rules, good.descriptors, warnings=told, waiting=waiting, gate=good.gate
            )
        rest = self._counting(self._readable, None, trusted)
        return Said(
            rules=_all_of(
                [rule for rule in good.rules if rule.effect is not Effect.ALLOW], rest.rules
            ),
            descriptors=(*good.descriptors, *rest.descriptors),
            unavailable=self._good is None,
            gate=good.gate.tightened().with_readable(rest.gate),
        )

    def _counts(self, digest: str | None, trusted: Callable[[str, str | None], bool]) -> bool:
        return self.scope is not Scope.PROJECT or trusted(str(self.path), digest)

    def _counting(
        self, settings: Settings, digest: str | None, trusted: Callable[[str, str | None], bool]
    ) -> Settings:
        if self._counts(digest, trusted):
            return self._in_time(settings, trusted)
        return tightened(settings)

    def _in_time(self, settings: Settings, trusted: Callable[[str, str | None], bool]) -> Settings:
        """A `tool.yaml` with the time limit of the settings that name it, if they may set one."""
        by = self._named_by
        if by is None or by.settings.default_timeout is None:
            return settings
        if by.scope is Scope.PROJECT and not trusted(str(by.path), by._good_digest):
            return settings
        return replace(settings, rules=tuple(in_time(settings.rules, by.settings)))

    def _read(self) -> tuple[Stamp, bytes]:
        real = os.path.realpath(self.path)
        if self._inside is not None and not _lies_in(real, self._inside):
            where = "the project" if self.scope is Scope.PROJECT else "its folder"
            raise SettingsInvalid(
                f"{self.path}:1:1: the file is a link that leads out of {where}",
                "put the file itself there",
            )
        # A pipe or a device would be waited for, so it is opened without waiting and refused.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(real, flags | getattr(os, "O_NOFOLLOW", 0))
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "it is not a regular file")
        with os.fdopen(descriptor, "rb") as file:
            return stamp_of(found), file.read(MAX_BYTES + 1)

    def _take(self, data: bytes) -> None:
        if self._seen and data == self._data:
            return
        self._seen, self._data = True, data
        self.digest = hashlib.sha256(data).hexdigest()
        try:
            parse = parse_settings if self._named_by is None else parse_tool_file
            settings = parse(self.path, data, self.scope)
        except SettingsInvalid as error:
            self._broken(str(error), self._readable_of(data))
            return
        except Exception as error:  # a defect of ours too: what the file allowed must not stay
            self._broken(f"{self.path}:1:1: the file cannot be read: {error}", Settings())
            return
        self.version = next(_VERSIONS)
        self._good, self._good_digest, self.problem = settings, self.digest, None
        self._readable = Settings()

    def _readable_of(self, data: bytes) -> Settings:
        readable = readable_part if self._named_by is None else readable_tool_file
        try:
            return readable(self.path, data, self.scope)
        except Exception:  # as above; what was good before stays
            return Settings()

    def _unreadable(self, error: OSError | ValueError) -> None:
        self._lost()
        hint = "give the user that sayso runs as the right to read it, or take it away"
        self._broken(str(unreadable(self.path, error, hint)), Settings())

    def _lost(self) -> None:
        self._signature, self._settled, self._data, self.digest = None, False, None, None
        self._seen = True

    def _gone(self) -> None:
        if not self._seen:
            self._good = self._good or Settings()
            return
        if self.scope is Scope.PROJECT:
            self._gone_at = self._now() if self._gone_at is None else self._gone_at
            if self._now() - self._gone_at >= GONE_SECONDS:
                self._lost()
                self._seen, self._gone_at = False, None
                self._good, self._good_digest, self._readable = Settings(), None, Settings()
                self.problem = None
                self.version = next(_VERSIONS)
                return
        self._lost()
        self._broken(
            f"{self.path}:1:1: the file is gone; its deny and ask rules stay\n"
            "hint: an empty file there says that nothing is set",
            self._readable,
        )

    def _broken(self, problem: str, readable: Settings) -> None:
        if problem != self.problem or readable != self._readable:
            self.version = next(_VERSIONS)
            self.problem, self._readable = problem, readable


def _all_of(first: list[Rule], second: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules of both, each once, wherever in the file it stands."""
    known = {replace(rule, place=None) for rule in first}
    return (*first, *(rule for rule in second if replace(rule, place=None) not in known))


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
