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
from sayso.core.asking import ContextWanted, Escalation, Unreachable
from sayso.core.deciders import Deciders, all_of
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
    quorum=st.sampled_from([None, 1, 2, 3, "all"]),
    remember=st.sampled_from([(), ("once",), ("once", "session"), REMEMBER]),
    allow_edit=st.booleans(),
    self_approval=st.booleans(),
    unreachable=st.sampled_from(Unreachable),
    reminders=st.sampled_from([(), (60.0,), (60.0, 300.0)]),
    escalate=st.none()
    | st.sampled_from([Escalation(("admin",)), Escalation(("admin", "role:x"), 60.0)]),
    context=st.builds(ContextWanted, st.booleans(), st.integers(0, 3), st.booleans()),
    channels=st.sampled_from(
        [(), (("chat", Severity.LOW),), (("chat", Severity.MEDIUM), ("mail", Severity.LOW))]
    ),
    break_glass=st.none() | st.sampled_from([60.0, 3600.0]),
)


@given(some=st.lists(policies, min_size=1, max_size=3))
def test_a_merge_is_as_strict_as_each(some: list[ApprovalPolicy]) -> None:
    merged = merge(some)
    for one in some:
        assert merged.severity >= one.severity
        assert set(all_of(one.deciders)) - {Deciders()} <= set(merged.deciders)
        assert set(merged.remember) <= set(one.remember)
        assert merged.on_timeout is OnTimeout.REJECT or one.on_timeout is OnTimeout.ALLOW
        if one.wait_seconds is not None:
            assert merged.wait_seconds is not None
            assert merged.wait_seconds <= one.wait_seconds
        assert merged.on_timeout is OnTimeout.REJECT or (
            merged.severity is not Severity.HIGH or merged.acknowledge_high_risk or len(some) == 1
        )
        assert set(one.reminders) <= set(merged.reminders)
        assert merged.break_glass is None or (
            one.break_glass is not None and merged.break_glass <= one.break_glass
        )
        assert one.unreachable is not Unreachable.REFUSE or merged.unreachable is one.unreachable
        assert merged.escalate is None or (
            one.escalate is not None and set(merged.escalate.to) <= set(one.escalate.to)
        )
        assert merged.context.recent_turns >= one.context.recent_turns
        for channel, _ in one.channels:
            if merged.may_approve_through(channel):
                assert one.may_approve_through(channel)
        assert one.allow_edit or not merged.allow_edit
        assert one.self_approval or not merged.self_approval


@given(some=st.lists(policies, min_size=2, max_size=3))
def test_the_order_of_a_merge_changes_nothing_that_counts(some: list[ApprovalPolicy]) -> None:
    def counts(policy: ApprovalPolicy) -> tuple[Any, ...]:
        return (policy.severity, policy.timeout, policy.on_timeout, policy.remember,
                policy.allow_edit, policy.self_approval, policy.unreachable,
                policy.reminders, policy.escalate, policy.context, policy.channels,
                policy.break_glass, policy.deciders)  # fmt: skip

    assert len({counts(merge(order)) for order in permutations(some)}) == 1


def test_of_nothing_the_default_is_merged() -> None:
    assert merge([]) == ApprovalPolicy()


def test_a_policy_comes_back_from_its_data() -> None:
    policy = ApprovalPolicy(
        severity=Severity.HIGH, timeout=30.0, approver=Approver.ADMIN, role="sre",
        approvers=("web:a",), quorum=2, action="Pay?", message="why", remember=("once",),
        allow_edit=True, self_approval=True, unreachable=Unreachable.ESCALATE,
        reminders=(60.0, 300.0), escalate=Escalation(("admin", "role:boss"), 600.0),
        context=ContextWanted(False, 5, True), channels=(("telegram", Severity.MEDIUM),),
        break_glass=3600.0,
    )  # fmt: skip
    assert parse_approval_policy(policy.to_json()) == policy
    assert parse_approval_policy({}) == ApprovalPolicy()
    assert parse_approval_policy({"on_timeout": "deny"}).on_timeout is OnTimeout.REJECT
    assert parse_approval_policy({"quorum": "any"}).quorum == 1
    assert parse_approval_policy({"quorum": "all", "role": "sre"}).quorum == "all"
    assert parse_approval_policy({}).quorum is None


