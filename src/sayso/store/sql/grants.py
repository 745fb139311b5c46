"""What the SQL stores do with grants, vetoes and bypasses."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Given, Notices, Records
from sayso.core.moment import Moment
from sayso.requests.standing_grant import Bypass, KeyGrant
from sayso.store.codec.grants import read_bypass, read_grant
from sayso.store.codec.logs import log_rows
from sayso.store.sql.access import Access
from sayso.store.units import grants as units


class Grants(Access):
    """The part of a SQL store that keeps what people had remembered."""

    async def remember(self, given: Given) -> None:
        """Write what is remembered."""
        log = log_rows(given.records, given.notices)
        await self._write(lambda tx: units.remember(tx, given, log))

    async def remembered(
        self, user_id: str, session_id: str
    ) -> tuple[Sequence[KeyGrant], Sequence[Bypass]]:
        """What may concern the calls of that user's session."""
        values = {"user_id": user_id, "session_id": session_id}
        rows = await self._few(self._q.remembered, values, tuple)
        grants = [read_grant(row[1:]) for row in rows if not row[0]]
        bypasses = [read_bypass(row[1:]) for row in rows if row[0]]
        return grants, sorted(bypasses, key=_moment, reverse=True)

    async def grants(self, user_id: str | None = None) -> Sequence[KeyGrant]:
        """The grants and vetoes for a user, or for all, newest first."""
        statement = self._q.grants if user_id is None else self._q.grants_of
        return await self._many(statement, {"user_id": user_id}, read_grant)

    async def bypasses(self, user_id: str | None = None) -> Sequence[Bypass]:
        """The bypasses in a user's sessions, or in all, newest first."""
        statement = self._q.bypasses if user_id is None else self._q.bypasses_of
        return await self._many(statement, {"user_id": user_id}, read_bypass)

    async def forget_grants(
        self, grant_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take grants and vetoes back."""
        log, gone = log_rows(records, notices), self._q.forget_grant
        return int(await self._write(lambda tx: units.forget(tx, gone, grant_ids, log)))

    async def forget_bypasses(
        self, bypass_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take bypasses back."""
        log, gone = log_rows(records, notices), self._q.forget_bypass
        return int(await self._write(lambda tx: units.forget(tx, gone, bypass_ids, log)))


def _moment(bypass: Bypass) -> tuple[Moment, str]:
    return bypass.given_at, bypass.bypass_id
