"""How an allow matches a command: strictly, word by word (POL-13, POL-33, POL-38, POL-39)."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.patterns.command import CommandPattern
from sayso.policy.patterns.glob import Glob, glob_matches
from sayso.policy.shell.places import START
from sayso.policy.shell.program_name import trusted_name
from sayso.policy.shell.reaching import UNSURE, Reach, reaches
from sayso.policy.shell.variables import sets_harmless
from sayso.policy.shell.words import beginning, is_known, literal


def allows(pattern: CommandPattern, command: ShellCommand) -> bool:
    """Whether an allow with this pattern covers the command.

    The program is called by its bare name or lies in a folder of the system, only harmless variables
    are set for it, and each word is what the pattern says. What a wildcard covers does not reach further
    than the program itself.
    """
    if pattern.everything:
        return True
    words = command.words
    if not words or command.inherited or not is_known(words[0]):
        return False
    if command.assignments and not all(map(sets_harmless, command.assignments)):
        return False
    if pattern.expression is not None:
        return (
            not _leads_elsewhere(command)
            and pattern.expression.fullmatch(command.text)
            and _named(pattern, words)
        )
    count = len(pattern.globs)
    if len(words) < count or (len(words) > count and not pattern.open_end):
        return False
    called = words[0].value or ""
    spelled_out = called == pattern.words[0] and len(pattern.globs[0]) == 1
    if not spelled_out and not _program_fits(pattern, words[0]):
        return False
    if "/" in called and _leads_elsewhere(command):
        return False
    for place in range(1, count):
        last = place == count - 1 and not pattern.open_end
        if not _fits(pattern.globs[place], _spelled(pattern, place), words[place], last=last):
            return False
    if not pattern.open_end and pattern.exact:
        return True
    further = reaches(words)
    return not further or further <= _reaches_of(pattern)


def _spelled(pattern: CommandPattern, place: int) -> str:
    return (pattern.spelled or pattern).words[place]


def _leads_elsewhere(command: ShellCommand) -> bool:
    """Whether the program is a file below a folder that the line went to: another one than is named."""
    value = command.words[0].value or ""
    return "/" in value and not value.startswith("/") and command.places != START


def _program_fits(pattern: CommandPattern, word: ShellWord) -> bool:
    value = word.value or ""
    written, glob = pattern.words[0], pattern.globs[0]
    if "/" not in written:
        name = trusted_name(value)
        return name is not None and glob_matches(glob, name)
    if len(glob) == 1:
        return value == written or word.text in (written, _spelled(pattern, 0))
    return glob_matches(glob, value) and ".." not in value.split("/")


def _fits(glob: Glob, written: str, word: ShellWord, *, last: bool) -> bool:
    if is_known(word):
        return glob_matches(glob, word.value or "")
    if len(glob) == 1 or word.splits:
        return False
    if word.pattern is not None and (not last or "/." in word.pattern):
        return False  # it may become several words, or lead up
    if word.pattern is not None and word.text == written:
        return True
    return len(glob) == 2 and not glob[1] and beginning(word).startswith(glob[0])


@lru_cache(maxsize=4096)
def _reaches_of(pattern: CommandPattern) -> frozenset[Reach]:
    """What the fixed words of the pattern name themselves."""
    words = [
        literal(text) if len(glob) == 1 else ShellWord(text, None, glob[0])
        for text, glob in zip(pattern.words, pattern.globs, strict=False)
    ]
    return frozenset(reach for reach in reaches(tuple(words)) if reach.name != UNSURE)


def _named(pattern: CommandPattern, words: tuple[ShellWord, ...]) -> bool:
    """Whether an expression spells out each option by which the command reaches further."""
    expression = "" if pattern.expression is None else pattern.expression.text
    named = set()
    for reach in reaches(words):
        word = words[reach.place].text
        if reach.name == UNSURE or not word.startswith("-"):
            return False  # what a script or an operand does is not said by naming it
        named.add(word.partition("=")[0])
    spelled = Counter(word.text.partition("=")[0] for word in words)
    return all(
        len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", expression)) >= spelled[name]
        for name in named
    )
