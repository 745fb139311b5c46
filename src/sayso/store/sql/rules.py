"""What the SQL stores do with the rule table and its groups."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Group, Notices, Records
from sayso.policy.rule import Rule
from sayso.store.codec.logs import log_rows
from sayso.store.codec.rules import read_rule
from sayso.store.sql.access import Access, number
from sayso.store.units import rules as units
from sayso.store.units.rules import RULES_VERSION


class Rules(Access):
    """The part of a SQL store that keeps the rule table and its groups."""

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version."""
        version, rows = await self._snapshot(
            (self._q.counter, {"name": RULES_VERSION}), (self._q.rules, {})
        )
        return version[0][0], [read_rule(row) for row in rows]

    async def rules_version(self) -> int:
        """The version of the rule table alone."""
        values = {"name": RULES_VERSION}
        return await self._one(self._q.counter, values, number) or 0

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table."""
        log = log_rows(records, notices)
        await self._write(lambda tx: units.put_rule(tx, rule, log))

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back."""
        log = log_rows(records, notices)
        return bool(await self._write(lambda tx: units.delete_rule(tx, rule_id, log)))

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing."""
        await self._write(lambda tx: units.seed_rules(tx, seeds))

    async def groups(self) -> Sequence[Group]:
        """The permission groups."""
        return await self._few(self._q.groups, {}, lambda row: Group(*row))
