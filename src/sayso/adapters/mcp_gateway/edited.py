"""Calls whose arguments a person changed: what the server gets, and what its client is told (MCP-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sayso.adapters.mcp_gateway.judge import ToolCallMessage
from sayso.adapters.mcp_gateway.wire import dumps, parse
from sayso.gate.explain import edit_sentence


def with_arguments(call: ToolCallMessage, arguments: Mapping[str, Any]) -> ToolCallMessage:
    """The call as the server gets it: with exactly these arguments, and all else as it was."""
    message = parse(call.line)
    message["params"]["arguments"] = dict(arguments)
    draft = replace(call.draft, arguments=dict(arguments))
    return replace(call, line=dumps(message), draft=draft)


def told(message: Mapping[str, Any], by: str, arguments: Mapping[str, Any]) -> bytes:
    """The server's answer, with a text that says what ran: in its content, or in its error."""
    sentence = f"Approval gate: {edit_sentence(by, arguments)}"
    answer, error, result = dict(message), message.get("error"), message.get("result")
    if isinstance(error, dict):
        answer["error"] = {**error, "message": f"{error.get('message')} ({sentence})"}
    elif isinstance(result, dict):
        content = result.get("content")
        before = content if isinstance(content, list) else []
        answer["result"] = {**result, "content": [*before, {"type": "text", "text": sentence}]}
    return dumps(answer, strict=False)
