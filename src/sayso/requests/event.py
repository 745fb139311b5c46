"""What every surface is told when a request changes: ids, a version and small facts, never arguments (REQ-43)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sayso.core.moment import Moment, to_rfc3339


class EventKind(StrEnum):
    """The events of server.md, SRV-2, that this version sends."""

    APPROVAL_REQUESTED = "approval_requested"
    APPROVAL_REVIEW = "approval_review"
    APPROVAL_RESOLVED = "approval_resolved"
    CALL_OUTCOME = "call_outcome"
    CALLER_CHANGED = "caller_changed"
    APPROVAL_CHANGED = "approval_changed"
    DELIVERY_CHANGED = "delivery_changed"
    SETTINGS_CHANGED = "settings_changed"
    CLARIFICATION_REQUESTED = "clarification_requested"
    CLARIFICATION_RESOLVED = "clarification_resolved"
    ELICITATION_REQUESTED = "elicitation_requested"
    ELICITATION_RESOLVED = "elicitation_resolved"
    PLAN_REQUESTED = "plan_requested"
    PLAN_RESOLVED = "plan_resolved"
    QUESTION_CHANGED = "question_changed"
    TODO_CHANGED = "todo_changed"


@dataclass(frozen=True, slots=True)
class Notice:
    """One event; `event_id` is given by the store and grows.

    `user_id`, `agent_id` and `eligible` say who may read it.
    """

    kind: EventKind
    at: Moment
    request_id: str = ""
    session_id: str = ""
    root_session_id: str = ""
    user_id: str = ""
    agent_id: str = ""
    version: int = 0
    data: dict[str, Any] = field(default_factory=dict)
    event_id: int = 0
    eligible: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The event as the API sends it."""
        return {
            "id": self.event_id,
            "event": self.kind.value,
            "version": self.version,
            "request_id": self.request_id,
            "session_id": self.session_id,
            "root_session_id": self.root_session_id,
            "at": to_rfc3339(self.at),
            **self.data,
        }
