from __future__ import annotations

from sayso.core.call import digest_of
from sayso.requests.approval import Vote
from sayso.requests.quorum import tally
from tests.fakes.values import a_call, a_review

DIGEST = digest_of(a_call())


def test_nobody_has_voted() -> None:
    counted = tally((), 1, DIGEST)
    assert (counted.have, counted.need, counted.approved, counted.rejected) == (0, 1, False, None)


def test_one_approval_is_enough_for_one() -> None:
    assert tally([a_review()], 1, DIGEST).approved


def test_one_person_is_one_however_often_they_say_it() -> None:
    counted = tally([a_review("alice"), a_review("alice", seconds=2)], 2, DIGEST)
    assert (counted.have, counted.approved) == (1, False)


def test_an_approval_of_something_else_does_not_count() -> None:
    counted = tally([a_review(digest="0" * 64)], 1, DIGEST)
    assert (counted.have, counted.approved) == (0, False)


def test_one_rejection_rejects_whatever_the_others_say() -> None:
    no = a_review("bob", Vote.REJECT)
    counted = tally([a_review("alice"), no, a_review("carol")], 2, DIGEST)
    assert not counted.approved
    assert counted.rejected is no


def test_the_first_rejection_is_the_one_that_is_named() -> None:
    first, second = a_review("bob", Vote.REJECT), a_review("carol", Vote.REJECT)
    assert tally([first, second], 1, DIGEST).rejected is first


def test_a_quorum_of_none_still_needs_somebody() -> None:
    assert not tally((), 0, DIGEST).approved
