"""A target is one thing a call touches, in the normal form that rules match (POL-3)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from sayso.core.operation import Operation
from sayso.core.plain_members import plain_members
from sayso.core.shell_command import ShellCommand


@plain_members
class TargetKind(StrEnum):
    """What sort of thing a target is."""

    PATH = "path"
    COMMAND = "command"
    HOST = "host"
    MCP = "mcp"
    SKILL = "skill"
    AGENT = "agent"
    NAME = "name"


class Target(Struct, frozen=True):
    """One thing a call touches.

    `text` is it as people see it. `own` tells a call's own targets from those derived from its
    arguments. A path has `path` (absolute, normalised, as written) and `resolved` (links followed;
    None = unknown, which never loosens); a host has `scheme`, `host` (canonical) and `port`; an MCP
    target has `server` and `tool`. `alternatives` are further spellings, on which deny and ask rules
    are tried and allow rules are not. `doubt` says in words why the target cannot be verified;
    `opaque` is a command that could not be taken apart, so that only a rule for every command
    covers it; `command` is one that was. `redirected` is a path that a command line writes to by
    redirection, which needs an allow of its own (POL-34), `walks` one with all that lies below it. A
    target that was found in a command line has the `command` that touches it, a command the whole
    `line` that it stands in.
    """

    kind: TargetKind
    text: str
    own: bool = True
    operation: Operation | None = None
    path: str | None = None
    resolved: str | None = None
    scheme: str | None = None
    host: str | None = None
    port: int | None = None
    addresses: tuple[str, ...] = ()
    server: str | None = None
    tool: str | None = None
    doubt: str | None = None
    alternatives: tuple[str, ...] = ()
    opaque: bool = False
    command: ShellCommand | None = None
    redirected: bool = False
    walks: bool = False
    line: str | None = None

    @property
    def leads_to(self) -> str | None:
        """Where links take a path; None where it is the path itself, or not known."""
        return None if self.resolved == self.path else self.resolved

    def to_json(self) -> dict[str, Any]:
        """The target as plain data: kind and text, and what else is set."""
        data: dict[str, Any] = {"kind": self.kind.value, "text": self.text, "own": self.own}
        if self.operation is not None:
            data["operation"] = self.operation.value
        if self.leads_to is not None:
            data["resolved"] = self.leads_to
        if self.addresses:
            data["addresses"] = list(self.addresses)
        if self.doubt is not None:
            data["doubt"] = self.doubt
        return data
