"""Calls whose full arguments are deleted: what is written in their place."""

from __future__ import annotations

from typing import Any

from sayso.core.withheld import Withheld
from sayso.store.codec.calls import redacted_rows
from sayso.store.codec.document import Row


def forgotten_row(row: Row) -> dict[str, Any]:
    """What a call's rows become; from its id, its request's version if it has one, and REQUEST_COLUMNS."""
    call_id, version, *rest = row
    state, _, asked, call, *_ = rest[-6:]
    document, asked, state = redacted_rows(call, asked, state, Withheld.DELETED)
    return {
        "the_id": call_id,
        "expected_version": version,
        "document": document,
        "asked": asked,
        "state": state,
    }
