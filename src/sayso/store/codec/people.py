"""People, roles and stand-ins to rows and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sayso.core.deciders import ALL
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.stand_in import StandIn
from sayso.store.codec.document import Row, reader, written

_person = reader(Person)


def read_person(row: Row) -> Person:
    """A person from the document."""
    return _person(row[0])


def person_row(person: Person) -> dict[str, Any]:
    """The row of a person."""
    return {"person_id": person.person_id, "document": written(person)}


def role_row(role: Role) -> dict[str, Any]:
    """The row of a role; its members are rows of their own."""
    return {"name": role.name, "quorum": str(role.quorum), "enabled": int(role.enabled)}


def stand_in_row(link: StandIn) -> dict[str, Any]:
    """The row of a stand-in."""
    return {
        "absent": link.absent,
        "substitute": link.substitute,
        "since": link.since,
        "until": link.until,
    }


def read_directory(
    version: int,
    people: Iterable[Row],
    roles: Iterable[Row],
    members: Iterable[Row],
    stand_ins: Iterable[Row],
) -> Directory:
    """Everybody there is, from the rows of one moment."""
    of_role: dict[str, list[str]] = {}
    for role, person_id in members:
        of_role.setdefault(role, []).append(person_id)
    found = [read_person(row) for row in people]
    return Directory(
        {person.person_id: person for person in found},
        {
            name: Role(
                name,
                tuple(of_role.get(name, ())),
                ALL if quorum == ALL else int(quorum),
                bool(enabled),
            )
            for name, quorum, enabled in roles
        },
        tuple(StandIn(*row) for row in stand_ins),
        version,
    )
