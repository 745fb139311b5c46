"""How the in-memory store keeps people, roles and stand-ins."""

from __future__ import annotations

from dataclasses import replace

from sayso.broker.ports import Notices, Records
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.people.person import OWNER, owner
from sayso.store.guard import people_changed
from sayso.store.memory.credentials import Credentials


class People(Credentials):
    """The part of the in-memory store that keeps people, roles and stand-ins."""

    def __init__(self) -> None:
        super().__init__()
        self._directory = Directory({OWNER: owner()})

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment."""
        return self._directory

    async def change_people(
        self, before: Directory, after: Directory, now: Moment, records: Records, notices: Notices
    ) -> None:
        """Put one directory in the place of the other, if that is the stored one."""
        with self._lock:
            if self._directory.version != before.version:
                raise people_changed()
            self._directory = replace(after, version=before.version + 1)
            for person in after.people.values():
                if person.removed:
                    self._forget(person.person_id, now)
            self._append(records, notices)
