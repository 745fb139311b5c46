"""Patterns for commands: words with stars, or a regular expression (POL-13).

How an allow matches stands in `command_allow`, how a deny or an ask does in `command_deny`. A command line
that cannot be taken apart is covered by a pattern for every command and no other.
"""

from __future__ import annotations

from msgspec import Struct

from sayso.errors import RuleSyntaxError
from sayso.policy.patterns.expression import Expression, compile_expression
from sayso.policy.patterns.glob import Glob, parse_glob
from sayso.policy.shell.program_name import base_name


class CommandPattern(Struct, frozen=True):
    """One pattern for commands: its words, or a regular expression.

    `words` are as written, with a `*` at the end where any further ones may follow (`open_end`). `globs`
    are those before that, split at their stars. Where a `~` without quotes begins some of them, both have
    the home directory in its place, as a shell would, and `spelled` is the pattern as it was written.
    """

    words: tuple[str, ...] = ()
    expression: Expression | None = None
    open_end: bool = False
    globs: tuple[Glob, ...] = ()
    spelled: CommandPattern | None = None

    @property
    def everything(self) -> bool:
        """Whether it means every command."""
        return self.open_end and not self.globs

    @property
    def exact(self) -> bool:
        """Whether it means one list of words and no other."""
        return not self.open_end and all(len(glob) == 1 for glob in self.globs)

    @property
    def program(self) -> str | None:
        """The name of the program it is about, None where that is a pattern of its own."""
        if not self.globs or len(self.globs[0]) > 1:
            return None
        return base_name(self.words[0])


def compile_command(text: str, home: str | None = None) -> CommandPattern:
    """Read a pattern for command lines; raises RuleSyntaxError with the column of the fault.

    `home` is the home directory that a `~` at the beginning of a word stands for, None where that is not
    known.
    """
    if not text.strip():
        raise RuleSyntaxError("the command is empty", "write `*` for every command")
    if len(text) > 2 and text[0] == text[-1] == "/":
        return CommandPattern(expression=compile_expression(text[1:-1], column=2))
    tildes = set[int]()
    words = _words(text, tildes)
    if words[-1].endswith(":*") and len(words[-1]) > 2:
        words[-1:] = [words[-1][:-2], "*"]
    elif words == [":*"]:
        words = ["*"]
    open_end = words[-1] == "*"
    fixed = words[:-1] if open_end else words
    globs = tuple(parse_glob(word) for word in fixed)
    spelled = CommandPattern(tuple(words), None, open_end, globs)
    at_home = [
        place for place in tildes if words[place][1:2] == "/" or (place and words[place] == "~")
    ]
    if home is None or not at_home:
        return spelled
    placed = list(globs)
    for place in at_home:
        words[place] = home + words[place][1:]
        placed[place] = (home + globs[place][0][1:], *globs[place][1:])
    return CommandPattern(tuple(words), None, open_end, tuple(placed), spelled)


def _words(text: str, tildes: set[int]) -> list[str]:
    """The words of a pattern, with quotes and backslashes as a shell reads them.

    `tildes` is given the places of those that begin with a `~` without quotes.
    """
    words: list[str] = []
    word: str | None = None
    quote = ""
    position = opened = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == quote:
                quote = ""
            elif (
                character == "\\"
                and quote == '"'
                and text[position + 1 : position + 2] in ('"', "\\")
            ):
                position += 1
                word = (word or "") + text[position]
            else:
                word = (word or "") + character
        elif character in "'\"":
            quote, opened, word = character, position, word or ""
        elif character == "\\" and position + 1 < len(text):
            position += 1
            word = (word or "") + text[position]
        elif character in " \t":
            if word is not None:
                words.append(word)
            word = None
        else:
            if character == "~" and word is None:
                tildes.add(len(words))
            word = (word or "") + character
        position += 1
    if quote:
        raise RuleSyntaxError(
            f"the quote `{quote}` is not closed",
            "close it, or write a backslash before it",
            column=opened + 1,
        )
    if word is not None:
        words.append(word)
    return words
