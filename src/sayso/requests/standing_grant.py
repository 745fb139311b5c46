"""What people had remembered: grants that lift an ask, vetoes that turn one into a deny (REQ-51, REQ-54).

A grant counts only if its giver alone could approve the very request (gate.md, section 1, step 6); that
is for the gate to ask, and not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.call import ToolCall
from sayso.core.moment import Moment, to_rfc3339
from sayso.core.reason import Reason
from sayso.requests.key import Key


class Remember(StrEnum):
    """How long an answer is remembered; a grant or veto for `always` is its user's, not its session's."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


class Extent(StrEnum):
    """What a bypass lifts: the calls of a category of tools, of an MCP server, or all."""

    CATEGORY = "category"
    MCP_SERVER = "mcp_server"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class BypassScope:
    """Which calls of its session a bypass is for; `name` is the category or server, empty for all."""

    extent: Extent
    name: str = ""

    def covers(self, call: ToolCall, category: str | None) -> bool:
        """Whether it is for this call, whose tool is of that category (None: of none)."""
        match self.extent:
            case Extent.ALL:
                return True
            case Extent.CATEGORY:
                return call.server is None and category is not None and category == self.name
            case Extent.MCP_SERVER:
                return call.server is not None and call.server == self.name

    @property
    def label(self) -> str:
        """Which calls these are, in words for people."""
        match self.extent:
            case Extent.ALL:
                return "every call of this session that would ask"
            case Extent.CATEGORY:
                return f"every call of a tool of the category {self.name} in this session"
            case Extent.MCP_SERVER:
                return f"every call of the server {self.name} in this session"


@dataclass(frozen=True, slots=True)
class KeyGrant:
    """A remembered answer for a key; with `veto` a refusal.

    It is for the calls of `user_id`, with `session_id` for those of that session alone. `giver` is the
    person who gave it, `request_id` the request it was given with (empty: it was imported).
    `definition` is the digest of the definition that a server's tool had then: under another one it
    does not count.
    """

    grant_id: str
    key: Key
    user_id: str
    session_id: str | None
    giver: str
    giver_name: str
    given_at: Moment
    request_id: str = ""
    veto: bool = False
    comment: str | None = None
    definition: str | None = None

    @property
    def reason(self) -> Reason:
        """What it makes of an ask."""
        if self.veto:
            return Reason.SAVED_DENY
        return Reason.SAVED_GRANT if self.session_id is None else Reason.SESSION_GRANT

    def concerns(self, call: ToolCall) -> bool:
        """Whether it is for calls of this user and session, and for the tool as it is defined now."""
        return (
            self.user_id == call.user_id
            and self.session_id in (None, call.session_id)
            # a refusal holds for a tool that has changed too
            and (self.veto or self.definition is None or self.definition == call.definition)
        )

    def to_json(self) -> dict[str, Any]:
        """The grant or veto as plain data."""
        return {
            "id": self.grant_id,
            "key": self.key.text,
            "label": self.key.label,
            "veto": self.veto,
            "user_id": self.user_id,
            "session_id": self.session_id,
            "by": self.giver_name,
            "added": to_rfc3339(self.given_at),
            "request_id": self.request_id or None,
            "comment": self.comment,
        }


@dataclass(frozen=True, slots=True)
class Bypass:
    """A person's permission for a scope until a time, or with `until` None as long as its session lasts.

    `user_id` is the session's. It is bound to the session and to the start of the session's host, so
    that neither another session nor a restart inherits it.
    """

    bypass_id: str
    scope: BypassScope
    user_id: str
    session_id: str
    host_start: str
    giver: str
    giver_name: str
    given_at: Moment
    until: Moment | None = None
    request_id: str = ""

    def lasts(self, now: Moment) -> bool:
        """Whether it has not ended; use does not extend it."""
        return self.until is None or now < self.until

    def concerns(self, call: ToolCall, category: str | None, host_start: str, now: Moment) -> bool:
        """Whether it is for this call, in this start of the session's host, at this moment."""
        return (
            self.session_id == call.session_id
            and self.host_start == host_start
            and self.lasts(now)
            and self.scope.covers(call, category)
        )

    def to_json(self) -> dict[str, Any]:
        """The bypass as plain data."""
        return {
            "id": self.bypass_id,
            "scope": self.scope.extent.value,
            "name": self.scope.name,
            "label": self.scope.label,
            "user_id": self.user_id,
            "session_id": self.session_id,
            "by": self.giver_name,
            "added": to_rfc3339(self.given_at),
            "until": None if self.until is None else to_rfc3339(self.until),
            "request_id": self.request_id or None,
        }


@dataclass(frozen=True, slots=True)
class Remembered:
    """What people had remembered that may concern a call; `host_start` is that of the call's session."""

    grants: tuple[KeyGrant, ...] = ()
    bypasses: tuple[Bypass, ...] = ()
    host_start: str = ""

    def __bool__(self) -> bool:
        return bool(self.grants or self.bypasses)
