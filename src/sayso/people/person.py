"""A person, and what they may do (REQ-60). The single-user installation has one: `owner`."""

from __future__ import annotations

from dataclasses import dataclass

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can decide: an id, a name to show, and rights."""

    person_id: str
    name: str
    admin: bool = False
    operator: bool = False
    agents: tuple[str, ...] | None = None

    def operates(self, agent_id: str) -> bool:
        """Whether the person is an operator for that agent (`agents` None means all)."""
        return self.operator and (self.agents is None or agent_id in self.agents)


def owner() -> Person:
    """The one person of a single-user installation: an admin, and the user of every session."""
    return Person(OWNER, OWNER, admin=True)
