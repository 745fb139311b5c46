"""Budgets as they are written, and what a call takes of them."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.core.budget import Budget, parse_budget
from sayso.errors import RuleRefused


@pytest.mark.spec("POL-10")
@pytest.mark.parametrize(
    ("written", "budget"),
    [
        ({"calls": 20, "per": "1d"}, Budget(20, 86_400)),
        ({"calls": 1, "per": 90}, Budget(1, 90)),
        ({"argument": "amount", "most": 2.5, "per": "30m"}, Budget(2.5, 1800, "amount")),
    ],
)
def test_a_budget_is_read(written: dict[str, Any], budget: Budget) -> None:
    assert parse_budget(written) == budget
    assert parse_budget(budget.to_json()) == budget


@pytest.mark.spec("POL-10")
@pytest.mark.parametrize(
    "written",
    [
        {}, {"calls": 1}, {"per": "1d"}, {"calls": 0, "per": 1}, {"calls": True, "per": 1},
        {"calls": 1.5, "per": 1}, {"calls": 1, "per": 0}, {"calls": 1, "per": "1w"},
        {"calls": 1, "per": "d"}, {"calls": 1, "per": float("nan")}, {"calls": 1, "per": True},
        {"calls": 1, "argument": "a", "most": 1, "per": 1}, {"argument": "a", "per": 1},
        {"argument": "a", "most": 0, "per": 1}, {"argument": "", "most": 1, "per": 1},
        {"argument": "a", "most": float("inf"), "per": 1}, {"calls": 1, "per": 1, "x": 1},
    ],
)  # fmt: skip
def test_what_is_no_budget_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(RuleRefused):
        parse_budget(written)


def test_what_cannot_be_read_as_a_number_is_not_known() -> None:
    budget = Budget(10, 60, "amount")
    assert budget.takes({"amount": 3}) == 3.0
    assert budget.takes({"amount": 0}) == 0.0
    for value in ("3", None, True, -1, [3], float("inf")):
        assert budget.takes({"amount": value}) is None
    assert budget.takes({}) is None
    assert Budget(10, 60).takes({}) == 1.0


HUGE = 10**400


@pytest.mark.spec("POL-10")
@pytest.mark.parametrize(
    "written",
    [
        {"argument": "a", "most": HUGE, "per": "1d"}, {"argument": "a", "most": -HUGE, "per": "1d"},
        {"calls": 1, "per": "9" * 400 + "s"}, {"calls": 1, "per": "9" * 5000 + "d"},
        {"calls": 1, "per": HUGE}, {"calls": 1, "per": 10**5000}, {"calls": 10**5000, "per": 1},
        {"argument": "a", "most": 10**5000, "per": 1},
    ],
    ids=range(8),
)  # fmt: skip
def test_a_number_that_is_too_large_to_reckon_with_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(RuleRefused) as refused:
        parse_budget(written)
    assert len(refused.value.message) < 200


def test_an_amount_that_is_too_large_to_reckon_with_is_not_known() -> None:
    budget = Budget(10, 60, "amount")
    for value in (HUGE, -HUGE, float("nan"), float("-inf")):
        assert budget.takes({"amount": value}) is None
