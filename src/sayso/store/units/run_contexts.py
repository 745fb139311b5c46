"""What a write does inside its transaction, for run contexts."""

from __future__ import annotations

from sayso.core.run_context import DEFAULT_RUN_CONTEXT, RunContext
from sayso.store.codec.logs import LogRows
from sayso.store.codec.run_contexts import run_context_row
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log
from sayso.store.units.rules import rules_changed


def put_run_context(
    tx: Transaction, run_context: RunContext, logged: LogRows, *, new: bool
) -> bool:
    """Add or replace one; False, and nothing is written, where one is (or none is) there already."""
    row = run_context_row(run_context)
    # first of all: of two people at once the second waits here, and then sees what the first one did
    rules_changed(tx)
    if new is _is_there(tx, row["run_context_id"]):
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


def _is_there(tx: Transaction, run_context_id: str) -> bool:
    if run_context_id == DEFAULT_RUN_CONTEXT:
        return True
    return tx.row(tx.queries.run_context, {"run_context_id": run_context_id}) is not None
