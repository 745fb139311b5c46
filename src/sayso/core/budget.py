"""So much, and no more, in so long: the budget of an allow rule (REQ-37), as a value."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sayso.errors import RuleRefused

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
LONGEST_SECONDS = 366 * 86_400.0
MAX_DIGITS = 20
"""So many characters a time in words may have; the longest there is needs nine."""

BUDGET_KEYS = ("calls", "argument", "most", "per")
_HINT = 'write { calls = 20, per = "1d" } or { argument = "amount", most = 500, per = "1d" }'


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `most` calls, or so much of a numeric argument, within any `per` seconds."""

    most: float
    per: float
    argument: str | None = None

    def takes(self, arguments: Mapping[str, Any]) -> float | None:
        """How much a call takes of it; None where that cannot be read, which counts as too much."""
        if self.argument is None:
            return 1.0
        value = arguments.get(self.argument)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return float(value) if value >= 0 and _is_finite(value) else None

    def to_json(self) -> dict[str, Any]:
        """The budget as it is written."""
        if self.argument is None:
            return {"calls": int(self.most), "per": self.per}
        return {"argument": self.argument, "most": self.most, "per": self.per}


@dataclass(frozen=True, slots=True)
class Booking:
    """What one call takes of the budget of one rule."""

    rule_id: str
    amount: float
    budget: Budget


def parse_budget(data: Mapping[str, Any]) -> Budget:
    """Read a budget from a rule; raises RuleRefused for anything but one of its two forms."""
    unknown = sorted(set(data) - set(BUDGET_KEYS))
    if unknown:
        raise RuleRefused(f"`{unknown[0]}` is not a field of a budget", _HINT)
    per = _seconds(data.get("per"))
    calls, argument, most = data.get("calls"), data.get("argument"), data.get("most")
    if calls is not None and argument is None and most is None:
        if isinstance(calls, bool) or not isinstance(calls, int) or not 1 <= calls <= 10**9:
            raise RuleRefused(f"`{_shown(calls)}` is not a number of calls from 1", _HINT)
        return Budget(float(calls), per)
    if calls is None and isinstance(argument, str) and argument and _is_amount(most):
        return Budget(float(most or 0), per, argument)
    raise RuleRefused("a budget has `calls`, or `argument` and `most`, and `per`", _HINT)


def _is_amount(value: object) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and value > 0
        and _is_finite(value)
    )


def _is_finite(value: float) -> bool:
    """Whether it can be reckoned with: a whole number may be larger than any float is."""
    return abs(value) <= sys.float_info.max


def _seconds(value: object) -> float:
    if (
        isinstance(value, str)
        and value[-1:] in UNITS
        and value[:-1].isascii()
        and value[:-1].isdigit()
        and len(value) <= MAX_DIGITS
    ):
        value = int(value[:-1]) * UNITS[value[-1]]
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 < value <= LONGEST_SECONDS
    ):
        raise RuleRefused(f"`per` of a budget is not a time: `{_shown(value)}`", _HINT)
    return float(value)


def _shown(value: object) -> str:
    """What was written, in a length that can be read; Python does not even write out the longest numbers."""
    if isinstance(value, int) and not _is_finite(value):
        return "a number of hundreds of digits"
    return str(value)[:80]
