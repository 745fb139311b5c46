"""What the broker needs of events, so that a reader can take up where it left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from sayso.requests.event import Notice

Notices: TypeAlias = Sequence[Notice]


class EventStore(Protocol):
    """Events; see Store."""

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""
