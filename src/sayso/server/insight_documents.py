"""What the API answers about tools that were offered and about the audit log."""

from __future__ import annotations

from typing import Any, Literal

from sayso.server.documents import Document, Time


class ToolSeen(Document):
    """A tool that a session was offered; `category` is `dynamic` for tools known only at run time."""

    name: str
    description: str
    source: Literal["registry", "mcp"]
    server: str | None
    category: str
    first_seen: Time
    changed_at: Time


class ServerSeen(Document):
    """A configured MCP server."""

    friendly_name: str
    description: str


class ToolList(Document):
    """Every tool that was ever offered."""

    built_in: list[ToolSeen]
    mcp: list[ToolSeen]
    mcp_servers: dict[str, ServerSeen]


class AuditPage(Document):
    """Entries of the audit log, newest first; `next` is what to send as `before`."""

    entries: list[dict[str, Any]]
    next: int | None


class AuditVerification(Document):
    """What checking the hash chains found: how many entries are good, and the first fault.

    `checkpoint` is to be kept elsewhere; `head` is the hash of the last good entry.
    """

    ok: bool
    checked: int
    head: str
    checkpoint: str
    fault_seq: int | None
    fault: str | None
