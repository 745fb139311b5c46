"""Seeded schedules: whatever happens in whatever order, nothing runs twice and nothing is lost.

`SAYSO_SCHEDULES=20000` plays more of them; `SAYSO_SEED=17` plays the one that failed.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sayso.store.memory import MemoryStore
from sayso.store.sqlite import open_sqlite
from tests.fakes.virtual_time import run_virtual
from tests.simulation.schedules import Schedule

SCHEDULES = int(os.environ.get("SAYSO_SCHEDULES", "2000"))
PARTS = 10
ONE = os.environ.get("SAYSO_SEED")


def play(seed: int, path: Path | None = None) -> Schedule:
    """Play the schedule of a seed, in memory or on a file that its processes share."""

    async def playing() -> Schedule:
        memory = MemoryStore()
        opened: list[Any] = []

        def open_store() -> Any:
            if path is None:
                return memory
            opened.append(open_sqlite(path, check=False))
            return opened[-1]

        schedule = Schedule(seed, open_store, stores_of_their_own=path is not None)
        try:
            await schedule.play()
            await schedule.settle()
        finally:
            for process in schedule.place.alive:
                process.die()
            for store in opened:
                store.close()
        return schedule

    try:
        return run_virtual(playing())
    except BaseException as error:
        error.add_note(f"SAYSO_SEED={seed} plays it again")
        raise


@pytest.mark.spec("ST-2")
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_runs_twice_and_nothing_is_lost(part: int) -> None:
    for seed in range(part, SCHEDULES, PARTS) if ONE is None else [int(ONE)]:
        play(seed)


def test_the_schedules_are_eventful() -> None:
    """Every end of a request, every sort of report and deaths at every sort of effect come about."""
    ends: Counter[str] = Counter()
    reports: Counter[str] = Counter()
    died: Counter[str] = Counter()
    for seed in range(120):
        schedule = play(seed)
        ends.update(status.value for seen in schedule.statuses.values() for status in seen)
        reports.update(type(report).__name__ for report in schedule.reports)
        died.update(schedule.place.fate.died_at)
    for end in (
        "approved", "rejected", "expired", "cancelled", "running", "superseded", "refused",
        "lapsed", "done", "failed", "unknown",
    ):  # fmt: skip
        assert ends[end] >= 3, ends
    assert set(reports) >= {"str", "CallDenied", "CallRejected", "CallAlreadyRan"}
    for effect in ("store.submit", "store.apply", "publish", "execute", "update"):
        for when in ("before", "after"):
            assert died[f"{when} {effect}"] >= 3, died


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1000 + max(12, SCHEDULES // 100)))
def test_nothing_runs_twice_on_a_file_that_processes_share(seed: int, tmp_path: Path) -> None:
    play(seed, tmp_path / "sayso.db")
