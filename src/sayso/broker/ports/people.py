"""What the broker needs to know of people."""

from __future__ import annotations

from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.moment import Moment
from sayso.people.directory import Directory


class PeopleStore(Protocol):
    """People; see Store."""

    async def directory(self) -> Directory:
        """People, roles and stand-ins, from one moment; cheap, read whenever somebody is asked or decides."""

    async def change_people(
        self, before: Directory, after: Directory, now: Moment, records: Records, notices: Notices
    ) -> None:
        """Put one directory in the place of the other; raises LostRace if that is not the stored one.

        Its version grows. Whoever was removed loses every credential and the passphrase.
        """
