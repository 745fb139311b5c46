"""The tools that sessions were offered."""

from __future__ import annotations

from litestar import get

from sayso.core.moment import to_rfc3339
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.insight_documents import ServerSeen, ToolList, ToolSeen
from sayso.server.routes import route


@get("/approval/tools", operation_id="tools", tags=["rules"], **route(Who.PERSON))
async def read_tools(request: Asked, broker: TheBroker) -> ToolList:
    """Every tool that was ever offered, for writing rules."""
    built_in: list[ToolSeen] = []
    mcp: list[ToolSeen] = []
    servers: dict[str, ServerSeen] = {}
    for known in await broker.tools(request.user):
        tool = known.tool
        own = tool.server is None
        (built_in if own else mcp).append(
            ToolSeen(
                name=tool.name,
                description=tool.description,
                source="registry" if own else "mcp",
                server=tool.server,
                category="dynamic" if own else "mcp",
                first_seen=to_rfc3339(known.first_seen),
                changed_at=to_rfc3339(known.changed_at),
            )
        )
        if tool.server is not None:
            servers.setdefault(tool.server, ServerSeen(friendly_name=tool.server, description=""))
    return ToolList(built_in=built_in, mcp=mcp, mcp_servers=servers)
