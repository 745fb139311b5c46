"""Patterns for names of tools: exact, globs, `*`, and the class tokens for file tools (POL-11).

A pattern `mcp__S__G` means a pair of server and tool, however it is written (POL-2).
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.operation import Operation
from sayso.policy.patterns.glob import Glob, fold_glob, glob_matches, parse_glob
from sayso.policy.spelling import fold, normal

CLASS_OPERATIONS: dict[str, frozenset[Operation]] = {
    "@fs_read": frozenset({Operation.READ}),
    "@fs_write": frozenset({Operation.WRITE, Operation.DELETE}),
    "@fs_any": frozenset(Operation),
}
"""The class tokens, with the operations on files that each stands for."""

_MCP = "mcp__"


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """One compiled pattern for names of tools; `server` and `name` are set for a pair `mcp__S__G`."""

    text: str
    glob: Glob
    folded: Glob
    server: Glob | None = None
    name: Glob | None = None

    @property
    def literal(self) -> bool:
        """Whether it names exactly one tool."""
        return len(self.glob) == 1

    @property
    def everything(self) -> bool:
        """Whether it is the bare `*`."""
        return self.glob == ("", "")

    def covers(self, server: str | None, tool: str, *, wide: bool) -> bool:
        """Whether an allow covers the tool: of a pattern `mcp__S__G` exactly the pair.

        `wide` (rows of the rule table) lets globs reach MCP tools too (POL-46).
        """
        if self.server is not None and self.name is not None:
            if server is None or (len(self.server) > 1 and not wide):
                return False
            return glob_matches(self.server, server) and glob_matches(self.name, tool)
        if server is None:
            return glob_matches(self.glob, tool)
        return wide and not self.literal and glob_matches(self.glob, written(server, tool))

    def hits(self, server: str | None, tool: str) -> bool:
        """Whether a deny or ask hits the tool; of a pair every way to read it counts."""
        return glob_matches(self.glob, written(server, tool))

    def looks_like(self, seen: str) -> bool:
        """Whether the pattern could be meant by a name that looks like `seen` (a skeleton)."""
        return glob_matches(self.folded, seen)


def written(server: str | None, tool: str) -> str:
    """A tool's name as it is written: `mcp__<server>__<tool>` for a tool of an MCP server."""
    return tool if server is None else f"{_MCP}{server}__{tool}"


def compile_tool_pattern(text: str) -> ToolPattern:
    """Compile a pattern for names of tools; class tokens are not names and come elsewhere."""
    text = normal(text)
    glob = parse_glob(text)
    folded = fold_glob(glob, fold)
    if not text.startswith(_MCP):
        return ToolPattern(text, glob, folded)
    server, separator, name = text[len(_MCP) :].partition("__")
    if not separator:
        if "*" not in server:
            return ToolPattern(text, glob, folded)
        name = "*"
    return ToolPattern(text, glob, folded, parse_glob(server), parse_glob(name))


def split_written(tool: str) -> list[tuple[str, str]]:
    """Every pair of server and tool that a written name can mean; empty if it is no MCP name."""
    if not tool.startswith(_MCP):
        return []
    rest = tool[len(_MCP) :]
    return [
        (rest[:place], rest[place + 2 :])
        for place in range(1, len(rest) - 2)
        if rest.startswith("__", place)
    ]
