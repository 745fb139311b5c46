"""B-2: a rule's condition, beside a closure written by hand and the same text given to MiniJinja.

The hand-written closure checks what a condition has to check (the argument is there, and is of the
type that it is compared with) and nothing else.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import minijinja

from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    interleave,
    microseconds,
    ratio,
)
from sayso.core.call import ToolCall
from sayso.policy.condition import compile_condition

SIZES = (10, 1_000, 100_000)
"""How many characters the longest argument of a call has."""
CALLS = 200
ROUNDS = 40
CLOSURE, OURS, BEYOND, MINIJINJA = (
    "closure by hand",
    "sayso",
    "sayso, one filter more",
    "minijinja",
)
FILTER = " and input.currency | upper == 'EUR'"

Key = tuple[str, str, int]
Answer = Callable[[ToolCall], bool]


@dataclass(frozen=True, slots=True)
class Work:
    """A condition as people write it, and as they would have written it in Python."""

    text: str
    by_hand: Answer


def amount(call: ToolCall) -> bool:
    """`input.amount > 10000`."""
    value = call.arguments["amount"]
    if type(value) not in (int, float):
        raise TypeError
    return bool(value > 10_000)


def both(call: ToolCall) -> bool:
    """`input.amount > 10000 and input.currency in ['EUR', 'USD']`."""
    arguments = call.arguments
    value = arguments["amount"]
    if type(value) not in (int, float):
        raise TypeError
    if not value > 10_000:
        return False
    currency = arguments["currency"]
    if type(currency) is not str:
        raise TypeError
    return currency in ("EUR", "USD")


def deep(call: ToolCall) -> bool:
    """`input.to.name == 'ann' or input.urgent == true`."""
    name = call.arguments["to"]["name"]
    if type(name) is not str:
        raise TypeError
    if name == "ann":
        return True
    urgent = call.arguments["urgent"]
    if type(urgent) is not bool:
        raise TypeError
    return urgent


WORK = {
    "one comparison": Work("input.amount > 10000", amount),
    "two, and a list": Work("input.amount > 10000 and input.currency in ['EUR', 'USD']", both),
    "a part of an object": Work("input.to.name == 'ann' or input.urgent == true", deep),
}


def make_calls(size: int, chance: random.Random) -> list[ToolCall]:
    """Calls with one long text among their arguments, as a file's content is, and ten short ones."""
    calls: list[ToolCall] = []
    filling = {"content": "x" * size, **{f"field{number}": number for number in range(10)}}
    for number in range(CALLS):
        arguments: dict[str, Any] = {
            **filling,
            "amount": chance.randrange(20_000),
            "currency": chance.choice(("EUR", "USD", "GBP")),
            "urgent": chance.random() < 0.5,
            "to": {"name": chance.choice(("ann", "bob")), "tags": ["a", "b"]},
        }
        calls.append(ToolCall(f"c{number}", "pay", arguments, "s", "a", "u"))
    return calls


class Course:
    """All contenders on all conditions at all sizes, and what was answered otherwise than by hand."""

    def __init__(self, options: Options) -> None:
        self.calls = {size: make_calls(size, options.random(f"calls {size}")) for size in SIZES}
        self.wrong = 0
        environment = minijinja.Environment(undefined_behavior="strict")
        self.answers: dict[tuple[str, str], Answer] = {}
        for name, work in WORK.items():
            self.answers[CLOSURE, name] = work.by_hand
            self.answers[OURS, name] = compile_condition(work.text)
            self.answers[BEYOND, name] = compile_condition(f"({work.text}){FILTER}")
            self.answers[MINIJINJA, name] = _whole(environment, work.text)

    def contenders(self) -> dict[str, Callable[[int], float]]:
        """Every contender, each as what it does in one round."""
        return {
            _label((name, condition, size)): self._round(name, condition, size)
            for name, condition in self.answers
            for size in SIZES
        }

    def _round(self, name: str, condition: str, size: int) -> Callable[[int], float]:
        answer, calls = self.answers[name, condition], self.calls[size]
        right = [WORK[condition].by_hand(call) for call in calls]
        if name == BEYOND:
            upper = [call.arguments["currency"] == "EUR" for call in calls]
            right = [one and other for one, other in zip(right, upper, strict=True)]

        def one_round(number: int) -> float:
            del number
            start = time.perf_counter()
            found = [answer(call) for call in calls]
            took = time.perf_counter() - start
            self.wrong += sum(a is not b for a, b in zip(found, right, strict=True))
            return took / len(calls)

        return one_round


def _whole(environment: minijinja.Environment, text: str) -> Answer:
    def answer(call: ToolCall) -> bool:
        found: bool = environment.eval_expr(text, input=call.arguments)
        return found

    return answer


def run(options: Options) -> Report:
    """Measure and report."""
    course = Course(options)
    contenders = course.contenders()
    for one_round in contenders.values():  # warm: the interpreter specialises what it runs often
        one_round(0)
    measured = interleave(contenders, 4 if options.quick else ROUNDS, options.random("order"))
    found: dict[Key, Series] = {
        (name, condition, size): measured[_label((name, condition, size))]
        for name, condition in course.answers
        for size in SIZES
    }
    smallest, largest = SIZES[0], SIZES[-1]
    beside = [
        Goal.between(
            f"beside the closure: {name}",
            found[OURS, name, largest],
            found[CLOSURE, name, largest],
            2,
        )
        for name in WORK
    ]
    flat = [
        Goal.between(
            f"{largest:,} characters of arguments beside {smallest}: {name}",
            found[OURS, name, largest],
            found[OURS, name, smallest],
            1.2,
        )
        for name in WORK
    ]
    return Report(
        id="B-2",
        title="a condition",
        work=f"""Conditions, and {CALLS} calls whose arguments they look at; another argument of the
        calls has 10 to 100,000 characters. Each cell is µs a condition (median over rounds of the mean
        over the calls) and, in brackets, the ratio to the closure written by hand, which checks types
        and nothing else.""",
        tables=tuple(_table(name, work, found) for name, work in WORK.items()),
        goals=(*beside, *flat),
        notes=(
            f"Every answer is compared with the closure's: {course.wrong or 'none'} differs.",
            f"""*{BEYOND}* is the condition with `{FILTER.strip()}` behind it: what comparisons and paths do
            not say is one MiniJinja operation over values that are computed and checked already.""",
            """minijinja is given the whole condition as text, as its interface for expressions wants it; it
            compares a text with a number without a word, and does less in that.""",
        ),
        numbers={
            "us_per_condition": {
                _label(key): round(series.median * 1e6, 4) for key, series in found.items()
            },
            "wrong": course.wrong,
        },
    )


def _label(key: Key) -> str:
    return f"{key[0]}: {key[1]} @ {key[2]}"


def _table(condition: str, work: Work, found: dict[Key, Series]) -> Table:
    rows = []
    for name in (CLOSURE, OURS, BEYOND, MINIJINJA):
        cells = []
        for size in SIZES:
            value, base = (
                found[name, condition, size].median,
                found[CLOSURE, condition, size].median,
            )
            cells.append(f"{microseconds(value)} ({ratio(value, base)})")
        rows.append((name, *cells))
    columns = ("", *(f"{size:,} characters" for size in SIZES))
    return Table(f"µs a condition, {condition}: `{work.text}`", columns, tuple(rows))
