"""The statements about batches of calls."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select, update

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler


class Batches(Compiler):
    """The statements about batches of calls."""

    def _batches(self) -> None:
        b = t.BATCHES.c
        values: dict[str, Any] = {column.name: bindparam(column.name) for column in b}
        self.add_batch = self._compile(
            self._upsert(t.BATCHES).values(values).on_conflict_do_nothing()
        )
        self.batch = self._compile(select(b.document).where(b.batch_id == bindparam("batch_id")))
        change = update(t.BATCHES).where(
            b.batch_id == bindparam("the_id"), b.version == bindparam("expected_version")
        )
        self.change_batch = self._compile(change, ["version", "ended", "document"])
