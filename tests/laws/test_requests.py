"""Promises about the life of a request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import digest_of
from sayso.core.reason import Reason
from sayso.errors import ClaimLost, RequestClosed
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.requests import lifecycle, nudges
from sayso.requests.approval import (
    ApprovalRequest,
    Caller,
    Lease,
    Outcome,
    Resolution,
    Review,
    Status,
    Vote,
)
from sayso.requests.attention import NO_ATTENTION, Attention, Delivery, Question, Snooze
from sayso.requests.broken_glass import BrokenGlass, SecondReview
from sayso.requests.glass_events import GlassBroken, GlassOverdue, GlassReviewed
from sayso.requests.quorum import tally
from tests.fakes.values import a_call, a_glass, a_request, a_second_review, at, in_every_state
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import Scene, draft, make_scene
from tests.fakes.world import rule as a_rule

DIGEST = digest_of(a_call())
PEOPLE = ("owner", "anna", "bob")
EVERYBODY = Directory({name: Person(name, name, admin=True) for name in PEOPLE})

moments = st.integers(0, 2000).map(at)
resolutions = st.builds(
    Resolution, st.sampled_from(list(Reason)), moments, st.sampled_from([None, *PEOPLE])
)
reviews = st.builds(
    Review,
    st.sampled_from(PEOPLE),
    st.just("name"),
    st.just("k1"),
    st.just("test"),
    st.sampled_from(list(Vote)),
    st.sampled_from([DIGEST, DIGEST, "0" * 64, None]),
    st.none(),
    moments,
)
people = st.sampled_from(PEOPLE)
questions = st.sampled_from(["q1", "q2"])
tokens = st.sampled_from(["t1", "t2"])
outcomes = st.builds(Outcome, st.booleans(), st.just("x"), moments)

events: st.SearchStrategy[lifecycle.Event] = st.one_of(
    st.builds(lifecycle.Reviewed, reviews),
    st.builds(lifecycle.Approved, resolutions, st.none() | reviews),
    st.builds(lifecycle.Rejected, resolutions, reviews),
    st.builds(lifecycle.Expired, resolutions),
    st.builds(lifecycle.Cancelled, resolutions),
    st.builds(lifecycle.Claimed, st.builds(Lease, tokens, moments, st.just("r"))),
    st.builds(lifecycle.Renewed, tokens, moments),
    st.builds(lifecycle.Superseded, resolutions),
    st.builds(lifecycle.Refused, resolutions),
    st.builds(lifecycle.Lapsed, resolutions),
    st.builds(lifecycle.Finished, tokens, outcomes),
    st.builds(lifecycle.Unreportable, tokens),
    st.builds(lifecycle.LeaseOver, resolutions),
    st.builds(lifecycle.OutcomeSaid, outcomes),
    st.builds(lifecycle.Limited, moments),
    st.just(lifecycle.CallerLeft()),
    st.builds(lifecycle.CallerJoined, moments),
    st.builds(nudges.Delivered, st.builds(Delivery, st.just("test"), st.just("anna"), moments)),
    st.builds(nudges.Reminded, st.integers(0, 5)),
    st.builds(nudges.Escalated, moments),
    st.builds(nudges.Snoozed, st.builds(Snooze, people, st.just("name"), moments)),
    st.builds(nudges.SnoozeOver, people),
    st.builds(
        nudges.AskedBack,
        st.builds(Question, questions, people, st.just("name"), st.just("why?"), moments),
    ),
    st.builds(nudges.QuestionTold, questions, moments),
    st.builds(nudges.Answered, questions, st.sampled_from([None, "because"]), moments),
    st.builds(
        GlassBroken,
        resolutions,
        reviews,
        st.builds(BrokenGlass, people, st.just("name"), st.just("why"), moments, moments),
    ),
    st.builds(
        GlassReviewed,
        st.builds(
            SecondReview, people, st.just("name"), st.just("k1"), st.just("test"), st.booleans(),
            st.none(), moments,
        ),
    ),
    st.builds(GlassOverdue, moments),
)  # fmt: skip

# The table once more, in the words of requests.md, REQ-3; `unknown` ends by a person's word alone.
STEPS = {
    "pending": {"pending", "approved", "rejected", "expired", "cancelled", "refused"},
    "approved": {"approved", "running", "superseded", "refused", "lapsed", "cancelled"},
    "running": {"running", "done", "failed", "unknown", "unreported"},
    "unknown": {"done", "failed"},
}
ENDED = {s.value for s in Status} - set(STEPS)


HOLDING = (lifecycle.Renewed, lifecycle.Finished, lifecycle.Unreportable)


BEGINNING: tuple[lifecycle.Event, ...] = (
    lifecycle.Approved(Resolution(Reason.APPROVED, at(1)), None),
    lifecycle.Claimed(Lease("t1", at(9), "r")),
)
"""The way to a run, in order."""


class Life(RuleBasedStateMachine):
    """Any events in any order: the request only takes steps of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.request: ApprovalRequest = a_request()
        self.seen = [self.request.status]

    @initialize(begun=st.integers(0, len(BEGINNING)))
    def has_begun(self, begun: int) -> None:
        """Chance alone seldom gets as far as a claim."""
        for event in BEGINNING[:begun]:
            self.happens(event)

    @rule(event=events)
    def happens(self, event: lifecycle.Event) -> None:
        before, copy = self.request, replace(self.request)
        try:
            after = lifecycle.apply(before, event)
        except RequestClosed:
            assert before == copy, "what was refused has changed something"
            return
        except ClaimLost:
            assert before.status is Status.RUNNING
            assert before.lease is not None
            assert event.token != before.lease.token  # type: ignore[union-attr]
            assert before == copy
            return
        assert before == copy, "the old value was changed"
        assert after.version == before.version + 1
        if isinstance(event, GlassReviewed | GlassOverdue | nudges.Nudge):
            assert after.status is before.status, "what decides nothing has decided something"
            assert after.reviews == before.reviews
            assert after.resolution == before.resolution
            self.request = after
            return
        assert after.status.value in STEPS[before.status.value]
        assert after.reviews[: len(before.reviews)] == before.reviews
        assert len(after.reviews) - len(before.reviews) in (0, 1)
        for frozen in ("call", "digest", "policy", "why", "action", "created_at", "eligible"):
            assert getattr(after, frozen) == getattr(before, frozen)
        if isinstance(event, HOLDING):
            assert before.lease is not None
            assert event.token == before.lease.token, "another claim's token counted"
        if after.status is Status.RUNNING and before.status is not Status.RUNNING:
            assert isinstance(event, lifecycle.Claimed)
        if before.status is Status.RUNNING and after.status in (Status.DONE, Status.FAILED):
            assert isinstance(event, lifecycle.Finished)
        self.request = after
        self.seen.append(after.status)

    @invariant()
    def it_has_at_most_one_final_state(self) -> None:
        final = [status for status in self.seen if status.value in ENDED]
        assert len(final) <= 1
        assert not final or self.seen[-1] is final[0]

    @invariant()
    def what_is_claimed_was_approved(self) -> None:
        if Status.RUNNING in self.seen:
            assert Status.APPROVED in self.seen[: self.seen.index(Status.RUNNING)]


