"""Sessions as rows, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sayso.core.session import Session
from sayso.store.codec.document import Row, reader, written

_session = reader(Session)


def session_row(session: Session) -> dict[str, Any]:
    """The row of a session."""
    return {
        "session_id": session.session_id,
        "user_id": session.user_id,
        "agent_id": session.agent_id,
        "opened_at": session.opened_at,
        "stopped_at": session.stopped_at,
        "document": written(session),
    }


def read_session(row: Row) -> Session:
    """A session from its document and the moment it was stopped."""
    session = _session(row[0])
    return session if row[1] is None else replace(session, stopped_at=row[1])
