"""Names of MCP tools in which server and tool are joined by a `_`, so that each can be read in several ways."""

from __future__ import annotations


def split_joined(name: str) -> list[tuple[str, str]]:
    """Every server and tool that a pattern `server_tool` can mean, the shortest server first."""
    pairs = [
        (name[:at], name[at + 1 :])
        for at, character in enumerate(name)
        if character == "_" and 0 < at < len(name) - 1
    ]
    pairs += [(name[: at + 1], name[at:]) for at, character in enumerate(name) if character == "*"]
    return pairs


def hit_joined(name: str) -> list[str]:
    """The rules that together hit every tool of a server that a pattern `server_tool` can mean."""
    return [f"mcp({server} :: {tool})" for server, tool in split_joined(name)]
