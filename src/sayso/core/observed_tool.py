"""A tool as a session was offered it, and the digest of what it says it does (POL-46, POL-51).

A server can change both after people got used to the tool. The hints beside them grant nothing, so
they are no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sayso.core.moment import Moment


def definition_of(description: str, input_schema: Mapping[str, Any]) -> str:
    """The digest of a tool's definition: SHA-256 in hex, whatever the order of the schema's keys."""
    written = json.dumps([description, input_schema], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class ObservedTool:
    """A tool that a session was offered, as its server described it."""

    server: str | None
    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)

    @property
    def definition(self) -> str:
        """The digest of what it says it does."""
        return definition_of(self.description, self.input_schema)


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool as it was last offered, and since when it is known; `changed_at` is its last change."""

    tool: ObservedTool
    first_seen: Moment
    changed_at: Moment


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of one tool of an MCP server.

    `current` is the one it was last offered with, None if it never was. `approved` are the first one
    that was ever seen, and those under which a person approved a call.
    """

    server: str
    tool: str
    current: str | None
    approved: frozenset[str]
