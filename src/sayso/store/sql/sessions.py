"""What the SQL stores do with sessions."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.moment import Moment
from sayso.core.session import Session
from sayso.store.codec.logs import log_rows
from sayso.store.codec.sessions import read_session, session_row
from sayso.store.sql.access import Access
from sayso.store.units import sessions as units
from sayso.store.units.grants import stop_session


class Sessions(Access):
    """The part of a SQL store that keeps sessions."""

    async def open_session(self, session: Session) -> None:
        """Store a new session."""
        row = session_row(session)
        await self._write(lambda tx: tx.write(self._q.add_session, row))

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""
        return await self._one(self._q.session, {"session_id": session_id}, read_session)

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself, if it is what it was before."""
        log = log_rows(records, notices)
        await self._write(lambda tx: units.change_session(tx, before, after, log))

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped; a stopped one stays as it is."""
        log = log_rows(records)
        await self._write(lambda tx: stop_session(tx, session_id, now, log))

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""
        return await self._few(self._q.stopped_sessions, {}, lambda row: str(row[0]))
