"""The only outside things policy may ask, each of which may answer `unknown` (None)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Facts(Protocol):
    """What is true of the machine a call would run on; None means unknown, which never loosens."""

    @property
    def home(self) -> str | None:
        """The home directory of the user the tools run as."""

    @property
    def user(self) -> str | None:
        """The name by which the system knows the owner of that home directory: `~name` is it then."""

    @property
    def windows(self) -> bool:
        """Whether paths follow the rules of Windows."""

    def resolve(self, path: str) -> str | None:
        """The absolute path with links followed (the longest existing prefix for what is not there).

        `path` is absolute; its `..` are kept, to be taken in the order the system takes them.
        """

    def ignores_case(self, path: str) -> bool | None:
        """Whether the file system that holds this absolute path ignores case."""

    def addresses(self, host: str) -> tuple[str, ...] | None:
        """The addresses a host name resolves to, in canonical form."""

    @property
    def dialect(self) -> str:
        """The shell that command lines are run by: `bash`, `posix` or `zsh`."""

    def syntax_tree(self, line: str) -> Mapping[str, Any] | str:
        """The syntax tree of a command line as shfmt gives it, or in words why there is none."""

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """The absolute paths that a shell's glob stands for in a folder; None = unknown, or too many."""

    def is_repository(self, path: str) -> bool | None:
        """Whether an absolute path is the top of a version control working tree."""


class NothingKnown:
    """The facts of a machine of which nothing is known."""

    home: str | None = None
    user: str | None = None
    windows: bool = False
    dialect: str = "bash"

    def resolve(self, path: str) -> str | None:
        """Unknown."""
        del path
        return None

    def ignores_case(self, path: str) -> bool | None:
        """Unknown."""
        del path
        return None

    def addresses(self, host: str) -> tuple[str, ...] | None:
        """Unknown."""
        del host
        return None

    def syntax_tree(self, line: str) -> Mapping[str, Any] | str:
        """Unknown."""
        del line
        return "there is no parser for command lines"

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """Unknown."""
        del pattern, folder
        return None

    def is_repository(self, path: str) -> bool | None:
        """Unknown."""
        del path
        return None


NOTHING_KNOWN = NothingKnown()
