"""The statements about what calls took of budgets."""

from __future__ import annotations

from sqlalchemy import bindparam, func, or_, select

from sayso.store import tables as t
from sayso.store.guard import NOT_OVER
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import words


class Bookings(Compiler):
    """The statements about what calls took of budgets."""

    def _bookings(self) -> None:
        b, r = t.BOOKINGS.c, t.REQUESTS.c
        self.add_booking = self._insert(t.BOOKINGS)
        self.spent = self._compile(
            select(func.coalesce(func.sum(b.amount), 0.0))
            .select_from(t.BOOKINGS.outerjoin(t.REQUESTS, b.request_id == r.request_id))
            .where(
                b.rule_id == bindparam("rule_id"),
                or_(b.at > bindparam("since"), r.status.in_(words(NOT_OVER))),
            )
        )
