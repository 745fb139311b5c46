"""B-5: a durable round trip over PostgreSQL and two processes, beside LangGraph, DBOS and one fsync."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from bench.b5_contenders import dbos_asks, langgraph_asks, sayso_asks
from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    fsync_seconds,
    interleave,
    microseconds,
    percentile,
    ratio,
)
from bench.ours import Trip
from bench.postgres import Server, commit_seconds, postgres
from bench.processes import Worker

ROUNDS = 12
TRIPS = 25
"""Round trips, one after the other, in each round."""

WAITING = 100
OURS, GRAPH, DBOS = "sayso", "LangGraph PostgresSaver", "DBOS"
FSYNC, COMMIT = "floor: one fsync of 4 KiB", "floor: one PostgreSQL commit"

_NOTES = (
    """Each contender is two processes on a database of its own in one server, and both are told through
    a pipe what comes next; that is inside what is timed, for all alike.""",
    """sayso: two replicas. The agent's waits in the feed and hears of the review through LISTEN and
    NOTIFY, then claims the call and reports its outcome. The wake is given twice: from the moment the
    reviewer's call has returned in the other process, and from the moment it began; the waiter may be
    awake before the review has returned.""",
    """LangGraph: one process runs the graph until it interrupts, the other resumes it and runs its
    node; nobody waits for an answer, and its saver takes one after the other, in each process. It has
    no claim and no audit.""",
    """DBOS: a workflow waits in `recv`, the other process sends it a message, a step runs and the
    result comes back. Sixteen threads start workflows, and as many send messages. It has no claim and
    no audit.""",
)


def run(options: Options) -> Report:
    """Measure and report."""
    with postgres(options) as server, ExitStack() as stack:
        workspace = str(server.directory)
        sayso = Worker(sayso_asks, server.new_database("sayso"), workspace)
        stack.enter_context(sayso)
        graph = stack.enter_context(Worker(langgraph_asks, server.new_database("langgraph")))
        dbos = stack.enter_context(Worker(dbos_asks, server.new_database("dbos")))
        return _run(options, server, {OURS: sayso, GRAPH: graph, DBOS: dbos})


def _run(options: Options, server: Server, processes: dict[str, Worker]) -> Report:
    single: list[Trip] = []
    trips, waiting = (5, 20) if options.quick else (TRIPS, WAITING)

    def contender(process: Worker, how: str, count: int) -> Callable[[int], float]:
        def measure(number: int) -> float:
            del number
            seconds, moments = process.ask((how, count))
            if how == "one":
                single.extend(moments)
            return float(seconds) / count

        return measure

    contenders: dict[str, Callable[[int], float]] = {}
    for name, process in processes.items():
        contenders[_one(name)] = contender(process, "one", trips)
        contenders[_many(name, waiting)] = contender(process, "many", waiting)
    floor = server.new_database("floor")
    contenders[FSYNC] = lambda _: fsync_seconds(server.directory)
    contenders[COMMIT] = lambda _: commit_seconds(floor)
    for warm in contenders.values():
        warm(-1)
    single.clear()
    rounds = 3 if options.quick else ROUNDS
    found = interleave(contenders, rounds, options.random("b5"))
    fsync = found[FSYNC].median
    wakes = {
        "review begun": [trip.wake for trip in single],
        "review returned": [trip.heard for trip in single],
    }
    ours = found[_many(OURS, waiting)]
    return Report(
        id="B-5",
        title="a durable round trip over PostgreSQL, two processes",
        work=(
            "As B-4, with the agent in one process and the person in another, on one PostgreSQL "
            f"{server.version} with its usual full synchronisation (fsync and synchronous_commit on)."
        ),
        tables=(_table(found, waiting), _wakes(wakes, fsync)),
        goals=(
            *(
                Goal.between(
                    f"faster than {peer}, {waiting} waiting",
                    found[_many(peer, waiting)],
                    ours,
                    1,
                    at_least=True,
                )
                for peer in (GRAPH, DBOS)
            ),
            *(
                Goal(
                    f"{name} to waiter awake, p50, beside one fsync",
                    percentile(wakes[name], 0.5) / fsync,
                    limit,
                )
                for name, limit in (("review returned", 6), ("review begun", 40))
            ),
        ),
        notes=_NOTES,
        numbers={
            "postgresql": server.version,
            "ms_per_trip": {name: round(series.median * 1e3, 4) for name, series in found.items()},
            "spread": {name: round(series.spread, 2) for name, series in found.items()},
            "wake_us": {
                f"{name}, p{share}": round(percentile(values, share / 100) * 1e6, 1)
                for name, values in wakes.items()
                for share in (50, 99)
            },
        },
    )


def _one(name: str) -> str:
    return f"{name}, one at a time"


def _many(name: str, waiting: int) -> str:
    return f"{name}, {waiting} waiting"


def _table(found: dict[str, Series], waiting: int) -> Table:
    fsync = found[FSYNC].median
    ours = {
        label(peer): found[label(OURS)]
        for peer in (GRAPH, DBOS)
        for label in (_one, lambda name: _many(name, waiting))
    }
    rows = []
    for name, series in found.items():
        beside = ours.get(name)
        rows.append(
            (
                name,
                f"{series.median * 1e3:.3f}",
                f"{series.calmest * 1e3:.3f}",
                f"{1 / series.median:,.0f}",
                ratio(series.median, fsync),
                "" if beside is None else ratio(series.median, beside.median),
                f"{series.spread:.1f}",
            )
        )
    columns = (
        "",
        "ms a trip",
        "calmest round",
        "trips a second",
        "in fsyncs",
        "sayso is faster",
        "spread",
    )
    return Table("Round trips", columns, tuple(rows))


def _wakes(wakes: dict[str, list[float]], fsync: float) -> Table:
    rows = tuple(
        (
            f"{name} to waiter awake",
            microseconds(percentile(values, 0.5)),
            microseconds(percentile(values, 0.99)),
            ratio(percentile(values, 0.5), fsync),
        )
        for name, values in wakes.items()
    )
    return Table("Waking, one at a time", ("", "p50 µs", "p99 µs", "p50 in fsyncs"), rows)
