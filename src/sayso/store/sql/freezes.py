"""What the SQL stores do with the kill switch."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.freeze import Freeze
from sayso.store.codec.freezes import read_freeze
from sayso.store.codec.logs import log_rows
from sayso.store.sql.access import Access
from sayso.store.units import freezes as units


class Freezes(Access):
    """The part of a SQL store that keeps the kill switch."""

    async def freezes(self) -> Sequence[Freeze]:
        """The brakes that are on, oldest first."""
        return await self._few(self._q.freezes, {}, read_freeze)

    async def freeze(self, freeze: Freeze, records: Records, notices: Notices) -> bool:
        """Put a brake on; False if that person's is on already."""
        log = log_rows(records, notices)
        return bool(await self._write(lambda tx: units.freeze(tx, freeze, log)))

    async def thaw(
        self, agent_id: str | None, person_id: str | None, records: Records, notices: Notices
    ) -> int:
        """Take off the brakes on an agent or on all, of one person or of everybody."""
        log = log_rows(records, notices)
        return int(await self._write(lambda tx: units.thaw(tx, agent_id, person_id, log)))
