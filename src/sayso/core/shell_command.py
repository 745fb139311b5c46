"""What a shell command line runs, in the form that rules match (POL-30): values and no logic."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from sayso.core.operation import Operation
from sayso.core.plain_members import plain_members


class ShellWord(Struct, frozen=True):
    """One word, as the shell will hand it to a program.

    `text` is it as written. `value` is what it will be, None where that cannot be known before the line
    runs; `start` is then what it surely begins with. `pattern` is set where unquoted `*`, `?` or `[` may
    be replaced by names of files: all other characters stand in it with a backslash where they need
    one, and `value` is the word where no file fits. `splits` tells that it may become any number of
    words, or none.
    """

    text: str
    value: str | None
    start: str = ""
    pattern: str | None = None
    splits: bool = False


class Redirection(Struct, frozen=True):
    """A file that a command reads from or writes to; `ANY` for `<>`, which does both."""

    operation: Operation
    target: ShellWord


class Assignment(Struct, frozen=True):
    """A variable set for one command, or by one without words; `value` None = an array or unknown."""

    name: str
    value: ShellWord | None


@plain_members
class Role(StrEnum):
    """What an allow has to do with a command that was found in a line."""

    PLAIN = "plain"
    TRANSPARENT = "transparent"


class ShellCommand(Struct, frozen=True):
    """One simple command that a line can run.

    `text` is its part of the line. Without `words` it only assigns or redirects. `assignments` stand
    before it; `inherited` names variables set earlier in the line in a way that voids an allow
    (POL-33). `places` are the directories it may run in, each the chain of `cd` operands before it
    (None in a chain = not known; an empty chain = the call's own). `wrappers` are the programs that run
    it, outermost first (POL-32). A `TRANSPARENT` one is a wrapper on which denies and asks are tried,
    and which no allow has to cover. `piped` tells that its input is surely a pipe.
    """

    text: str
    words: tuple[ShellWord, ...]
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    inherited: tuple[str, ...] = ()
    places: tuple[tuple[str | None, ...], ...] = ((),)
    wrappers: tuple[str, ...] = ()
    role: Role = Role.PLAIN
    piped: bool = False


class ShellLine(Struct, frozen=True):
    """All simple commands that a line can run; `doubts` say why it cannot be verified, if so."""

    text: str
    commands: tuple[ShellCommand, ...]
    doubts: tuple[str, ...] = ()
