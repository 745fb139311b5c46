"""What a write does inside its transaction, for the tools that servers offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sayso.core.observed_tool import ObservedTool
from sayso.store.codec.tools import read_tool
from sayso.store.transaction import Transaction
from sayso.store.units.rules import rules_changed


def observe(tx: Transaction, tools: Sequence[tuple[ObservedTool, dict[str, Any]]]) -> None:
    """Remember tools with their rows; the first definition of a server's tool counts as approved."""
    changed = False
    for tool, row in tools:
        found = tx.row(tx.queries.tool_document, row)
        if found is not None and found[0] == row["document"]:
            continue
        tx.write(tx.queries.put_tool, row)
        if tool.server is None:
            continue
        changed = changed or found is None or read_tool(found).definition != row["definition"]
        if found is None:
            tx.write(tx.queries.approve_definition, {**row, "at": row["first_seen"]})
    if changed:
        rules_changed(tx)
