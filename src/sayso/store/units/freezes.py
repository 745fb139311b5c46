"""What a write does inside its transaction, for the kill switch."""

from __future__ import annotations

from sayso.core.freeze import Freeze
from sayso.store.codec.freezes import agent_column, freeze_row
from sayso.store.codec.logs import LogRows
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log
from sayso.store.units.rules import rules_changed


def freeze(tx: Transaction, given: Freeze, logged: LogRows) -> bool:
    """Put a brake on unless that person's is on already; every replica sees it with its next call."""
    if not tx.write(tx.queries.freeze, freeze_row(given)):
        return False
    rules_changed(tx)
    log(tx, logged)
    return True


def thaw(tx: Transaction, agent_id: str | None, person_id: str | None, logged: LogRows) -> int:
    """Take off the brakes on an agent or on all, of one person or of everybody; how many they were."""
    values = {"the_agent": agent_column(agent_id), "the_person": person_id}
    count = tx.write(tx.queries.thaw if person_id is None else tx.queries.thaw_own, values)
    if count:
        rules_changed(tx)
        log(tx, logged)
    return count
