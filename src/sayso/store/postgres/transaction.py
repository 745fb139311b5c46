"""One write transaction on PostgreSQL: its turn, its chain of audit entries, its events and their notice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg

from sayso.audit.chain import CHAIN, GENESIS
from sayso.store.postgres.address import CHAINS, CHANNEL, KEY, TURN
from sayso.store.queries import Queries
from sayso.store.statement import ManyRows, Statement
from sayso.store.transaction import NOTHING_LOGGED, Transaction

_TRIM_EVERY = 1000

MOST_PAYLOAD = 7000
"""Up to how many bytes a notice names its topics; one that would be longer says EVERYTHING."""

EVERYTHING = "*"


class PostgresTransaction(Transaction):
    """A transaction on one connection; the writer begins, marks, undoes and commits.

    `in_turn` transactions come one after the other, over all replicas: each sees everything that the
    ones before it wrote, and events are numbered in the order in which they become visible, without
    gaps. Others only add rows, and wait for nobody.

    The connection has a chain of the audit log for itself, as long as it lasts.
    """

    def __init__(
        self,
        connection: psycopg.Connection[tuple[Any, ...]],
        queries: Queries,
        *,
        in_turn: bool,
        keep_notices: int,
    ) -> None:
        super().__init__(queries)
        self.wrote = 0
        self.xid = ""
        self._cursor = connection.cursor()
        self._in_turn = in_turn
        self._keep_notices = keep_notices
        self._committed = self._take_chain()

    def _take_chain(self) -> tuple[int, str]:
        """Take the first chain that no other connection has; returns its last entry."""
        number = 0
        while not self._ask("SELECT pg_try_advisory_lock(%s, %s)", (KEY, CHAINS + number))[0]:
            number += 1
        first = number * CHAIN
        values = {"after": first, "until": first + CHAIN}
        found = self.row(self.queries.chain_head, values)
        return (first, GENESIS) if found is None else (found[0], found[1])

    # ── for units ──────────────────────────────────────────────────────────────────────────────

    def write(self, statement: Statement, values: Mapping[str, Any]) -> int:
        """Run a statement; returns how many rows it changed."""
        self.wrote += 1
        return self._cursor.execute(statement.sql, statement.bind(values)).rowcount

    def each(self, statement: Statement, several: Iterable[Mapping[str, Any]]) -> None:
        """Run a statement with each of several sets of values, in few ways to the server."""
        self.wrote += 1
        self._cursor.executemany(statement.sql, [statement.bind(values) for values in several])

    def row(self, statement: Statement, values: Mapping[str, Any]) -> Any:
        """The first row that a statement finds; None if there is none."""
        return self._cursor.execute(statement.sql, statement.bind(values)).fetchone()

    def rows(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Every row that a statement finds."""
        return self._cursor.execute(statement.sql, statement.bind(values)).fetchall()

    # ── for the writer ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Begin, once it is this replica's turn where that matters.

        The transaction is given its number at once: should the connection break during the commit,
        that is how the server is asked what became of it.
        """
        self.forget(NOTHING_LOGGED)
        self._cursor.execute("BEGIN")
        if self._in_turn:
            self._cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (KEY, TURN))
        self.xid = self._ask("SELECT pg_current_xact_id()::text")[0]

    def save(self) -> None:
        """Mark the place to which the next unit's writes can be undone."""
        self._cursor.execute("SAVEPOINT unit")

    def keep(self) -> None:
        """Keep what the unit wrote."""
        self._cursor.execute("RELEASE unit")

    def undo(self) -> None:
        """Undo what the unit wrote, and nothing else."""
        self._cursor.execute("ROLLBACK TO unit")
        self._cursor.execute("RELEASE unit")

    def roll_back(self) -> None:
        """Undo everything."""
        self._cursor.execute("ROLLBACK")

    def write_logs(self) -> None:
        """Write what was logged, and the notice that tells the other replicas of it."""
        self._write_rows(self.queries.add_entries, self._entries)
        if not self._notices:
            return
        last = self._ask(self.queries.last_notice.sql)[0]
        numbered = [(last + n, *row) for n, row in enumerate(self._notices, start=1)]
        self._write_rows(self.queries.add_numbered_notices, numbered)
        if numbered[-1][0] // _TRIM_EVERY != last // _TRIM_EVERY:
            trim = self.queries.trim_notices
            self._cursor.execute(trim.sql, trim.bind({"keep": self._keep_notices}))
        payload = _payload(row[0] for row in self._notices)
        self._cursor.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))

    def commit(self) -> bool:
        """Make everything durable; whether that was done."""
        self._cursor.execute("COMMIT")
        return self._cursor.statusmessage == "COMMIT"

    def was_committed(self) -> None:
        """Note that everything that was logged is in the log now."""
        if self._head is not None:
            self._committed = self._head

    def _read_head(self) -> tuple[int, str]:
        return self._committed  # nobody else appends to this connection's chain

    def _write_rows(self, insert: ManyRows, rows: Sequence[tuple[Any, ...]]) -> None:
        for sql, values in insert.statements(rows):
            self._cursor.execute(sql, values)

    def _ask(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        found = self._cursor.execute(sql, values or None).fetchone()
        assert found is not None
        return found


def _payload(topics: Iterable[str]) -> str:
    """The topics of a notice, one a line."""
    text = "\n".join(sorted(set(topics)))
    return text if len(text.encode()) <= MOST_PAYLOAD else EVERYTHING
