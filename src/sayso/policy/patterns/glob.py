"""A pattern with `*` for one word: matched in linear time, without regular expressions."""

from __future__ import annotations

from collections.abc import Callable

Glob = tuple[str, ...]
"""The literal pieces between the stars; one piece means there is no star."""


def parse_glob(text: str, *, escapes: bool = False) -> Glob:
    """Split a pattern at its stars; with `escapes`, `\\*` and `\\\\` are a literal star and backslash."""
    if not escapes or "\\" not in text:
        return tuple(text.split("*"))
    pieces = [""]
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\\" and text[position + 1 : position + 2] in ("*", "\\"):
            pieces[-1] += text[position + 1]
            position += 1
        elif character == "*":
            pieces.append("")
        else:
            pieces[-1] += character
        position += 1
    return tuple(pieces)


def glob_matches(glob: Glob, text: str) -> bool:
    """Whether the whole text fits; a star stands for any characters, also none."""
    if len(glob) == 1:
        return glob[0] == text
    first, last = glob[0], glob[-1]
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in glob[1:-1]:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def fold_glob(glob: Glob, fold: Callable[[str], str]) -> Glob:
    """The glob with each literal piece changed by `fold`."""
    return tuple(fold(piece) for piece in glob)
