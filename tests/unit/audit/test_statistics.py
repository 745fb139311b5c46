"""What the log adds up to: every figure from records whose sums are known beforehand (AUD-4)."""

from __future__ import annotations

import pytest

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.statistics import Day, Statistics, Sum, ToolSum
from sayso.core.moment import read_moment


def summed(*records: AuditRecord) -> Statistics:
    total = Sum()
    for record in records:
        total.add(record.to_json())
    return total.statistics(complete=True)


def asked(day: str, tool: str) -> AuditRecord:
    return AuditRecord(RecordKind.VERDICT, read_moment(day), tool=tool, effect="ask")


def resolved(
    day: str, tool: str, reason: str, waited: float, by: str | None = "ana"
) -> AuditRecord:
    return AuditRecord(
        RecordKind.RESOLUTION, read_moment(day), tool=tool, reason=reason, by=by, waited=waited
    )


@pytest.mark.spec("AUD-4")
def test_questions_answers_waits_and_tools_are_added_up() -> None:
    one, two = "2027-01-15", "2027-01-16"
    found = summed(
        AuditRecord(RecordKind.VERDICT, read_moment(one), tool="read", effect="allow"),
        AuditRecord(RecordKind.VERDICT, read_moment(one), tool="mail", effect="deny"),
        *(asked(one, "mail") for _ in range(3)),
        asked(two, "pay"),
        asked(two, "pay"),
        *(resolved(one, "mail", "approved", n) for n in (1, 2, 3)),
        resolved(two, "pay", "rejected", 40),
        resolved(two, "pay", "expired", 600, by=None),
        AuditRecord(RecordKind.REVIEW, read_moment(two), tool="pay", by="ana"),
        AuditRecord(RecordKind.ACCESS, read_moment(two), by="ana"),
    )
    assert found.days == (Day(one, 5, 3, 3, 0, 0), Day(two, 2, 2, 0, 1, 1))
    assert found.effects == {"ask": 5, "allow": 1, "deny": 1}
    assert found.resolutions == {"approved": 3, "rejected": 1, "expired": 1}
    assert found.people == {"ana": 1}
    assert found.tools[:2] == (ToolSum("mail", 3, 3, 0, 3), ToolSum("pay", 2, 0, 1, 0))
    assert (found.waited_median, found.waited_p90) == (2, 40), "what nobody answered waits for none"
    assert (found.rule_would_save, found.entries, found.complete) == (3, 14, True)


@pytest.mark.parametrize(
    ("waits", "median", "p90"),
    [((), None, None), ((7,), 7, 7), ((2, 1), 1, 2), (tuple(range(1, 11)), 5, 9)],
)
def test_half_of_the_waits_and_nine_in_ten(
    waits: tuple[float, ...], median: float | None, p90: float | None
) -> None:
    found = summed(*(resolved("2027-01-15", "t", "approved", wait) for wait in waits))
    assert (found.waited_median, found.waited_p90) == (median, p90)


def test_two_answers_are_no_habit_and_one_no_means_a_rule_would_be_wrong() -> None:
    day = "2027-01-15"
    yes = [resolved(day, "t", "approved", 1) for _ in range(2)]
    assert summed(*yes).rule_would_save == 0
    assert summed(*yes, *yes).rule_would_save == 4
    assert summed(*yes, *yes, resolved(day, "t", "rejected", 1)).rule_would_save == 0
