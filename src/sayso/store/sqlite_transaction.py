"""One write transaction on SQLite's connection: statements, the audit chain's head, event numbers."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sayso.audit.chain import GENESIS
from sayso.store.queries import Queries
from sayso.store.statement import ManyRows, Statement
from sayso.store.transaction import NOTHING_LOGGED, Transaction

_TRIM_EVERY = 1000


class SqliteTransaction(Transaction):
    """What units of work write through; the writer begins, marks, undoes and commits.

    Audit entries and events are gathered and written together before the commit, many rows a
    statement. The head of the audit chain is read inside the transaction, since another process may
    have appended. `seen` is the event up to which the feed of this process has been told everything.
    """

    def __init__(self, connection: sqlite3.Connection, queries: Queries, keep_notices: int) -> None:
        super().__init__(queries)
        self.seen = 0
        self._connection = connection
        self._execute = connection.execute
        self._keep_notices = keep_notices

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

    # ── for the writer ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Begin; raises sqlite3.OperationalError where another process writes."""
        self._execute("BEGIN IMMEDIATE")
        self._execute("SAVEPOINT everything")
        self.forget(NOTHING_LOGGED)

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
        self.forget(NOTHING_LOGGED)

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
