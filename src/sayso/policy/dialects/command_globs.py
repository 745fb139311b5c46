"""Command patterns of other gates, in which a `*` stands for any text, as patterns of `shell(…)`.

In ours a `*` stays within its word, and a last word `*` is any further words or none. So an allow is
read word by word, which covers less, and a deny or ask also as a regular expression where that could
miss something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN = re.compile(r"[\w@%+=:,./^-]")
_SPECIAL = frozenset("\\.^$|?*+()[]{}")
_NEEDS_QUOTES = re.compile(r"[^\w@%+=:,./^*-]")


@dataclass(frozen=True, slots=True)
class GlobWord:
    """One word of a command pattern, quotes removed; `starred` where it holds a `*` for any text."""

    text: str
    starred: bool = False


def allowed_pattern(glob: str, *, optional_end: bool = True, single: bool = False) -> str | None:
    """The pattern of `shell(…)` that covers no command that the glob does not; None if none does.

    `optional_end` tells that a last ` *` may stand for nothing. `single` tells that a `?` stands for
    any character.
    """
    words = split_words(glob)
    if words is None or not words or (single and "?" in glob):
        return None
    if all(word.text == "*" for word in words):
        return None  # every command is another pattern, which the caller has to mean
    if words[-1].text == "*" and words[-1].starred:
        if len(words) > 1 and not optional_end:
            words.insert(-1, words[-1])
    elif words[-1].starred and words[-1].text.endswith("*"):
        words.append(GlobWord("*", True))
    if words[0].text != "*" and "=" in words[0].text:
        return None  # it is an assignment, which the allow would have to look past
    return write_words(words)


def allowed_prefix(prefix: str) -> str | None:
    """The pattern for the commands that begin with these words; None where they are more than plain."""
    pattern = allowed_pattern(f"{prefix} *")
    return None if re.search(r"[*'\"]", prefix) or pattern != f"{prefix} *" else pattern


def hit_patterns(glob: str, *, single: bool = False) -> list[str]:
    """The patterns of `shell(…)` that together hit every command that the glob does."""
    if not glob.replace("*", "").strip():
        return ["*"]
    patterns: list[str] = []
    plain = glob.replace("?", "*") if single else glob
    words = split_words(plain)
    spans = _spans(plain)
    if words:
        if words[-1].starred and words[-1].text != "*" and words[-1].text.endswith("*"):
            words.append(GlobWord("*", True))
        written = write_words(words)
        if written is not None:
            patterns.append(written)
    assigns = words is not None and bool(words) and "=" in words[0].text
    if spans or assigns or not patterns:
        patterns.append(text_pattern(glob, single=single))
    return patterns


def text_pattern(glob: str, *, single: bool = False, ignore_case: bool = False) -> str:
    """A regular expression for the text of a command, found wherever in a line a command can begin."""
    body = glob.strip()
    stem = body.rstrip("*").rstrip(" \t")
    pieces = []
    for character in stem.lstrip("*"):
        if character == "*":
            pieces.append(".*")
        elif character == "?" and single:
            pieces.append(".")
        elif character in " \t\n":
            pieces.append(r"\s+")
        else:
            pieces.append(f"\\{character}" if character in _SPECIAL else character)
    start = "" if body.startswith("*") else r"(?:^|\W)"
    end = "" if body.endswith("*") else r"(?:\W|$)"
    case = "(?i)" if ignore_case else ""
    text = re.sub(r"(?:\\s\+)+", r"\\s+", "".join(pieces))
    return f"/{case}{start}{text}{end}/"


def split_words(glob: str) -> list[GlobWord] | None:
    """The words of a pattern as a shell reads them; None where it is more than plain words and quotes."""
    words: list[GlobWord] = []
    text, starred, open_word = "", False, False
    position = 0
    while position < len(glob):
        character = glob[position]
        if character in " \t":
            if open_word:
                words.append(GlobWord(text, starred))
            text, starred, open_word = "", False, False
        elif character in "'\"":
            end = glob.find(character, position + 1)
            inner = glob[position + 1 : end]
            if end < 0 or "*" in inner or (character == '"' and re.search(r"[$`\\!]", inner)):
                return None
            text, open_word, position = text + inner, True, end
        elif character == "*":
            text, starred, open_word = text + "*", True, True
        elif _PLAIN.match(character):
            text, open_word = text + character, True
        else:
            return None
        position += 1
    if open_word:
        words.append(GlobWord(text, starred))
    return words


def write_words(words: list[GlobWord]) -> str | None:
    """The words in the grammar of `shell(…)`; None for one that cannot be written there."""
    written = []
    for word in words:
        if not word.starred and "*" in word.text:
            return None
        if word.text and not _NEEDS_QUOTES.search(word.text):
            written.append(word.text)
        elif word.starred or "\n" in word.text:
            return None
        elif "'" not in word.text:
            written.append(f"'{word.text}'")
        else:
            quoted = word.text.replace("\\", "\\\\").replace('"', '\\"')
            written.append(f'"{quoted}"')
    text = " ".join(written)
    if len(text) > 1 and text[0] == text[-1] == "/":
        text = f"\\{text}"  # else it would be read as a regular expression
    return text


def _spans(glob: str) -> bool:
    """Whether a `*` could stand for several words in the middle of a command."""
    body = glob.strip()
    return "*" in body.rstrip("*").rstrip(" ")
