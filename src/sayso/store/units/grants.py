"""What a write does inside its transaction, for grants, vetoes and bypasses."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Given
from sayso.core.moment import Moment
from sayso.store.codec.credentials import read_credential
from sayso.store.codec.grants import bypass_row, grant_row, read_grant
from sayso.store.codec.logs import LogRows
from sayso.store.codec.sessions import read_session
from sayso.store.guard import check_no_veto, check_reviewer, check_session_goes_on, sessions_of
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log


def remember(tx: Transaction, given: Given, logged: LogRows) -> None:
    """Write what is remembered, if its giver may decide, the sessions it is for go on and no veto is on it."""
    row = tx.row(tx.queries.credential_by_id, {"credential_id": given.giver.credential_id})
    check_reviewer(None if row is None else read_credential(row), given.at)
    for session_id in sessions_of(given):
        found = tx.row(tx.queries.session, {"session_id": session_id})
        check_session_goes_on(session_id, None if found is None else read_session(found))
    for grant in given.grants:
        row = grant_row(grant)
        check_no_veto(
            grant, [read_grant(one) for one in tx.rows(tx.queries.remembered_grants, row)]
        )
        tx.write(tx.queries.put_grant, row)
    if given.bypass is not None:
        tx.write(tx.queries.add_bypass, bypass_row(given.bypass))
    log(tx, logged)


def forget(tx: Transaction, statement: Statement, ids: Sequence[str], logged: LogRows) -> int:
    """Delete rows by their ids; nothing is logged where none was there."""
    count = sum(tx.write(statement, {"the_id": name}) for name in ids)
    if count:
        log(tx, logged)
    return count


def stop_session(tx: Transaction, session_id: str, now: Moment, logged: LogRows) -> None:
    """Mark a session as stopped, and end what was remembered for it alone."""
    values = {"the_id": session_id, "now": now}
    tx.write(tx.queries.stop_session, values)
    tx.write(tx.queries.forget_session_grants, values)
    tx.write(tx.queries.forget_session_bypasses, values)
    log(tx, logged)
