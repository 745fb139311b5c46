"""What a write does inside its transaction, for the full arguments of calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sayso.store.transaction import Transaction


def forget(tx: Transaction, rows: Iterable[Mapping[str, Any]]) -> int:
    """Put the redacted forms in the place of the calls, where these are still as they were read; how many."""
    count = 0
    for row in rows:
        asked_about = row["expected_version"] is not None
        if asked_about and tx.write(tx.queries.forget_request, row) != 1:
            continue  # it has changed since: it is looked at again
        count += tx.write(tx.queries.forget_call, row)
    return count
