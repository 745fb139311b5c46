"""How the in-memory store keeps the kill switch."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.freeze import Freeze
from sayso.store.memory.state import State


class Freezes(State):
    """The part of the in-memory store that keeps the kill switch."""

    def __init__(self) -> None:
        super().__init__()
        self._freezes: dict[tuple[str | None, str], Freeze] = {}

    async def freezes(self) -> Sequence[Freeze]:
        """The brakes that are on, oldest first."""
        with self._lock:
            return sorted(
                self._freezes.values(), key=lambda f: (f.at, f.agent_id or "", f.person_id)
            )

    async def freeze(self, freeze: Freeze, records: Records, notices: Notices) -> bool:
        """Put a brake on; False if that person's is on already."""
        key = freeze.agent_id, freeze.person_id
        with self._lock:
            if key in self._freezes:
                return False
            self._freezes[key] = freeze
            self._rules_version += 1
            self._append(records, notices)
            return True

    async def thaw(
        self, agent_id: str | None, person_id: str | None, records: Records, notices: Notices
    ) -> int:
        """Take off the brakes on an agent or on all, of one person or of everybody."""
        with self._lock:
            gone = [
                key
                for key in self._freezes
                if key[0] == agent_id and (person_id is None or key[1] == person_id)
            ]
            for key in gone:
                del self._freezes[key]
            if gone:
                self._rules_version += 1
                self._append(records, notices)
            return len(gone)
