from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.approval_policy import (
    REMEMBER,
    ApprovalPolicy,
    Approver,
    OnTimeout,
    Severity,
    merge,
    parse_approval_policy,
)
from sayso.errors import RuleRefused

policies = st.builds(
    ApprovalPolicy,
    severity=st.sampled_from(Severity),
    timeout=st.none() | st.sampled_from([1.0, 60.0, 600.0]),
    on_timeout=st.sampled_from(OnTimeout),
    acknowledge_high_risk=st.booleans(),
    approver=st.sampled_from(Approver),
    role=st.none() | st.sampled_from(["sre", "finance"]),
    approvers=st.none() | st.sampled_from([(), ("web:a",), ("web:a", "web:b")]),
    quorum=st.integers(1, 3),
    remember=st.sampled_from([(), ("once",), ("once", "session"), REMEMBER]),
    allow_edit=st.booleans(),
    self_approval=st.booleans(),
)


@given(some=st.lists(policies, min_size=1, max_size=3))
def test_a_merge_is_as_strict_as_each(some: list[ApprovalPolicy]) -> None:
    merged = merge(some)
    for one in some:
        assert merged.severity >= one.severity
        assert merged.quorum >= one.quorum
        assert set(merged.remember) <= set(one.remember)
        assert merged.on_timeout is OnTimeout.REJECT or one.on_timeout is OnTimeout.ALLOW
        assert one.timeout is None or (merged.timeout is not None and merged.timeout <= one.timeout)
        assert one.allow_edit or not merged.allow_edit
        assert one.self_approval or not merged.self_approval
        if one.approvers is not None:
            assert merged.approvers is not None
            assert set(merged.approvers) <= set(one.approvers)


@given(some=st.lists(policies, min_size=2, max_size=3))
def test_the_order_of_a_merge_changes_nothing_that_counts(some: list[ApprovalPolicy]) -> None:
    def counts(policy: ApprovalPolicy) -> tuple[Any, ...]:
        nobody = policy.approvers == ()
        words = () if nobody else (policy.role, policy.approver)
        return (policy.severity, policy.timeout, policy.on_timeout, policy.quorum, policy.remember,
                policy.approvers, policy.allow_edit, policy.self_approval, *words)  # fmt: skip

    assert len({counts(merge(order)) for order in permutations(some)}) == 1


def test_of_nothing_the_default_is_merged() -> None:
    assert merge([]) == ApprovalPolicy()


def test_a_policy_comes_back_from_its_data() -> None:
    policy = ApprovalPolicy(
        severity=Severity.HIGH, timeout=30.0, approver=Approver.ADMIN, role="sre",
        approvers=("web:a",), quorum=2, action="Pay?", message="why", remember=("once",),
        allow_edit=True, self_approval=True,
    )  # fmt: skip
    assert parse_approval_policy(policy.to_json()) == policy
    assert parse_approval_policy({}) == ApprovalPolicy()
    assert parse_approval_policy({"on_timeout": "deny"}).on_timeout is OnTimeout.REJECT
    assert parse_approval_policy({"quorum": "any"}).quorum == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"sevrity": "low"}, "`sevrity` is not a field"),
        ({"severity": "huge"}, "HUGE"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": "60"}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": 1e300}, "timeout"),
        ({"quorum": 0}, "quorum"),
        ({"quorum": True}, "quorum"),
        ({"approver": "me"}, "me"),
        ({"approvers": "web:a"}, "approvers"),
        ({"approvers": [1]}, "approvers"),
        ({"remember": ["for ever"]}, "remember"),
        ({"allow_edit": 1}, "allow_edit"),
        ({"message": 1}, "message"),
        ({"on_timeout": "wait"}, "wait"),
        ({"on_timeout": "allow", "severity": "high"}, "acknowledge_high_risk"),
    ],
)
def test_a_wrong_policy_is_refused(data: dict[str, Any], why: str) -> None:
    with pytest.raises(RuleRefused, match=why):
        parse_approval_policy(data)


def test_a_timeout_that_allows_does_not_stand_with_must_ask() -> None:
    allowed = {"on_timeout": "allow", "severity": "high", "acknowledge_high_risk": True}
    assert parse_approval_policy(allowed).on_timeout is OnTimeout.ALLOW
    with pytest.raises(RuleRefused, match="must_ask"):
        parse_approval_policy(allowed, must_ask=True)
