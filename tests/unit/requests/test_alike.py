"""Alike requests fold into one line, and nothing that differs hides behind another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.cli.cards import inbox_table
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.requests.alike import FEW, alike_key, folded
from sayso.requests.approval import ApprovalRequest, Status
from tests.fakes.values import a_call, a_request, at


def request(number: int = 0, **call: object) -> ApprovalRequest:
    """A request of its own id and arguments."""
    made = replace(a_call(), call_id=f"id{number}", arguments={"number": number}, **call)  # type: ignore[arg-type]
    return a_request(made)


@pytest.mark.spec("GATE-9")
def test_more_than_a_few_alike_are_one_line_in_the_place_of_the_first() -> None:
    alike = [request(number) for number in range(FEW + 1)]
    other = request(99, tool="wipe")
    assert folded([*alike[:2], other, *alike[2:]]) == [(alike[0], FEW), (other, 0)]
    assert folded(alike[:FEW]) == [(one, 0) for one in alike[:FEW]]
    assert "(and 5 more alike)" in inbox_table(alike, at(9))
    assert len(inbox_table(alike, at(9), unfolded=True).splitlines()) == FEW + 2


@pytest.mark.spec("GATE-9")
def test_what_differs_in_more_than_its_arguments_is_not_folded_away() -> None:
    plain = request(1)
    severe = replace(plain, policy=ApprovalPolicy(severity=Severity.HIGH))
    ruled = replace(plain, why=replace(plain.why, rule={"text": "send_mail"}))
    others = [
        request(2, tool="wipe"),
        request(2, server="mail"),
        request(2, agent_id="other"),
        request(2, user_id="other"),
        request(2, session_id="other"),
        severe,
        ruled,
    ]
    assert alike_key(request(2)) == alike_key(plain)
    assert all(alike_key(other) != alike_key(plain) for other in others)
    assert alike_key(replace(plain, status=Status.UNKNOWN)) is None
