"""Filters, tests and methods of conditions: looked up when a rule is read, run on what is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sayso.core.call import ToolCall
from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import (
    Condition,
    Literal,
    Missing,
    Value,
    compare_values,
    is_none,
    marked,
    member,
    part,
    truth,
)
from sayso.policy.minijinja_operations import (
    COMPARING_TESTS,
    FILTERS,
    METHODS,
    TESTS,
    Operation,
    items_of,
    run_test,
)

_CHOOSING = {"select": True, "reject": False, "selectattr": True, "rejectattr": False}
_WHERE = "docs/reference/rules.md lists the {} there are"


def apply(operation: Callable[..., Any], *values: Value) -> Value:
    """An operation over values, each computed for the call first."""
    return lambda call: operation(*[value(call) for value in values])


def listed(items: Sequence[Value]) -> Value:
    """A list of values; one of literals alone is a literal."""
    if all(isinstance(item, Literal) for item in items):
        return Literal([item.value for item in items if isinstance(item, Literal)])
    return lambda call: [item(call) for item in items]


def default(value: Value, instead: Value) -> Value:
    """The value, or another where it is missing."""

    def read(call: ToolCall) -> Any:
        try:
            return value(call)
        except Missing:
            return instead(call)

    return read


def is_there(value: Value) -> Condition:
    """Whether the value is not missing."""

    def check(call: ToolCall) -> bool:
        try:
            value(call)
        except Missing:
            return False
        return True

    return marked(check)


def filtered(
    name: str, value: Value, given: Sequence[Value], named: Mapping[str, Value], place: int
) -> Value:
    """A value through a filter; raises RuleSyntaxError for one that is not known or used wrongly."""
    if name == "map":
        return _mapped(value, given, named, place)
    if name in _CHOOSING and not named:
        return _chosen(name, value, given, place)
    return _operation("filter", FILTERS, name, value, given, named, place)


def called(
    name: str, value: Value, given: Sequence[Value], named: Mapping[str, Value], place: int
) -> Value:
    """A method of a value; raises RuleSyntaxError for one that is not known or used wrongly."""
    return _operation("method", METHODS, name, value, given, named, place)


def tested(name: str, value: Value, given: Sequence[Value], place: int) -> Condition:
    """Whether a test of the value holds; raises RuleSyntaxError for one that is not known."""
    _check_test(name, len(given), place)
    word = COMPARING_TESTS.get(name)
    if word is not None:
        return member(value, given[0]) if word == "in" else compare_values(value, given[0], word)
    return truth(apply(lambda *values: run_test(name, *values), value, *given))


def wrong_arguments(name: str, place: int, takes: str) -> RuleSyntaxError:
    """The error for arguments that do not fit; `place` counts from 0."""
    return RuleSyntaxError(f"`{name}` takes {takes}", _WHERE.format("filters"), column=place + 1)


def _operation(
    kind: str,
    table: Mapping[str, Operation],
    name: str,
    value: Value,
    given: Sequence[Value],
    named: Mapping[str, Value],
    place: int,
) -> Value:
    operation = table.get(name)
    if operation is None:
        raise _unknown(kind, name, place)
    if named:
        raise wrong_arguments(name, place, "no values with names")
    _check_count(name, operation, len(given), place)
    return apply(operation, value, *given)


def _check_count(name: str, operation: Operation, given: int, place: int) -> None:
    least, most = operation.needed - 1, len(operation.kinds) - 1
    if not least <= given <= most:
        takes = str(most) if least == most else f"{least} to {most}"
        raise wrong_arguments(name, place, f"{takes} values in brackets")


def _check_test(name: str, given: int, place: int) -> None:
    if name in COMPARING_TESTS:
        if given != 1:
            raise wrong_arguments(name, place, "one value")
        return
    if name not in TESTS:
        raise _unknown("test", name, place)
    _check_count(name, TESTS[name], given, place)


def _unknown(kind: str, name: str, place: int) -> RuleSyntaxError:
    return RuleSyntaxError(
        f"the {kind} `{name}` is not supported in a condition",
        _WHERE.format(f"{kind}s"),
        column=place + 1,
    )


def _mapped(value: Value, given: Sequence[Value], named: Mapping[str, Value], place: int) -> Value:
    """`map("upper")` and `map(attribute="price")`: every item through a filter, or a part of it."""
    if not given and set(named) == {"attribute"}:
        steps = _steps("map", named["attribute"], place)
        return apply(lambda whole: [_inside(item, steps) for item in items_of(whole, "map")], value)
    if not given or named:
        raise wrong_arguments("map", place, "the name of a filter, or `attribute=` and a name")
    name = _literal("map", given[0], place)
    operation = FILTERS.get(name)
    if operation is None:
        raise _unknown("filter", name, place)
    _check_count(name, operation, len(given) - 1, place)

    def run(whole: Any, *values: Any) -> list[Any]:
        return [operation(item, *values) for item in items_of(whole, "map")]

    return apply(run, value, *given[1:])


def _chosen(name: str, value: Value, given: Sequence[Value], place: int) -> Value:
    """`select`, `reject`, `selectattr`, `rejectattr`: the items of which a test holds, or does not."""
    wanted = _CHOOSING[name]
    steps: tuple[str | int, ...] = ()
    if name.endswith("attr"):
        if not given:
            raise wrong_arguments(name, place, "a name, a test and its value")
        steps, given = _steps(name, given[0], place), given[1:]
    if not given:
        given = [Literal("eq"), Literal(value=True)]
    test = _literal(name, given[0], place)
    _check_test(test, len(given) - 1, place)
    with_none = any(is_none(one) for one in given[1:])

    def run(whole: Any, *values: Any) -> list[Any]:
        return [
            item
            for item in items_of(whole, name)
            if run_test(test, _inside(item, steps), *values, with_none=with_none) is wanted
        ]

    return apply(run, value, *given[1:])


def _inside(item: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        item = part(item, step, f"an item's `{step}`")
    return item


def _steps(name: str, value: Value, place: int) -> tuple[str | int, ...]:
    written = _literal(name, value, place)
    return tuple(int(step) if step.isdigit() else step for step in written.split("."))


def _literal(name: str, value: Value, place: int) -> str:
    """A name that stands in the condition itself: what a filter does is not for arguments to say."""
    if isinstance(value, Literal) and isinstance(value.value, str):
        return value.value
    raise wrong_arguments(name, place, "a name in quotes")
