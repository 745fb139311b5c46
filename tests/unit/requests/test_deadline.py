from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.approval_policy import ApprovalPolicy, OnTimeout
from sayso.core.reason import Reason
from sayso.requests.approval import LAPSE_SECONDS, Caller
from sayso.requests.deadline import CALLER_SECONDS, LEASE_SECONDS, due, is_over
from sayso.requests.lifecycle import (
    CallerLeft,
    Expired,
    Lapsed,
    LeaseOver,
)
from tests.fakes.values import a_request, approved, at, in_every_state, running

GONE = {"caller": Caller.GONE}


def test_without_a_time_limit_it_waits_for_ever() -> None:
    assert due(a_request(**GONE), at(10**9)) is None
    assert not is_over(a_request(), at(10**9))


@pytest.mark.spec("REQ-22")
def test_it_expires_at_its_moment_and_not_before() -> None:
    request = a_request(expires_at=at(600), **GONE)
    assert due(request, at(599.999999)) is None
    event = due(request, at(600))
    assert isinstance(event, Expired)
    assert event.resolution.reason is Reason.EXPIRED


def test_time_never_approves_without_a_confirmed_delivery() -> None:
    policy = ApprovalPolicy(timeout=600, on_timeout=OnTimeout.ALLOW)
    event = due(a_request(policy=policy, expires_at=at(600)), at(601))
    assert isinstance(event, Expired)
    assert event.resolution.comment == "no delivery to an eligible person was confirmed"


def test_an_approval_lapses_after_ten_minutes_without_a_claim() -> None:
    request = replace(approved(), **GONE)
    assert due(request, at(1 + LAPSE_SECONDS - 0.000001)) is None
    event = due(request, at(1 + LAPSE_SECONDS))
    assert isinstance(event, Lapsed)
    assert event.resolution.reason is Reason.LAPSED


def test_a_lease_that_is_over_makes_the_outcome_unknown() -> None:
    assert due(running(), at(2 + LEASE_SECONDS - 0.000001)) is None
    event = due(running(), at(2 + LEASE_SECONDS))
    assert isinstance(event, LeaseOver)
    assert event.resolution.comment is not None
    assert "unknown" in event.resolution.comment


@pytest.mark.parametrize("name", ["pending", "approved"])
def test_a_caller_that_is_not_seen_is_gone(name: str) -> None:
    request = in_every_state()[name]
    assert due(request, at(CALLER_SECONDS - 0.000001)) is None
    assert isinstance(due(request, at(CALLER_SECONDS)), CallerLeft)
    assert due(replace(request, **GONE), at(CALLER_SECONDS)) is None


def test_what_ends_it_comes_before_the_caller_that_left() -> None:
    assert isinstance(due(a_request(expires_at=at(600)), at(700)), Expired)
    assert isinstance(due(approved(), at(700)), Lapsed)


def test_time_brings_nothing_to_what_is_over() -> None:
    for name, request in in_every_state().items():
        if name not in ("pending", "approved", "running"):
            assert due(request, at(10**9)) is None, name
