"""What units of work write through, whichever database is below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sayso.audit.chain import link
from sayso.store.queries import Queries
from sayso.store.statement import Statement


class Mark(NamedTuple):
    """How much had been logged before a unit, and the last entry of the audit chain."""

    entries: int
    notices: int
    head: tuple[int, str] | None


NOTHING_LOGGED = Mark(0, 0, None)


class Transaction(ABC):
    """One write transaction: a unit is done in it whole, or not at all.

    Audit records and events are gathered, and written together before the commit.
    """

    def __init__(self, queries: Queries) -> None:
        self.queries = queries
        self._entries: list[tuple[Any, ...]] = []
        self._notices: list[tuple[Any, ...]] = []
        self._head: tuple[int, str] | None = None

    @abstractmethod
    def write(self, statement: Statement, values: Mapping[str, Any]) -> int:
        """Run a statement; returns how many rows it changed."""

    @abstractmethod
    def each(self, statement: Statement, several: Iterable[Mapping[str, Any]]) -> None:
        """Run a statement with each of several sets of values."""

    @abstractmethod
    def row(self, statement: Statement, values: Mapping[str, Any]) -> Any:
        """The first row that a statement finds; None if there is none."""

    @abstractmethod
    def rows(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Every row that a statement finds."""

    def append(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Append records to the audit log; each is the columns from `at` to `body`."""
        for record in records:
            seq, previous = self._head if self._head is not None else self._read_head()
            entry = link(seq + 1, record[-1], previous)
            self._entries.append((entry.seq, *record, previous, entry.hash))
            self._head = (entry.seq, entry.hash)

    def notify(self, notices: Iterable[tuple[Any, ...]]) -> None:
        """Write events; each is the columns of its row but the number."""
        self._notices.extend(notices)

    # ── for the writer ─────────────────────────────────────────────────────────────────────────

    def mark(self) -> Mark:
        """The place to which what a unit logs can be forgotten."""
        return Mark(len(self._entries), len(self._notices), self._head)

    def forget(self, mark: Mark) -> None:
        """Forget what was logged since the mark."""
        del self._entries[mark.entries :]
        del self._notices[mark.notices :]
        self._head = mark.head

    @abstractmethod
    def _read_head(self) -> tuple[int, str]:
        """The number and hash of the last entry of the audit chain before this transaction."""
