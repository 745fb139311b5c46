"""The list of tools: observed, and without those that policy denies (POL-50)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sayso.adapters.mcp_gateway.wire import dumps
from sayso.broker.ports import GatePort
from sayso.core.call import check_name
from sayso.core.observed_tool import ObservedTool
from sayso.errors import CallInvalid

MAX_AT_ONCE = 256 * 1024
"""How much of a list is told to the gate at once, in bytes; its requests are bounded."""

MAX_TOOL = 512 * 1024
"""The largest description of one tool; a larger one cannot be shown to anybody."""


async def without_hidden(
    gate: GatePort, server_name: str, result: Mapping[str, Any], say: Callable[[str], None]
) -> dict[str, Any] | None:
    """The result of a `tools/list` without the tools that may not be shown; None if all may.

    Each page of a list is filtered by itself. Raises what the gate raises.
    """
    tools = result.get("tools")
    if not isinstance(tools, list):
        return None
    offered: list[ObservedTool] = []
    sizes: list[int] = []
    for tool in tools:
        size = len(dumps(tool, strict=False))
        observed = _observed(tool, server_name) if size <= MAX_TOOL else None
        if observed is None:
            say("a tool is hidden: its name or its size is not acceptable")
        else:
            offered.append(observed)
            sizes.append(size)
    names: set[str] = set()
    for part in _parts(offered, sizes):
        names.update(tool.name for tool in await gate.see_tools(part))
    shown = [tool for tool in tools if isinstance(tool, dict) and _name(tool) in names]
    return None if len(shown) == len(tools) else {**result, "tools": shown}


def definitions_in(result: Mapping[str, Any]) -> dict[str, str]:
    """The digests of what the tools of a `tools/list` say they do, by name (POL-46)."""
    tools = result.get("tools")
    observed = [_observed(tool, "") for tool in (tools if isinstance(tools, list) else [])]
    return {tool.name: tool.definition for tool in observed if tool is not None}


def _observed(tool: object, server_name: str) -> ObservedTool | None:
    name = _name(tool)
    if name is None or not isinstance(tool, dict):
        return None
    description = tool.get("description")
    schema, annotations = tool.get("inputSchema"), tool.get("annotations")
    return ObservedTool(
        server=server_name,
        name=name,
        description=description if isinstance(description, str) else "",
        input_schema=schema if isinstance(schema, dict) else {},
        annotations=annotations if isinstance(annotations, dict) else {},
    )


def _name(tool: object) -> str | None:
    try:
        return check_name("tool name", tool.get("name")) if isinstance(tool, dict) else None
    except CallInvalid:
        return None


def _parts(tools: Sequence[ObservedTool], sizes: Sequence[int]) -> list[list[ObservedTool]]:
    parts: list[list[ObservedTool]] = []
    room = 0
    for tool, size in zip(tools, sizes, strict=True):
        if size > room or not parts:
            parts.append([])
            room = MAX_AT_ONCE
        parts[-1].append(tool)
        room -= size
    return parts
