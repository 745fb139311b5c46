from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.reason import Reason
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.requests import quorum
from sayso.requests.approval import Resolution, Review, Vote
from sayso.requests.quorum import Tally
from tests.fakes.values import a_request, a_review, at

PEOPLE = Directory({name: Person(name, name, admin=True) for name in ("alice", "bob", "carol")})


def tally(reviews: Iterable[Review], need: int) -> Tally:
    policy = ApprovalPolicy(quorum=need)
    return quorum.tally(a_request(policy=policy, reviews=tuple(reviews)), PEOPLE, at(9))


def test_nobody_has_voted() -> None:
    counted = tally((), 1)
    assert (counted.have, counted.need, counted.approved, counted.rejected) == (0, 1, False, None)


def test_one_approval_is_enough_for_one() -> None:
    assert tally([a_review("alice")], 1).approved


def test_one_person_is_one_however_often_they_say_it() -> None:
    counted = tally([a_review("alice"), a_review("alice", seconds=2)], 2)
    assert (counted.have, counted.approved) == (1, False)


def test_an_approval_of_something_else_does_not_count() -> None:
    counted = tally([a_review(digest="0" * 64)], 1)
    assert (counted.have, counted.approved) == (0, False)


def test_one_rejection_rejects_whatever_the_others_say() -> None:
    no = a_review("bob", Vote.REJECT)
    counted = tally([a_review("alice"), no, a_review("carol")], 2)
    assert not counted.approved
    assert counted.rejected is no


def test_the_first_rejection_is_the_one_that_is_named() -> None:
    first, second = a_review("bob", Vote.REJECT), a_review("carol", Vote.REJECT)
    assert tally([first, second], 1).rejected is first


def test_a_quorum_of_none_still_needs_somebody() -> None:
    assert not tally((), 0).approved


def test_whoever_may_no_longer_decide_counts_no_longer() -> None:
    gone = Directory({"bob": PEOPLE.people["bob"]})
    request = a_request(
        policy=ApprovalPolicy(quorum=2), reviews=(a_review("alice"), a_review("bob"))
    )
    assert quorum.tally(request, PEOPLE, at(9)).approved
    counted = quorum.tally(request, gone, at(9))
    assert (counted.have, counted.need, counted.approved) == (1, 2, False)


def test_the_card_of_a_closed_request_shows_the_votes_as_they_were_given() -> None:
    finance = ApprovalPolicy(role="finance", quorum="all")
    request = a_request(policy=finance, reviews=(a_review("alice"),), eligible=("alice", "bob"))
    counted = quorum.raw_tally(request)
    assert (counted.have, counted.need) == (1, 2)


def test_a_closed_request_never_looks_as_if_one_vote_had_been_all_that_two_rules_wanted() -> None:
    policy = merge(
        [ApprovalPolicy(role="finance", quorum="all"), ApprovalPolicy(approvers=("alice",))]
    )
    request = a_request(policy=policy, reviews=(a_review("alice"),), eligible=("alice",))
    counted = quorum.raw_tally(request)
    assert (counted.have, counted.need, counted.approved) == (1, 2, False)
    resolution = Resolution(Reason.APPROVED, at(9), "alice", "web")
    counted = quorum.raw_tally(replace(request, resolution=resolution))
    assert (counted.have, counted.need, counted.approved) == (1, 1, True)


def test_it_is_known_for_whom_a_request_waits() -> None:
    request = a_request(
        policy=ApprovalPolicy(quorum=2), reviews=(a_review("alice"),), eligible=("alice", "bob")
    )
    assert quorum.waiting_for(request, PEOPLE, at(9)) == ("bob",)
