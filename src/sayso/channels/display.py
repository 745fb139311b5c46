"""Faithful display: a text as runs that hide nothing, and the way back to the exact text (CH-1, P4).

A character that cannot be seen, or that moves or overprints others, becomes a mark with its code
point and name. Words that look like others keep their text and carry a warning (`look_alikes.py`).
Joined, texts and marks are the original to the last character; only `cut` leaves anything out,
and says how much.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sayso.channels.look_alikes import host_warning, warnings_in
from sayso.errors import ChannelError

MAX_COMBINING = 3
"""How many combining marks may sit on one character; those beyond it are shown as marks."""


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that show as they are; `warn` says what is odd about them, where something is."""

    text: str
    warn: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The run as the API carries it."""
        return {"text": self.text} if self.warn is None else {"text": self.text, "warn": self.warn}


@dataclass(frozen=True, slots=True)
class Mark:
    """One character that cannot be seen: `code` is `U+202E`, `name` what Unicode calls it."""

    code: str
    name: str

    @property
    def char(self) -> str:
        """The character itself."""
        return chr(int(self.code[2:], 16))

    def to_json(self) -> dict[str, Any]:
        """The run as the API carries it."""
        return {"mark": self.code, "name": self.name}


@dataclass(frozen=True, slots=True)
class Cut:
    """Where something was left out: how many characters and line ends are hidden."""

    characters: int
    lines: int

    @property
    def words(self) -> str:
        """What is hidden, in words."""
        lines = f" on {count_words(self.lines, 'more line')}" if self.lines else ""
        return f"{count_words(self.characters, 'character')} hidden{lines}"

    def to_json(self) -> dict[str, Any]:
        """The run as plain data; cards from the API never hold one."""
        return {"cut": self.characters, "lines": self.lines}


Run = Text | Mark | Cut
Shown = tuple[Run, ...]


def show(text: str, *, host: bool = False) -> Shown:
    """A text from outside as runs; `host` says that the whole text is a host name."""
    spans = warnings_in(text)
    if host and (warn := host_warning(text)) is not None:
        spans = [(0, len(text), warn)]
    runs: list[Run] = []
    at = 0
    for start, end, warn in spans:
        runs += _runs(text, at, start, None)
        runs += _runs(text, start, end, warn)
        at = end
    runs += _runs(text, at, len(text), None)
    return tuple(runs)


def restore(shown: Iterable[Run]) -> str:
    """The exact text that was shown; raises ChannelError if something was cut."""
    parts = []
    for run in shown:
        if isinstance(run, Cut):
            raise ChannelError("a cut text cannot be restored", "use the text before it was cut")
        parts.append(run.text if isinstance(run, Text) else run.char)
    return "".join(parts)


def plain(shown: Iterable[Run]) -> str:
    """The runs as plain text that is safe on any surface: marks as `[U+202E]`, warnings left out."""
    parts = []
    for run in shown:
        match run:
            case Text(text):
                parts.append(text)
            case Mark(code):
                parts.append(f"[{code}]")
            case Cut():
                parts.append(f"… [{run.words}]")
    return "".join(parts)


def one_line(shown: Shown) -> Shown:
    """The runs with line ends and tabs as marks too, so that a name cannot imitate more lines."""
    runs: list[Run] = []
    for run in shown:
        if isinstance(run, Text) and ("\n" in run.text or "\t" in run.text):
            for piece in _BREAKS.split(run.text):
                if piece in ("\n", "\t"):
                    runs.append(mark_of(piece))
                elif piece:
                    runs.append(Text(piece, run.warn))
        else:
            runs.append(run)
    return tuple(runs)


def cut(shown: Shown, characters: int, *, lines: int | None = None) -> Shown:
    """The beginning of the runs: at most so many characters and lines, then how much is hidden.

    What fits is returned as it is. A mark counts as the one character it stands for.
    """
    text = restore(shown)
    keep = min(len(text), characters)
    if lines is not None:
        at = -1
        for _ in range(lines):
            at = text.find("\n", at + 1)
            if at < 0:
                break
        if 0 <= at < keep:
            keep = at
    if keep == len(text):
        return shown
    kept: list[Run] = []
    left = keep
    for run in shown:
        if left <= 0:
            break
        if isinstance(run, Text):
            kept.append(run if len(run.text) <= left else Text(run.text[:left], run.warn))
            left -= min(left, len(run.text))
        else:
            kept.append(run)
            left -= 1
    return (*kept, Cut(len(text) - keep, text.count("\n", keep)))


def safe(text: str) -> str:
    """A text from outside as plain text that is safe on any surface, on as many lines as it has."""
    return plain(show(text))


def safe_line(text: str) -> str:
    """A text from outside as plain text that is safe on any surface, on one line."""
    return plain(one_line(show(text)))


def hidden_in(shown: Iterable[Run]) -> int:
    """How many characters are shown as marks."""
    return sum(isinstance(run, Mark) for run in shown)


def warned_in(shown: Iterable[Run]) -> int:
    """How many pieces carry a warning."""
    return sum(isinstance(run, Text) and run.warn is not None for run in shown)


def shown_json(shown: Iterable[Run]) -> list[dict[str, Any]]:
    """The runs as the API carries them."""
    return [run.to_json() for run in shown]


def shown_from_json(data: Iterable[dict[str, Any]]) -> Shown:
    """The runs from what the API carries; raises ChannelError for what is no run."""
    runs: list[Run] = []
    for item in data:
        try:
            if "mark" in item:
                runs.append(Mark(str(item["mark"]), str(item["name"])))
            elif "cut" in item:
                runs.append(Cut(int(item["cut"]), int(item["lines"])))
            else:
                text = str(item["text"])
                runs += _runs(text, 0, len(text), item.get("warn"), stray=bool(runs))
        except (KeyError, TypeError, ValueError) as error:
            raise ChannelError(f"`{item}` is not a piece of shown text") from error
    return tuple(runs)


def mark_of(char: str) -> Mark:
    """The mark that stands for a character."""
    return Mark(f"U+{ord(char):04X}", _name(char))


def count_words(number: int, noun: str) -> str:
    """`1 line`, `3 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_BREAKS = re.compile(r"([\n\t])")
_PLAIN = re.compile(r"[\t\n -~]*")


def _runs(text: str, start: int, end: int, warn: str | None, *, stray: bool = False) -> list[Run]:
    """The runs of a part of a text, all its texts with the same warning.

    `stray` lets combining marks at its beginning sit on what stands before it.
    """
    runs: list[Run] = []
    begun = at = start
    while at < end:
        found = _PLAIN.match(text, at, end)
        at = found.end() if found is not None else at
        if at >= end:
            break
        stray = stray and at - start < MAX_COMBINING and _is_combining(text[at])
        if _is_hidden(text[at]) or (_is_combining(text[at]) and not stray and not _sits(text, at)):
            if at > begun:
                runs.append(Text(text[begun:at], warn))
            runs.append(mark_of(text[at]))
            begun = at + 1
        at += 1
    if end > begun:
        runs.append(Text(text[begun:end], warn))
    return runs


def _sits(text: str, at: int) -> bool:
    """Whether the combining mark has a visible character to sit on, and not too many company."""
    base = at - 1
    while base >= 0 and at - base <= MAX_COMBINING and _is_combining(text[base]):
        base -= 1
    if base < 0 or at - base > MAX_COMBINING:
        return False
    return not text[base].isspace() and not _is_hidden(text[base])


# What Unicode calls letters, marks or symbols although nothing is drawn for them.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc"
    "\U00016fe4\U0001d159"
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


@lru_cache(maxsize=8192)
def _is_hidden(char: str) -> bool:
    if char in " \n\t":
        return False
    code = ord(char)
    return (
        unicodedata.category(char) in _HIDDEN_CATEGORIES
        or char in _BLANK
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0000 <= code <= 0xE0FFF
    )


@lru_cache(maxsize=8192)
def _is_combining(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me") and not _is_hidden(char)


_C0_NAMES = (
    "NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|BELL|"
    "BACKSPACE|TAB|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT IN|"
    "DATA LINK ESCAPE|DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|"
    "DEVICE CONTROL FOUR|NEGATIVE ACKNOWLEDGE|SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|"
    "END OF MEDIUM|SUBSTITUTE|ESCAPE|FILE SEPARATOR|GROUP SEPARATOR|RECORD SEPARATOR|UNIT SEPARATOR"
)
_C0 = _C0_NAMES.split("|")
_NAMED_CONTROLS = {
    0x7F: "DELETE",
    0x85: "NEXT LINE",
    0x90: "DEVICE CONTROL STRING",
    0x9B: "CONTROL SEQUENCE INTRODUCER",
    0x9C: "STRING TERMINATOR",
    0x9D: "OPERATING SYSTEM COMMAND",
}
_NAMELESS = {"Co": "PRIVATE USE", "Cs": "SURROGATE", "Cn": "UNASSIGNED", "Cc": "CONTROL"}


def _name(char: str) -> str:
    code = ord(char)
    if code < len(_C0):
        return _C0[code]
    nameless = _NAMELESS.get(unicodedata.category(char), "WITHOUT A NAME")
    named = _NAMED_CONTROLS.get(code)
    return unicodedata.name(char, nameless) if named is None else named
