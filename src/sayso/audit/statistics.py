"""What audit records add up to (AUD-4): questions a day, answers, waiting time, tools, what a rule would save."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sayso.audit.record import RecordKind

ANSWERS = ("approved", "rejected")
TOP = 10
"""How many tools are named."""

ALIKE = 3
"""From so many answers on, all of them approvals, a rule could have answered."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day in UTC: calls that were checked, questions to people, and how those ended.

    `otherwise` ended without an answer: expired, cancelled, or by sayso itself.
    """

    day: str
    checked: int
    asked: int
    approved: int
    rejected: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class ToolSum:
    """What was asked about one tool; `rule_would_save` of these questions a rule could have answered."""

    tool: str
    asked: int
    approved: int
    rejected: int
    rule_would_save: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a time adds up to; waiting is in seconds, of what people answered, None if that is nothing.

    `days` leaves out those without an entry. `complete` is false where older entries were left out.
    """

    entries: int
    complete: bool
    days: tuple[Day, ...]
    effects: Mapping[str, int]
    resolutions: Mapping[str, int]
    people: Mapping[str, int]
    tools: tuple[ToolSum, ...]
    waited_median: float | None
    waited_p90: float | None
    rule_would_save: int


@dataclass(slots=True)
class Sum:
    """Adds up records one at a time, in any order."""

    entries: int = 0
    _days: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _tools: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _effects: Counter[str] = field(default_factory=Counter)
    _resolutions: Counter[str] = field(default_factory=Counter)
    _people: Counter[str] = field(default_factory=Counter)
    _waits: list[float] = field(default_factory=list)

    def add(self, record: Mapping[str, Any]) -> None:
        """Add one record, as `AuditRecord.to_json` writes it."""
        self.entries += 1
        kind = record["kind"]
        if kind == RecordKind.VERDICT.value:
            self._checked(record)
        elif kind == RecordKind.RESOLUTION.value:
            self._resolved(record)
        elif kind == RecordKind.REVIEW.value:
            self._people[record.get("by") or ""] += 1

    def _checked(self, record: Mapping[str, Any]) -> None:
        effect = record.get("effect", "")
        self._effects[effect] += 1
        day = self._days[record["at"][:10]]
        day["checked"] += 1
        if effect == "ask":
            day["asked"] += 1
            self._tools[record.get("tool", "")]["asked"] += 1

    def _resolved(self, record: Mapping[str, Any]) -> None:
        reason = record.get("reason", "")
        self._resolutions[reason] += 1
        answered = reason in ANSWERS and record.get("by") is not None
        said = reason if answered else "otherwise"
        self._days[record["at"][:10]][said] += 1
        self._tools[record.get("tool", "")][said] += 1
        if answered and record.get("waited") is not None:
            self._waits.append(float(record["waited"]))

    def statistics(self, *, complete: bool) -> Statistics:
        """What was added so far."""
        tools = [
            ToolSum(tool, n["asked"], n["approved"], n["rejected"], _saved(n))
            for tool, n in self._tools.items()
        ]
        waits = sorted(self._waits)
        return Statistics(
            entries=self.entries,
            complete=complete,
            days=tuple(
                Day(day, n["checked"], n["asked"], n["approved"], n["rejected"], n["otherwise"])
                for day, n in sorted(self._days.items())
            ),
            effects=dict(self._effects.most_common()),
            resolutions=dict(self._resolutions.most_common()),
            people=dict(self._people.most_common(TOP)),
            tools=tuple(sorted(tools, key=lambda one: (-one.asked, one.tool))[:TOP]),
            waited_median=_share(waits, 0.5),
            waited_p90=_share(waits, 0.9),
            rule_would_save=sum(one.rule_would_save for one in tools),
        )


def _saved(counted: Counter[str]) -> int:
    """How many of a tool's questions had no other answer than yes, often enough to be a habit."""
    approved = counted["approved"]
    return approved if approved >= ALIKE and counted["rejected"] == 0 else 0


def _share(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that so large a share of all does not exceed."""
    if not ordered:
        return None
    place = -(-int(share * 100) * len(ordered) // 100)  # rounded up, without the errors of floats
    return ordered[max(place, 1) - 1]
