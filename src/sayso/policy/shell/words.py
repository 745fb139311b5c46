"""What is known of a word before the line runs."""

from __future__ import annotations

from sayso.core.shell_command import ShellWord

_GLOB_SIGNS = "*?["


def literal(text: str) -> ShellWord:
    """A word that is just this text."""
    return ShellWord(text, text, text)


def is_known(word: ShellWord) -> bool:
    """Whether the word will be exactly one, and which."""
    return word.value is not None and word.pattern is None and not word.splits


def beginning(word: ShellWord) -> str:
    """What the word surely begins with."""
    if word.pattern is not None:
        return _before_signs(word.pattern)
    return word.start if word.value is None else word.value


def may_be_option(word: ShellWord) -> bool:
    """Whether the word, or one of those it becomes, may begin with `-`."""
    begins = beginning(word)
    return begins.startswith("-") or (not begins and not is_known(word)) or word.splits


def after(word: ShellWord, length: int) -> ShellWord:
    """The word without its first characters, which are known."""
    pattern = word.pattern
    if pattern is not None:
        pattern = pattern[_length_in_pattern(pattern, length) :]
    value = None if word.value is None else word.value[length:]
    return ShellWord(word.text, value, beginning(word)[length:], pattern, word.splits)


def _before_signs(pattern: str) -> str:
    found = ""
    position = 0
    while position < len(pattern) and pattern[position] not in _GLOB_SIGNS:
        position += pattern[position] == "\\"
        found += pattern[position : position + 1]
        position += 1
    return found


def _length_in_pattern(pattern: str, length: int) -> int:
    position = 0
    for _ in range(length):
        position += 2 if pattern[position : position + 1] == "\\" else 1
    return position
