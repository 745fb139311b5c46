"""A person, and what they may do (REQ-60). The single-user installation has one: `owner`."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.people.names import WEB

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can decide: a name, which is the id too, identities on channels, and rights.

    `identities` are those besides the one at the page, which is the name. Somebody who is not
    `enabled`, or was `removed`, neither decides nor is asked; the name of a removed one is never
    given to anybody else, since old votes stand under it.
    """

    person_id: str
    name: str
    admin: bool = False
    operator: bool = False
    agents: tuple[str, ...] | None = None
    identities: tuple[str, ...] = ()
    enabled: bool = True
    removed: bool = False

    @property
    def counts(self) -> bool:
        """Whether the person is somebody today."""
        return self.enabled and not self.removed

    @property
    def all_identities(self) -> frozenset[str]:
        """Every identity, the one at the page included."""
        return frozenset((f"{WEB}:{self.person_id}", *self.identities))

    def is_called(self, user_id: str) -> bool:
        """Whether a session's user is this person, under whichever identity it was opened."""
        return user_id == self.person_id or user_id in self.all_identities

    def operates(self, agent_id: str) -> bool:
        """Whether the person is an operator for that agent (`agents` None means all)."""
        return self.operator and (self.agents is None or agent_id in self.agents)


def owner() -> Person:
    """The one person of a single-user installation: an admin, and the user of every session."""
    return Person(OWNER, OWNER, admin=True)
