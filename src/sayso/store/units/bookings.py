"""What a write does inside its transaction, for what calls take of budgets."""

from __future__ import annotations

from sayso.broker.ports import Change
from sayso.core.moment import plus
from sayso.store.guard import check_budget
from sayso.store.transaction import Transaction


def book(tx: Transaction, change: Change) -> None:
    """Book what a claimed call takes, if it still fits; raises BudgetSpent."""
    for booking in change.bookings:
        since = plus(change.at, -booking.budget.per)
        row = tx.row(tx.queries.spent, {"rule_id": booking.rule_id, "since": since})
        check_budget(booking, float(row[0]))
        tx.write(
            tx.queries.add_booking,
            {
                "request_id": change.request.request_id,
                "rule_id": booking.rule_id,
                "at": change.at,
                "amount": booking.amount,
            },
        )
