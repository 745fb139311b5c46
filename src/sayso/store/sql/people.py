"""What the SQL stores do with people."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.store.codec.people import read_person
from sayso.store.sql.access import Access


class People(Access):
    """The part of a SQL store that keeps people."""

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""
        found = await self._few(self._q.people, {}, read_person)
        return {person.person_id: person for person in found}

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment."""
        return Directory(await self.people())
