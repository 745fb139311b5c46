"""Regular expressions of rules, on RE2: time linear in the text, memory bounded, never a word on stderr.

What RE2 cannot match in linear time, look-around and back references, is refused when a rule is read.
"""

from __future__ import annotations

from typing import Any

import re2  # type: ignore[import-untyped]

from sayso.errors import RuleSyntaxError

MAX_LENGTH = 4096
MAX_MEMORY = 1 << 20
"""Bytes that one expression may take, compiled and while it matches; RE2 is slower beyond, not wrong."""

_NOT_LINEAR = ("(?=", "(?!", "(?<", "(?>", "(?P=", "(?P>")
_REFERRING = frozenset("123456789gk")
_UNICODE_REPLACEMENT = "\ufffd"


class Expression:
    """A compiled regular expression: `search` finds it anywhere, `fullmatch` as the whole text.

    `search` lets `.` stand for a line break too, so that a deny is not passed by one; `fullmatch` does
    not, so that an allow is not stretched by one.
    """

    __slots__ = ("_anywhere", "_whole", "text")

    def __init__(self, text: str, anywhere: Any, whole: Any) -> None:
        self.text = text
        self._anywhere = anywhere
        self._whole = whole

    def search(self, text: str) -> bool:
        """Whether the expression matches somewhere in the text."""
        return self._anywhere.search(_bytes(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """Whether the expression matches the whole text."""
        return self._whole.fullmatch(_bytes(text)) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def compile_expression(text: str, *, column: int = 1) -> Expression:
    """Compile an expression; `column` is where its first character stands in what a person wrote.

    Raises RuleSyntaxError, with the column of the fault where RE2 names it.
    """
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(
            f"the regular expression is longer than {MAX_LENGTH} characters",
            "split it into several rules",
            column=column,
        )
    try:
        return Expression(
            text, re2.compile(text, _options(any_line=True)), re2.compile(text, _options())
        )
    except (re2.error, UnicodeEncodeError) as error:
        raise _refused(text, error, column) from None


def _options(*, any_line: bool = False) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.never_capture = True
    options.dot_nl = any_line
    return options


def _bytes(text: str) -> bytes:
    """The text as RE2 reads it; half a surrogate pair is a character that only `.` and its like match."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        halves = (_UNICODE_REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)
        return "".join(halves).encode()


def _refused(text: str, error: Exception, column: int) -> RuleSyntaxError:
    said = error.args[0] if error.args else "unknown"
    message = said.decode(errors="replace") if isinstance(said, bytes) else "it is no Unicode text"
    reason, _, piece = message.partition(": ")
    if piece == "(?P" and "(?P=" in text:
        piece = "(?P="
    place = text.find(piece) if piece and piece != text else -1
    column += max(place, 0)
    written = text[place : place + 4] if place >= 0 else ""
    if written.startswith(_NOT_LINEAR) or (written[:1] == "\\" and written[1:2] in _REFERRING):
        return RuleSyntaxError(
            f"`{piece}` cannot be matched in linear time",
            "leave out look-around and back references",
            column=column,
        )
    shown = f"{reason} `{piece}`" if place >= 0 else reason
    return RuleSyntaxError(
        f"the regular expression cannot be read: {shown}",
        "a rule that starts and ends with `/` is a regular expression",
        column=column,
    )
