"""How the options of a program are written, and the reading of them from the front of its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache

from msgspec import Struct

from sayso.core.plain_members import plain_members
from sayso.core.shell_command import ShellWord
from sayso.policy.shell.words import after, beginning, is_known


@plain_members
class Takes(Enum):
    """What an option takes: nothing, a value, or a value only if it is glued to it."""

    NOTHING = ""
    VALUE = "="
    GLUED = "?"


class Syntax(Struct, frozen=True):
    """The options of a program by their spelling, each with the name it goes by and what it takes.

    `reaching` are the names of those by which it runs another program or writes a file.
    """

    short: Mapping[str, tuple[str, Takes]]
    long: Mapping[str, tuple[str, Takes]]
    reaching: frozenset[str] = frozenset()

    def find_long(self, name: str) -> tuple[str, Takes] | None:
        """A long option by its name or a beginning of it that fits no other."""
        exact = self.long.get(name)
        if exact is not None:
            return exact
        fitting = {found for key, found in self.long.items() if key.startswith(name)}
        return fitting.pop() if len(fitting) == 1 else None


@cache
def syntax(text: str) -> Syntax:
    """Read options written as `k/kill-after= f/foreground d/differences?`.

    A name of one character is a short option, a longer one a long option; `=` says that it takes a
    value, `?` that it takes one only if it is glued to it. The last name is the one it goes by. A `!` at
    the end marks an option by which the program runs another one or writes a file.
    """
    short: dict[str, tuple[str, Takes]] = {}
    long: dict[str, tuple[str, Takes]] = {}
    reaching = set()
    for word in text.split():
        item = word[:-1] if word[-1] == "!" and len(word) > 1 else word
        takes = Takes(item[-1]) if item[-1] in "=?" and len(item) > 1 else Takes.NOTHING
        names = (item[:-1] if takes is not Takes.NOTHING else item).split("/")
        for name in names:
            (short if len(name) == 1 else long)[name] = (names[-1], takes)
        if item is not word:
            reaching.add(names[-1])
    return Syntax(short, long, frozenset(reaching))


class Leading(Struct, frozen=True):
    """The options at the front of a program's words, and where the rest begins."""

    options: tuple[tuple[str, ShellWord | None], ...]
    rest: int

    @property
    def names(self) -> frozenset[str]:
        """The names of the options that are there."""
        return frozenset(name for name, _ in self.options)

    def values(self, name: str) -> list[ShellWord]:
        """The values given to an option, in their order."""
        return [value for found, value in self.options if found == name and value is not None]


def leading_options(
    words: Sequence[ShellWord],
    start: int,
    known: Syntax,
    *,
    one_dash: bool = False,
    whole_values: bool = False,
) -> Leading | str:
    """The options from `start` up to the first operand, or in words why they cannot be read.

    With `one_dash` long options have a single dash (`-exec`), and short ones are not clustered. With
    `whole_values` a value that may be several words is taken for one.
    """
    found: list[tuple[str, ShellWord | None]] = []
    position = start
    while position < len(words):
        word = words[position]
        begins = beginning(word)
        if is_known(word) and word.value == "--":
            position += 1
            break
        if is_known(word) and (not begins.startswith("-") or begins == "-"):
            break
        if not is_known(word) and (word.splits or not begins):
            return f"`{word.text}` may be an option"
        if not begins.startswith("-"):
            break
        position += 1
        read = _long(word, known, one_dash) if begins.startswith("--") or one_dash else None
        if read is None:
            read = list(_cluster(word, known)) if not begins.startswith("--") else None
        if not read or read[-1] is None:
            return f"the option `{word.text}` is not known"
        for option in read:
            assert option is not None
            name, takes, value = option
            if takes is Takes.VALUE and value is None:
                if position >= len(words):
                    return f"the option `{word.text}` has no value"
                value = words[position]
                position += 1
                if value.splits and not whole_values:
                    return f"the value `{value.text}` may be several words"
            found.append((name, value))
    return Leading(tuple(found), position)


_Read = tuple[str, Takes, ShellWord | None]


def _long(word: ShellWord, known: Syntax, one_dash: bool) -> list[_Read | None] | None:
    begins = beginning(word)
    name, equals, _ = begins.lstrip("-").partition("=")
    if not equals and not is_known(word):
        return None
    option = known.long.get(name) if one_dash else known.find_long(name)
    if option is None or (equals and option[1] is Takes.NOTHING):
        return None
    value = after(word, begins.index("=") + 1) if equals else None
    return [(*option, value)]


def _cluster(word: ShellWord, known: Syntax) -> Iterator[_Read | None]:
    begins = beginning(word)
    for place, letter in enumerate(begins[1:], start=2):
        option = known.short.get(letter)
        if option is None:
            yield None
            return
        if option[1] is not Takes.NOTHING:
            glued = after(word, place)
            nothing = is_known(glued) and not glued.value
            yield (*option, None if nothing else glued)
            return
        yield (*option, None)
    if not is_known(word):
        yield None
