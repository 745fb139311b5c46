"""Patterns for MCP tools: a server and a tool, two names that are never joined (POL-46)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.errors import RuleSyntaxError
from sayso.policy.patterns.glob import Glob, fold_glob, glob_matches, parse_glob
from sayso.policy.spelling import fold, normal


@dataclass(frozen=True, slots=True)
class PairPattern:
    """One compiled pattern for an MCP server's tools."""

    server: Glob
    tool: Glob
    folded_server: Glob
    folded_tool: Glob

    @property
    def literal_server(self) -> bool:
        """Whether the server is named in full, as an allow in a list needs."""
        return len(self.server) == 1

    def matches(self, server: str, tool: str) -> bool:
        """Whether the pair fits, each half whole."""
        return glob_matches(self.server, server) and glob_matches(self.tool, tool)

    def looks_like(self, server: str, tool: str) -> bool:
        """Whether a pair fits whose halves look like these (skeletons)."""
        return glob_matches(self.folded_server, server) and glob_matches(self.folded_tool, tool)


def split_pair(text: str) -> tuple[str, str] | None:
    """Server and tool of a pattern `server:tool` or `server :: tool`; None if there is no colon."""
    for separator in (" :: ", "::", ":"):
        server, found, tool = text.partition(separator)
        if found:
            return server.strip(" "), tool.strip(" ")
    return None


def write_pair(server: str, tool: str) -> str:
    """The canonical spelling of a pattern for a pair."""
    return f"{server} :: {tool}" if ":" in server or tool.startswith(":") else f"{server}:{tool}"


def compile_pair(text: str) -> PairPattern:
    """Compile a pattern for an MCP pair; raises RuleSyntaxError if a half is missing or empty."""
    pair = ("*", "*") if text == "*" else split_pair(normal(text))
    if pair is None:
        raise RuleSyntaxError(
            f"`{text}` names no tool of the server", f"write `{text}:*` for all its tools"
        )
    server, tool = pair
    if not server or not tool:
        half = "server" if not server else "tool"
        raise RuleSyntaxError(
            f"the {half} in `{text}` is empty",
            "write `server:tool`, with `*` as tool for all of a server's tools",
        )
    globs = parse_glob(server), parse_glob(tool)
    return PairPattern(*globs, fold_glob(globs[0], fold), fold_glob(globs[1], fold))