@pytest.mark.spec("POL-24", "REQ-10")
def test_what_several_rules_say_of_who_decides_stands_side_by_side() -> None:
    sre = ApprovalPolicy(role="sre", quorum=2)
    admins, anybody = ApprovalPolicy(approver=Approver.ADMIN, role=None), ApprovalPolicy()
    merged = merge([anybody, admins, sre])
    assert merged.deciders == (Deciders(role="sre", quorum=2), Deciders(approver=Approver.ADMIN))
    assert merged.to_json()["also"] == [Deciders(approver=Approver.ADMIN).to_json()]
    assert merge([anybody, anybody]) == anybody
    own_list = ApprovalPolicy(approvers=("web:a",), role="sre", approver=Approver.ADMIN)
    assert own_list.deciders == (Deciders(approvers=("web:a",)),)
    assert parse_approval_policy({"reminders": 60}).reminders == (60.0,)
    to_one = parse_approval_policy({"escalate": {"to": "admin"}})
    assert to_one.escalate == Escalation(("admin",))
    assert parse_approval_policy(to_one.to_json()) == to_one


@pytest.mark.parametrize(
    ("data", "waits"),
    [
        ({}, None),
        ({"approver": "end_user"}, None),
        ({"approver": "operator"}, 600.0),
        ({"approver": "admin"}, 600.0),
        ({"role": "sre"}, 600.0),
        ({"approvers": ["web:a"]}, 600.0),
        ({"approver": "admin", "timeout": "none"}, None),
        ({"approver": "admin", "timeout": 5}, 5.0),
    ],
)
def test_where_others_decide_an_ask_waits_ten_minutes_unless_it_says_otherwise(
    data: dict[str, Any], waits: float | None
) -> None:
    policy = parse_approval_policy(data)
    assert policy.wait_seconds == waits
    assert merge([policy]).wait_seconds == waits
    assert merge([policy, ApprovalPolicy()]).wait_seconds == waits


@pytest.mark.spec("CH-16")
def test_a_channel_approves_up_to_its_severity_and_one_that_is_not_named_anything() -> None:
    policy = parse_approval_policy({"channels": {"telegram": "low", "web": "high"}})
    assert policy.severity is Severity.MEDIUM
    through = [policy.may_approve_through(name) for name in ("telegram", "web", "terminal")]
    assert through == [False, True, True]


def test_whoever_one_of_two_rules_asks_at_once_is_asked_at_once() -> None:
    later = ApprovalPolicy(escalate=Escalation(("admin", "web:boss"), 900.0))
    sooner = ApprovalPolicy(escalate=Escalation(("web:boss",), 60.0))
    assert merge([later, sooner]).escalate == Escalation(("web:boss",), 60.0)
    assert merge([later, ApprovalPolicy()]).escalate is None


def test_time_allows_nothing_grave_that_only_one_of_two_rules_acknowledges() -> None:
    low = ApprovalPolicy(Severity.LOW, on_timeout=OnTimeout.ALLOW)
    grave = ApprovalPolicy(Severity.HIGH, on_timeout=OnTimeout.ALLOW, acknowledge_high_risk=True)
    assert merge([low, low]).on_timeout is OnTimeout.ALLOW
    assert merge([grave, grave]).on_timeout is OnTimeout.ALLOW
    assert merge([low, grave]).on_timeout is OnTimeout.REJECT


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
        ({"quorum": 1001}, "quorum"),
        ({"quorum": "all"}, "needs a role or a list"),
        ({"also": []}, "`also` is not a field"),
        ({"approver": "me"}, "me"),
        ({"approvers": "web:a"}, "approvers"),
        ({"approvers": [1]}, "approvers"),
        ({"remember": ["for ever"]}, "remember"),
        ({"allow_edit": 1}, "allow_edit"),
        ({"message": 1}, "message"),
        ({"on_timeout": "wait"}, "wait"),
        ({"unreachable": "panic"}, "panic"),
        ({"reminders": [0]}, "reminders"),
        ({"reminders": ["soon"]}, "reminders"),
        ({"reminders": list(range(1, 23))}, "more than 20"),
        ({"escalate": {"after": 60}}, "names nobody"),
        ({"escalate": {"to": []}}, "names nobody"),
        ({"escalate": {"to": [1]}}, "names nobody"),
        ({"escalate": {"to": ["admin"], "after": 0}}, "after"),
        ({"escalate": {"to": ["admin"], "when": 1}}, "not a table"),
        ({"escalate": "admin"}, "not a table"),
        ({"context": {"turns": 3}}, "not a table"),
        ({"context": {"recent_turns": 21}}, "recent_turns"),
        ({"context": {"recent_turns": True}}, "recent_turns"),
        ({"context": {"summary": "yes"}}, "true or false"),
        ({"channels": ["web"]}, "not a table"),
        ({"channels": {"web": "huge"}}, "HUGE"),
        ({"channels": {"We b": "low"}}, "name of a channel"),
        ({"break_glass": True}, "break_glass"),
        ({"break_glass": -1}, "break_glass"),
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
