"""What a write does inside its transaction, for the rule table and its groups."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.policy.compiled import is_catch_all
from sayso.policy.defaults import check_catch_all, missing_seeds
from sayso.policy.rule import Rule
from sayso.store.codec.logs import LogRows
from sayso.store.codec.rules import read_rule, rule_row, seed_row
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log

RULES_VERSION = "rules_version"


def put_rule(tx: Transaction, rule: Rule, logged: LogRows) -> None:
    """Add or replace a rule; what it was seeded as stays known. Refuses a second catch-all."""
    if is_catch_all(rule):  # of two people at once the second one sees the first one's row here
        check_catch_all(_rules(tx), rule)
    tx.write(tx.queries.put_rule, rule_row(rule))
    rules_changed(tx)
    log(tx, logged)


def delete_rule(tx: Transaction, rule_id: str, logged: LogRows) -> bool:
    """Delete a rule, for good if it was a seed; returns whether it was there."""
    seed = tx.row(tx.queries.rule_seed, {"rule_id": rule_id})
    if seed is None:
        return False
    tx.write(tx.queries.delete_rule, {"rule_id": rule_id})
    if seed[0] is not None:
        tx.write(tx.queries.bury_seed, {"seed_key": seed[0]})
    rules_changed(tx)
    log(tx, logged)
    return True


def seed_rules(tx: Transaction, seeds: Sequence[Rule]) -> None:
    """Add the seeds that are missing."""
    known = (row[0] for row in tx.rows(tx.queries.seed_keys, {}))
    missing = missing_seeds(seeds, _rules(tx), known)
    for seed in missing:
        tx.write(tx.queries.put_rule, seed_row(seed))
    if missing:
        rules_changed(tx)


def _rules(tx: Transaction) -> list[Rule]:
    return [read_rule(row) for row in tx.rows(tx.queries.rules, {})]


def rules_changed(tx: Transaction) -> None:
    """Give the rules another version, so that every replica reads them anew."""
    tx.write(tx.queries.count, {"the_name": RULES_VERSION})