def test_one_final_state() -> None:
    assert {status.value for status in lifecycle.FINAL} == ENDED
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Life, settings=settings(max_examples=300, stateful_step_count=30)
    )


def test_an_event_the_table_does_not_name_is_refused_in_every_state() -> None:
    """All states and all kinds of events, one by one."""
    examples: dict[type, lifecycle.Event] = {
        lifecycle.Reviewed: lifecycle.Reviewed(_review("owner")),
        lifecycle.Approved: lifecycle.Approved(_said(Reason.APPROVED)),
        lifecycle.Rejected: lifecycle.Rejected(
            _said(Reason.REJECTED), _review("owner", Vote.REJECT)
        ),
        lifecycle.Expired: lifecycle.Expired(_said(Reason.EXPIRED)),
        lifecycle.Cancelled: lifecycle.Cancelled(_said(Reason.CANCELLED)),
        lifecycle.Claimed: lifecycle.Claimed(Lease("t9", at(9), "r")),
        lifecycle.Renewed: lifecycle.Renewed("t1", at(99)),
        lifecycle.Superseded: lifecycle.Superseded(_said(Reason.NEEDS_FRESH_APPROVAL)),
        lifecycle.Refused: lifecycle.Refused(_said(Reason.DENY_ON_RESOLVE)),
        lifecycle.Lapsed: lifecycle.Lapsed(_said(Reason.LAPSED)),
        lifecycle.Finished: lifecycle.Finished("t1", Outcome(True, "x", at(5))),
        lifecycle.Unreportable: lifecycle.Unreportable("t1"),
        lifecycle.LeaseOver: lifecycle.LeaseOver(_said(Reason.ERROR)),
        lifecycle.OutcomeSaid: lifecycle.OutcomeSaid(Outcome(True, "x", at(5))),
        lifecycle.Limited: lifecycle.Limited(at(9)),
        lifecycle.CallerLeft: lifecycle.CallerLeft(),
        lifecycle.CallerJoined: lifecycle.CallerJoined(at(5)),
        nudges.Delivered: nudges.Delivered(Delivery("test", "owner", at(5))),
        nudges.Reminded: nudges.Reminded(1),
        nudges.Escalated: nudges.Escalated(at(5)),
        nudges.Snoozed: nudges.Snoozed(Snooze("owner", "owner", at(9))),
        nudges.SnoozeOver: nudges.SnoozeOver("owner"),
        nudges.AskedBack: nudges.AskedBack(Question("q2", "anna", "anna", "how?", at(5))),
        nudges.QuestionTold: nudges.QuestionTold("q1", at(5)),
        nudges.Answered: nudges.Answered("q1", "because", at(5)),
        GlassBroken: GlassBroken(_said(Reason.BREAK_GLASS), _review("owner"), a_glass()),
        GlassReviewed: GlassReviewed(a_second_review()),
        GlassOverdue: GlassOverdue(at(5)),
    }
    assert set(examples) == set(lifecycle.Event.__args__)  # type: ignore[attr-defined]
    special = {
        (Status.RUNNING, lifecycle.Finished), (Status.UNKNOWN, lifecycle.OutcomeSaid),
    }  # fmt: skip
    asked = Attention(questions=(Question("q1", "owner", "owner", "why?", at(1)),))
    for request in in_every_state().values():
        for kind, event in examples.items():
            attention = NO_ATTENTION if kind is nudges.AskedBack else asked
            broken = None if kind is GlassBroken else a_glass()
            request = replace(request, attention=attention, glass=broken)
            step = (request.status, kind)
            if step in lifecycle.TRANSITIONS or step in special:
                assert lifecycle.apply(request, event).version == request.version + 1
            else:
                with pytest.raises(RequestClosed):
                    lifecycle.apply(request, event)


