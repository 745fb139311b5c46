"""What is true of this machine's files and addresses, behind the policy's Facts port."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Mapping
from typing import Any

from sayso.policy.web_address import canonical_address
from sayso.system import shell_parser
from sayso.system.globs import ABSENT, names_of

if sys.platform != "win32":
    import pwd

MAX_LINKS = 40
"""How many links one path may go through, as in the kernel."""

MAX_NAMES = 1000
"""How many names a glob may stand for; more are not known."""

_CASE_CACHE = 4096
_NAMES_TRIED = 64


class LocalFacts:
    """Facts of the machine this process runs on; what it may not look at is unknown (None).

    A host name is never looked up: that would block, and the answer at the check need not be the
    one at the fetch. Only literal addresses are known.
    """

    __slots__ = ("_case", "_home", "_lock", "_user")

    def __init__(self, home: str | None = None) -> None:
        """`home` is the home directory of the user the tools run as, unless it is this one's."""
        found = os.path.expanduser("~") if home is None else home
        self._home = found if os.path.isabs(found) else None
        self._user = None if self._home is None else _owner_of(self._home)
        self._case: dict[tuple[int, int], bool] = {}
        self._lock = threading.Lock()

    @property
    def home(self) -> str | None:
        """The home directory of the user the tools run as."""
        return self._home

    @property
    def user(self) -> str | None:
        """The name of this process's user, if the home directory is that user's."""
        return self._user

    @property
    def windows(self) -> bool:
        """Whether paths follow the rules of Windows."""
        return os.name == "nt"

    def resolve(self, path: str) -> str | None:
        """The absolute path with links followed; what does not exist yet is kept as written.

        None for a relative path, a circle of links, and where a directory may not be searched.
        """
        if not os.path.isabs(path) or "\0" in path:
            return None
        if os.name == "nt":
            try:
                return os.path.realpath(path)
            except OSError:
                return None
        return _follow(path)

    def ignores_case(self, path: str) -> bool | None:
        """Whether the directory that holds this absolute path, or would, ignores case in names.

        Found out by asking for an existing name in the other case. None where there is no name to
        ask for or the directory may not be read.
        """
        if os.name == "nt":
            return True
        real = self.resolve(path)
        if real is None:
            return None
        try:
            place = _deepest_directory(os.path.dirname(real))
            found = os.lstat(place)
        except OSError:
            return None
        key = (found.st_dev, found.st_ino)
        known = self._case.get(key)
        if known is None:
            known = _probe(place, found.st_dev)
            if known is not None:
                with self._lock:
                    if len(self._case) >= _CASE_CACHE:
                        self._case.clear()
                    self._case[key] = known
        return known

    def addresses(self, host: str) -> tuple[str, ...] | None:
        """The address that a literal host is, in canonical form; None for every name."""
        address = canonical_address(host.removeprefix("[").removesuffix("]"))
        return None if address is None else (address,)

    @property
    def dialect(self) -> str:
        """The shell that command lines are run by."""
        return "bash"

    def syntax_tree(self, line: str) -> Mapping[str, Any] | str:
        """The syntax tree of a command line as shfmt gives it, or in words why there is none."""
        return shell_parser.syntax_tree(line, self.dialect)

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """The absolute paths that a glob stands for in a folder, hidden names only where it says so.

        None for more than `MAX_NAMES`, for brackets, which shells read differently, and where something
        that may fit cannot be looked at.
        """
        if not os.path.isabs(folder) or "[" in pattern or "\\" in pattern or "\0" in pattern:
            return None
        try:
            return names_of(pattern, folder, MAX_NAMES)
        except (OSError, ValueError):
            return None

    def is_repository(self, path: str) -> bool | None:
        """Whether an absolute path holds a `.git`, file or directory."""
        try:
            os.lstat(os.path.join(path, ".git"))
        except OSError as error:
            return False if error.errno in ABSENT else None
        return True


def _owner_of(home: str) -> str | None:
    """The name of this process's user where the system has that home directory for it."""
    if sys.platform == "win32":
        return None
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
        # A shell looks the name up: another entry of that name may come first.
        return name if pwd.getpwnam(name).pw_dir == home else None
    except (KeyError, OSError):
        return None


def _follow(path: str) -> str | None:
    """Walk a POSIX path component by component, following each link as the kernel would."""
    todo = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    done: list[str] = []
    links = 0
    exists = True
    while todo:
        part = todo.pop()
        if part == "..":
            if done:
                done.pop()
            exists = True
            continue
        done.append(part)
        if not exists:
            continue
        here = "/" + "/".join(done)
        try:
            if not stat.S_ISLNK(os.lstat(here).st_mode):
                continue
            links += 1
            if links > MAX_LINKS:
                return None
            target = os.readlink(here)
        except OSError as error:
            if error.errno in ABSENT:
                exists = False
                continue
            return None
        done.pop()
        if target.startswith("/"):
            done.clear()
        todo.extend(part for part in reversed(target.split("/")) if part not in ("", "."))
    return "/" + "/".join(done)


def _deepest_directory(path: str) -> str:
    """The directory itself, or the nearest one above it that exists."""
    while True:
        try:
            if stat.S_ISDIR(os.stat(path).st_mode):
                return path
        except OSError as error:
            if error.errno not in ABSENT:
                raise
        above = os.path.dirname(path)
        if above == path:
            return path
        path = above


def _probe(place: str, device: int) -> bool | None:
    """Ask a directory for one of its names in the other case; an empty one is judged by its own name."""
    try:
        with os.scandir(place) as names:
            for tried, entry in enumerate(names):
                answer = _same_in_other_case(place, entry.name)
                if answer is not None:
                    return answer
                if tried >= _NAMES_TRIED:
                    break
        above = os.path.dirname(place)
        if above == place or os.lstat(above).st_dev != device:
            return None
        return _same_in_other_case(above, os.path.basename(place))
    except OSError:
        return None


def _same_in_other_case(place: str, name: str) -> bool | None:
    other = name.swapcase()
    if other == name or not name.isascii():
        return None
    try:
        first = os.lstat(os.path.join(place, name))
    except OSError:
        return None  # it went away meanwhile, or may not be looked at
    try:
        second = os.lstat(os.path.join(place, other))
    except OSError as error:
        return False if error.errno in ABSENT else None
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
