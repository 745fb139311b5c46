"""The closures that conditions are made of: values that are read, and how they may be compared.

A missing value, or two of different types, is a failure and never a silent answer (POL-14). Only a
`none` that stands in the condition itself may be compared with a value of any type: who writes it asks
whether there is a value at all.
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


class Missing(ConditionFailed):
    """What a condition looks at is not there: `default` and `is defined` answer for it."""


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
        """The argument of the call; raises Missing if it has none of that name."""
        try:
            return call.arguments[self.name]
        except KeyError:
            raise Missing(f"the argument `{self.name}` is missing") from None

    def part(self, step: str | int) -> Path:
        """The path to a part of the argument."""
        return Path((self.name, step))


class Path:
    """A path of names and numbers into the arguments; an empty one is all of them."""

    __slots__ = ("shown", "steps")

    def __init__(self, steps: tuple[str | int, ...]) -> None:
        self.steps = steps
        self.shown = "input" + "".join(f"[{step!r}]" for step in steps)

    def __call__(self, call: ToolCall) -> Any:
        """What stands there; raises Missing if nothing does."""
        value: Any = call.arguments
        for step in self.steps:
            value = part(value, step, self.shown)
        return value

    def part(self, step: str | int) -> Argument | Path:
        """The path one step on."""
        if not self.steps and isinstance(step, str):
            return Argument(step)
        return Path((*self.steps, step))


class Part:
    """A part, by name or number, of a value that no path leads to."""

    __slots__ = ("shown", "step", "whole")

    def __init__(self, whole: Value, step: Value, shown: str) -> None:
        self.whole = whole
        self.step = step
        self.shown = shown

    def __call__(self, call: ToolCall) -> Any:
        """The part; raises Missing if there is none, ConditionFailed if the value has no parts."""
        return part(self.whole(call), self.step(call), self.shown)


def part(whole: Any, step: Any, shown: str) -> Any:
    """A part of an object by name, of a list or text by number from either end.

    Raises Missing if there is none, ConditionFailed for a value that has no parts of that sort: a name is
    looked for in an object only.
    """
    if isinstance(whole, Mapping) and isinstance(step, str):
        if step in whole:
            return whole[step]
    elif (
        isinstance(whole, (list, tuple, str))
        and isinstance(step, int)
        and not isinstance(step, bool)
    ):
        if -len(whole) <= step < len(whole):
            return whole[step]
    elif isinstance(step, bool) or not isinstance(step, (str, int)):
        raise ConditionFailed(f"a value of type `{kind_of(step)}` names no part of `{shown}`")
    else:
        sort = "names" if isinstance(step, str) else "numbers"
        raise ConditionFailed(
            f"`{shown}`: a value of type `{kind_of(whole)}` has no parts with {sort}"
        )
    raise Missing(f"`{shown}` is missing")


def truth(value: Value) -> Condition:
    """The value as a condition; one that is neither true nor false fails."""
    if getattr(value, "is_condition", False):
        return value

    def check(call: ToolCall) -> bool:
        answer = value(call)
        if answer is True or answer is False:
            return bool(answer)
        raise ConditionFailed(
            f"a value of type `{kind_of(answer)}` stands where true or false must"
        )

    return marked(check)


def marked(condition: Condition) -> Condition:
    """The closure, known from now on to answer true or false."""
    condition.is_condition = True  # type: ignore[attr-defined]
    return condition


def some(conditions: list[Condition]) -> Condition:
    """True if one of the conditions is; those after it are not asked."""
    if len(conditions) == 2:
        first, second = conditions
        return marked(lambda call: first(call) or second(call))
    return marked(lambda call: any(condition(call) for condition in conditions))


def every(conditions: list[Condition]) -> Condition:
    """True if all conditions are; those after a false one are not asked."""
    if len(conditions) == 2:
        first, second = conditions
        return marked(lambda call: first(call) and second(call))
    return marked(lambda call: all(condition(call) for condition in conditions))


def negate(inner: Condition) -> Condition:
    """True if the condition is false."""
    return marked(lambda call: not inner(call))


def choice(condition: Condition, then: Value, otherwise: Value) -> Value:
    """One value or the other; the one that is not chosen is not computed."""
    return lambda call: then(call) if condition(call) else otherwise(call)


def compare_values(left: Value, right: Value, word: str) -> Condition:
    """Two values of one type compared by a sign."""
    compare = COMPARISONS[word]
    ordered = word not in ("==", "!=")
    if not ordered and (is_none(left) or is_none(right)):
        return marked(lambda call: compare(left(call), right(call)))
    if isinstance(right, Literal):
        kinds = _fast_kinds(right.value, ordered=ordered)
        if kinds and isinstance(left, Argument):
            return _compare_argument(left.name, right.value, compare, kinds, ordered=ordered)
        if kinds and isinstance(left, Path) and len(left.steps) == 2:
            return _compare_part(left, right.value, compare, kinds, ordered=ordered)

    def check(call: ToolCall) -> bool:
        a, b = left(call), right(call)
        _comparable(a, b, ordered=ordered)
        return compare(a, b)

    return marked(check)


def is_none(value: Value) -> bool:
    """Whether `none` stands there in the condition itself."""
    return isinstance(value, Literal) and value.value is None


def compared(a: Any, b: Any, word: str, *, with_none: bool = False) -> bool:
    """Two values compared by a sign or `in`; raises ConditionFailed where their types differ.

    `with_none` tells that one of them is a `none` in the condition itself.
    """
    if word == "in":
        return holds(b, a)
    ordered = word not in ("==", "!=")
    if ordered or not with_none:
        _comparable(a, b, ordered=ordered)
    return COMPARISONS[word](a, b)


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
            raise Missing(f"the argument `{name}` is missing") from None
        if type(value) not in kinds:
            _comparable(value, literal, ordered=ordered)
        return compare(value, literal)

    return marked(check)


def _compare_part(
    path: Path,
    literal: Any,
    compare: Callable[[Any, Any], bool],
    kinds: frozenset[type],
    *,
    ordered: bool,
) -> Condition:
    first, second = path.steps

    def check(call: ToolCall) -> bool:
        try:
            value = call.arguments[first][second]  # type: ignore[index]
        except (LookupError, TypeError):
            value = path(call)
        if type(value) not in kinds:
            _comparable(value, literal, ordered=ordered)
        return compare(value, literal)

    return marked(check)


def _fast_kinds(literal: Any, *, ordered: bool) -> frozenset[type]:
    """The types that compare with the literal without a second look."""
    if isinstance(literal, bool):
        return frozenset() if ordered else frozenset({bool})
    if isinstance(literal, (int, float)):
        return frozenset({int, float})
    return frozenset({str}) if isinstance(literal, str) else frozenset()


def _comparable(a: Any, b: Any, *, ordered: bool) -> None:
    if kind_of(a) != kind_of(b):
        raise ConditionFailed(f"`{kind_of(a)}` cannot be compared with `{kind_of(b)}`")
    if kind_of(a) not in (("number", "text") if ordered else ("number", "text", "boolean", "none")):
        raise ConditionFailed(f"two values of type `{kind_of(a)}` cannot be compared")


def member(left: Value, right: Value) -> Condition:
    """Whether a text, list or object holds a value."""
    if isinstance(right, Literal) and isinstance(right.value, list):
        return _one_of(left, right.value)
    return marked(lambda call: holds(item=left(call), whole=right(call)))


def _one_of(left: Value, whole: list[Any]) -> Condition:
    """`in` for a list that is known when the rule is loaded: one look into a set of the same type."""
    if not all(isinstance(item, (str, int, float)) for item in whole):
        return marked(lambda call: holds(whole, left(call)))
    texts = frozenset(item for item in whole if type(item) is str)
    numbers = frozenset(item for item in whole if type(item) in (int, float))
    found: dict[type, frozenset[Any]] = {str: texts} if texts else {}
    if numbers:
        found.update({int: numbers, float: numbers})

    def check(call: ToolCall) -> bool:
        item = left(call)
        alike = found.get(type(item))
        return holds(whole, item) if alike is None else item in alike

    if not isinstance(left, Argument):
        return marked(check)
    name = left.name

    def check_argument(call: ToolCall) -> bool:
        try:
            item = call.arguments[name]
        except KeyError:
            raise Missing(f"the argument `{name}` is missing") from None
        alike = found.get(type(item))
        return holds(whole, item) if alike is None else item in alike

    return marked(check_argument)


def holds(whole: Any, item: Any) -> bool:
    """Whether a text, list or object holds a value; raises ConditionFailed where it could not."""
    if isinstance(whole, (str, Mapping)) and isinstance(item, str):
        return item in whole
    if isinstance(whole, (list, tuple)) and not isinstance(item, (list, tuple, Mapping)):
        alike = [other for other in whole if kind_of(other) == kind_of(item)]
        if whole and not alike:
            raise ConditionFailed(f"the list holds nothing of type `{kind_of(item)}`")
        return any(item == other for other in alike)
    raise ConditionFailed(f"`{kind_of(item)}` cannot be looked for in `{kind_of(whole)}`")


def kind_of(value: Any) -> str:
    """The type of a value in the words of conditions."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, (list, tuple)) else "object"
