"""From a command line to its targets: the commands it runs, and what those touch (POL-3, POL-34, POL-36)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from sayso.core.operation import Operation
from sayso.core.shell_command import Role, ShellCommand, ShellLine
from sayso.core.target import Target, TargetKind
from sayso.policy.facts import Facts
from sayso.policy.path_targets import path_target
from sayso.policy.paths import collapse, is_absolute, normalise
from sayso.policy.shell.operands import name_of, touched
from sayso.policy.shell.places import START
from sayso.policy.shell.programs import READS_ITS_PLACE
from sayso.policy.shell.touched import Sort, Touched
from sayso.policy.web_address import read_url

_CLASS = re.compile(r"\[[^]]*\]|[$`].*")
"""What is no name in a glob: a set of characters, and what is not known."""

MAX_PATHS = 1000
"""How many paths of one line are looked at; a line with more has a doubt."""

_MOST_KEPT = 2048
_MOST_KEPT_CHARACTERS = 4096

# What a line's commands touch follows from the line alone, so that forgetting is always safe (POL-37). A line
# is kept beside it, for its identity is the key: comparing all its words would cost more than it saves.
_memo: dict[int, tuple[ShellLine, tuple[tuple[Touched, ...], ...]]] = {}


def command_targets(
    line: ShellLine, workspace: str | None, facts: Facts, *, own: bool
) -> list[Target]:
    """The targets of a line: a command each, the line itself if it has a doubt, and what is touched."""
    found = _Found(workspace, facts)
    targets = []
    for command, things in zip(line.commands, _touched_by(line), strict=True):
        doubt = found.add(command, things)
        targets.append(
            Target(
                TargetKind.COMMAND, command.text, own, doubt=doubt, command=command, line=line.text
            )
        )
    if line.doubts:
        doubt = "; ".join(line.doubts)
        targets.append(Target(TargetKind.COMMAND, line.text, own, doubt=doubt, opaque=True))
    elif not line.commands:
        nothing = ShellCommand(line.text, ())
        targets.append(Target(TargetKind.COMMAND, line.text, own, command=nothing))
    return [*targets, *found.targets.values()]


def _touched_by(line: ShellLine) -> tuple[tuple[Touched, ...], ...]:
    """What each command of a line touches, no more of it than is looked at."""
    found = _memo.get(id(line))
    if found is None:
        things = tuple([_different(touched(command)) for command in line.commands])
        found = (line, things)
        if len(line.text) <= _MOST_KEPT_CHARACTERS:
            if len(_memo) >= _MOST_KEPT:
                _memo.clear()
            _memo[id(line)] = found
    return found[1]


def _different(things: Iterable[Touched]) -> tuple[Touched, ...]:
    """Each thing once; one more than is looked at where there are too many."""
    found: dict[Touched, None] = {}
    for thing in things:
        found[thing] = None
        if len(found) > MAX_PATHS:
            break
    return tuple(found)


_Key = tuple[TargetKind, str, Operation | None, bool, bool]


class _Found:
    """Collects what the commands of a line touch, each thing once."""

    def __init__(self, workspace: str | None, facts: Facts) -> None:
        self.targets: dict[_Key, Target] = {}
        self._workspace = workspace
        self._facts = facts
        self._folders: dict[tuple[str | None, ...], str | None] = {}
        self._leaving: dict[str | None, str | None] = {}

    def add(self, command: ShellCommand, things: Sequence[Touched]) -> str | None:
        """Add what a command touches; the doubt about the place it works in, if there is one."""
        doubt = None
        if command.places is not START and _reads_its_place(command):
            doubt = next(filter(None, map(self._left, command.places)), None)
        for thing in things:
            for place in command.places:
                if len(self.targets) >= MAX_PATHS:
                    self._put_too_many()
                    return doubt
                if thing.place and doubt is None and _reads_its_place(command):
                    doubt = self._left((*place, *thing.folders, thing.word.value))
                if thing.folders:
                    place = (*place, *thing.folders)
                if thing.sort is Sort.PATH and thing.word.pattern is None and thing.word.value:
                    folder = self._folder(place)
                    self._put(self._path(thing, thing.word.value, folder, command))
                    continue
                for target in self._targets(thing, place, command):
                    self._put(target)
        if len(things) > MAX_PATHS:
            # They may be few files, each spelled in many ways; there may be more things all the same.
            self._put_too_many()
        return doubt

    def _put_too_many(self) -> None:
        doubt = f"the line names more than {MAX_PATHS} files and hosts, and not all were looked at"
        self._put(Target(TargetKind.PATH, "(operands)", False, Operation.ANY, doubt=doubt))

    def _put(self, target: Target) -> None:
        key = (target.kind, target.text, target.operation, target.redirected, target.walks)
        self.targets.setdefault(key, target)

    def _targets(
        self, thing: Touched, place: tuple[str | None, ...], command: ShellCommand
    ) -> Iterator[Target]:
        if thing.sort is Sort.ADDRESS:
            yield _host(thing, command)
            return
        folder = self._folder(place)
        if thing.sort is Sort.ANYTHING or thing.word.value is None:
            yield _unknown(thing, command)
            return
        value = thing.word.value
        texts = [value]
        if thing.word.pattern is not None:
            names = self._names(thing.word.pattern, folder)
            if names is None:
                yield self._unknown_names(thing, folder, command)
            else:
                texts = [*names, *([] if names else [value])]
            if thing.whole and thing.word.pattern.rpartition("/")[2] == "*":
                # All that lies in a folder is as much as the folder.
                texts.append(value.rpartition("/")[0] or ("/" if value.startswith("/") else "."))
        for text in texts:
            yield self._path(thing, text, folder, command)

    def _path(self, thing: Touched, text: str, folder: str | None, command: ShellCommand) -> Target:
        if folder is None and text[:1] not in ("/", "~") and text[:5].lower() != "file:":
            return _unknown(thing, command, text)
        target = path_target(
            text,
            thing.operation,
            folder,
            self._facts,
            own=False,
            command=command,
            redirected=thing.redirected,
            walks=thing.walks,
        )
        if target.doubt is None or not thing.guessed:
            return target
        if text.startswith("~") or target.text.startswith("/proc/"):
            return target
        # That a word could be read as an odd path is no reason to ask: nothing says it is one.
        return replace(target, doubt=None)

    def _unknown_names(self, thing: Touched, folder: str | None, command: ShellCommand) -> Target:
        """A glob that stands for names that are not known, below a folder that is."""
        fixed = thing.word.text.replace("\\", "/").partition("*")[0].rpartition("/")[0]
        last = _CLASS.sub("", thing.word.text.rpartition("/")[2])
        part = any(character.isalnum() for character in last)  # `*.o`, which is not all there is
        if thing.operation is Operation.DELETE and self._is_inside(fixed, folder, itself=part):
            thing = replace(thing, operation=Operation.ANY)
        return _unknown(thing, command)

    def _names(self, pattern: str, folder: str | None) -> tuple[str, ...] | None:
        home = self._facts.home
        if pattern.startswith("~/"):
            if home is None or any(sign in home for sign in "*?[\\"):
                return None
            pattern = home + pattern[1:]
        if folder is None and not pattern.startswith("/"):
            return None
        return self._facts.glob(pattern, folder or "/")

    def _folder(self, place: tuple[str | None, ...]) -> str | None:
        """Where a chain of `cd` leads, as the shell counts; None where that is not known."""
        if not place:
            return self._workspace
        if place in self._folders:
            return self._folders[place]
        above, step = self._folder(place[:-1]), place[-1]
        folder = None
        if step is not None and (
            above is not None or is_absolute(step, windows=False) or step[:1] == "~"
        ):
            there = normalise(step, above, self._facts)
            if there.doubt is None and there.path is not None and there.raw is not None:
                folder = collapse(there.raw)  # as it is spelled: two spellings are two folders
                if "/.." in there.raw and self._facts.resolve(there.raw) != self._facts.resolve(
                    collapse(there.raw)
                ):
                    folder = None
        self._folders[place] = folder
        return folder

    def _left(self, place: tuple[str | None, ...]) -> str | None:
        """Why a program that obeys the files of its folder is not at home in this one."""
        if not place or self._workspace is None:
            return None
        folder = self._folder(place)
        if folder not in self._leaving:
            self._leaving[folder] = self._why_left(folder)
        return self._leaving[folder]

    def _why_left(self, folder: str | None) -> str | None:
        if folder is None:
            return "it is not known in which folder the program works, and it obeys what lies there"
        workspace = collapse(self._workspace or "/")
        if not _below(folder, workspace):
            return f"it leaves the workspace for `{folder}`, and the program obeys what lies there"
        real, home = self._facts.resolve(folder), self._facts.resolve(workspace)
        if real is None or home is None or not _below(real, home):
            return f"`{folder}` leads out of the workspace, and the program obeys what lies there"
        while len(folder) > len(workspace):
            if (
                self._facts.is_repository(folder) is not False
                and folder.rpartition("/")[2] != ".git"
            ):
                return (
                    f"`{folder}` is a repository of its own, and the program obeys what lies there"
                )
            folder = folder.rpartition("/")[0]
        return None

    def _is_inside(self, fixed: str, folder: str | None, *, itself: bool) -> bool:
        """Whether a folder lies within the workspace; `itself` tells whether it may be the workspace."""
        if self._workspace is None or folder is None or ".." in fixed or "~" in fixed:
            return False
        place = normalise(fixed or ".", folder, self._facts).path
        workspace = collapse(self._workspace)
        return place is not None and (itself or place != workspace) and _below(place, workspace)


def _reads_its_place(command: ShellCommand) -> bool:
    """Whether a command obeys the files of the folder it runs in, and is judged by itself."""
    return command.role is Role.PLAIN and name_of(command) in READS_ITS_PLACE


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _unknown(thing: Touched, command: ShellCommand, text: str | None = None) -> Target:
    return Target(
        TargetKind.PATH,
        text or thing.word.text,
        False,
        thing.operation,
        redirected=thing.redirected,
        command=command,
    )


def _host(thing: Touched, command: ShellCommand) -> Target:
    value = thing.word.value
    if value is None:
        return Target(TargetKind.HOST, thing.word.text, False, command=command)
    address = read_url(value)
    return Target(
        TargetKind.HOST,
        value,
        False,
        scheme=address.scheme,
        host=address.host,
        port=address.port,
        doubt=None if thing.guessed else address.doubt,
        alternatives=address.alternatives,
        command=command,
    )
