"""B-4: a durable round trip, one at a time and a hundred waiting, beside LangGraph and one fsync."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import uvloop

from bench.b4_contenders import LangGraph
from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    commit_seconds,
    fsync_seconds,
    interleave,
    microseconds,
    percentile,
    ratio,
    scratch,
)
from bench.ours import Ours, Trip, close_ours, open_ours
from sayso.store.sqlite import open_sqlite

ROUNDS = 12
TRIPS = 25
"""Round trips, one after the other, in each round."""

WAITING = 100
OURS_ONE, OURS_MANY = "sayso, one at a time", f"sayso, {WAITING} waiting"
GRAPH_ONE = "LangGraph SqliteSaver, one at a time"
GRAPH_MANY = f"LangGraph SqliteSaver, {WAITING} waiting"
FSYNC, COMMIT = "floor: one fsync of 4 KiB", "floor: one SQLite commit"

_NOTES = (
    """The wake is given twice: from the moment the reviewer's call has returned (what is left is the
    waiter reading how its call stands), and from the moment it began, the commit of the review
    included.""",
    f"""With {WAITING} waiting all are submitted at once, wait, are approved at once and run at once; the
    writer commits for many together. LangGraph's saver takes one after the other.""",
    """A profile of 500 trips: the time goes to Python on the event loop, not to the disk. A trip is
    four commits, 18 reads of the store (six of them of the request) and some of the outbox, three
    digests and five audit records. Writes asked for in one turn of the loop share a commit.
    LangGraph's is seven commits, and none is shared.""",
    "The event loop is uvloop, as in the server.",
)


def run(options: Options) -> Report:
    """Measure and report."""
    with (
        scratch(options, "b4-sayso") as directory,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        ours = runner.run(open_ours(open_sqlite(directory / "sayso.db"), str(directory)))
        try:
            with scratch(options, "b4-langgraph") as beside:
                graph = LangGraph(beside)
                try:
                    return _run(options, runner, ours, graph, directory)
                finally:
                    graph.close()
        finally:
            runner.run(close_ours(ours))


def _run(
    options: Options, runner: asyncio.Runner, ours: Ours, graph: LangGraph, directory: Path
) -> Report:
    single: list[Trip] = []

    def ours_one(number: int) -> float:
        del number

        async def trips() -> list[Trip]:
            return [await ours.one() for _ in range(TRIPS)]

        start = time.perf_counter()
        single.extend(runner.run(trips()))
        return (time.perf_counter() - start) / TRIPS

    def ours_many(number: int) -> float:
        del number
        start = time.perf_counter()
        runner.run(ours.many(WAITING))
        return (time.perf_counter() - start) / WAITING

    def graph_one(number: int) -> float:
        del number
        start = time.perf_counter()
        for _ in range(TRIPS):
            graph.one()
        return (time.perf_counter() - start) / TRIPS

    def graph_many(number: int) -> float:
        del number
        start = time.perf_counter()
        graph.many(WAITING)
        return (time.perf_counter() - start) / WAITING

    contenders: dict[str, Callable[[int], float]] = {
        OURS_ONE: ours_one,
        GRAPH_ONE: graph_one,
        OURS_MANY: ours_many,
        GRAPH_MANY: graph_many,
        FSYNC: lambda _: fsync_seconds(directory),
        COMMIT: lambda _: commit_seconds(directory),
    }
    for warm in contenders.values():
        warm(-1)
    single.clear()
    rounds = 3 if options.quick else ROUNDS
    found = interleave(contenders, rounds, options.random("b4"))
    fsync = found[FSYNC].median
    waking = [trip.wake for trip in single]
    after = [trip.heard for trip in single]
    wake, heard = percentile(waking, 0.5), percentile(after, 0.5)
    return Report(
        id="B-4",
        title="a durable round trip",
        work=(
            "A call is submitted and needs a person, its caller waits, a person with an approver's "
            "token approves, the caller wakes, claims the call and reports its outcome; every step "
            "is on the disk (SQLite, write-ahead log, synchronous=FULL) before the next, with its "
            "audit records in the hash chain. LangGraph: a graph of one node that interrupts, and "
            "its resumption (durability `sync`, synchronous=FULL); it has no claim and no audit."
        ),
        tables=(_table(found, fsync), _wakes(waking, after, fsync)),
        goals=(
            Goal.between(
                "faster than LangGraph, one at a time",
                found[GRAPH_ONE],
                found[OURS_ONE],
                1,
                at_least=True,
            ),
            Goal.between(
                f"faster than LangGraph, {WAITING} waiting",
                found[GRAPH_MANY],
                found[OURS_MANY],
                2,
                at_least=True,
            ),
            Goal("review returned to waiter awake, p50, beside one fsync", heard / fsync, 3),
            Goal("review begun to waiter awake, p50, beside one fsync", wake / fsync, 8),
        ),
        notes=_NOTES,
        numbers={
            "ms_per_trip": {name: round(series.median * 1e3, 4) for name, series in found.items()},
            "spread": {name: round(series.spread, 2) for name, series in found.items()},
            "wake_us": {
                "review begun, p50": round(wake * 1e6, 1),
                "review begun, p99": round(percentile(waking, 0.99) * 1e6, 1),
                "review returned, p50": round(heard * 1e6, 1),
                "review returned, p99": round(percentile(after, 0.99) * 1e6, 1),
            },
        },
    )


def _table(found: dict[str, Series], fsync: float) -> Table:
    pairs = {OURS_ONE: GRAPH_ONE, OURS_MANY: GRAPH_MANY}
    rows = []
    for name, series in found.items():
        peer = pairs.get(name)
        rows.append(
            (
                name,
                f"{series.median * 1e3:.3f}",
                f"{series.calmest * 1e3:.3f}",
                f"{1 / series.median:,.0f}",
                ratio(series.median, fsync),
                "" if peer is None else ratio(found[peer].median, series.median),
                f"{series.spread:.1f}",
            )
        )
    return Table(
        "Round trips",
        (
            "",
            "ms a trip",
            "calmest round",
            "trips a second",
            "in fsyncs",
            "faster than LangGraph",
            "spread",
        ),
        tuple(rows),
    )


def _wakes(waking: list[float], after: list[float], fsync: float) -> Table:
    rows = [
        (
            name,
            microseconds(percentile(values, 0.5)),
            microseconds(percentile(values, 0.99)),
            ratio(percentile(values, 0.5), fsync),
        )
        for name, values in (
            ("review begun to waiter awake", waking),
            ("review returned to waiter awake", after),
        )
    ]
    return Table("Waking, one at a time", ("", "p50 µs", "p99 µs", "p50 in fsyncs"), tuple(rows))
