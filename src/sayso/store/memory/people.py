"""How the in-memory store keeps people."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.people.directory import Directory
from sayso.people.person import OWNER, Person, owner
from sayso.store.memory.state import State


class People(State):
    """The part of the in-memory store that keeps people."""

    def __init__(self) -> None:
        super().__init__()
        self._people: dict[str, Person] = {OWNER: owner()}

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""
        return dict(self._people)

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment."""
        return Directory(dict(self._people))
