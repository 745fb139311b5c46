"""How the words of known programs are read, by the table of them (POL-36)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from enum import StrEnum

from msgspec import Struct

from sayso.core.plain_members import plain_members
from sayso.policy.shell.program_table import TABLE


@plain_members
class Use(StrEnum):
    """What a program does with one of its words."""

    TEXT = "text"
    """Nothing: it is no file."""
    NAME = "name"
    """A task, a package, a branch; a file or an address only where it is written like one."""
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    ANY = "any"
    MOVE = "move"
    """It is read and goes away."""
    INTO = "into"
    """It is written, or is the folder of what is."""
    URL = "url"
    """An address, also without a scheme."""
    SOCKET = "socket"
    """A host, and its port in the next operand."""
    CONNECT = "connect"
    """Hosts and ports, or files, between colons."""
    CODE = "code"
    """A program in a language that is not read here: it can touch anything."""
    SECOND = "second"
    """Two words: a name, and a file that is read."""
    BOTH = "both"
    """Two words that are no files."""
    SQL = "sql"
    """Statements for a database, which can touch files only in some words."""
    SCRIPT = "script"
    """A file with such a program; without it the program comes from the input."""
    SED = "sed"
    AWK = "awk"
    FIND = "find"
    TAR = "tar"
    PLACE = "place"
    """The folder that other words are relative to."""
    SETUP = "setup"
    """A file or folder that tells the program what to run."""
    DATA = "data"
    """Text, or the file behind an `@`."""
    FORM = "form"
    """`name=value` and `name@file`, where the value may begin with `@` or `<` and a file."""
    PAIR = "pair"
    """`if=file` and `of=file`."""
    MOUNT = "mount"
    """A folder of this machine before a colon, or behind `source=`."""
    REMOTE = "remote"
    """A file here, or one of another machine where a colon comes before any slash."""
    REMOTE_INTO = "remote-into"
    REVISION = "revision"
    """A file, a revision, or a file in a revision behind a colon."""


class Program(Struct, frozen=True):
    """How the words of one program are read; see the head of `program_table.py`.

    `fixed` are the uses of the first operands, `last` that of the last of several, `rest` that of all
    others. `marks` are the further words; the options that a mark is bound to, if it is.
    """

    fixed: tuple[Use, ...]
    rest: Use
    last: Use | None
    options: Mapping[str, Use]
    instead: frozenset[str]
    glued: frozenset[str]
    marks: Mapping[str, frozenset[str]]

    def does(self, mark: str, given: Set[str] = frozenset()) -> bool:
        """Whether a mark holds where these options are given."""
        bound = self.marks.get(mark)
        return bound is not None and (not bound or not bound.isdisjoint(given))


_VERSION = re.compile(r"-?[0-9][0-9.]*$")
_RUNTIMES = frozenset({"bun", "deno"})
"""Programs of which only some commands run code, and then whatever they are given."""

_MARKS = frozenset(
    {
        "quiet",
        "ends",
        "sub",
        "walks",
        "wipes",
        "writes",
        "saves",
        "anything",
        "tells",
        "makes",
        "unnamed",
        "pipes",
    }
)


def _program(words: list[str]) -> Program:
    marks: dict[str, frozenset[str]] = {}
    options: dict[str, Use] = {}
    instead: set[str] = set()
    glued: set[str] = set()
    uses: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        values = value.split(",")
        if name in _MARKS:
            marks[name] = frozenset(values) if value else frozenset()
        elif equals:
            options |= {option.rstrip("!?"): Use(name) for option in values}
            instead |= {option[:-1] for option in values if option.endswith("!")}
            glued |= {option[:-1] for option in values if option.endswith("?")}
        else:
            uses.append(word)
    many = next((word for word in uses if word.endswith("*")), None)
    fixed, rest, last = uses, Use.TEXT, None
    if many is not None:
        place = uses.index(many)
        fixed, rest = uses[:place], Use(many[:-1])
        last = Use(uses[place + 1]) if place + 1 < len(uses) else None
    first = tuple(map(Use, fixed))
    return Program(first, rest, last, options, frozenset(instead), frozenset(glued), marks)


def _read_table() -> dict[str, Program]:
    programs: dict[str, Program] = {}
    for entry in TABLE.replace("\n    ", " ").splitlines():
        names, _, how = entry.partition(" : ")
        if names:
            programs.update(dict.fromkeys(names.split(), _program(how.split())))
    return programs


_OBEYING = (
    "git npm pnpm yarn bun npx pnpx bunx make gmake cargo go just task rake gradle gradlew mvn tox nox "
    "poetry pdm hatch uv pre-commit composer bundle terraform tofu cmake meson ninja bazel dotnet deno "
    "direnv mise devbox hg svn jj"
)
READS_ITS_PLACE = frozenset(_OBEYING.split())
"""The programs that run what a file in their folder, or in one above it, tells them to."""

PROGRAMS: Mapping[str, Program] = _read_table()
"""The programs by their base name; a command of git as `git-add`."""


def program_of(name: str) -> Program | None:
    """What is known of a program, also under a name with its version (`python3.12`)."""
    return PROGRAMS.get(name) or PROGRAMS.get(_VERSION.sub("", name))


def runs_code(name: str) -> bool:
    """Whether a program runs code that is given to it as words or in a file."""
    program = program_of(name)
    return name in _RUNTIMES or (program is not None and Use.SCRIPT in program.fixed)
