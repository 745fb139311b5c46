"""Rules as rows, and back."""

from __future__ import annotations

from typing import Any

from sayso.policy.defaults import pattern_key
from sayso.policy.rule import Rule
from sayso.store.codec.document import Row, reader, written

_rule = reader(Rule)


def rule_row(rule: Rule) -> dict[str, Any]:
    """The row of a rule; its position is given by the store."""
    return {
        "rule_id": rule.id,
        "group_id": rule.group_id,
        "pattern_key": pattern_key(rule),
        "seed_key": None,
        "document": written(rule),
    }


def seed_row(rule: Rule) -> dict[str, Any]:
    """The row of a seed, which stays known by its pattern whatever becomes of it."""
    row = rule_row(rule)
    return {**row, "seed_key": row["pattern_key"]}


def read_rule(row: Row) -> Rule:
    """A rule from its document."""
    return _rule(row[0])
