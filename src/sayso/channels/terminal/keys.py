"""Keys from the bytes of a terminal: what a person pressed, and never what the terminal reports.

A program can make a terminal answer (with its title, say) as if somebody had typed it. Such reports
come as escape sequences, and those are swallowed whole, whatever letters they hold.
"""

from __future__ import annotations

import codecs
from enum import Enum, auto

ENTER = "enter"
BACKSPACE = "backspace"
ESCAPE = "escape"
ERASE_LINE = "erase-line"

_NAMED = {
    "\r": ENTER,
    "\n": ENTER,
    "\x7f": BACKSPACE,
    "\x08": BACKSPACE,
    "\x15": ERASE_LINE,
}
_STRING_STARTERS = "]PX^_"
_C1 = {"\x9b": "[", "\x8f": "O", "\x9d": "]", "\x90": "P", "\x98": "X", "\x9e": "^", "\x9f": "_"}


class _State(Enum):
    GROUND = auto()
    ESCAPED = auto()
    CONTROL = auto()
    SHIFTED = auto()
    STRING = auto()
    STRING_ESCAPED = auto()


class KeyReader:
    """Turns bytes into keys: single characters, or one of the names of this module."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._state = _State.GROUND

    @property
    def unfinished(self) -> bool:
        """Whether an escape sequence has begun and not ended."""
        return self._state is not _State.GROUND

    def feed(self, data: bytes) -> list[str]:
        """The keys that these bytes complete."""
        return [key for char in self._decoder.decode(data) if (key := self._next(char))]

    def pause(self) -> list[str]:
        """Nothing came for a while: a lone escape was the key, an unfinished sequence is dropped."""
        alone = self._state is _State.ESCAPED
        self._decoder.reset()
        self._state = _State.GROUND
        return [ESCAPE] if alone else []

    def _next(self, char: str) -> str | None:
        match self._state:
            case _State.GROUND:
                return self._ground(char)
            case _State.ESCAPED:
                self._state = self._after_escape(char)
            case _State.CONTROL:
                if "@" <= char <= "~":
                    self._state = _State.GROUND
                elif char == "\x1b":
                    self._state = _State.ESCAPED
            case _State.SHIFTED:
                self._state = _State.GROUND
            case _State.STRING:
                if char in "\x07\x9c\x18\x1a":
                    self._state = _State.GROUND
                elif char == "\x1b":
                    self._state = _State.STRING_ESCAPED
            case _State.STRING_ESCAPED:
                self._state = _State.GROUND if char == "\\" else self._after_escape(char)
        return None

    def _ground(self, char: str) -> str | None:
        if char == "\x1b":
            self._state = _State.ESCAPED
            return None
        if char in _C1:
            self._state = self._after_escape(_C1[char])
            return None
        if char in _NAMED:
            return _NAMED[char]
        return char if char.isprintable() else None

    @staticmethod
    def _after_escape(char: str) -> _State:
        if char == "[":
            return _State.CONTROL
        if char == "O":
            return _State.SHIFTED
        if char in _STRING_STARTERS:
            return _State.STRING
        return _State.ESCAPED if char == "\x1b" else _State.GROUND
