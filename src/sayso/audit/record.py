"""One line of the audit log (AUD-1): what was decided about which call, by whom, why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

from sayso.core.moment import Moment, to_rfc3339

_NAMES = (
    "call_id",
    "session_id",
    "agent_id",
    "user_id",
    "source",
    "tool",
    "targets",
    "arguments",
    "digest",
    "effect",
    "reason",
    "rule",
    "by",
    "channel",
    "comment",
    "waited",
    "outcome",
    "note",
)


_FIELDS = attrgetter(*_NAMES)


class RecordKind(StrEnum):
    """What a record is about."""

    VERDICT = "verdict"
    REVIEW = "review"
    EDIT = "edit"
    RESOLUTION = "resolution"
    CLAIM = "claim"
    OUTCOME = "outcome"
    CONFIGURATION = "configuration"
    ACCESS = "access"
    ATTENTION = "attention"
    BREAK_GLASS = "break-glass"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """A record as it is written; `arguments` and every text in it are redacted before (redact.py).

    `waited` is in seconds. `by` is a person's name, or None where sayso itself decided.
    """

    kind: RecordKind
    at: Moment
    call_id: str = ""
    session_id: str = ""
    agent_id: str = ""
    user_id: str = ""
    source: str = ""
    tool: str = ""
    targets: tuple[str, ...] = ()
    arguments: Any = None
    digest: str = ""
    effect: str = ""
    reason: str = ""
    rule: str = ""
    by: str | None = None
    channel: str | None = None
    comment: str | None = None
    waited: float | None = None
    outcome: str | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The record as plain data; what is empty is left out."""
        data: dict[str, Any] = {"kind": self.kind.value, "at": to_rfc3339(self.at)}
        for name, value in zip(_NAMES, _FIELDS(self), strict=True):
            if value is not None and value != "" and value != ():
                data[name] = list(value) if isinstance(value, tuple) else value
        return data
