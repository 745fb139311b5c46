"""Tools and their definitions as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.store.codec.document import Row, reader, written

_tool = reader(ObservedTool)


def tool_row(tool: ObservedTool, now: Moment) -> dict[str, Any]:
    """The row of an observed tool."""
    return {
        "server": tool.server or "",
        "name": tool.name,
        "first_seen": now,
        "changed_at": now,
        "document": written(tool),
        "definition": tool.definition,
    }


def definition_row(call: ToolCall, at: Moment) -> dict[str, Any]:
    """The row of the definition under which a call was approved."""
    return {"server": call.server, "name": call.tool, "definition": call.definition, "at": at}


def read_tool(row: Row) -> ObservedTool:
    """An observed tool from its document."""
    return _tool(row[0])


def read_known_tool(row: Row) -> KnownTool:
    """A known tool from its columns."""
    return KnownTool(_tool(row[0]), *row[1:])


def read_definitions(rows: Iterable[Row]) -> list[Definitions]:
    """What is known of each tool, from one row for each definition that is approved."""
    current: dict[tuple[str, str], str | None] = {}
    approved: dict[tuple[str, str], set[str]] = {}
    for server, name, last, definition in rows:
        current[server, name] = last
        approved.setdefault((server, name), set()).add(definition)
    return [Definitions(*key, current[key], frozenset(found)) for key, found in approved.items()]
