"""What a write does inside its transaction, for credentials and the passphrase."""

from __future__ import annotations

from sayso.core.moment import Moment
from sayso.store.codec.credentials import read_credential
from sayso.store.codec.logs import LogRows
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log


def revoke_credential(tx: Transaction, credential_id: str, now: Moment, logged: LogRows) -> bool:
    """Revoke a credential; returns whether it was live."""
    row = tx.row(tx.queries.credential_by_id, {"credential_id": credential_id})
    if row is None:
        return False
    live = read_credential(row).live(now)
    if tx.write(tx.queries.revoke_credential, {"the_id": credential_id, "now": now}):
        log(tx, logged)
    return live


def revoke_all(tx: Transaction, now: Moment, logged: LogRows) -> int:
    """Revoke every credential, and every code to choose a passphrase; how many credentials were live."""
    live = tx.row(tx.queries.live_credentials, {"now": now})
    tx.write(tx.queries.revoke_all, {"now": now})
    tx.write(tx.queries.delete_every_enrolment, {})
    log(tx, logged)
    return int(live[0])
