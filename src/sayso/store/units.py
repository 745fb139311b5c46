"""The units of work: what each write does inside its transaction, on rows that are ready to be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sayso.broker.ports import Change, StoredCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import Session
from sayso.policy.compiled import is_catch_all
from sayso.policy.defaults import check_catch_all, missing_seeds
from sayso.policy.rule import Rule
from sayso.store import guard
from sayso.store.codec import (
    ChangeRows,
    LogRows,
    NewRows,
    definition_row,
    read_credential,
    read_rule,
    read_session,
    read_stored_call,
    read_tool,
    review_row,
    rule_row,
    seed_row,
    session_row,
)
from sayso.store.guard import check_reviewer, check_reviews, lost_race
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction

RULES_VERSION = "rules_version"
PASSPHRASE = "passphrase_hash"


def submit(tx: Transaction, rows: NewRows) -> StoredCall | None:
    """Write a new call; if its external id is taken, write nothing and return the call that has it."""
    if _add(tx, rows):
        return None
    return read_stored_call(tx.row(tx.queries.call_by_external_id, rows.call))


def apply(tx: Transaction, change: Change, rows: ChangeRows) -> None:
    """Write a change of a request if nothing has changed it and its reviewer may review."""
    request, stored = change.request, None
    before = len(request.reviews)
    if change.reviewer is not None:
        key = {"credential_id": change.reviewer.credential_id}
        row = tx.row(tx.queries.credential_by_id, key)
        stored = None if row is None else read_credential(row)
        check_reviewer(stored, change.at)
        before -= 1  # its own review is the usual change; others are found out below
    if not _replace(tx, rows, before):
        standing = tx.row(tx.queries.request_standing, {"request_id": request.request_id})
        if standing is None or standing[0] != change.expected_version:
            raise lost_race(request.request_id)
        before = standing[1]
        check_reviews(request, before, stored)
        if not _replace(tx, rows, before):
            raise lost_race(request.request_id)
    review = check_reviews(request, before, stored)
    if review is not None and stored is not None:
        row = review_row(request.request_id, before, review, stored.kind)
        tx.write(tx.queries.add_review, row)
    log(tx, rows.log)
    if change.approves_definition and tx.write(
        tx.queries.approve_definition, definition_row(request.call, change.at)
    ):
        _rules_changed(tx)
    if rows.follow_up is not None:
        follow_up_id = rows.follow_up.call["call_id"]
        tx.write(tx.queries.supersede, {"old_id": request.request_id, "new_id": follow_up_id})
        _add(tx, rows.follow_up)


def _replace(tx: Transaction, rows: ChangeRows, reviews_before: int) -> bool:
    """The conditional write: whether the stored version, and number of reviews, were the expected."""
    values = rows.request
    values["reviews_before"] = reviews_before
    statement = tx.queries.close_request if values["closed"] else tx.queries.change_request
    return tx.write(statement, values) == 1


def touch(tx: Transaction, request_ids: Sequence[str], now: Moment) -> None:
    """Note that the callers of these requests still wait."""
    for request_id in request_ids:
        tx.write(tx.queries.touch_request, {"the_id": request_id, "seen": now})


def change_session(tx: Transaction, before: Session, after: Session, logged: LogRows) -> None:
    """Write what a session says of itself anew, if nothing but its end has changed since."""
    found = tx.row(tx.queries.session, {"session_id": before.session_id})
    stored = None if found is None else read_session(found)
    row = session_row(guard.change_session(stored, before, after))
    tx.write(tx.queries.change_session, {"the_id": row["session_id"], "changed": row["document"]})
    log(tx, logged)


def put_rule(tx: Transaction, rule: Rule, logged: LogRows) -> None:
    """Add or replace a rule; what it was seeded as stays known. Refuses a second catch-all."""
    if is_catch_all(rule):  # of two people at once the second one sees the first one's row here
        check_catch_all(_rules(tx), rule)
    tx.write(tx.queries.put_rule, rule_row(rule))
    _rules_changed(tx)
    log(tx, logged)


def delete_rule(tx: Transaction, rule_id: str, logged: LogRows) -> bool:
    """Delete a rule, for good if it was a seed; returns whether it was there."""
    seed = tx.row(tx.queries.rule_seed, {"rule_id": rule_id})
    if seed is None:
        return False
    tx.write(tx.queries.delete_rule, {"rule_id": rule_id})
    if seed[0] is not None:
        tx.write(tx.queries.bury_seed, {"seed_key": seed[0]})
    _rules_changed(tx)
    log(tx, logged)
    return True


def seed_rules(tx: Transaction, seeds: Sequence[Rule]) -> None:
    """Add the seeds that are missing."""
    known = (row[0] for row in tx.rows(tx.queries.seed_keys, {}))
    missing = missing_seeds(seeds, _rules(tx), known)
    for seed in missing:
        tx.write(tx.queries.put_rule, seed_row(seed))
    if missing:
        _rules_changed(tx)


def observe(tx: Transaction, tools: Sequence[tuple[ObservedTool, dict[str, Any]]]) -> None:
    """Remember tools with their rows; the first definition of a server's tool counts as approved."""
    changed = False
    for tool, row in tools:
        found = tx.row(tx.queries.tool_document, row)
        if found is not None and found[0] == row["document"]:
            continue
        tx.write(tx.queries.put_tool, row)
        if tool.server is None:
            continue
        changed = changed or found is None or read_tool(found).definition != row["definition"]
        if found is None:
            tx.write(tx.queries.approve_definition, {**row, "at": row["first_seen"]})
    if changed:
        _rules_changed(tx)


def revoke_credential(tx: Transaction, credential_id: str, now: Moment, logged: LogRows) -> bool:
    """Revoke a credential; returns whether it was live."""
    row = tx.row(tx.queries.credential_by_id, {"credential_id": credential_id})
    if row is None:
        return False
    live = read_credential(row).live(now)
    if tx.write(tx.queries.revoke_credential, {"the_id": credential_id, "now": now}):
        log(tx, logged)
    return live


def revoke_all(tx: Transaction, now: Moment, logged: LogRows) -> int:
    """Revoke every credential; returns how many were live."""
    live = tx.row(tx.queries.live_credentials, {"now": now})
    tx.write(tx.queries.revoke_all, {"now": now})
    log(tx, logged)
    return int(live[0])


def write(tx: Transaction, statement: Statement, row: dict[str, Any], logged: LogRows) -> None:
    """Run one statement, with its audit records."""
    tx.write(statement, row)
    log(tx, logged)


def log(tx: Transaction, logged: LogRows) -> None:
    """Write audit records and events."""
    tx.append(logged.records)
    tx.notify(logged.notices)


def _add(tx: Transaction, rows: NewRows) -> bool:
    """Write a call and what belongs to it; returns whether its external id was free."""
    if tx.write(tx.queries.add_call, rows.call) != 1:
        return False
    if rows.request is not None:
        tx.write(tx.queries.add_request, rows.request)
    log(tx, rows.log)
    return True


def _rules(tx: Transaction) -> list[Rule]:
    return [read_rule(row) for row in tx.rows(tx.queries.rules, {})]


def _rules_changed(tx: Transaction) -> None:
    tx.write(tx.queries.count, {"the_name": RULES_VERSION})
