"""Tool descriptors: what a tool is, and which of its arguments hold a path, a command or a URL (POL-2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sayso.core.operation import Operation


class ToolKind(StrEnum):
    """What sort of thing a tool does."""

    RUN_COMMAND = "run_command"
    READ_FILE = "read_file"
    WRITE_FILE = "write_file"
    DELETE_FILE = "delete_file"
    NETWORK = "network"
    MCP_TOOL = "mcp_tool"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class PathArgument:
    """An argument that holds a path, or with `many` a list of paths, and what is done to it.

    Where it is missing, `default` is the path; without a default a missing one is doubtful, unless it
    is `optional`. `base` names the argument below which a glob stands: only its fixed part is a path.
    `walks` tells that it is done to all that lies below a folder, too (POL-36).
    """

    name: str
    operation: Operation
    many: bool = False
    default: str | None = None
    optional: bool = False
    base: str | None = None
    walks: bool = False


@dataclass(frozen=True, slots=True)
class ToolDescriptor:
    """What one tool is; `server` is the MCP server it belongs to, `*` any server.

    `remember` tells whether people may be offered to remember an answer about it. `skill` and
    `agent` name the argument with the skill or sub-agent that it starts.
    """

    tool: str
    kind: ToolKind = ToolKind.OTHER
    category: str | None = None
    server: str | None = None
    paths: tuple[PathArgument, ...] = ()
    command: str | None = None
    urls: tuple[str, ...] = ()
    skill: str | None = None
    agent: str | None = None
    remember: bool = True

    @property
    def bare(self) -> bool:
        """Whether no argument of the tool is a target."""
        return not (self.paths or self.command or self.urls or self.skill or self.agent)


class Descriptors:
    """The descriptors in force; one added later replaces one of the same tool."""

    def __init__(self, items: Iterable[ToolDescriptor] = ()) -> None:
        self._items = {(item.server, item.tool): item for item in items}

    def find(self, tool: str, server: str | None = None) -> ToolDescriptor | None:
        """The descriptor of a tool, of a tool of an MCP server, or None."""
        found = self._items.get((server, tool))
        if found is None and server is not None:
            found = self._items.get(("*", tool))
        return found

    def kind(self, tool: str, server: str | None = None) -> ToolKind:
        """What sort of thing a tool does; one without a descriptor is `other`."""
        found = self.find(tool, server)
        if server is not None:
            return ToolKind.MCP_TOOL
        return ToolKind.OTHER if found is None else found.kind

    def adding(self, items: Iterable[ToolDescriptor]) -> Descriptors:
        """These descriptors with others added, for instance a user's own."""
        return Descriptors([*self._items.values(), *items])

    def __iter__(self) -> Iterator[ToolDescriptor]:
        return iter(self._items.values())
