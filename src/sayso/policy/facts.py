"""The only outside things policy may ask, each of which may answer `unknown` (None)."""

from __future__ import annotations

from typing import Protocol


class Facts(Protocol):
    """What is true of the machine a call would run on; None means unknown, which never loosens."""

    @property
    def home(self) -> str | None:
        """The home directory of the user the tools run as."""

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


class NothingKnown:
    """The facts of a machine of which nothing is known."""

    home: str | None = None
    windows: bool = False

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


NOTHING_KNOWN = NothingKnown()
