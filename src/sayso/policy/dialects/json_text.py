"""JSON that knows where everything in it stands, with comments where a dialect allows them.

Strict otherwise: a key that stands twice is refused, because programs differ in which one counts.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from sayso.errors import SettingsInvalid

Path = tuple[str | int, ...]
"""The way to a value: keys, and numbers of array elements from 0."""

MAX_LENGTH = 1024 * 1024
MAX_DEPTH = 64

_BLANK = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_TEXT = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class JsonText:
    """Parsed JSON: `data`, and the place of each value in the text called `name`."""

    name: str
    data: Any
    places: dict[Path, tuple[int, int]] = field(repr=False)

    def position(self, path: Path) -> str:
        """`line:column` of a value; of the nearest one around it that has a place."""
        while path not in self.places:
            path = path[:-1]
        line, column = self.places[path]
        return f"{line}:{column}"

    def refuse(self, path: Path, message: str, hint: str | None = None) -> NoReturn:
        """Raise SettingsInvalid for a value, with `name:line:column`."""
        raise SettingsInvalid(f"{self.name}:{self.position(path)}: {message}", hint)

    def table(self, path: Path) -> dict[str, Any]:
        """The object at that way, empty if there is none; refuses anything else."""
        value = self._find(path, {})
        if not isinstance(value, dict):
            self.refuse(path, f"`{path[-1] if path else 'the file'}` is not an object")
        return value

    def items(self, path: Path) -> list[Any]:
        """The list at that way, empty if there is none; refuses anything else."""
        value = self._find(path, [])
        if not isinstance(value, list):
            self.refuse(path, f"`{path[-1]}` is not a list")
        return value

    def texts(self, path: Path) -> list[tuple[Path, str]]:
        """The texts of a list, each with its way; refuses a list that holds anything else."""
        found = []
        for number, item in enumerate(self.items(path)):
            if not isinstance(item, str):
                self.refuse((*path, number), f"`{path[-1]}` holds something that is not a text")
            found.append(((*path, number), item))
        return found

    def text(self, path: Path, default: str) -> str:
        """The text at that way, or the default if there is none; refuses anything else."""
        value = self._find(path, default)
        if not isinstance(value, str):
            self.refuse(path, f"`{path[-1]}` is not a text")
        return value

    def _find(self, path: Path, default: Any) -> Any:
        value = self.data
        for step in path:
            if isinstance(step, str) and isinstance(value, dict):
                if step not in value:
                    return default
                value = value[step]
            elif isinstance(step, int) and isinstance(value, list):
                value = value[step]
            else:
                self.refuse(path, "an object is expected here")
        return value


def read_json(text: str, name: str, *, comments: bool = False) -> JsonText:
    """Read a JSON text; `comments` allows comments and a comma after the last element.

    Raises SettingsInvalid, whose message begins with `name:line:column`.
    """
    return _Reader(text.removeprefix("\ufeff"), name, comments=comments).read()


class _Reader:
    def __init__(self, text: str, name: str, *, comments: bool) -> None:
        self.text = text
        self.name = name
        self.comments = comments
        self.blank = _BLANK_OR_COMMENT if comments else _BLANK
        self.at = 0
        self.places: dict[Path, tuple[int, int]] = {}
        self._line, self._begin, self._counted = 1, 0, 0

    def read(self) -> JsonText:
        if len(self.text) > MAX_LENGTH:
            self.refuse(f"the file is longer than {MAX_LENGTH} characters")
        self.skip()
        value = self.value((), 0)
        self.skip()
        if self.at < len(self.text):
            self.refuse("something stands after the end of the JSON")
        return JsonText(self.name, value, self.places)

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        line, column = self.place()
        raise SettingsInvalid(f"{self.name}:{line}:{column}: {message}", hint)

    def place(self) -> tuple[int, int]:
        """Line and column of where the reader stands, both from 1."""
        newlines = self.text.count("\n", self._counted, self.at)
        if newlines:
            self._line += newlines
            self._begin = self.text.rindex("\n", self._counted, self.at) + 1
        self._counted = self.at
        return self._line, self.at - self._begin + 1

    def skip(self) -> None:
        found = self.blank.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at

    def value(self, path: Path, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self.refuse(f"the JSON is nested deeper than {MAX_DEPTH}")
        self.places[path] = self.place()
        sign = self.text[self.at : self.at + 1]
        if sign == "{":
            return self.table(path, depth)
        if sign == "[":
            return self.array(path, depth)
        if sign == '"':
            return self.string()
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            return self.number(number)
        word = next((word for word in _WORDS if self.text.startswith(word, self.at)), None)
        if word is None:
            self.refuse("a JSON value is expected here", "the file is JSON: see https://json.org")
        self.at += len(word)
        return _WORDS[word]

    def number(self, found: re.Match[str]) -> int | float:
        if len(found[0]) > 100:
            self.refuse("the number is too long")
        self.at = found.end()
        value = json.loads(found[0])
        assert isinstance(value, (int, float))
        return value

    def string(self) -> str:
        found = _TEXT.match(self.text, self.at)
        if found is None:
            self.refuse("the text is not closed, or holds a character that JSON escapes")
        value = str(json.loads(found[0]))
        try:
            value.encode("utf-8")
        except UnicodeError:
            self.refuse("the text is not valid Unicode")
        self.at = found.end()
        return value

    def table(self, path: Path, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.more(found, "}"):
            if not self.text.startswith('"', self.at):
                self.refuse("a key in quotes is expected here")
            begin = self.at
            key = self.string()
            if key in found:
                self.at = begin
                self.refuse(f"the key `{key}` stands twice", "leave one of them out")
            self.skip()
            self.need(":")
            self.skip()
            found[key] = self.value((*path, key), depth + 1)
        return found

    def array(self, path: Path, depth: int) -> list[Any]:
        found: list[Any] = []
        while self.more(found, "]"):
            found.append(self.value((*path, len(found)), depth + 1))
        return found

    def more(self, found: dict[str, Any] | list[Any], end: str) -> bool:
        """Go to the next element; whether there is one before the closing bracket."""
        if not found:
            self.at += 1
        self.skip()
        if found and not self.text.startswith(end, self.at):
            self.need(",")
            self.skip()
            if self.text.startswith(end, self.at) and not self.comments:
                self.refuse(f"a comma stands before `{end}`")
        if self.text.startswith(end, self.at):
            self.at += 1
            return False
        return True

    def need(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            self.refuse(f"`{sign}` is expected here")
        self.at += 1
