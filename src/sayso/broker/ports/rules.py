"""What the broker needs of the rule table and its groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.policy.rule import Rule


@dataclass(frozen=True, slots=True)
class Group:
    """A permission group of the rule table."""

    group_id: str
    name: str
    description: str = ""


class RuleStore(Protocol):
    """The rule table; see Store."""

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version, which grows with every change."""

    async def rules_version(self) -> int:
        """The version of the rule table and of the brakes that are on; cheap, read at each call."""

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table; raises RuleRefused for a second catch-all (POL-42)."""

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back. Returns whether it was there."""

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing; see policy/defaults.py."""

    async def groups(self) -> Sequence[Group]:
        """The permission groups; `default` is always among them."""
