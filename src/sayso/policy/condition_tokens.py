"""The words that a condition is made of, with the column of each (POL-14)."""

from __future__ import annotations

import re
from typing import NamedTuple

from sayso.errors import RuleSyntaxError

KEYWORDS = frozenset({"and", "or", "not", "in", "is", "if", "else"})
LITERAL_NAMES = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "none": None,
    "None": None,
    "null": None,
}

MAX_OPERATIONS = 64
"""How many parts, filters, tests, methods and calculations one condition may have."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>\{\{|\}\}|\{%|%\}|\{\#|\#\}|==|!=|<=|>=|//|\*\*|[<>()\[\].,|=:+*/%~-])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"(?P<units>(?:\\u[0-9a-fA-F]{4})+)|\\(?:x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[0-7]{1,3})|(?P<one>.))",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ITSELF = frozenset("\\'\"/")


class Token(NamedTuple):
    """One word: its kind (`number`, `text`, `name`, `sign` or `end`), its text, and where it begins."""

    kind: str
    word: str
    place: int


def tokens(text: str) -> list[Token]:
    """The words of a condition; raises RuleSyntaxError with the column of what is none."""
    found: list[Token] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            place = position + len(text[position:]) - len(text[position:].lstrip())
            raise unsupported(text[place], place)
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return found


class Words:
    """The words of a condition, taken one after the other; `counted` holds how many operations it has."""

    def __init__(self, text: str, counted: list[int] | None = None) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.counted = counted if counted is not None else [0]

    def peek(self, ahead: int = 0) -> Token:
        """The next word, or one further ahead."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("end", "", len(self.text))

    def take(self, *words: str) -> str | None:
        """The next word, taken if it is one of these."""
        kind, word, _ = self.peek()
        if kind in ("name", "sign") and word in words:
            self.at += 1
            return word
        return None

    def need(self, word: str) -> None:
        """Take a word; raises RuleSyntaxError if another comes."""
        if self.take(word) is None:
            _, found, place = self.peek()
            shown = f"`{found}`" if found else "the end"
            raise RuleSyntaxError(
                f"expected `{word}` instead of {shown} in the condition", column=place + 1
            )

    def name(self) -> Token:
        """Take a name; raises RuleSyntaxError if something else comes."""
        token = self.peek()
        if token.kind != "name":
            raise unsupported(token.word or "the end", token.place)
        self.at += 1
        return token

    def count(self) -> None:
        """Count one operation more; raises RuleSyntaxError when a condition would take too long."""
        self.counted[0] += 1
        if self.counted[0] > MAX_OPERATIONS:
            raise RuleSyntaxError(
                f"the condition has more than {MAX_OPERATIONS} operations",
                "split it into several rules",
                column=self.peek().place + 1,
            )


def number(word: str) -> int | float:
    """The number a word stands for."""
    return int(word) if word.isdigit() else float(word)


def plain_text(written: str, place: int) -> str:
    """What a text says that stands between quotes, its escapes read as MiniJinja reads them.

    A character beyond the first 65,536 is two `\\u…`. Raises RuleSyntaxError with the column of the text,
    which begins at `place` (counted from 0), for half of one and for what is no character.
    """

    def refuse(found: re.Match[str], what: str) -> RuleSyntaxError:
        hint = "write the character itself"
        return RuleSyntaxError(f"`{found[0]}` is {what}", hint, column=place + 1)

    def read(found: re.Match[str]) -> str:
        if found["units"]:
            try:
                return bytes.fromhex(found[0].replace("\\u", "")).decode("utf-16-be")
            except UnicodeDecodeError:
                raise refuse(found, "half a character") from None
        if found["hex"] or found["octal"]:
            code = int(found["hex"], 16) if found["hex"] else int(found["octal"], 8)
            if code > 0xFF:
                raise refuse(found, "no character")
            return chr(code)
        character = found["one"]
        if character in "ux":
            raise refuse(found, "no character without its digits")
        return _ESCAPES.get(character) or (character if character in _ITSELF else found[0])

    return _ESCAPE.sub(read, written)


def unsupported(word: str, place: int) -> RuleSyntaxError:
    """The error for what is not supported at a place (counted from 0)."""
    if word in ("{%", "{#"):
        hint = "a condition is one expression, without statements or comments"
    else:
        hint = (
            "use comparisons, `and`, `or`, `not`, `in`, arithmetic, filters and paths into `input`"
        )
    return RuleSyntaxError(f"`{word}` is not supported in a condition", hint, column=place + 1)
