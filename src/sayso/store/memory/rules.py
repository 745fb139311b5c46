"""How the in-memory store keeps the rule table and its groups."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Group, Notices, Records
from sayso.policy.defaults import check_catch_all, missing_seeds, pattern_key
from sayso.policy.rule import Rule
from sayso.store.guard import THE_GROUP
from sayso.store.memory.state import State


class Rules(State):
    """The part of the in-memory store that keeps the rule table and its groups."""

    def __init__(self) -> None:
        super().__init__()
        self._rules: dict[str, Rule] = {}
        self._seed_keys: dict[str, str] = {}
        self._deleted_seeds: set[str] = set()

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version."""
        with self._lock:
            return self._rules_version, list(self._rules.values())

    async def rules_version(self) -> int:
        """The version of the rule table alone."""
        return self._rules_version

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table."""
        with self._lock:
            check_catch_all(self._rules.values(), rule)
            self._rules[rule.id] = rule
            self._rules_version += 1
            self._append(records, notices)

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back."""
        with self._lock:
            if self._rules.pop(rule_id, None) is None:
                return False
            if (seed_key := self._seed_keys.pop(rule_id, None)) is not None:
                self._deleted_seeds.add(seed_key)
            self._rules_version += 1
            self._append(records, notices)
            return True

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing."""
        with self._lock:
            known = self._deleted_seeds.union(self._seed_keys.values())
            missing = missing_seeds(seeds, self._rules.values(), known)
            self._rules.update((seed.id, seed) for seed in missing)
            self._seed_keys.update((seed.id, pattern_key(seed)) for seed in missing)
            self._rules_version += bool(missing)

    async def groups(self) -> Sequence[Group]:
        """The permission groups."""
        return [THE_GROUP]
