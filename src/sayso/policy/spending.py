"""Budgets held against a call: an allow whose budget is spent counts as an ask (REQ-37)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sayso.core.budget import Booking
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.policy.outcome import PolicyOutcome, TargetOutcome
from sayso.policy.rule import Rule
from sayso.policy.weighing import combine

ROUNDING = 1e-9
"""So much of what floats lose by adding up is forgiven."""


def budgeted(policy: PolicyOutcome) -> tuple[Rule, ...]:
    """The allow rules with a budget that match, each once."""
    return _each_once(policy.targets)


def bookings(call: ToolCall, policy: PolicyOutcome) -> tuple[Booking, ...]:
    """What the call takes of the budget of each rule that allows a part of it.

    A part that asks, because its budget is spent or for another reason, is not let run by its rule.
    """
    found = []
    for rule in _each_once(part for part in policy.targets if part.effect is Effect.ALLOW):
        assert rule.budget is not None, "these are the rules with one"
        amount = rule.budget.takes(call.arguments)
        if amount is not None:
            found.append(Booking(rule.id, amount, rule.budget))
    return tuple(found)


def within_budget(
    call: ToolCall, policy: PolicyOutcome, spent: Mapping[str, float]
) -> PolicyOutcome:
    """The outcome with an ask wherever a budget is spent, or nobody knows how much of it is."""
    over = {rule.id for rule in budgeted(policy) if not _fits(rule, call, spent.get(rule.id))}
    if not over or policy.effect is Effect.DENY or policy.reason is Reason.RULES_UNAVAILABLE:
        return policy
    outcomes = []
    for outcome in policy.targets:
        rule = next((rule for rule in _budgeted(outcome) if rule.id in over), None)
        if rule is not None and outcome.effect is Effect.ALLOW:
            outcome = TargetOutcome(
                outcome.target, Effect.ASK, Reason.BUDGET_SPENT, rule, False, outcome.doubtful,
                (rule,), outcome.lists, outcome.table, outcome.notes,
            )  # fmt: skip
        outcomes.append(outcome)
    return combine(outcomes, policy.warnings)


def _each_once(outcomes: Iterable[TargetOutcome]) -> tuple[Rule, ...]:
    found = {rule.id: rule for outcome in outcomes for rule in _budgeted(outcome)}
    return tuple(found.values())


def _budgeted(outcome: TargetOutcome) -> Iterator[Rule]:
    for match in (*outcome.lists, *outcome.table):
        if match.rule.budget is not None and match.rule.effect is Effect.ALLOW:
            yield match.rule


def _fits(rule: Rule, call: ToolCall, spent: float | None) -> bool:
    budget = rule.budget
    amount = None if budget is None else budget.takes(call.arguments)
    if budget is None or amount is None or spent is None:
        return False
    return fits(spent, amount, budget.most)


def fits(spent: float, amount: float, most: float) -> bool:
    """Whether an amount still fits into what is left; the stores ask the same in their write."""
    return spent + amount <= most + ROUNDING
