"""What a write does inside its transaction, for run contexts."""

from __future__ import annotations

from sayso.core.run_context import RunContext
from sayso.store.codec.logs import LogRows
from sayso.store.codec.run_contexts import at_first_or, read_run_context, run_context_row
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log
from sayso.store.units.rules import rules_changed


def put_run_context(
    tx: Transaction, before: RunContext | None, after: RunContext, logged: LogRows
) -> bool:
    """Put one in the place of another; False, and nothing is written, if that is not what is there."""
    row = run_context_row(after)
    # first of all: of two people at once the second waits here, and then sees what the first one did
    rules_changed(tx)
    found = tx.row(tx.queries.run_context, {"run_context_id": after.run_context_id})
    stored = None if found is None else read_run_context(found)
    if at_first_or(stored, after.run_context_id) != before:
        return False
    tx.write(tx.queries.put_run_context, row)
    log(tx, logged)
    return True


def delete_run_context(tx: Transaction, run_context_id: str, logged: LogRows) -> bool:
    """Delete one; returns whether it was there."""
    rules_changed(tx)
    if not tx.write(tx.queries.delete_run_context, {"run_context_id": run_context_id}):
        return False
    log(tx, logged)
    return True
