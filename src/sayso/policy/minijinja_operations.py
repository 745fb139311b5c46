"""What a condition does with values beyond comparing them: one MiniJinja operation each (POL-14).

MiniJinja never sees a condition, an argument as text, or a comparison: sayso reads the condition,
computes the operands and checks their types, and MiniJinja is given one operation over variables,
such as `_0 | upper(_1)`. What it knows that is not in the tables here (methods that change an argument,
filters that compare across types, loops, includes) cannot be written. A value that does not fit, a
result that is none of JSON's types, and work beyond the bounds are failures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import minijinja

from sayso.policy.comparison import ConditionFailed, compared, kind_of

FUEL = 50_000
"""Steps that one operation may take in MiniJinja, where it walks through a list."""
MAX_SIZE = 1 << 20
"""Characters and items that one operation may make."""
MAX_ITEMS = 1_000
"""Items that a filter with a test or another filter in it (`select`, `map`) goes through."""

_ENVIRONMENT = minijinja.Environment(fuel=FUEL, undefined_behavior="strict", debug=False)

_KINDS = {"numbers": ("number",), "texts": ("text",), "alike": ("number", "text")}
"""Lists whose items are all of one of these types."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: how MiniJinja writes it, and the kinds of its operands, the first `needed` required.

    A kind is the types that may stand there, such as `text number`, or a list of one type: `numbers`,
    `texts`, `alike`. With `filled` the first operand must not be empty; `grows` marks what can make
    much of little.
    """

    written: str
    kinds: tuple[str, ...]
    needed: int
    filled: bool = False
    grows: bool = False

    def __call__(self, *values: Any) -> Any:
        """The result; raises ConditionFailed where a value does not fit or MiniJinja fails."""
        for value, kind in zip(values, self.kinds, strict=False):
            _check(value, kind, self.written)
        if self.filled and not values[0]:
            raise ConditionFailed(f"`{self.written}` has nothing to choose from")
        if self.grows:
            _check_growth(values, self.written)
        names = [f"_{number}" for number in range(len(values))]
        try:
            answer = _ENVIRONMENT.eval_expr(
                self._source(names), **dict(zip(names, values, strict=True))
            )
        except Exception as error:
            said = error.message if isinstance(error, minijinja.TemplateError) else str(error)
            raise ConditionFailed(f"`{self.written}`: {said}") from None
        return _plain(answer, self.written)

    def _source(self, names: Sequence[str]) -> str:
        first, others = names[0], names[1:]
        mark, _, word = self.written.rpartition(" ")
        if self.written == "[:]":
            return f"{first}[{':'.join(others)}]"
        if self.written.startswith("."):
            return f"{first}{self.written}({', '.join(others)})"
        if mark:
            return f"{first} {mark} {word}({', '.join(others)})"
        return f"{first} {self.written} {others[0]}" if others else f"{self.written}{first}"


def _table(pattern: str, rows: Mapping[str, str], **more: bool) -> dict[str, Operation]:
    """Operations by name; a row names the kinds of the operands, those in brackets may be left out."""
    found: dict[str, Operation] = {}
    for names, row in rows.items():
        kinds = tuple(kind.strip(" []") for kind in row.split(","))
        needed = sum(not kind.strip().startswith("[") for kind in row.split(","))
        for name in names.split():
            found[name] = Operation(pattern.format(name), kinds, needed, **more)
    return found


_ANY = "text number boolean none list object"

FILTERS: dict[str, Operation] = {
    **_table(
        "| {}",
        {
            "lower upper title capitalize lines": "text",
            "trim": "text, [text]",
            "split": "text, [text], [number]",
            "length count list": "text list object",
            "reverse": "text list",
            "items": "object",
            "string": "text number boolean",
            "int float": "text number",
            "abs": "number",
            "round": "number, [number]",
            "sum": "numbers",
            "sort unique": "alike",
        },
    ),
    **_table("| {}", {"min max": "alike", "first last": "text list"}, filled=True),
    **_table("| {}", {"join": "texts, [text]", "replace": "text, text, text"}, grows=True),
}
"""Filters that say nothing of two types and reach nothing but their operands."""

TESTS: dict[str, Operation] = _table(
    "is {}",
    {
        "string number integer float boolean none sequence mapping true false": _ANY,
        "even odd": "number",
        "divisibleby": "number, number",
        "startingwith endingwith": "text, text",
        "lower upper": "text",
    },
)

COMPARING_TESTS: dict[str, str] = {
    "eq": "==",
    "equalto": "==",
    "ne": "!=",
    "lt": "<",
    "lessthan": "<",
    "le": "<=",
    "gt": ">",
    "greaterthan": ">",
    "ge": ">=",
    "in": "in",
}
"""Tests that compare, which sayso answers itself, with the types looked at."""

METHODS: dict[str, Operation] = {
    **_table(
        ".{}",
        {
            "lower upper title capitalize splitlines": "text",
            "isalnum isalpha isascii isdigit islower isnumeric isspace isupper": "text",
            "strip lstrip rstrip": "text, [text]",
            "startswith endswith find rfind count": "text, text",
            "split": "text, [text], [number]",
            "get": "object, text, [" + _ANY + "]",
        },
    ),
    **_table(".{}", {"replace": "text, text, text", "join": "text, texts"}, grows=True),
}
"""Methods that change nothing: arguments are what will run, and `clear` or `pop` would change them."""

ARITHMETIC: dict[str, Operation] = {
    **{word: Operation(word, ("number", "number"), 2) for word in ("-", "*", "/", "//", "%", "**")},
    "~": Operation("~", ("text number", "text number"), 2, grows=True),
}
ADDITION = {
    "number": Operation("+", ("number", "number"), 2),
    "text": Operation("+", ("text", "text"), 2, grows=True),
}
AS_TEXT = Operation("| string", ("text number",), 1)
NEGATIVE = Operation("-", ("number",), 1)
SLICE = Operation("[:]", ("text list", "number none", "number none", "number none"), 4)


def add(left: Any, right: Any) -> Any:
    """Two numbers or two texts added; raises ConditionFailed for anything else."""
    return ADDITION.get(kind_of(left), ADDITION["number"])(left, right)


def run_test(name: str, value: Any, *arguments: Any, with_none: bool = False) -> bool:
    """The answer of a test of COMPARING_TESTS or TESTS; raises ConditionFailed where it has none.

    `with_none` tells that the argument is a `none` in the condition itself.
    """
    word = COMPARING_TESTS.get(name)
    if word is not None:
        return compared(value, arguments[0], word, with_none=with_none)
    return bool(TESTS[name](value, *arguments))


def items_of(value: Any, what: str) -> list[Any] | tuple[Any, ...]:
    """The items of a list that a filter goes through; raises ConditionFailed for too many or no list."""
    if not isinstance(value, (list, tuple)):
        raise ConditionFailed(f"`{what}` goes through a list, not `{kind_of(value)}`")
    if len(value) > MAX_ITEMS:
        raise ConditionFailed(f"`{what}` was stopped: the list has more than {MAX_ITEMS} items")
    return value


def _check(value: Any, kind: str, written: str) -> None:
    found = kind_of(value)
    alike = _KINDS.get(kind)
    if alike is None:
        if found not in kind.split():
            raise ConditionFailed(f"`{written}` does not take a value of type `{found}`")
        return
    if found != "list":
        raise ConditionFailed(f"`{written}` takes a list, not `{found}`")
    kinds = {kind_of(item) for item in value}
    if len(kinds) > 1 or not kinds <= set(alike):
        raise ConditionFailed(f"`{written}` takes a list of values of one type, and not these")


def _check_growth(values: Sequence[Any], written: str) -> None:
    """Refuse before it is made what would be too large: each part times the number of places for it."""
    sizes = [_size(value) + 1 for value in values]
    made = sum(sizes) if written in ("~", "+") else math.prod(sizes)
    if written in ("| replace", ".replace") and len(sizes) == 3:
        made = sizes[0] * sizes[2]
    if made > MAX_SIZE:
        raise ConditionFailed(f"`{written}` was stopped: the result could be too large")


def _plain(answer: Any, written: str) -> Any:
    """The answer as JSON's types; a number that is none, or a type that JSON has not, is a failure."""
    if answer is None or type(answer) in (bool, int):
        return answer
    if type(answer) is float and math.isfinite(answer):
        return answer
    if type(answer) is str or isinstance(answer, (list, tuple, Mapping)):
        if _size(answer) > MAX_SIZE:
            raise ConditionFailed(f"`{written}` was stopped: the result is too large")
        return answer
    raise ConditionFailed(f"`{written}` gives no number, text, list or object")


def _size(value: Any) -> int:
    """Characters of a text, or of the texts in a list and their number; objects are arguments' own."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, (list, tuple)):
        return len(value) + sum(len(item) for item in value if isinstance(item, str))
    return 1
