"""How the in-memory store keeps events."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.requests.event import Notice
from sayso.store.memory.state import State


class Events(State):
    """The part of the in-memory store that keeps events."""

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""
        with self._lock:
            first = self._notices[0].event_id if self._notices else 1
            start = max(0, after + 1 - first)
            return self._notices[start : start + limit]

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""
        return self._last_notice

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""
        with self._lock:
            return self._notices[0].event_id if self._notices else 0
