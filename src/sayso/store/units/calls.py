"""What a write does inside its transaction, for calls and requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sayso.broker.ports import Change, StoredCall
from sayso.core.moment import Moment
from sayso.requests.approval import ApprovalRequest
from sayso.store.codec.calls import (
    ChangeRows,
    NewRows,
    read_stored_call,
)
from sayso.store.codec.credentials import read_credential
from sayso.store.codec.document import Row
from sayso.store.codec.reviews import review_row
from sayso.store.codec.tools import definition_row
from sayso.store.guard import (
    check_eligible,
    check_glass,
    check_reviewer,
    check_reviews,
    check_waiting,
    far,
    lost_race,
    people_changed,
)
from sayso.store.queries.calls import IDS_AT_ONCE
from sayso.store.transaction import Transaction
from sayso.store.units.bookings import book
from sayso.store.units.logs import log
from sayso.store.units.people import directory_of, held_version
from sayso.store.units.rules import rules_changed


def submit(tx: Transaction, rows: NewRows) -> StoredCall | None:
    """Write a new call; if its external id is taken, write nothing and return the call that has it.

    Raises TooManyWait where its request would be one too many of those of its session that wait.
    """
    if _add(tx, rows):
        if rows.request is not None and rows.at_most is not None:
            values = {"session_id": rows.request["session_id"]}
            count = tx.row(tx.queries.waiting_in_session, values)
            check_waiting(0 if count is None else count[0], rows.at_most)
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
    if change.people_version is not None and change.people_version != held_version(tx):
        raise people_changed()
    review = check_reviews(request, before, stored)
    if review is not None and stored is not None:
        check_eligible(request, review, directory_of(tx), change.at)
        row = review_row(request.request_id, before, review, stored.kind)
        tx.write(tx.queries.add_review, row)
    if change.breaks_glass:
        check_glass(tx.row(tx.queries.overdue_review, {"now": change.at}))
    book(tx, change)
    log(tx, rows.log)
    if change.approves_definition and tx.write(
        tx.queries.approve_definition, definition_row(request.call, change.at)
    ):
        rules_changed(tx)
    if rows.follow_up is not None:
        follow_up_id = rows.follow_up.call["call_id"]
        tx.write(tx.queries.supersede, {"old_id": request.request_id, "new_id": follow_up_id})
        _add(tx, rows.follow_up)


def take_due(
    tx: Transaction,
    now: Moment,
    until: Moment,
    limit: int,
    read: Callable[[Row], ApprovalRequest],
) -> list[ApprovalRequest]:
    """The requests whose timer has run out and nobody acts on; they are this caller's until `until`."""
    values = {"now": now, "too_far": far(now, until), "limit": limit}
    found = [read(row) for row in tx.rows(tx.queries.due, values)]
    for request in found:
        tx.write(tx.queries.take, {"the_id": request.request_id, "until": until})
    return found


def _replace(tx: Transaction, rows: ChangeRows, reviews_before: int) -> bool:
    """The conditional write: whether the stored version, and number of reviews, were the expected."""
    values = rows.request
    values["reviews_before"] = reviews_before
    statement = tx.queries.close_request if values["closed"] else tx.queries.change_request
    return tx.write(statement, values) == 1


def touch(tx: Transaction, request_ids: Sequence[str], now: Moment) -> None:
    """Note that the callers of these requests still wait."""
    ids = sorted(request_ids)
    whole = len(ids) // IDS_AT_ONCE * IDS_AT_ONCE
    for start in range(0, whole, IDS_AT_ONCE):
        several = {f"id_{n}": ids[start + n] for n in range(IDS_AT_ONCE)}
        tx.write(tx.queries.touch_requests, {**several, "seen": now})
    left = [{"the_id": request_id, "seen": now} for request_id in ids[whole:]]
    if left:
        tx.each(tx.queries.touch_request, left)


def _add(tx: Transaction, rows: NewRows) -> bool:
    """Write a call and what belongs to it; returns whether its external id was free."""
    if tx.write(tx.queries.add_call, rows.call) != 1:
        return False
    if rows.request is not None:
        tx.write(tx.queries.add_request, rows.request)
    log(tx, rows.log)
    return True
