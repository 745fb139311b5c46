"""Conditions of rules (`when`, `unless`), compiled once to type-checked closures (POL-14).

The grammar, over `input` (the call's arguments), `tool`, `agent`, `source` and `user`:

    or       = and ("or" and)*
    and      = not ("and" not)*
    not      = "not" not | compare
    compare  = value [("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in") value]
    value    = path | literal | "(" or ")" | "{{" or "}}"
    path     = name ("." name | "[" (number | text) "]")*
    literal  = number | text | "true" | "false" | "none" | "[" literal, … "]"

A missing argument, or a comparison of different types, is a failure and never a silent answer.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from sayso.core.call import ToolCall
from sayso.errors import RuleSyntaxError

Condition = Callable[[ToolCall], bool]
_Value = Callable[[ToolCall], Any]

MAX_LENGTH = 4096
MAX_DEPTH = 32


class ConditionFailed(Exception):
    """A condition could not be answered for this call; the message says why."""


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>\{\{|\}\}|==|!=|<=|>=|[<>()\[\].,])
    )""",
    re.VERBOSE,
)
_ROOTS: dict[str, _Value] = {
    "tool": lambda call: call.written_name,
    "agent": lambda call: call.agent_id,
    "source": lambda call: call.source,
    "user": lambda call: call.user_id,
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def compile_condition(text: str) -> Condition:
    """Compile a condition; raises RuleSyntaxError with the column of what cannot be read."""
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(f"the condition is longer than {MAX_LENGTH} characters")
    parser = _Parser(text)
    value = parser.alternatives(0)
    parser.expect_end()
    return _truth(value)


def failing(reason: str) -> Condition:
    """A condition that always fails, for one that could not be compiled."""

    def fail(call: ToolCall) -> bool:
        del call
        raise ConditionFailed(reason)

    return fail


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        position = 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            if found is None:
                place = position + len(text[position:]) - len(text[position:].lstrip())
                raise _unsupported(text[place], place)
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind], found.start(kind)))
            position = found.end()
        self.at = 0

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", len(self.text))

    def take(self, *words: str) -> str | None:
        kind, word, _ = self.peek()
        if kind in ("name", "sign") and word in words:
            self.at += 1
            return word
        return None

    def need(self, word: str) -> None:
        if self.take(word) is None:
            _, found, place = self.peek()
            shown = f"`{found}`" if found else "the end"
            raise RuleSyntaxError(
                f"expected `{word}` instead of {shown} in the condition", column=place + 1
            )

    def expect_end(self) -> None:
        kind, word, place = self.peek()
        if kind != "end":
            raise _unsupported(word, place)

    def alternatives(self, depth: int) -> _Value:
        if depth > MAX_DEPTH:
            raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
        value = self.conjunction(depth)
        while self.take("or"):
            value = _either(_truth(value), _truth(self.conjunction(depth)))
        return value

    def conjunction(self, depth: int) -> _Value:
        value = self.negation(depth)
        while self.take("and"):
            value = _both(_truth(value), _truth(self.negation(depth)))
        return value

    def negation(self, depth: int) -> _Value:
        if self.take("not"):
            if depth > MAX_DEPTH:
                raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
            return _negate(_truth(self.negation(depth + 1)))
        return self.comparison(depth)

    def comparison(self, depth: int) -> _Value:
        left = self.value(depth)
        word = self.take("==", "!=", "<", "<=", ">", ">=", "in")
        if word is None and self.peek()[1] == "not":
            self.at += 1
            self.need("in")
            word = "not in"
        if word is None:
            return left
        right = self.value(depth)
        if self.peek()[1] in _COMPARISONS:
            raise RuleSyntaxError(
                "a chain of comparisons is not supported in a condition",
                "join two comparisons with `and`",
                column=self.peek()[2] + 1,
            )
        if word == "in":
            return _member(left, right)
        if word == "not in":
            return _negate(_member(left, right))
        return _compare(left, right, word)

    def value(self, depth: int) -> _Value:
        kind, word, place = self.peek()
        closing = {"(": ")", "{{": "}}"}.get(word) if kind == "sign" else None
        if closing is not None:
            self.at += 1
            inner = self.alternatives(depth + 1)
            self.need(closing)
            return inner
        if kind == "name" and (word == "input" or word in _ROOTS):
            self.at += 1
            return self.path(word)
        if kind in ("number", "text") or word in ("[", "true", "false", "none", "null"):
            return _Literal(self.literal(depth))
        if kind == "end":
            raise RuleSyntaxError("the condition ends too early", column=place + 1)
        if kind == "name":
            raise RuleSyntaxError(
                f"`{word}` is not known in a condition",
                "conditions see `input`, `tool`, `agent`, `source` and `user`",
                column=place + 1,
            )
        raise _unsupported(word, place)

    def path(self, root: str) -> _Value:
        steps: list[str | int] = []
        while True:
            if self.take("."):
                kind, word, place = self.peek()
                if kind != "name":
                    raise _unsupported(word or ".", place)
                self.at += 1
                steps.append(word)
            elif self.take("["):
                kind, _, place = self.peek()
                step = self.literal(0)
                if isinstance(step, bool) or not isinstance(step, (str, int)):
                    raise RuleSyntaxError("an index is a number or a text", column=place + 1)
                steps.append(step)
                self.need("]")
            else:
                break
        if self.peek()[1] == "(":
            raise _unsupported("(", self.peek()[2])
        if root != "input":
            if steps:
                raise RuleSyntaxError(f"`{root}` is a text and has no parts")
            return _ROOTS[root]
        return _argument(steps)

    def literal(self, depth: int) -> Any:
        kind, word, place = self.peek()
        self.at += 1
        if kind == "number":
            return int(word) if re.fullmatch(r"-?\d+", word) else float(word)
        if kind == "text":
            if "{{" in word or "{%" in word:
                raise RuleSyntaxError(
                    "a template inside a text is not supported in a condition",
                    'compare the argument itself, such as `input.currency == "EUR"`',
                    column=place + 1,
                )
            return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), word[1:-1])
        if word in ("true", "false"):
            return word == "true"
        if word in ("none", "null"):
            return None
        if word == "[" and depth <= MAX_DEPTH:
            items: list[Any] = []
            while not self.take("]"):
                if items:
                    self.need(",")
                items.append(self.literal(depth + 1))
            return items
        raise _unsupported(word or "the end", place)


