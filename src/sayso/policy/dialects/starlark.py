"""The part of Starlark in which rule files are written: calls with literal arguments, one after another.

A file that computes anything (functions, loops, names) is refused as a whole, because what it forbids
would be lost.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from dataclasses import dataclass
from typing import NoReturn

from sayso.errors import SettingsInvalid

MAX_LENGTH = 1024 * 1024
MAX_DEPTH = 8

Value = str | bool | None | list["Value"]

_BLANK = re.compile(r"(?:[ \t\r\n]+|\\\r?\n|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SHORT = re.compile(r'[rR]?(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')', re.DOTALL)
_LONG = re.compile(r'[rR]?(?:"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\')', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_PLAIN = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_WORDS: dict[str, bool | None] = {"True": True, "False": False, "None": None}


@dataclass(frozen=True, slots=True)
class Call:
    """One call at the top of a file; `position` is `line:column`, `text` the call as written."""

    function: str
    arguments: dict[str, Value]
    position: str
    text: str


def read_calls(text: str, name: str) -> list[Call]:
    """The calls of a file; raises SettingsInvalid, with `name:line:column`, for anything else."""
    return _Reader(text.removeprefix("\ufeff"), name).read()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.at = 0
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]

    def read(self) -> list[Call]:
        if len(self.text) > MAX_LENGTH:
            self.refuse(f"the file is longer than {MAX_LENGTH} characters")
        calls = []
        self.skip()
        while self.at < len(self.text):
            calls.append(self.call())
            self.skip()
            if self.text.startswith(";", self.at):
                self.at += 1
                self.skip()
        return calls

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        raise SettingsInvalid(f"{self.name}:{self.place(self.at)}: {message}", hint)

    def place(self, at: int) -> str:
        line = bisect_right(self.lines, at)
        return f"{line}:{at - self.lines[line - 1] + 1}"

    def skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at

    def take(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self.skip()
        return True

    def call(self) -> Call:
        begin = self.at
        found = _NAME.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            self.skip()
        if found is None or not self.take("("):
            self.at = begin
            self.refuse(
                "only calls such as prefix_rule(…) are read here",
                "write out what the file computes, in a copy of it",
            )
        arguments: dict[str, Value] = {}
        while not self.text.startswith(")", self.at):
            self.argument(arguments)
            if not self.take(",") and not self.text.startswith(")", self.at):
                self.refuse("`,` or `)` is expected here")
        self.at += 1
        return Call(found[0], arguments, self.place(begin), self.text[begin : self.at])

    def argument(self, arguments: dict[str, Value]) -> None:
        begin = self.at
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.refuse("an argument with its name is expected here", 'write pattern = ["git"]')
        self.at = found.end()
        self.skip()
        if self.text.startswith("==", self.at) or not self.take("="):
            self.at = begin
            self.refuse("an argument with its name is expected here", 'write pattern = ["git"]')
        if found[0] in arguments:
            self.at = begin
            self.refuse(f"the argument `{found[0]}` stands twice")
        arguments[found[0]] = self.value(0)

    def value(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            self.refuse(f"the lists are nested deeper than {MAX_DEPTH}")
        if self.take("["):
            return self.array(depth)
        pieces = []
        while (found := self.string()) is not None:
            pieces.append(found)
        if pieces:
            return "".join(pieces)
        name = _NAME.match(self.text, self.at)
        if name is None or name[0] not in _WORDS:
            self.refuse(
                "a text or a list of texts is expected here",
                "write out what the file computes, in a copy of it",
            )
        self.at = name.end()
        self.skip()
        return _WORDS[name[0]]

    def array(self, depth: int) -> list[Value]:
        values: list[Value] = []
        while not self.take("]"):
            values.append(self.value(depth + 1))
            if not self.take(",") and not self.text.startswith("]", self.at):
                self.refuse("`,` or `]` is expected here")
        return values

    def string(self) -> str | None:
        """The text literal that stands here, with the blanks behind it; None if there is none."""
        found = _LONG.match(self.text, self.at) or _SHORT.match(self.text, self.at)
        if found is None:
            return None
        literal = found[0]
        raw = literal[0] in "rR"
        body = literal[1:] if raw else literal
        quotes = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
        body = body[quotes:-quotes]
        value = body if raw else _ESCAPE.sub(self.escaped, body)
        try:
            value.encode("utf-8")
        except UnicodeError:
            self.refuse("the text is not valid Unicode")
        self.at = found.end()
        self.skip()
        return value

    def escaped(self, found: re.Match[str]) -> str:
        code = found[1]
        if code in _PLAIN:
            return _PLAIN[code]
        number = -1
        if code[0] in "xuU" and len(code) > 1:
            number = int(code[1:], 16)
        elif code[0] in "01234567":
            number = int(code, 8)
        if not 0 <= number <= sys.maxunicode:
            self.refuse(f"the escape `\\{code}` is not known")
        return chr(number)
