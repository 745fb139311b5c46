"""Who is asked of those who may decide, and when (REQ-16): pure, over people and a policy.

Nobody becomes eligible here: asking widens within those who may decide anyway.
"""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.call import Owner
from sayso.core.deciders import Approver
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, counts_as, role_of
from sayso.people.names import same_identity
from sayso.people.person import Person

ROLE = "role:"


def deciding(asked: Asked, directory: Directory, now: Moment) -> tuple[str, ...]:
    """Everybody whose vote would count now, in their own right or for somebody absent."""
    return tuple(
        person_id
        for person_id in sorted(directory.people)
        if counts_as(person_id, asked, directory, now)
    )


def asked_now(
    asked: Asked, directory: Directory, now: Moment, *, escalated: bool
) -> tuple[Person, ...]:
    """Those of the people who may decide who are asked now.

    Whom the policy's `escalate` names is asked later, unless nobody else is there to ask.
    """
    everybody = tuple(directory.people[name] for name in deciding(asked, directory, now))
    later = asked.policy.escalate
    if later is None or escalated:
        return everybody
    first = tuple(p for p in everybody if not is_named(p, later.to, asked.owner, directory))
    return first or everybody


def is_named(person: Person, names: Iterable[str], owner: Owner, directory: Directory) -> bool:
    """Whether a person is meant by one of the names: an id, an identity, a role, a word for a right."""
    return any(_is(person, name, owner, directory) for name in names)


def _is(person: Person, name: str, owner: Owner, directory: Directory) -> bool:
    match name:
        case Approver.END_USER.value:
            return person.is_called(owner.user_id)
        case Approver.OPERATOR.value:
            return person.operates(owner.agent_id)
        case Approver.ADMIN.value:
            return person.admin
    if name.startswith(ROLE):
        role = role_of(name.removeprefix(ROLE), directory)
        return role is not None and role.enabled and person.person_id in role.members
    return name == person.person_id or same_identity(name, person.all_identities)
