"""B-6: ten thousand requests parked in one process, beside ten of them and beside bare futures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from statistics import median

from bench.b6_waiters import Weight, waiting_calls, waiting_futures
from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    interleave,
    microseconds,
    percentile,
    ratio,
    scratch,
)
from bench.ours import Trip
from bench.processes import Worker

ROUNDS = 12
WAKES = 25
"""Waiters woken, one after the other, in each round."""

FEW, MANY, MANY_QUICK = 10, 10_000, 1_000

_NOTES = (
    """Each of the four is a process of its own. A waiter is a task of an agent that waits for the
    decision on its call (`await_decision` over the embedded gate); who was woken is replaced before the
    next. The broker sweeps, looks again and shows its callers as present meanwhile, as it always does.""",
    """Memory: for one half of the waiters what Python has allocated from the first being parked to the
    last (`tracemalloc`), for the other by how much the process has grown (its resident set). The
    requests are in the store, before and after. A bare waiter is a task that waits for a future.""",
    """*Review begun* has the review itself and its commit in it; *review returned* is what is left from
    then on: the waiter reading how its call stands.""",
    "The asyncio loop is Python's own; the server's is uvloop.",
)


def run(options: Options) -> Report:
    """Measure and report."""
    many = MANY_QUICK if options.quick else MANY
    with scratch(options, "b6") as directory, ExitStack() as stack:
        calls, futures = {}, {}
        for count in (FEW, many):
            worker = Worker(waiting_calls, str(directory), count)
            calls[count] = stack.enter_context(worker)
            futures[count] = stack.enter_context(Worker(waiting_futures, count))
        return _run(options, calls, futures, many)


def _run(
    options: Options, calls: dict[int, Worker], futures: dict[int, Worker], many: int
) -> Report:
    trips: dict[str, list[list[Trip]]] = {}
    wakes = 5 if options.quick else WAKES

    def contender(name: str, process: Worker) -> Callable[[int], float]:
        rounds = trips[name] = []

        def measure(number: int) -> float:
            found: list[Trip] = process.ask((wakes, f"{options.seed}:{number}"))
            if number >= 0:
                rounds.append(found)
            return median(trip.wake for trip in found)

        return measure

    contenders = {
        name: contender(name, process)
        for kind, processes in ((_call, calls), (_bare, futures))
        for count, process in processes.items()
        for name in (kind(count),)
    }
    for warm in contenders.values():
        warm(-1)
    rounds = 3 if options.quick else ROUNDS
    begun = interleave(contenders, rounds, options.random("b6"))
    returned = {
        name: Series(name, [median(trip.heard for trip in found) for found in each])
        for name, each in trips.items()
    }
    weights: dict[str, Weight] = {
        _call(many): calls[many].ask("weight"),
        _bare(many): futures[many].ask("weight"),
    }
    weight = weights[_call(many)]
    few_name, many_name = _call(FEW), _call(many)
    return Report(
        id="B-6",
        title=f"{many:,} requests parked in one process",
        work=(
            f"{many:,} calls that need a person wait in one process on a SQLite file; one of them is "
            f"approved and wakes. Beside it a process in which {FEW} wait, and tasks that wait for bare "
            "futures."
        ),
        tables=(_memory(weights), _waking(begun, returned, trips)),
        goals=(
            Goal("memory a waiter, allocated", weight.allocated / 1024, 4, unit=" KiB"),
            Goal("memory a waiter, resident", weight.resident / 1024, 4, unit=" KiB"),
            *(
                Goal.between(
                    f"waking one of {many:,} beside one of {FEW}, from review {what}",
                    found[many_name],
                    found[few_name],
                    1.2,
                )
                for what, found in (("begun", begun), ("returned", returned))
            ),
        ),
        notes=_NOTES,
        numbers={
            "waiters": many,
            "bytes_a_waiter": {
                name: {"allocated": round(each.allocated), "resident": round(each.resident)}
                for name, each in weights.items()
            },
            "wake_us": {
                what: {name: round(series.median * 1e6, 2) for name, series in found.items()}
                for what, found in (("begun", begun), ("returned", returned))
            },
            "spread": {name: round(series.spread, 2) for name, series in begun.items()},
        },
    )


def _call(count: int) -> str:
    return f"sayso, one of {count:,}"


def _bare(count: int) -> str:
    return f"bare futures, one of {count:,}"


def _memory(weights: dict[str, Weight]) -> Table:
    rows = tuple(
        (name.partition(",")[0], f"{each.allocated:,.0f}", f"{each.resident:,.0f}")
        for name, each in weights.items()
    )
    return Table("Bytes a waiter", ("", "allocated", "resident"), rows)


def _waking(
    begun: dict[str, Series], returned: dict[str, Series], trips: dict[str, list[list[Trip]]]
) -> Table:
    rows = []
    for name, series in begun.items():
        every = [trip.wake for found in trips[name] for trip in found]
        few = next(base for base in begun if base.partition(",")[0] == name.partition(",")[0])
        rows.append(
            (
                name,
                microseconds(series.median),
                microseconds(percentile(every, 0.99)),
                microseconds(returned[name].median),
                ratio(series.median, begun[few].median),
                f"{series.spread:.1f}",
            )
        )
    columns = (
        "",
        "review begun to awake, µs",
        "p99",
        "review returned to awake, µs",
        f"beside one of {FEW}",
        "spread",
    )
    return Table("Waking one", columns, tuple(rows))
