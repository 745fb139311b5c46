"""What the API answers about people, roles and stand-ins."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.moment import to_rfc3339
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.stand_in import StandIn
from sayso.server.documents import Document, Time


class StandInShown(Document):
    """Who stands in for whom, and when."""

    absent: Annotated[str, Meta(examples=["anna"])]
    substitute: Annotated[str, Meta(examples=["bob"])]
    since: Time
    until: Time


class PersonListed(Document):
    """Somebody who can decide; `agents` null means an operator for all."""

    person_id: Annotated[str, Meta(examples=["anna"])]
    name: Annotated[str, Meta(examples=["anna"])]
    admin: bool
    operator: bool
    agents: list[str] | None
    identities: Annotated[list[str], Meta(examples=[["tg:123456", "web:anna"]])]
    enabled: bool
    roles: list[str]
    stand_ins: list[StandInShown]


class PersonAdded(Document):
    """Somebody new, and the code with which they choose a passphrase once; it is shown this once."""

    person: PersonListed
    code: str


class CodeMade(Document):
    """A code with which somebody chooses a new passphrase once; it is shown this once."""

    code: str


class Enrolled(Document):
    """Whose passphrase was chosen."""

    name: str


class LoginAsks(Document):
    """What a login has to say: with `name` true there are several people."""

    name: bool


class RoleShown(Document):
    """A role."""

    name: Annotated[str, Meta(examples=["finance"])]
    members: list[str]
    quorum: int | Literal["all"]
    enabled: bool


def person_listed(person: Person, there: Directory) -> PersonListed:
    """A person with roles and stand-ins."""
    return PersonListed(
        person_id=person.person_id,
        name=person.name,
        admin=person.admin,
        operator=person.operator,
        agents=None if person.agents is None else list(person.agents),
        identities=sorted(person.all_identities),
        enabled=person.enabled,
        roles=sorted(r.name for r in there.roles.values() if person.person_id in r.members),
        stand_ins=[
            stand_in_shown(link) for link in there.stand_ins if link.absent == person.person_id
        ],
    )


def people_listed(there: Directory) -> list[PersonListed]:
    """Everybody who was not removed, by name."""
    return [
        person_listed(person, there)
        for _, person in sorted(there.people.items())
        if not person.removed
    ]


def role_shown(role: Role) -> RoleShown:
    """A role."""
    return RoleShown(
        name=role.name, members=list(role.members), quorum=role.quorum, enabled=role.enabled
    )


def roles_shown(there: Directory) -> list[RoleShown]:
    """The roles, by name."""
    return [role_shown(role) for _, role in sorted(there.roles.items())]


def stand_in_shown(link: StandIn) -> StandInShown:
    """A stand-in."""
    return StandInShown(
        absent=link.absent,
        substitute=link.substitute,
        since=to_rfc3339(link.since),
        until=to_rfc3339(link.until),
    )
