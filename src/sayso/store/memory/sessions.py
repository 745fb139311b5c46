"""How the in-memory store keeps sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.ports import Notices, Records
from sayso.core.moment import Moment
from sayso.core.session import Session
from sayso.errors import StoreError
from sayso.requests.approval import Status
from sayso.store import guard
from sayso.store.memory.calls import Calls


class Sessions(Calls):
    """The part of the in-memory store that keeps sessions."""

    def __init__(self) -> None:
        super().__init__()
        self._sessions: dict[str, Session] = {}

    async def open_session(self, session: Session) -> None:
        """Store a new session."""
        with self._lock:
            if session.session_id in self._sessions:
                raise StoreError(f"the session `{session.session_id}` exists already")
            self._sessions[session.session_id] = session

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""
        return self._sessions.get(session_id)

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself, if it is what it was before."""
        with self._lock:
            name = before.session_id
            self._sessions[name] = guard.change_session(self._sessions.get(name), before, after)
            self._append(records, notices)

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped; a stopped one stays as it is."""
        with self._lock:
            self._append(records, ())
            if (old := self._sessions.get(session_id)) is not None and old.stopped_at is None:
                self._sessions[session_id] = replace(old, stopped_at=now)

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""
        waits = (Status.PENDING, Status.APPROVED)
        found = self._find(lambda r: r.status in waits and not r.ended_approved)
        sessions = [self._sessions.get(name) for name in {r.call.session_id for r in found}]
        return sorted(s.session_id for s in sessions if s is not None and s.stopped_at is not None)
