"""The statements about sessions."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, literal_column, select, update

from sayso.requests.approval import Status
from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import words


class Sessions(Compiler):
    """The statements about sessions."""

    def _sessions(self) -> None:
        s = t.SESSIONS.c
        self.add_session = self._insert(t.SESSIONS)
        self.session = self._compile(
            select(s.document, s.stopped_at).where(s.session_id == bindparam("session_id"))
        )
        one = s.session_id == bindparam("the_id")
        stop = update(t.SESSIONS).where(one, s.stopped_at.is_(None))
        self.stop_session = self._compile(stop.values(stopped_at=bindparam("now")))
        change = update(t.SESSIONS).where(one).values(document=bindparam("changed"))
        self.change_session = self._compile(change)
        waiting = t.REQUESTS.c
        self.stopped_sessions = self._compile(
            select(self._text(s.session_id))
            .where(
                s.stopped_at.is_not(None),
                s.session_id == waiting.session_id,
                waiting.closed == literal_column("0", Integer),
                waiting.status.in_(words((Status.APPROVED, Status.PENDING))),
            )
            .distinct()
            .order_by(self._text(s.session_id))
        )
