"""The statements about the full arguments of calls."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, and_, bindparam, func, literal_column, null, or_, select, update

from sayso.store import tables as t
from sayso.store.queries.calls import REQUEST_COLUMNS
from sayso.store.queries.compiler import Compiler


class KeptCalls(Compiler):
    """The statements about the full arguments of calls."""

    def _kept_calls(self) -> None:
        c, r = t.CALLS.c, t.REQUESTS.c
        kept = c.kept_since.is_not(None)
        one = literal_column("1", Integer)
        over = or_(r.request_id.is_(None), and_(r.closed == one, r.review_by.is_(None)))
        limit = bindparam("limit", type_=Integer)
        call_id = self._text(c.call_id)
        both = select(c.call_id, r.version, *REQUEST_COLUMNS).join_from(
            t.CALLS, t.REQUESTS, r.request_id == c.call_id, isouter=True
        )
        which: dict[str, Any] = {
            "call_id": c.call_id == bindparam("call_id"),
            "session_id": c.session_id == bindparam("session_id"),
            "before": c.kept_since <= bindparam("before"),
        }
        self.kept_and_over = {
            name: self._compile(
                both.where(kept, those, over).order_by(c.kept_since, call_id).limit(limit)
            )
            for name, those in which.items()
        }
        self.anything_kept = self._compile(
            select(c.call_id)
            .join_from(t.CALLS, t.REQUESTS, r.request_id == c.call_id, isouter=True)
            .where(kept, which["before"], over)
            .limit(one)
        )
        self.kept_count = {
            name: self._compile(select(func.count()).select_from(t.CALLS).where(kept, those))
            for name, those in which.items()
        }
        self.forget_call = self._compile(
            update(t.CALLS)
            .where(c.call_id == bindparam("the_id"), kept)
            .values(
                document=bindparam("document"),
                asked=bindparam("asked"),
                kept_since=null(),
                sealed=null(),
            )
        )
        self.forget_request = self._compile(
            update(t.REQUESTS)
            .where(
                r.request_id == bindparam("the_id"),
                r.version == bindparam("expected_version"),
                r.closed == one,
                r.review_by.is_(None),
            )
            .values(state=bindparam("state"), sealed_edit=null(), version=r.version + one)
        )
