"""B-11: what the audit log costs an allowed check: a hundred in flight, beside a store that logs nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

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
    ratio,
    scratch,
)
from bench.ours import TOOL, Ours, close_ours, open_ours
from sayso.broker.ports import NewCall, Notices, Records, Standing, StoredCall
from sayso.core.session import CallDraft
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule
from sayso.store.opening import BUSY_SECONDS, prepare
from sayso.store.sqlite import SqliteStore, open_sqlite

ROUNDS = 12
FLIGHT = 100
"""Checks in flight at any moment."""

CHECKS = 20
"""Checks, one after the other, of each of them in each round."""

ON, OFF = "audit on", "audit off"
SUBMIT_ON, SUBMIT_OFF = f"submit, {ON}", f"submit, {OFF}"
DECIDE_ON, DECIDE_OFF = f"decide, {ON}", f"decide, {OFF}"
FSYNC, COMMIT = "floor: one fsync of 4 KiB", "floor: one SQLite commit"

_NOTES = (
    """sayso has no way to have its audit off. *Audit off* is a store that belongs to this benchmark:
    it is handed the same records, made and redacted, and drops them before they are encoded, chained
    or written; everything else it does as ever.""",
    f"""*submit* is the check that a call goes through: the call itself is written too, so both sides
    wait for the disk. *decide* only asks for the verdict: with its audit off nothing at all is
    written, so that row shows what one durable record costs, shared by the {FLIGHT} that are
    committed together.""",
    "The asyncio loop is Python's own; the server's is uvloop.",
)


class Unaudited(SqliteStore):
    """A store that writes what it is told, but no audit records: for this comparison alone."""

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write the call without its records."""
        return await super().submit(replace(new, records=()))

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Write the events alone, if there are any."""
        if notices:
            await super().record((), notices)


def open_unaudited(path: Path) -> Unaudited:
    """Such a store in a new file."""
    prepare(path)
    return Unaudited(path, busy_seconds=BUSY_SECONDS)


def run(options: Options) -> Report:
    """Measure and report."""
    with ExitStack() as stack:
        logged, bare = (stack.enter_context(scratch(options, f"b11-{n}")) for n in ("on", "off"))
        runner = stack.enter_context(asyncio.Runner())
        on = runner.run(open_checks(open_sqlite(logged / "sayso.db"), logged))
        stack.callback(lambda: runner.run(close_ours(on)))
        off = runner.run(open_checks(open_unaudited(bare / "sayso.db"), bare))
        stack.callback(lambda: runner.run(close_ours(off)))
        return _run(options, runner, on, off, logged)


async def open_checks(store: SqliteStore, workspace: Path) -> Ours:
    """sayso on that store, with a rule that allows the call."""
    rule = parse_text_rule("allow", TOOL, Origin.GLOBAL)
    return await open_ours(store, str(workspace), (rule,))


def _run(options: Options, runner: asyncio.Runner, on: Ours, off: Ours, directory: Path) -> Report:
    checks = 2 if options.quick else CHECKS

    def contender(ours: Ours, *, submits: bool) -> Callable[[int], float]:
        def measure(number: int) -> float:
            del number
            start = time.perf_counter()
            runner.run(in_flight(ours, checks, submits=submits))
            return (time.perf_counter() - start) / (FLIGHT * checks)

        return measure

    contenders: dict[str, Callable[[int], float]] = {
        SUBMIT_ON: contender(on, submits=True),
        SUBMIT_OFF: contender(off, submits=True),
        DECIDE_ON: contender(on, submits=False),
        DECIDE_OFF: contender(off, submits=False),
        FSYNC: lambda _: fsync_seconds(directory),
        COMMIT: lambda _: commit_seconds(directory),
    }
    for warm in contenders.values():
        warm(-1)
    rounds = 3 if options.quick else ROUNDS
    found = interleave(contenders, rounds, options.random("b11"))
    turns = rounds + 1
    expected = 2 * FLIGHT * checks * turns
    records = {ON: runner.run(verdicts(on)), OFF: runner.run(verdicts(off))}
    assert records == {ON: expected, OFF: 0}, records
    return Report(
        id="B-11",
        title="what the audit log costs",
        work=(
            f"Checks of a call that one rule allows, {FLIGHT} in flight at any moment, in one process "
            "on a SQLite file with full synchronisation. With the audit on each check is answered "
            "after its record is on the disk, in the hash chain."
        ),
        tables=(_table(found), _records(records)),
        goals=tuple(
            Goal.between(
                f"checks a second with audit on beside off, {word}",
                found[off_name],
                found[on_name],
                0.5,
                at_least=True,
            )
            for word, on_name, off_name in (
                ("submit", SUBMIT_ON, SUBMIT_OFF),
                ("decide", DECIDE_ON, DECIDE_OFF),
            )
        ),
        notes=_NOTES,
        numbers={
            "us_per_check": {name: round(s.median * 1e6, 2) for name, s in found.items()},
            "spread": {name: round(s.spread, 2) for name, s in found.items()},
            "verdicts_recorded": records,
        },
    )


async def in_flight(ours: Ours, checks: int, *, submits: bool) -> None:
    """So many checks by each of the callers that are in flight, each of another call."""
    check = ours.gate.submit if submits else ours.gate.decide

    async def caller(drafts: list[CallDraft]) -> None:
        for draft in drafts:
            standing: Standing = await check(draft)
            assert standing.allowed, standing

    every = [[ours.draft() for _ in range(checks)] for _ in range(FLIGHT)]
    await asyncio.gather(*map(caller, every))


async def verdicts(ours: Ours) -> int:
    """How many verdicts on calls the audit log of a store holds."""
    count = after = 0
    while entries := await ours.store.audit_chain(after, 1000):
        after = entries[-1].seq
        count += sum('"kind":"verdict"' in entry.body for entry in entries)
    return count


def _table(found: dict[str, Series]) -> Table:
    pairs = {SUBMIT_ON: SUBMIT_OFF, DECIDE_ON: DECIDE_OFF}
    rows = []
    for name, series in found.items():
        peer = pairs.get(name)
        rows.append(
            (
                name,
                microseconds(series.median),
                microseconds(series.calmest),
                f"{1 / series.median:,.0f}",
                "" if peer is None else ratio(found[peer].median, series.median),
                f"{series.spread:.1f}",
            )
        )
    columns = ("", "µs a check", "calmest round", "checks a second", "rate beside off", "spread")
    return Table("Allowed checks", columns, tuple(rows))


def _records(records: dict[str, int]) -> Table:
    rows = tuple((name, f"{count:,}") for name, count in records.items())
    return Table("What was logged", ("", "verdicts in the log"), rows)
