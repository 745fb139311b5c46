"""What the broker needs of the agents' sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.moment import Moment
from sayso.core.session import Session


class SessionStore(Protocol):
    """Sessions; see Store."""

    async def open_session(self, session: Session) -> None:
        """Store a new session."""

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself; raises LostRace if it is not what it was before."""

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped."""

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""
