"""How the in-memory store keeps the tools that servers offer."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.store.memory.known_tools import KnownTools
from sayso.store.memory.state import State


class Tools(State):
    """The part of the in-memory store that keeps the tools that servers offer."""

    def __init__(self) -> None:
        super().__init__()
        self._tools = KnownTools()

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change."""
        with self._lock:
            self._rules_version += self._tools.observe(tools, now)

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""
        with self._lock:
            return self._tools.all()

    async def tool(self, server: str | None, name: str) -> ObservedTool | None:
        """A tool as it was last offered."""
        with self._lock:
            return self._tools.one(server, name)

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool."""
        with self._lock:
            return self._tools.definitions()
