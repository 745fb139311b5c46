from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.call import digest_of
from sayso.core.reason import Reason
from sayso.requests.approval import LAPSE_SECONDS
from sayso.requests.grant import Grant, allowed_as, grant_of
from sayso.requests.lifecycle import Approved, apply
from tests.fakes.values import a_call, a_request, a_review, approved, at, in_every_state, said


@pytest.mark.parametrize("name", sorted(in_every_state()))
def test_only_an_approved_request_makes_a_grant(name: str) -> None:
    assert (grant_of(in_every_state()[name]) is not None) == (name == "approved")


def test_a_grant_names_the_people_who_approved_exactly_this() -> None:
    other = a_review("mallory", digest="0" * 64)
    request = replace(approved(None, "bob", "alice", "bob"), reviews=())
    request = replace(request, reviews=(a_review("bob"), other, a_review("alice"), a_review("bob")))
    grant = grant_of(request)
    assert grant == Grant("c1", digest_of(a_call()), ("alice", "bob"), at(1 + LAPSE_SECONDS))


def test_what_rules_approved_is_no_grant() -> None:
    assert grant_of(apply(a_request(), Approved(said(Reason.RULE_ALLOW)))) is None
    half = a_request(reviews=(a_review("bob"),))  # one vote of two, and then the rules allowed it
    for made in (Reason.RULE_ALLOW, Reason.SAVED_GRANT):
        assert grant_of(apply(half, Approved(said(made)))) is None


def test_a_call_that_was_let_through_says_what_let_it() -> None:
    assert allowed_as(apply(a_request(), Approved(said(Reason.RULE_ALLOW)))) is Reason.RULE_ALLOW
    assert allowed_as(approved()) is Reason.APPROVED
    assert allowed_as(in_every_state()["unknown"]) is Reason.APPROVED


def test_a_grant_fits_its_call_until_its_end() -> None:
    grant = Grant("c1", "d" * 64, ("owner",), at(10))
    assert grant.fits("d" * 64, at(9.999999))
    assert not grant.fits("d" * 64, at(10))
    assert not grant.fits("e" * 64, at(9))
