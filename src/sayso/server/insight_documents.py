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


class StatisticsOfDay(Document):
    """One day in UTC; `otherwise` ended without a person's answer."""

    day: str
    checked: int
    asked: int
    approved: int
    rejected: int
    otherwise: int


class StatisticsOfTool(Document):
    """What was asked about one tool; `rule_would_save` of its questions were answered by yes alone."""

    tool: str
    asked: int
    approved: int
    rejected: int
    rule_would_save: int


class AuditStatistics(Document):
    """What the log of a time adds up to; waiting is in seconds, of what people answered.

    `complete` is false where the log is so long that older entries of that time were left out.
    """

    entries: int
    complete: bool
    days: list[StatisticsOfDay]
    effects: dict[str, int]
    resolutions: dict[str, int]
    people: dict[str, int]
    tools: list[StatisticsOfTool]
    waited_median: float | None
    waited_p90: float | None
    rule_would_save: int
