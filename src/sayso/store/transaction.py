"""One write transaction on the driver's connection: statements, the audit chain's head, event numbers."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from sayso.audit.chain import GENESIS, link
from sayso.store.queries import Queries
from sayso.store.statement import Statement

_TRIM_EVERY = 1000


class Transaction:
    """What units of work write through; the writer begins, saves, keeps, undoes and commits.

    The head of the audit chain is read inside the transaction, since another process may have
    appended. `seen` is the event up to which the feed of this process has been told everything.
    """

    def __init__(self, connection: sqlite3.Connection, queries: Queries, keep_notices: int) -> None:
        self.queries = queries
        self.seen = 0
        self._connection = connection
        self._execute = connection.execute
        self._keep_notices = keep_notices
        self._head: tuple[int, str] | None = None
        self._saved_head: tuple[int, str] | None = None
        self._first_notice = 0
        self._last_notice = 0
        self._saved_notices = (0, 0)

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

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Append records to the audit chain."""
        statement = self.queries.add_entry
        for record in records:
            seq, previous = self._head if self._head is not None else self._read_head()
            entry = link(seq + 1, record["body"], previous)
            self._execute(
                statement.sql,
                statement.bind(
                    {**record, "seq": entry.seq, "previous": previous, "hash": entry.hash}
                ),
            )
            self._head = (entry.seq, entry.hash)

    def notify(self, notices: Iterable[Mapping[str, Any]]) -> None:
        """Write events, and drop the oldest from time to time."""
        statement = self.queries.add_notice
        for notice in notices:
            number = self._execute(statement.sql, statement.bind(notice)).lastrowid or 0
            if not self._first_notice:
                self._first_notice = number
            self._last_notice = number
            if number % _TRIM_EVERY == 0:
                trim = self.queries.trim_notices
                self._execute(trim.sql, trim.bind({"keep": self._keep_notices}))

    # ── for the writer ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Begin; raises sqlite3.OperationalError where another process writes."""
        self._execute("BEGIN IMMEDIATE")
        self._execute("SAVEPOINT everything")
        self._head = None
        self._first_notice = self._last_notice = 0

    def save(self) -> None:
        """Mark the place to which the next unit can be undone."""
        self._execute("SAVEPOINT unit")
        self._saved_head = self._head
        self._saved_notices = (self._first_notice, self._last_notice)

    def keep(self) -> None:
        """Keep what the unit did."""
        self._execute("RELEASE unit")

    def undo(self) -> None:
        """Undo what the unit did, and nothing else."""
        self._execute("ROLLBACK TO unit")
        self._execute("RELEASE unit")
        self._head = self._saved_head
        self._first_notice, self._last_notice = self._saved_notices

    def undo_all(self) -> None:
        """Undo everything, without letting another process in between."""
        self._execute("ROLLBACK TO everything")
        self._head = None
        self._first_notice = self._last_notice = 0

    def commit(self) -> None:
        """Make everything durable."""
        self._execute("COMMIT")
        if self._first_notice and self._first_notice == self.seen + 1:
            self.seen = self._last_notice  # no other process wrote an event in between

    def roll_back(self) -> None:
        """Undo everything, if there is anything; where even that fails, the next begin will say so."""
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._execute("ROLLBACK")

    def _read_head(self) -> tuple[int, str]:
        statement = self.queries.audit_head
        found = self._execute(statement.sql, statement.bind({})).fetchone()
        return (0, GENESIS) if found is None else (found[0], found[1])
