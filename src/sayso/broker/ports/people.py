"""What the broker needs to know of people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sayso.people.directory import Directory
from sayso.people.person import Person


class PeopleStore(Protocol):
    """People; see Store."""

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment."""
