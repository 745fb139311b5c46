"""Everybody there is: people, roles and who stands in for whom, as they are at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sayso.core.moment import Moment
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.stand_in import LONGEST_CHAIN, StandIn


@dataclass(frozen=True, slots=True)
class Directory:
    """People by id, roles by name, stand-ins; `version` grows with every change of any of them."""

    people: Mapping[str, Person] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    stand_ins: tuple[StandIn, ...] = ()
    version: int = 0

    def somebody(self, person_id: str) -> Person | None:
        """The person with that id; None if there is none, or they were disabled or removed."""
        person = self.people.get(person_id)
        return person if person is not None and person.counts else None

    def known_as(self, identity: str) -> Person | None:
        """The person whose identity that is, in its one spelling; None if nobody's."""
        for person in self.people.values():
            if person.counts and identity in person.all_identities:
                return person
        return None

    def stood_in_for(
        self, person_id: str, now: Moment, *, never: str | None = None
    ) -> Iterator[str]:
        """Everybody for whom a person stands in now, over chains of people who are somebody.

        `never` is the session's user, under any identity: nobody's stand-in, and no link of a chain.
        """
        seen, front = {person_id}, [person_id]
        for _ in range(LONGEST_CHAIN):
            front = [
                link.absent
                for link in self.stand_ins
                if link.substitute in front
                and link.absent not in seen
                and link.holds(now)
                and (there := self.somebody(link.substitute)) is not None
                and (never is None or not there.is_called(never))
            ]
            seen.update(front)
            yield from dict.fromkeys(front)
