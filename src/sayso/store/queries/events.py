"""The statements about events."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, delete, func, literal_column, select

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import ManyRows


class Events(Compiler):
    """The statements about events."""

    def _events(self) -> None:
        n = t.NOTICES.c
        self.add_notices = ManyRows(t.NOTICES, self._dialect, without=("event_id",))
        self.add_numbered_notices = ManyRows(t.NOTICES, self._dialect)
        self.notices = self._compile(
            select(n.event_id, n.document)
            .where(n.event_id > bindparam("after"))
            .order_by(n.event_id)
            .limit(bindparam("limit", type_=Integer))
        )
        self.notice_topics = self._compile(
            select(n.event_id, n.request_id)
            .where(n.event_id > bindparam("after"))
            .order_by(n.event_id)
            .limit(bindparam("limit", type_=Integer))
        )
        zero = literal_column("0", Integer)
        self.last_notice = self._compile(select(func.coalesce(func.max(n.event_id), zero)))
        self.oldest_notice = self._compile(select(func.coalesce(func.min(n.event_id), zero)))
        nth = select(n.event_id).order_by(n.event_id.desc()).limit(1)
        self.trim_notices = self._compile(
            delete(t.NOTICES).where(
                n.event_id <= nth.offset(bindparam("keep", type_=Integer)).scalar_subquery()
            )
        )
