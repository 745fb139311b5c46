"""What the SQL stores do with people, roles and stand-ins."""

from __future__ import annotations

from sayso.broker.ports import Notices, Records
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.store.codec.logs import log_rows
from sayso.store.codec.people import read_directory
from sayso.store.sql.access import Access, number
from sayso.store.units import people as units
from sayso.store.units.people import PEOPLE_VERSION


class People(Access):
    """The part of a SQL store that keeps people, roles and stand-ins."""

    _known_people: Directory | None = None

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment; read anew only where they have changed."""
        known, counter = self._known_people, {"name": PEOPLE_VERSION}
        if known is not None:
            version = await self._one(self._q.counter, counter, number)
            if version == known.version:
                return known
        versions, *rows = await self._snapshot(
            (self._q.counter, counter),
            (self._q.people, {}),
            (self._q.roles, {}),
            (self._q.role_members, {}),
            (self._q.stand_ins, {}),
        )
        self._known_people = read_directory(number(versions[0]), *rows)
        return self._known_people

    async def change_people(
        self, before: Directory, after: Directory, now: Moment, records: Records, notices: Notices
    ) -> None:
        """Put one directory in the place of the other, if that is the stored one."""
        log = log_rows(records, notices)
        await self._write(lambda tx: units.change_people(tx, before, after, now, log))
