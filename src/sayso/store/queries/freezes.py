"""The statements about the kill switch."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from sayso.store.freeze_tables import FREEZES
from sayso.store.queries.compiler import Compiler


class Freezes(Compiler):
    """The statements about the kill switch."""

    def _freezes(self) -> None:
        f = FREEZES.c
        names = [column.name for column in FREEZES.columns]
        self.freezes = self._compile(
            select(f.document).order_by(f.at, self._text(f.agent_id), self._text(f.person_id))
        )
        self.freeze = self._compile(
            self._upsert(FREEZES)
            .values({name: bindparam(name) for name in names})
            .on_conflict_do_nothing()
        )
        of_agent = delete(FREEZES).where(f.agent_id == bindparam("the_agent"))
        self.thaw = self._compile(of_agent)
        self.thaw_own = self._compile(of_agent.where(f.person_id == bindparam("the_person")))
