"""The closures that conditions are made of: values that are read, and how they may be compared.

A missing value, or two of different types, is a failure and never a silent answer (POL-14).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from sayso.core.call import ToolCall

Condition = Callable[[ToolCall], bool]
Value = Callable[[ToolCall], Any]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ConditionFailed(Exception):
    """A condition could not be answered for this call; the message says why."""


def failing(reason: str) -> Condition:
    """A condition that always fails, for one that could not be compiled."""

    def fail(call: ToolCall) -> bool:
        del call
        raise ConditionFailed(reason)

    return fail


class Literal:
    """A value known when the rule is loaded."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, call: ToolCall) -> Any:
        """The value, whatever the call."""
        del call
        return self.value


class Argument:
    """A top-level argument, the commonest path; comparisons read it without a further call."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, call: ToolCall) -> Any:
        """The argument of the call; a missing one fails."""
        try:
            return call.arguments[self.name]
        except KeyError:
            raise ConditionFailed(f"the argument `{self.name}` is missing") from None


def argument(steps: list[str | int]) -> Value:
    """The reader of a path into the arguments."""
    if len(steps) == 1 and isinstance(steps[0], str):
        return Argument(steps[0])
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


def truth(value: Value) -> Condition:
    """The value as a condition; one that is neither true nor false fails."""
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


def some(conditions: list[Condition]) -> Condition:
    """True if one of the conditions is; those after it are not asked."""
    return _marked(lambda call: any(condition(call) for condition in conditions))


def every(conditions: list[Condition]) -> Condition:
    """True if all conditions are; those after a false one are not asked."""
    return _marked(lambda call: all(condition(call) for condition in conditions))


def negate(inner: Condition) -> Condition:
    """True if the condition is false."""
    return _marked(lambda call: not inner(call))


def compare_values(left: Value, right: Value, word: str) -> Condition:
    """Two values of one type compared by a sign."""
    compare = COMPARISONS[word]
    ordered = word not in ("==", "!=")
    if isinstance(left, Argument) and isinstance(right, Literal):
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


def member(left: Value, right: Value) -> Condition:
    """Whether a text, list or object holds a value."""

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
