"""What a write does inside its transaction, for sessions."""

from __future__ import annotations

from sayso.core.session import Session
from sayso.store import guard
from sayso.store.codec.logs import LogRows
from sayso.store.codec.sessions import read_session, session_row
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log


def change_session(tx: Transaction, before: Session, after: Session, logged: LogRows) -> None:
    """Write what a session says of itself anew, if nothing but its end has changed since."""
    found = tx.row(tx.queries.session, {"session_id": before.session_id})
    stored = None if found is None else read_session(found)
    row = session_row(guard.change_session(stored, before, after))
    tx.write(tx.queries.change_session, {"the_id": row["session_id"], "changed": row["document"]})
    log(tx, logged)
