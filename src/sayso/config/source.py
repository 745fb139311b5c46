"""The permission lists of all settings files, followed live: what holds now in each workspace (POL-60, POL-63)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from sayso.broker.rule_source import ListRules
from sayso.config.advice import joined
from sayso.config.followed import FollowedFile, Said
from sayso.config.gate_settings import GateSettings, in_force
from sayso.config.settings import Scope, Settings
from sayso.config.trust import TRUST_NAME, TrustBook
from sayso.config.workspace import PROJECT_FILES, folders_above, folders_of, workspace_file
from sayso.core.advice import Advice
from sayso.core.in_force import InForce
from sayso.policy.rule import Rule

LOOK_SECONDS = 0.5
"""The files of a workspace are looked at at most so often; the user's own at each call."""

MAX_WORKSPACES = 256
MAX_COMPOSED = 64


@dataclass(slots=True)
class _Workspace:
    """The files that concern a workspace, and when they were last looked at."""

    folders: tuple[str, ...]
    files: list[FollowedFile]
    looked: float


class SettingsRules:
    """What the user's settings, those of a workspace and those of its project say, at each moment.

    `path` is the user's settings file. `configuration` is the directory with the user's settings for
    workspaces and with what is trusted; without it only the one file counts. `flags` are rules of the
    command line, which count everywhere.
    """

    def __init__(
        self,
        path: Path,
        *,
        configuration: Path | None = None,
        flags: Sequence[Rule] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path.absolute()
        self.configuration = configuration
        self.trust = None if configuration is None else TrustBook(configuration / TRUST_NAME)
        self._own = FollowedFile(self.path)
        self._flags = tuple(flags)
        self._now = now
        self._edition = 0
        self._workspaces: OrderedDict[str, _Workspace] = OrderedDict()
        self._known: WeakValueDictionary[tuple[Path, str | None], FollowedFile] = (
            WeakValueDictionary()
        )
        self._composed: OrderedDict[object, ListRules] = OrderedDict()

    @property
    def settings(self) -> Settings:
        """The last user's settings that were good; the defaults if there never were any."""
        return self._own.settings

    @property
    def problem(self) -> str | None:
        """What is wrong with the user's settings, as found at the last look."""
        return "\n".join(self._own.problems) or None

    def current(self, workspace: str | None = None) -> ListRules:
        """What the lists say now in a workspace; never raises for what is in a file or wrong with it."""
        if self._own.look():
            self._edition += 1
        return self._compose(_with_tools([self._own, *self._files(workspace)]))

    def advice(self, workspace: str | None = None) -> Advice:
        """Whom the user's own files name to be asked before a person, now; a project's have no word in it."""
        if self._own.look():
            self._edition += 1
        nearest_last = [self._own, *reversed(self._files(workspace))]
        own = [f for f in nearest_last if f.scope is not Scope.PROJECT]
        return joined([(file.settings.advice, file.problem is not None) for file in own])

    def edition(self) -> int:
        """A number that grows whenever a file that was seen before has changed; looks at all of them."""
        if self._own.look():
            self._edition += 1
        for found in self._workspaces.values():
            self._look(found)
        if self.trust is not None and self.trust.look():
            self._edition += 1
        return self._edition

    def files(self, workspace: str) -> list[FollowedFile]:
        """The files that concern a workspace and are there, beside the user's own; those named by one after it."""
        return [file for file in _with_tools(self._files(workspace)) if not file.silent]

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the files, those of the known workspaces among them."""
        return self._told(lambda file: file.problems)

    def faults(self) -> tuple[str, ...]:
        """The problems, with every rule of a file that cannot be read instead of the first."""
        return self._told(lambda file: file.faults)

    def _told(self, of: Callable[[FollowedFile], tuple[str, ...]]) -> tuple[str, ...]:
        files = [self._own, *(f for found in self._workspaces.values() for f in found.files)]
        found = [text for file in _with_tools(files) for text in of(file)]
        if self.trust is not None and self.trust.problem is not None:
            found.append(self.trust.problem)
        return tuple(dict.fromkeys(found))

    def _files(self, workspace: str | None) -> list[FollowedFile]:
        if workspace is None or self.configuration is None:
            return []
        found = self._workspaces.get(workspace)
        if found is None:
            found = self._workspaces[workspace] = self._find(workspace)
            while len(self._workspaces) > MAX_WORKSPACES:
                self._workspaces.popitem(last=False)
        else:
            self._workspaces.move_to_end(workspace)
            if self._now() - found.looked >= LOOK_SECONDS:
                folders = folders_of(workspace)
                # A repository that is made further in, by a call perhaps, takes no rules away.
                if folders != found.folders[: len(folders)]:
                    found = self._workspaces[workspace] = self._find(workspace)
                    self._edition += 1
                self._look(found)
                if self.trust is not None and self.trust.look():
                    self._edition += 1
        return found.files

    def _find(self, workspace: str) -> _Workspace:
        """The files of a workspace; those that another one has in common with it are the same."""
        folders = folders_of(workspace)
        files = []
        for folder in folders:
            for name in PROJECT_FILES:
                files.append(self._file(Path(folder, name), Scope.PROJECT, folders[-1]))
            files.append(self._own_for(folder))
        # The user's own files count for all below their folder, whatever repositories lie there.
        files += [
            self._own_for(folder) for above in folders[-1:] for folder in folders_above(above)
        ]
        if self.trust is not None:
            self.trust.look()
        return _Workspace(folders, files, self._now())

    def _own_for(self, folder: str) -> FollowedFile:
        assert self.configuration is not None, "without it no workspace has files"
        return self._file(workspace_file(self.configuration, folder), Scope.WORKSPACE, None)

    def _file(self, path: Path, scope: Scope, inside: str | None) -> FollowedFile:
        found = self._known.get((path, inside))
        if found is None:
            found = FollowedFile(path, scope, inside=inside, now=self._now)
            self._known[path, inside] = found
        found.look()
        return found

    def _look(self, found: _Workspace) -> None:
        found.looked = self._now()
        for file in found.files:
            if file.look():
                self._edition += 1

    def _compose(self, files: list[FollowedFile]) -> ListRules:
        said = [file for file in files if file is self._own or not file.silent]
        trust = None if self.trust is None or len(said) == 1 else self.trust.version
        version = (tuple((str(file.path), file.version) for file in said), trust)
        found = self._composed.get(version)
        if found is None:
            found = self._composed[version] = self._joined(version, said)
            while len(self._composed) > MAX_COMPOSED:
                self._composed.popitem(last=False)
        return found

    def _joined(self, version: object, files: list[FollowedFile]) -> ListRules:
        parts: list[Said] = [file.said(self._trusts) for file in files]
        problems = [part.problem for part in parts if part.problem is not None]
        waiting = [str(f.path) for f, part in zip(files, parts, strict=True) if part.waiting]
        # Of two descriptions of one tool the later counts: of the inner folder, and any of the user's own.
        whose = sorted(
            zip(reversed(files), reversed(parts), strict=True),
            key=lambda pair: pair[0].scope is not Scope.PROJECT,
        )
        told = [f"{path}: what it loosens waits for your trust: sayso trust" for path in waiting]
        return ListRules(
            version,
            (*self._flags, *(rule for part in parts for rule in part.rules)),
            problem="\n".join(problems) or None,
            unavailable=any(part.unavailable for part in parts),
            descriptors=tuple(item for _, part in whose for item in part.descriptors),
            warnings=(*(text for part in parts for text in part.warnings), *told),
            in_force=_in_force(files, parts),
        )

    def _trusts(self, file: str, digest: str | None) -> bool:
        return self.trust is not None and self.trust.trusts(file, digest)


def _in_force(files: Sequence[FollowedFile], parts: Sequence[Said]) -> InForce:
    def of(scope: Scope) -> list[GateSettings]:
        pairs = zip(files, parts, strict=True)
        return [said.gate for file, said in pairs if file.scope is scope]

    return in_force(of(Scope.USER)[0], of(Scope.WORKSPACE), of(Scope.PROJECT))


def _with_tools(files: Sequence[FollowedFile]) -> list[FollowedFile]:
    """The files, each with the `tool.yaml` files it names behind it, every one once."""
    found = {id(one): one for file in files for one in (file, *file.tools)}
    return list(found.values())
