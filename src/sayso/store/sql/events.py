"""What the SQL stores do with events."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.requests.event import Notice
from sayso.store.codec.logs import read_notice
from sayso.store.sql.access import FEW, Access, number


class Events(Access):
    """The part of a SQL store that keeps events."""

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""
        read = self._few if limit <= FEW else self._many
        return await read(self._q.notices, {"after": after, "limit": limit}, read_notice)

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""
        return await self._one(self._q.last_notice, {}, number) or 0

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""
        return await self._one(self._q.oldest_notice, {}, number) or 0
