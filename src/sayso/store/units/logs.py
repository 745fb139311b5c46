"""What a write does inside its transaction, for audit records and events, beside any other statement."""

from __future__ import annotations

from typing import Any

from sayso.store.codec.logs import LogRows
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction


def write(tx: Transaction, statement: Statement, row: dict[str, Any], logged: LogRows) -> None:
    """Run one statement, with its audit records."""
    tx.write(statement, row)
    log(tx, logged)


def log(tx: Transaction, logged: LogRows) -> None:
    """Write audit records and events."""
    tx.append(logged.records)
    tx.notify(logged.notices)