class _Literal:
    """A value known when the rule is loaded."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, call: ToolCall) -> Any:
        del call
        return self.value


class _Argument:
    """A top-level argument, the commonest path; comparisons read it without a further call."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, call: ToolCall) -> Any:
        try:
            return call.arguments[self.name]
        except KeyError:
            raise ConditionFailed(f"the argument `{self.name}` is missing") from None


def _unsupported(word: str, place: int) -> RuleSyntaxError:
    return RuleSyntaxError(
        f"`{word}` is not supported in a condition",
        "use comparisons, `and`, `or`, `not`, `in` and paths into `input`",
        column=place + 1,
    )


def _argument(steps: list[str | int]) -> _Value:
    if len(steps) == 1 and isinstance(steps[0], str):
        return _Argument(steps[0])
    shown = "input" + "".join(f"[{step!r}]" for step in steps)

    def read(call: ToolCall) -> Any:
        value: Any = call.arguments
        for step in steps:
            if isinstance(step, str) and isinstance(value, Mapping) and step in value:
                value = value[step]
            elif (
                isinstance(step, int)
                and isinstance(value, list)
                and -len(value) <= step < len(value)
            ):
                value = value[step]
            else:
                raise ConditionFailed(f"`{shown}` is missing")
        return value

    return read


def _truth(value: _Value) -> Condition:
    if getattr(value, "is_condition", False):
        return value

    def check(call: ToolCall) -> bool:
        answer = value(call)
        if answer is True or answer is False:
            return bool(answer)
        raise ConditionFailed(f"a value of type `{_type(answer)}` stands where true or false must")

    return _marked(check)


def _marked(condition: Condition) -> Condition:
    condition.is_condition = True  # type: ignore[attr-defined]
    return condition


def _either(left: Condition, right: Condition) -> Condition:
    return _marked(lambda call: left(call) or right(call))


def _both(left: Condition, right: Condition) -> Condition:
    return _marked(lambda call: left(call) and right(call))


def _negate(inner: Condition) -> Condition:
    return _marked(lambda call: not inner(call))


def _compare(left: _Value, right: _Value, word: str) -> Condition:
    compare = _COMPARISONS[word]
    ordered = word not in ("==", "!=")
    if isinstance(left, _Argument) and isinstance(right, _Literal):
        kinds = _fast_kinds(right.value)
        if kinds:
            return _compare_argument(left.name, right.value, compare, kinds, ordered=ordered)

    def check(call: ToolCall) -> bool:
        a, b = left(call), right(call)
        _comparable(a, b, ordered=ordered)
        return compare(a, b)

    return _marked(check)


def _compare_argument(
    name: str,
    literal: Any,
    compare: Callable[[Any, Any], bool],
    kinds: frozenset[type],
    *,
    ordered: bool,
) -> Condition:
    def check(call: ToolCall) -> bool:
        try:
            value = call.arguments[name]
        except KeyError:
            raise ConditionFailed(f"the argument `{name}` is missing") from None
        if type(value) not in kinds:
            _comparable(value, literal, ordered=ordered)
        return compare(value, literal)

    return _marked(check)


def _fast_kinds(literal: Any) -> frozenset[type]:
    """The types that compare with the literal without a second look."""
    if isinstance(literal, bool):
        return frozenset()
    if isinstance(literal, (int, float)):
        return frozenset({int, float})
    return frozenset({str}) if isinstance(literal, str) else frozenset()


def _comparable(a: Any, b: Any, *, ordered: bool) -> None:
    if not ordered and (a is None or b is None):
        return
    if _type(a) != _type(b):
        raise ConditionFailed(f"`{_type(a)}` cannot be compared with `{_type(b)}`")
    if _type(a) not in (("number", "text") if ordered else ("number", "text", "boolean")):
        raise ConditionFailed(f"two values of type `{_type(a)}` cannot be compared")


def _member(left: _Value, right: _Value) -> Condition:
    def check(call: ToolCall) -> bool:
        item, whole = left(call), right(call)
        if isinstance(whole, str) and isinstance(item, str):
            return item in whole
        if isinstance(whole, Mapping) and isinstance(item, str):
            return item in whole
        if isinstance(whole, list) and not isinstance(item, (list, tuple, Mapping)):
            alike = [other for other in whole if _type(other) == _type(item)]
            if whole and not alike:
                raise ConditionFailed(f"the list holds nothing of type `{_type(item)}`")
            return any(item == other for other in alike)
        raise ConditionFailed(f"`{_type(item)}` cannot be looked for in `{_type(whole)}`")

    return _marked(check)


def _type(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, (list, tuple)) else "object"