# ── reviews ──

ANNA = Person("anna", "Anna", admin=True)
BOB = Person("bob", "Bob", admin=True)
ENDINGS = ("approve", "reject", "expire", "expire unswept", "stop", "claim", "finish", "lose")


@pytest.mark.spec("REQ-22")
@given(
    st.sampled_from(ENDINGS),
    st.lists(
        st.tuples(st.sampled_from(PEOPLE), st.sampled_from(list(Vote))), min_size=1, max_size=4
    ),
)
def test_late_reviews_change_nothing(ending: str, late: list[tuple[str, Vote]]) -> None:
    async def story() -> None:
        scene = make_scene(a_rule("ask", approval=ApprovalPolicy(timeout=60)), people=[ANNA, BOB])
        request_id, digest = await _ended(scene, ending)
        request, log = await scene.request(request_id), await scene.audit()
        events_before = await scene.store.last_notice()
        for person_id, vote in late:
            actor = await scene.actor(person_id=person_id)
            with pytest.raises(RequestClosed) as caught:
                await scene.broker.review(actor, request_id, vote, digest=digest)
            assert caught.value.resolution is not None
            if request.resolution is not None:
                assert caught.value.resolution == request.resolution.to_json()
                assert (request.resolution.by or "sayso") in caught.value.message
        assert await scene.request(request_id) == request
        assert await scene.audit() == log
        assert await scene.store.last_notice() == events_before

    run_virtual(story())


