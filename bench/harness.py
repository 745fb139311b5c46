"""What every benchmark shares: interleaved rounds, medians, tables, goals, and the machine's facts.

Absolute times on a shared machine mean little. Contenders therefore take turns within each round,
in an order that is shuffled by a seed, and what is reported is the median over rounds and its ratio
to another median of the same run.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import platform
import random
import sqlite3
import statistics
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SEED = 20_260_101
"""The seed of all work; `--seed` gives another."""

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build" / "bench"
"""Where databases are written unless `--scratch` names another directory: a disk, not memory."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says: the seed, how long to measure, and where files may be written."""

    seed: int = SEED
    quick: bool = False
    scratch: Path = SCRATCH

    def random(self, purpose: str) -> random.Random:
        """A generator of its own for one purpose, the same in each run."""
        return random.Random(f"{self.seed}:{purpose}")


@dataclass(slots=True)
class Series:
    """What one contender measured: one value a round, in seconds (or whatever the script counts)."""

    name: str
    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median over rounds."""
        return statistics.median(self.values)

    @property
    def calmest(self) -> float:
        """The smallest value: the round in which the machine was least busy with other things."""
        return min(self.values)

    @property
    def spread(self) -> float:
        """The greatest value over the smallest: how noisy the machine was."""
        low = min(self.values)
        return max(self.values) / low if low else float("inf")


def interleave(
    contenders: Mapping[str, Callable[[int], float]], rounds: int, chance: random.Random
) -> dict[str, Series]:
    """Let each contender measure once a round, in a new order each time.

    A contender gets the number of the round and returns its value for it.
    """
    series = {name: Series(name) for name in contenders}
    gc.collect()
    gc.freeze()  # what was set up is not scanned again while somebody is measured
    try:
        for number in range(rounds):
            order = list(contenders)
            chance.shuffle(order)
            for name in order:
                series[name].values.append(contenders[name](number))
    finally:
        gc.unfreeze()
    return series


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies; `share` from 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# ── floors ─────────────────────────────────────────────────────────────────────────────────────


def fsync_seconds(directory: Path, count: int = 50) -> float:
    """The median time of appending 4 KiB to a file and forcing it to the disk."""
    path = directory / "fsync.floor"
    block = os.urandom(4096)
    times: list[float] = []
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for _ in range(count):
            start = time.perf_counter()
            os.write(handle, block)
            os.fsync(handle)
            times.append(time.perf_counter() - start)
    finally:
        os.close(handle)
        path.unlink()
    return statistics.median(times)


def commit_seconds(directory: Path, count: int = 50) -> float:
    """The median time of one SQLite transaction that inserts 500 bytes, synchronous=FULL, WAL."""
    path = directory / "commit.floor.db"
    connection = sqlite3.connect(path, isolation_level=None)
    times: list[float] = []
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
        for number in range(count):
            start = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t VALUES (?, ?)", (number, "x" * 500))
            connection.execute("COMMIT")
            times.append(time.perf_counter() - start)
    finally:
        connection.close()
        for leftover in directory.glob("commit.floor.db*"):
            leftover.unlink()
    return statistics.median(times)


# ── what is reported ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is printed: cells are text already."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """The table in columns, for a terminal."""
        widths = [
            max(len(row[i]) for row in (self.columns, *self.rows)) for i in range(len(self.columns))
        ]
        lines = [self.title, ""]
        for row in (self.columns, tuple("-" * width for width in widths), *self.rows):
            cells = [
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  " + "  ".join(cells).rstrip())
        return "\n".join(lines)

    def markdown(self) -> str:
        """The table for a Markdown page."""
        rule = "| --- |" + " ---: |" * (len(self.columns) - 1)
        lines = [f"**{self.title}**", "", _row(self.columns), rule, *map(_row, self.rows)]
        return "\n".join(lines)


def _folded(text: str, mark: str = "") -> str:
    """A paragraph of at most 120 columns, whatever its line breaks were."""
    return textwrap.fill(
        " ".join(text.split()), 120, initial_indent=mark, subsequent_indent=" " * len(mark)
    )


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, the ratio of medians that was measured, and whether that meets it.

    `calmest` is the same ratio of the calmest rounds: where it is far from `measured`, the machine
    was busy with other things. It decides nothing. `unit` is what stands behind the figures.
    """

    text: str
    measured: float
    limit: float
    at_least: bool = False
    calmest: float | None = None
    unit: str = "×"

    @classmethod
    def between(
        cls, text: str, value: Series, base: Series, limit: float, *, at_least: bool = False
    ) -> Goal:
        """A goal for the ratio of one contender's value to another's."""
        return cls(text, value.median / base.median, limit, at_least, value.calmest / base.calmest)

    @property
    def met(self) -> bool:
        """Whether the ratio is on the right side of the limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def row(self) -> tuple[str, ...]:
        """The goal as a row of a table."""
        sign = "≥" if self.at_least else "≤"
        return (
            self.text,
            f"{sign} {self.limit:,g}{self.unit}",
            f"{_ratio(self.measured)}{self.unit}",
            "" if self.calmest is None else f"{_ratio(self.calmest)}{self.unit}",
            "met" if self.met else "missed",
        )


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float, base: float) -> str:
    """A ratio for a cell, such as `1.3×`."""
    return f"{_ratio(value / base)}×"


def microseconds(seconds: float) -> str:
    """A time for a cell, in microseconds."""
    return f"{_ratio(seconds * 1e6)}"


@dataclass(frozen=True, slots=True)
class Report:
    """What one benchmark found; `numbers` is the same as data."""

    id: str
    title: str
    work: str
    tables: tuple[Table, ...]
    goals: tuple[Goal, ...]
    notes: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def goal_table(self) -> Table:
        """The goals as a table."""
        return Table(
            "Goals",
            ("goal", "limit", "measured", "calmest rounds", "result"),
            tuple(goal.row() for goal in self.goals),
        )

    def text(self) -> str:
        """The report for a terminal."""
        parts = [f"{self.id}: {self.title}", _folded(self.work)]
        parts += [table.text() for table in (*self.tables, self.goal_table())]
        parts += [_folded(note, "* ") for note in self.notes]
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """The report as a section of a Markdown page."""
        parts = [f"## {self.id}: {self.title}", _folded(self.work)]
        parts += [table.markdown() for table in (*self.tables, self.goal_table())]
        parts.append("\n".join(_folded(note, "* ") for note in self.notes))
        return "\n\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "goals": [
                {
                    "goal": goal.text,
                    "limit": goal.limit,
                    "at_least": goal.at_least,
                    "measured": round(goal.measured, 3),
                    "calmest": None if goal.calmest is None else round(goal.calmest, 3),
                    "met": goal.met,
                }
                for goal in self.goals
            ],
            "numbers": dict(self.numbers),
        }


def machine(peers: Sequence[str]) -> dict[str, str]:
    """The facts of the machine that a ratio may depend on, and the versions of the peers."""
    facts = {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": str(os.cpu_count()),
        "processor": _processor(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
    }
    if hasattr(os, "getloadavg"):
        facts["load when started"] = f"{os.getloadavg()[0]:.1f}"
    for peer in peers:
        try:
            facts[peer] = importlib.metadata.version(peer)
        except importlib.metadata.PackageNotFoundError:
            facts[peer] = "not installed"
    return facts


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


@contextmanager
def scratch(options: Options, name: str) -> Iterator[Path]:
    """An empty directory for one contender's files, removed afterwards."""
    directory = options.scratch / f"{name}-{os.getpid()}-{time.perf_counter_ns()}"
    directory.mkdir(parents=True)
    try:
        yield directory
    finally:
        for path in sorted(directory.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        directory.rmdir()
