"""What the broker needs of the kill switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.freeze import Freeze


class FreezeStore(Protocol):
    """The brakes that are on; see Store. Each change gives the rules another version (RuleStore)."""

    async def freezes(self) -> Sequence[Freeze]:
        """The brakes that are on, oldest first."""

    async def freeze(self, freeze: Freeze, records: Records, notices: Notices) -> bool:
        """Put a brake on; False, and nothing changed, if that person's is on already."""

    async def thaw(
        self, agent_id: str | None, person_id: str | None, records: Records, notices: Notices
    ) -> int:
        """Take off the brakes on an agent, or those on every agent (None); of one person, or of all (None).

        Returns how many they were; nothing is logged where there was none.
        """