@given(
    st.lists(
        st.tuples(
            st.sampled_from(PEOPLE),
            st.sampled_from([k for k in CredentialKind if k is not CredentialKind.AGENT]),
        ),
        max_size=7,
    ),
    st.integers(1, 3),
)
def test_nobody_counts_twice(votes: list[tuple[str, CredentialKind]], quorum: int) -> None:
    """However many channels, tokens and clicks somebody has."""
    request = a_request(
        policy=ApprovalPolicy(quorum=quorum), reviews=tuple(_review(person) for person, _ in votes)
    )
    counted = tally(request, EVERYBODY, at(0))
    assert counted.have == len({person for person, _ in votes})
    assert counted.approved == (counted.have >= quorum)

    async def story() -> None:
        scene = make_scene(
            a_rule("ask", approval=ApprovalPolicy(quorum=quorum)), people=[ANNA, BOB]
        )
        standing = await (await scene.gate()).submit(draft())
        approving: set[str] = set()
        for person_id, kind in votes:
            actor = await scene.actor(kind, person_id=person_id)
            before = await scene.request(standing.call_id)
            new = person_id not in approving and before.status is Status.PENDING
            try:
                await scene.broker.review(
                    actor, standing.call_id, Vote.APPROVE, digest=standing.digest
                )
            except RequestClosed:
                assert not new
                assert await scene.request(standing.call_id) == before
            else:
                assert new
                approving.add(person_id)
            after = await scene.request(standing.call_id)
            assert (after.status is Status.APPROVED) == (len(approving) >= quorum)
            assert [review.person_id for review in after.reviews] == sorted(
                approving, key=[review.person_id for review in after.reviews].index
            )

    run_virtual(story())


@given(st.lists(reviews, max_size=6), st.integers(1, 3))
def test_the_tally_equals_counting_on_fingers(given_reviews: list[Review], need: int) -> None:
    request = a_request(policy=ApprovalPolicy(quorum=need), reviews=tuple(given_reviews))
    counted = tally(request, EVERYBODY, at(0))
    fingers = {
        person
        for person in PEOPLE
        for review in given_reviews
        if review.person_id == person and review.vote is Vote.APPROVE and review.digest == DIGEST
    }
    rejections = [review for review in given_reviews if review.vote is Vote.REJECT]
    assert counted.have == len(fingers)
    assert counted.rejected == (rejections[0] if rejections else None)
    assert counted.approved == (not rejections and len(fingers) >= need)


async def _ended(scene: Scene, ending: str) -> tuple[str, str]:
    """A request that came to this end."""
    gate, owner = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    call_id, digest = standing.call_id, standing.digest
    if ending in ("expire", "expire unswept"):
        await scene.clock.sleep(60)
        if ending == "expire":
            await _sweep(scene)
    elif ending == "stop":
        await gate.stop()
    elif ending == "reject":
        await scene.broker.review(owner, call_id, Vote.REJECT, comment="no")
    else:
        await scene.broker.review(owner, call_id, Vote.APPROVE, digest=digest)
        if ending in ("claim", "finish", "lose"):
            claim: Any = await gate.claim(call_id, digest)
            if ending == "finish":
                await gate.finish(call_id, claim.token, True, "sent", 0.1)
            elif ending == "lose":
                await scene.clock.sleep(31)
                await _sweep(scene)
    return call_id, digest


async def _sweep(scene: Scene) -> None:
    await sweep(scene.world)


def _review(person_id: str, vote: Vote = Vote.APPROVE) -> Review:
    return Review(person_id, person_id, "k1", "test", vote, DIGEST, None, at(1))


def _said(reason: Reason) -> Resolution:
    return Resolution(reason, at(1))


def test_a_request_begins_pending_with_its_caller() -> None:
    assert (a_request().status, a_request().caller) == (Status.PENDING, Caller.WAITING)
