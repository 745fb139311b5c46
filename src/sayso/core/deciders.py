"""Who decides an ask, and how many of them: what one rule says, and what several say together (REQ-10, POL-24)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias


class Approver(StrEnum):
    """Which people may decide, where no role and no list says so (REQ-11)."""

    ANY = "any"
    END_USER = "end_user"
    OPERATOR = "operator"
    ADMIN = "admin"


ALL: Final = "all"
Quorum: TypeAlias = int | Literal["all"]
"""How many distinct people have to approve: a number, or everybody who may."""

MOST_PEOPLE = 1000
"""The largest quorum that can be asked for."""


@dataclass(frozen=True, slots=True)
class Deciders:
    """Who decides by one rule: `approvers` goes before `role`, and that before `approver` (REQ-10).

    `approvers` None means nobody was named, an empty tuple that nobody is left. `quorum` None is the
    role's, and one person where there is no role.
    """

    approver: Approver = Approver.ANY
    role: str | None = None
    approvers: tuple[str, ...] | None = None
    quorum: Quorum | None = None

    @property
    def says_nothing(self) -> bool:
        """Whether it names nobody: what a rule without a policy has."""
        return self.approver is Approver.ANY and self.role is None and self.approvers is None

    @property
    def are_others(self) -> bool:
        """Whether it names others than the session's user: an operator, an admin, a role or a list."""
        others = self.approver in (Approver.OPERATOR, Approver.ADMIN)
        return others or self.role is not None or self.approvers is not None

    def settled(self) -> Deciders:
        """The same without what its own list or role overrules; what is left of it decides."""
        if self.approvers is not None:
            return replace(self, role=None, approver=Approver.ANY)
        return self if self.role is None else replace(self, approver=Approver.ANY)

    def to_json(self) -> dict[str, Any]:
        """The four fields as plain data."""
        return {
            "approver": self.approver.value,
            "role": self.role,
            "approvers": None if self.approvers is None else list(self.approvers),
            "quorum": self.quorum,
        }


def parse_quorum(value: object) -> Quorum:
    """Read `any`, `all` or a number from 1; raises ValueError for anything else."""
    if value == "any":
        return 1
    if value == ALL:
        return ALL
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_PEOPLE:
        raise ValueError(
            f"quorum `{value}` is not `any`, `all` or a number from 1 to {MOST_PEOPLE}"
        )
    return value


_RANK = {Approver.ANY: 0, Approver.END_USER: 1, Approver.OPERATOR: 2, Approver.ADMIN: 3}


def all_of(several: Iterable[Deciders]) -> tuple[Deciders, ...]:
    """What several rules say together: whoever decides has to be named by each, in a fixed order.

    What names nobody and wants no more than one person says nothing beside the others.
    """
    found = {one.settled() for one in several}
    telling = {one for one in found if not (one.says_nothing and one.quorum in (None, 1))}
    return tuple(sorted(telling, key=_order)) or (Deciders(),)


def _order(one: Deciders) -> tuple[Any, ...]:
    """Lists first, then roles, then the graver word; the rest only makes the order a fixed one."""
    return (
        one.approvers is None,
        one.role is None,
        -_RANK[one.approver],
        one.approvers or (),
        one.role or "",
        str(one.quorum),
    )
