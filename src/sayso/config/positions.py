"""Where each key and value of a TOML text stands, so that an error can name line and column.

The text has been parsed by `tomllib` before, so that only valid TOML comes here: this scanner finds
places and reads no values. (`tomllib` keeps no positions, and tomlkit none that can be asked for.)
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
"""The way to a key or an element: names of tables and keys, numbers of array elements from 0."""

Position = tuple[int, int]
"""Line and column, both from 1, the column in characters."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The places in one text: of keys (and table headers), and of values."""

    text: str
    keys: dict[Path, int] = field(default_factory=dict)
    values: dict[Path, int] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def of_key(self, path: Path) -> Position:
        """Where the key or header stands; where its nearest parent does, if it has no place."""
        return self._nearest(self.keys, path)

    def of_value(self, path: Path) -> Position:
        """Where the value begins; where its key stands, if it has no place."""
        if path in self.values:
            return self._position(self.values[path])
        return self._nearest(self.keys, path)

    def inside(self, path: Path, column: int) -> Position:
        """Where the so many-th character (from 1) of a text value stands.

        Exact for a text on one line without escapes; else where the value begins.
        """
        at = self.values.get(path)
        if at is None:
            return self.of_value(path)
        quote = self.text[at]
        literal = _SIMPLE.match(self.text, at)
        if literal is None or (quote == '"' and "\\" in literal.group()):
            return self._position(at)
        return self._position(min(at + column, literal.end() - 1))

    def end_of_text(self, path: Path) -> int:
        """Where a text value has ended, as a place in the text from 0; raises KeyError for other values."""
        found = _STRING.match(self.text, self.values[path])
        if found is None:
            raise KeyError(path)
        return found.end()

    def _nearest(self, places: dict[Path, int], path: Path) -> Position:
        while path and path not in places:
            path = path[:-1]
        return self._position(places[path]) if path else (1, 1)

    def _position(self, at: int) -> Position:
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(found.end() for found in _LINE_END.finditer(self.text))
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def find_positions(text: str) -> Positions:
    """The places in a valid TOML text."""
    return _Scanner(text).scan()


_LINE_END = re.compile(r"\n")
_SIMPLE = re.compile(r"\"(?!\"\")(?:[^\"\\\n]|\\.)*\"|'(?!'')[^'\n]*'")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'", re.DOTALL
)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found = Positions(text)
        self._array_tables: dict[Path, int] = {}

    def scan(self) -> Positions:
        """Go through the whole text."""
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self._found

    def _header(self) -> Path:
        begin = self._at
        many = self._text.startswith("[[", self._at)
        self._at += 2 if many else 1
        path: Path = ()
        names = self._key()
        for number, name in enumerate(names):
            path = (*path, name)
            if many and number == len(names) - 1:
                self._array_tables[path] = self._array_tables.get(path, -1) + 1
            self._found.keys.setdefault(path, begin)
            if path in self._array_tables:
                path = (*path, self._array_tables[path])
                self._found.keys.setdefault(path, begin)
        self._at += 2 if many else 1
        return path

    def _key(self) -> list[str]:
        """A key, possibly dotted, with the spaces around it."""
        names = []
        while True:
            self._skip(_SPACE)
            quoted = _STRING.match(self._text, self._at)
            if quoted is not None:
                names.append(str(tomllib.loads(f"x = {quoted.group()}")["x"]))
                self._at = quoted.end()
            else:
                names.append(self._skip(_BARE_KEY))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return names
            self._at += 1

    def _pair(self, table: Path) -> None:
        begin = self._at
        path = table
        for name in self._key():
            path = (*path, name)
            self._found.keys.setdefault(path, begin)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Path) -> None:
        self._found.values[path] = self._at
        opening = self._text[self._at : self._at + 1]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        elif (text := _STRING.match(self._text, self._at)) is not None:
            self._at = text.end()
        else:
            self._skip(_SCALAR)

    def _array(self, path: Path) -> None:
        self._at += 1
        number = 0
        self._skip(_BLANK)
        while self._text[self._at] != "]":
            self._value((*path, number))
            number += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip(_BLANK)
        while self._text[self._at] != "}":
            self._pair(path)
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError(f"no valid TOML at character {self._at}")
        self._at = found.end()
        return found.group()
