"""What the broker needs of the tools that servers offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool


class ToolStore(Protocol):
    """Tools; see Store."""

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change.

        The first definition of a server's tool counts as approved.
        """

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""

    async def tool(self, server: str | None, name: str) -> ObservedTool | None:
        """A tool as it was last offered; None if it never was."""

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool; a change of them changes the version of the rules."""
