"""The tools that the in-memory store knows, and the definitions under which they are what was approved."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool


class KnownTools:
    """What a store remembers of tools; each method says whether the rules have to be read anew."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], KnownTool] = {}
        self._approved: dict[tuple[str, str], set[str]] = {}

    def observe(self, tools: Sequence[ObservedTool], now: Moment) -> bool:
        """Remember tools the first time they are offered and when they change."""
        changed = False
        for tool in tools:
            key = (tool.server or "", tool.name)
            found = self._tools.get(key)
            if found is not None and found.tool == tool:
                continue
            self._tools[key] = KnownTool(tool, now if found is None else found.first_seen, now)
            if tool.server is None:
                continue
            if found is None:
                self._approved.setdefault(key, set()).add(tool.definition)
            changed = changed or found is None or found.tool.definition != tool.definition
        return changed

    def approve(self, call: ToolCall) -> bool:
        """Count the definition of the call's tool as approved."""
        approved = self._approved.setdefault((call.server or "", call.tool), set())
        if call.definition is None or call.definition in approved:
            return False
        approved.add(call.definition)
        return True

    def all(self) -> list[KnownTool]:
        """Every tool that was ever offered, by server and name."""
        return [self._tools[key] for key in sorted(self._tools)]

    def one(self, server: str | None, name: str) -> ObservedTool | None:
        """A tool as it was last offered."""
        known = self._tools.get((server or "", name))
        return None if known is None else known.tool

    def definitions(self) -> list[Definitions]:
        """The definitions of every server's tool, by server and name."""
        found = []
        for key, approved in sorted(self._approved.items()):
            known = self._tools.get(key)
            current = None if known is None else known.tool.definition
            found.append(Definitions(*key, current, frozenset(approved)))
        return found
