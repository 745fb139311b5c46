"""One write transaction on SQLite's connection: statements, the audit chain's head, event numbers."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sayso.audit.chain import GENESIS, link
from sayso.store.queries import Queries
from sayso.store.statement import ManyRows, Statement
from sayso.store.transaction import Transaction

_TRIM_EVERY = 1000


class _Mark(NamedTuple):
    """How much had been logged before a unit."""

    entries: int
    notices: int
    head: tuple[int, str] | None


class SqliteTransaction(Transaction):
    """What units of work write through; the writer begins, marks, undoes and commits.

    Audit entries and events are gathered and written together before the commit, many rows a
    statement. The head of the audit chain is read inside the transaction, since another process may
    have appended. `seen` is the event up to which the feed of this process has been told everything.
    """

    def __init__(self, connection: sqlite3.Connection, queries: Queries, keep_notices: int) -> None:
        self.queries = queries
        self.seen = 0
        self._connection = connection
        self._execute = connection.execute
        self._keep_notices = keep_notices
        self._head: tuple[int, str] | None = None
        self._entries: list[tuple[Any, ...]] = []
        self._notices: list[tuple[Any, ...]] = []
        self._last_notice = 0

    # ── for units ──────────────────────────────────────────────────────────────────────────────

    def write(self, statement: Statement, values: Mapping[str, Any]) -> int:
        """Run a statement; returns how many rows it changed."""
        return self._execute(statement.sql, statement.bind(values)).rowcount

    def row(self, statement: Statement, values: Mapping[str, Any]) -> Any:
        """The first row that a statement finds; None if there is none."""
        cursor = self._execute(statement.sql, statement.bind(values))
        found = cursor.fetchone()
        cursor.close()
        return found

    def rows(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Every row that a statement finds."""
        return self._execute(statement.sql, statement.bind(values)).fetchall()

    def each(self, statement: Statement, several: Iterable[Mapping[str, Any]]) -> None:
        """Run a statement with each of several sets of values."""
        for values in several:
            self._execute(statement.sql, statement.bind(values))

    def append(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Append records to the audit chain; each is the columns from `at` to `body`."""
        for record in records:
            seq, previous = self._head if self._head is not None else self._read_head()
            entry = link(seq + 1, record[-1], previous)
            self._entries.append((entry.seq, *record, previous, entry.hash))
            self._head = (entry.seq, entry.hash)

    def notify(self, notices: Iterable[tuple[Any, ...]]) -> None:
        """Write events; each is the columns of its row but the number."""
        self._notices.extend(notices)

    # ── for the writer ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Begin; raises sqlite3.OperationalError where another process writes."""
        self._execute("BEGIN IMMEDIATE")
        self._execute("SAVEPOINT everything")
        self.forget(_Mark(0, 0, None))

    def mark(self) -> _Mark:
        """The place to which what a unit logs can be forgotten."""
        return _Mark(len(self._entries), len(self._notices), self._head)

    def forget(self, mark: _Mark) -> None:
        """Forget what was logged since the mark."""
        del self._entries[mark.entries :]
        del self._notices[mark.notices :]
        self._head = mark.head

    def save(self) -> None:
        """Mark the place to which the next unit's writes can be undone."""
        self._execute("SAVEPOINT unit")

    def keep(self) -> None:
        """Keep what the unit wrote."""
        self._execute("RELEASE unit")

    def undo(self) -> None:
        """Undo what the unit wrote, and nothing else."""
        self._execute("ROLLBACK TO unit")
        self._execute("RELEASE unit")

    def undo_all(self) -> None:
        """Undo everything, without letting another process in between."""
        self._execute("ROLLBACK TO everything")
        self.forget(_Mark(0, 0, None))

    def commit(self) -> None:
        """Write what was logged, and make everything durable."""
        self._write_rows(self.queries.add_entries, self._entries)
        count = len(self._notices)
        if count:
            last = self._write_rows(self.queries.add_notices, self._notices)
            if last // _TRIM_EVERY != (last - count) // _TRIM_EVERY:
                trim = self.queries.trim_notices
                self._execute(trim.sql, trim.bind({"keep": self._keep_notices}))
            self._execute("COMMIT")
            if last - count == self.seen:
                self.seen = last  # no other process wrote an event in between
        else:
            self._execute("COMMIT")

    def roll_back(self) -> None:
        """Undo everything, if there is anything; where even that fails, the next begin will say so."""
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._execute("ROLLBACK")

    def _write_rows(self, insert: ManyRows, rows: Sequence[tuple[Any, ...]]) -> int:
        """Write the rows; returns the number of the last one."""
        last = 0
        for sql, values in insert.statements(rows):
            last = self._execute(sql, values).lastrowid or 0
        return last

    def _read_head(self) -> tuple[int, str]:
        statement = self.queries.audit_head
        found = self._execute(statement.sql, statement.bind({})).fetchone()
        return (0, GENESIS) if found is None else (found[0], found[1])
