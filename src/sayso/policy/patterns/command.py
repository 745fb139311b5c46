"""Patterns for command lines: read and kept, and told apart only in whether they mean every command.

A command line that cannot be taken apart is covered by a pattern for every command and no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.errors import RuleSyntaxError
from sayso.policy.patterns.expression import Expression, compile_expression


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """One pattern for command lines: its words, or a regular expression, and whether it is `*`."""

    words: tuple[str, ...] = ()
    expression: Expression | None = None

    @property
    def everything(self) -> bool:
        """Whether it means every command."""
        return self.words == ("*",)


def compile_command(text: str) -> CommandPattern:
    """Read a pattern for command lines; raises RuleSyntaxError with the column of the fault."""
    if not text.strip():
        raise RuleSyntaxError("the command is empty", "write `*` for every command")
    if len(text) > 2 and text[0] == text[-1] == "/":
        return CommandPattern(expression=compile_expression(text[1:-1], column=2))
    words = _words(text)
    if words[-1].endswith(":*") and len(words[-1]) > 2:
        words[-1:] = [words[-1][:-2], "*"]
    elif words == [":*"]:
        words = ["*"]
    return CommandPattern(tuple(words))


def _words(text: str) -> list[str]:
    """The words of a pattern, with quotes and backslashes as a shell reads them."""
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
