"""Changes of who there is: each takes the directory as it is and gives the one it becomes, or refuses.

Nothing here is stored; whoever stores it does so only if the directory is still the one it was
computed from. Names are never given anew, and the owner stays an admin: that is the way back in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sayso.core.deciders import Quorum
from sayso.core.moment import Moment
from sayso.errors import PeopleRefused, PersonNotFound, RoleNotFound
from sayso.people.directory import Directory
from sayso.people.names import WEB, canonical_identity, canonical_name
from sayso.people.person import OWNER, Person
from sayso.people.role import Role
from sayso.people.stand_in import StandIn, check_stand_in

MOST = 10_000
"""So many people, roles and stand-ins there may be at most, of each."""


def the_person(directory: Directory, written: str) -> Person:
    """The person with that name or identity, also a disabled one; raises PersonNotFound."""
    identity = canonical_identity(written)
    for person in directory.people.values():
        if not person.removed and identity in person.all_identities:
            return person
    raise PersonNotFound(f"nobody is called `{written[:64]}`", "see: sayso people list")


def the_role(directory: Directory, written: str) -> Role:
    """The role with that name; raises RoleNotFound."""
    role = directory.roles.get(canonical_name(written))
    if role is None:
        raise RoleNotFound(f"no role is called `{written[:64]}`", "see: sayso roles list")
    return role


def add_person(
    directory: Directory,
    name: str,
    *,
    admin: bool = False,
    operator: bool = False,
    agents: Iterable[str] | None = None,
    identities: Iterable[str] = (),
) -> Directory:
    """Add somebody; an operator for `agents` only, None for all."""
    name = canonical_name(name)
    if name in directory.people:
        gone = " and was removed" if directory.people[name].removed else ""
        raise PeopleRefused(
            f"somebody is called `{name}` already{gone}",
            "choose another name: old votes and rules stand under this one",
        )
    if len(directory.people) >= MOST:
        raise PeopleRefused(f"there are {MOST} people already", "nobody was added")
    return _with_person(
        directory,
        Person(
            name,
            name,
            admin=admin,
            operator=operator,
            agents=None if agents is None else tuple(agents),
            identities=_identities(identities),
        ),
    )


def change_person(
    directory: Directory,
    written: str,
    *,
    add_identities: Iterable[str] = (),
    drop_identities: Iterable[str] = (),
    **changes: Any,
) -> Directory:
    """Change rights, identities or whether somebody is enabled; what is not named stays as it is.

    `identities` takes the place of those there are; others are then taken away, and added.
    """
    person = the_person(directory, written)
    kept = set(_identities(changes.pop("identities", person.identities)))
    kept -= {canonical_identity(one) for one in drop_identities}
    kept.update(_identities(add_identities))
    changed = replace(person, identities=tuple(sorted(kept)), **changes)
    if person.person_id == OWNER and not (changed.admin and changed.enabled):
        raise PeopleRefused("the owner stays an admin", "the owner's passphrase is the way back in")
    return _with_person(directory, changed)


def remove_person(directory: Directory, written: str) -> Directory:
    """Remove somebody for good: out of every role, every stand-in, every identity; the name stays taken."""
    person = the_person(directory, written)
    if person.person_id == OWNER:
        raise PeopleRefused(
            "the owner cannot be removed", "the owner's passphrase is the way back in"
        )
    gone = Person(person.person_id, person.name, removed=True)
    return replace(
        directory,
        people={**directory.people, gone.person_id: gone},
        roles={
            name: replace(role, members=tuple(m for m in role.members if m != gone.person_id))
            for name, role in directory.roles.items()
        },
        stand_ins=tuple(
            link
            for link in directory.stand_ins
            if gone.person_id not in (link.absent, link.substitute)
        ),
    )


def add_role(
    directory: Directory, name: str, quorum: Quorum = 1, members: Iterable[str] = ()
) -> Directory:
    """Add a role with its members, whom any of their identities names."""
    name = canonical_name(name)
    if name in directory.roles:
        raise PeopleRefused(
            f"there is a role `{name}` already", "change it, or choose another name"
        )
    if len(directory.roles) >= MOST:
        raise PeopleRefused(f"there are {MOST} roles already", "none was added")
    people = sorted({the_person(directory, written).person_id for written in members})
    return _with_role(directory, Role(name, tuple(people), quorum))


def change_role(directory: Directory, name: str, **changes: Any) -> Directory:
    """Change a role's quorum or whether it is enabled."""
    return _with_role(directory, replace(the_role(directory, name), **changes))


def remove_role(directory: Directory, name: str) -> Directory:
    """Remove a role: what still names it is out of everybody's reach."""
    gone = the_role(directory, name).name
    return replace(
        directory, roles={name: role for name, role in directory.roles.items() if name != gone}
    )


def add_member(directory: Directory, name: str, written: str) -> Directory:
    """Make somebody a member of a role."""
    role, person = the_role(directory, name), the_person(directory, written)
    members = tuple(sorted({*role.members, person.person_id}))
    return _with_role(directory, replace(role, members=members))


def remove_member(directory: Directory, name: str, written: str) -> Directory:
    """Take somebody out of a role; raises PersonNotFound if they are not in it."""
    role, person = the_role(directory, name), the_person(directory, written)
    if person.person_id not in role.members:
        raise PersonNotFound(
            f"`{person.name}` is not in the role `{role.name}`", "nothing was changed"
        )
    members = tuple(member for member in role.members if member != person.person_id)
    return _with_role(directory, replace(role, members=members))


def add_stand_in(
    directory: Directory, absent: str, substitute: str, since: Moment, until: Moment, now: Moment
) -> Directory:
    """Let somebody stand in for somebody; those whose time was over before `now` are forgotten."""
    link = StandIn(
        the_person(directory, absent).person_id,
        the_person(directory, substitute).person_id,
        since,
        until,
    )
    others = tuple(other for other in directory.stand_ins if now < other.until and other != link)
    if until <= now:
        raise PeopleRefused("the time to stand in is over already", "give a later end")
    if len(others) >= MOST:
        raise PeopleRefused(f"there are {MOST} stand-ins already", "none was added")
    check_stand_in(link, others)
    return replace(directory, stand_ins=(*others, link))


def remove_stand_in(directory: Directory, absent: str, substitute: str | None = None) -> Directory:
    """Let nobody, or not this one, stand in for somebody any more; raises PersonNotFound if nobody does."""
    away = the_person(directory, absent).person_id
    who = None if substitute is None else the_person(directory, substitute).person_id
    kept = tuple(
        link
        for link in directory.stand_ins
        if link.absent != away or (who is not None and link.substitute != who)
    )
    if kept == directory.stand_ins:
        raise PersonNotFound(f"nobody stands in for `{away}`", "nothing was changed")
    return replace(directory, stand_ins=kept)


def _identities(written: Iterable[str]) -> tuple[str, ...]:
    found = sorted({canonical_identity(one) for one in written})
    for identity in found:
        if identity.startswith(f"{WEB}:"):
            raise PeopleRefused(
                f"`{identity}` is a name at the page, and everybody has one", "leave it out"
            )
    return tuple(found)


def _with_person(directory: Directory, person: Person) -> Directory:
    for other in directory.people.values():
        shared = set(person.identities) & set(other.identities)
        if other.person_id != person.person_id and shared:
            raise PeopleRefused(
                f"`{min(shared)}` is an identity of `{other.name}`", "each belongs to one person"
            )
    return replace(directory, people={**directory.people, person.person_id: person})


def _with_role(directory: Directory, role: Role) -> Directory:
    return replace(directory, roles={**directory.roles, role.name: role})
