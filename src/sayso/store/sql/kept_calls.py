"""What the SQL stores do with the full arguments of calls."""

from __future__ import annotations

from typing import Any

from sayso.broker.ports.kept_calls import Which
from sayso.store.codec.kept_calls import forgotten_row
from sayso.store.sql.access import Access, number
from sayso.store.units import kept_calls as units


class KeptCalls(Access):
    """The part of a SQL store that lets go of the full arguments of calls."""

    async def forget(self, which: Which, limit: int) -> int:
        """Delete the full arguments of up to so many of these calls that are over, the oldest first."""
        name, values = _of(which)
        if name == "before" and not await self._few(self._q.anything_kept, values, tuple):
            return 0  # most of the time; a look costs less than the rest
        values["limit"] = limit
        rows = await self._many(self._q.kept_and_over[name], values, forgotten_row)
        return await self._write(lambda tx: units.forget(tx, rows)) if rows else 0

    async def kept(self, which: Which) -> int:
        """How many of these calls have their full arguments."""
        name, values = _of(which)
        return sum(await self._many(self._q.kept_count[name], values, number))


def _of(which: Which) -> tuple[str, dict[str, Any]]:
    given = {"call_id": which.call_id, "session_id": which.session_id, "before": which.before}
    return next((name, {name: value}) for name, value in given.items() if value is not None)
