"""The statements about people."""

from __future__ import annotations

from sqlalchemy import select

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler


class People(Compiler):
    """The statements about people."""

    def _people(self) -> None:
        self.people = self._compile(
            select(t.PEOPLE.c.document).order_by(self._text(t.PEOPLE.c.person_id))
        )
