"""What the SQL stores do with the tools that servers offer."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.store.codec.tools import read_definitions, read_known_tool, read_tool, tool_row
from sayso.store.sql.access import Access
from sayso.store.units import tools as units


class Tools(Access):
    """The part of a SQL store that keeps the tools that servers offer."""

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change."""
        known = {(k.tool.server, k.tool.name): k.tool for k in await self.known_tools()}
        new = [t for t in tools if known.get((t.server, t.name)) != t]
        if new:
            rows = [(tool, tool_row(tool, now)) for tool in new]
            await self._write(lambda tx: units.observe(tx, rows))

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""
        return await self._many(self._q.known_tools, {}, read_known_tool)

    async def tool(self, server: str | None, name: str) -> ObservedTool | None:
        """A tool as it was last offered."""
        values = {"server": server or "", "name": name}
        return await self._one(self._q.tool_document, values, read_tool)

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool."""
        rows = await self._many(self._q.approved_definitions, {}, tuple)
        return read_definitions(rows)
