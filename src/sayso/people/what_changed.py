"""What differs between two directories, in words for the audit log (REQ-60, REQ-61, REQ-66)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sayso.core.moment import to_rfc3339
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.stand_in import StandIn

T = TypeVar("T")


def what_changed(before: Directory, after: Directory) -> str:
    """Every difference, with what it was where it was something; people and roles by their own names.

    Empty where nothing differs. Made of what is stored, never of what somebody typed to bring it about.
    """
    said = [
        *_people(before, after),
        *_roles(before, after),
        *(f"stand-in ended: {_link(link)}" for link in _only(before.stand_ins, after.stand_ins)),
        *(f"stand-in named: {_link(link)}" for link in _only(after.stand_ins, before.stand_ins)),
    ]
    return "; ".join(said)


def _people(before: Directory, after: Directory) -> Iterator[str]:
    for name, now in after.people.items():
        was = before.people.get(name)
        if was is None:
            yield f"person added: {name}{_listed(_rights(Person(name, name), now, new=True))}"
        elif now.removed and not was.removed:
            yield f"person removed: {name}"
        elif now != was:
            yield f"person changed: {name}{_listed(_rights(was, now))}"


def _rights(was: Person, now: Person, *, new: bool = False) -> Iterator[str]:
    for field, old, value in (
        ("admin", was.admin, now.admin),
        ("operator", was.operator, now.operator),
        ("enabled", was.enabled, now.enabled),
    ):
        if old != value or (new and field != "enabled"):
            yield f"{field} {'yes' if value else 'no'}"
    if now.agents != was.agents:
        yield f"agents {_agents(was)} to {_agents(now)}"
    yield from _came_and_went("identities", was.identities, now.identities)


def _roles(before: Directory, after: Directory) -> Iterator[str]:
    for name, now in after.roles.items():
        was = before.roles.get(name)
        if was is None:
            new = Role(name, quorum=now.quorum)
            yield f"role added: {name}{_listed([f'quorum {now.quorum}', *_details(new, now)])}"
        elif now != was:
            yield f"role changed: {name}{_listed(_details(was, now))}"
    for name in _only(before.roles, after.roles):
        yield f"role removed: {name}"


def _details(was: Role, now: Role) -> Iterator[str]:
    if now.quorum != was.quorum:
        yield f"quorum {was.quorum} to {now.quorum}"
    if now.enabled != was.enabled:
        yield f"enabled {'yes' if now.enabled else 'no'}"
    yield from _came_and_went("members", was.members, now.members)


def _came_and_went(what: str, was: Iterable[str], now: Iterable[str]) -> Iterator[str]:
    came = [f"+{one}" for one in _only(now, was)]
    went = [f"-{one}" for one in _only(was, now)]
    if came or went:
        yield f"{what} {' '.join((*came, *went))}"


def _only(these: Iterable[T], those: Iterable[T]) -> list[T]:
    """Those of the first that are not among the second."""
    others = set(those)
    return [one for one in these if one not in others]


def _agents(person: Person) -> str:
    return "all" if person.agents is None else ", ".join(person.agents) or "none"


def _link(link: StandIn) -> str:
    return (
        f"{link.substitute} for {link.absent}, {to_rfc3339(link.since)} to {to_rfc3339(link.until)}"
    )


def _listed(said: Iterable[str]) -> str:
    words = "; ".join(said)
    return f" ({words})" if words else ""
