"""Commands made by hand, for tests of what is done with them once a line has been taken apart."""

from __future__ import annotations

import shlex

from sayso.core.shell_command import Assignment, ShellCommand, ShellWord
from sayso.policy.shell.words import literal


def word(text: str) -> ShellWord:
    """A word: with `$` in it not known from there on, unquoted where it ends in `%`."""
    if "$" in text:
        start = text.partition("$")[0]
        return ShellWord(text, None, start, splits=text.endswith("%"))
    if "*" in text or "?" in text:
        return ShellWord(text, text, text, pattern=text)
    return literal(text)


def words(line: str) -> tuple[ShellWord, ...]:
    """The words of a line without operators, in which `$X` is not known and `$X%` may split."""
    found = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    for piece in lexer:
        found.append(word(piece) if f"'{piece}'" not in line else literal(piece))
    return tuple(found)


def command(line: str, **settings: object) -> ShellCommand:
    """A simple command, with the assignments before it."""
    found = words(line)
    assignments = []
    while found and found[0].text.partition("=")[0].isidentifier() and "=" in found[0].text:
        name, _, value = found[0].text.partition("=")
        assignments.append(Assignment(name, word(value)))
        found = found[1:]
    return ShellCommand(line, found, tuple(assignments), **settings)  # type: ignore[arg-type]
