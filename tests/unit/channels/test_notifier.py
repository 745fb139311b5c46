from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sayso.channels.card import Card, card_of
from sayso.channels.channel import INDISTINCT, TOO_LONG, Decide, Fidelity, fitted
from sayso.channels.notifier import Channels
from sayso.channels.web import WebInbox
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.reason import Reason
from sayso.errors import Undeliverable
from sayso.people.person import Person, owner
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.lifecycle import Cancelled, apply
from tests.fakes.values import a_call, a_request, approved, at, in_every_state, running, said

EVERYBODY = (owner(), Person("anna", "Anna"))


class Recording:
    """A channel that writes down what it is told, and fails as often as it should."""

    def __init__(self, name: str = "recording", fails: int = 0) -> None:
        self.name = name
        self.fidelity = Fidelity()
        self.can_ask = True
        self.confirms = True
        self.reached = {"owner", "anna"}
        self.told: list[tuple[str, int, str]] = []
        self.fails = fails
        self.listens = 0
        self.closed = False

    def reaches(self, person: Person) -> bool:
        return person.person_id in self.reached

    async def remind(self, card: Card) -> None:
        await self._tell("remind", card)

    async def check(self) -> None:
        if self.fails:
            raise Undeliverable("nobody is there")

    async def announce(self, card: Card) -> None:
        await self._tell("announce", card)

    async def update(self, card: Card) -> None:
        await self._tell("update", card)

    async def _tell(self, what: str, card: Card) -> None:
        await asyncio.sleep(0)
        if self.fails:
            self.fails -= 1
            raise Undeliverable("nobody is there")
        self.told.append((what, card.version, card.status))

    async def listen(self, decide: Decide) -> None:
        self.listens += 1
        if self.fails:
            self.fails -= 1
            raise Undeliverable("nobody is there")
        await decide("c1", Vote.REJECT, "digest", None)

    async def close(self) -> None:
        self.closed = True


class Sleeper:
    """Sleeps as long as it likes, and writes down how long it should have."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


async def picture(request: ApprovalRequest) -> Card:
    return card_of(request, now=at(10))


def channels(*them: object, sleep: Sleeper | None = None) -> Channels:
    return Channels(them, picture, sleep=sleep or Sleeper(), retry_seconds=(1, 2))  # type: ignore[arg-type]


async def test_every_channel_is_told_and_told_again_of_each_change() -> None:
    one, two = Recording("one"), Recording("two")
    notifier = channels(one, two, WebInbox())
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    await notifier.update(approved())
    await notifier.settled()
    expected = [("announce", 1, "pending"), ("update", 2, "approved")]
    assert one.told == two.told == expected
    assert [d.channel for d in notifier.deliveries("c1")] == ["one", "two", "web"]
    assert all(d.problem is None and d.version == 2 for d in notifier.deliveries("c1"))


async def test_a_failed_delivery_is_tried_again_and_shown_and_decides_nothing() -> None:
    bad, good, sleep = Recording("bad", fails=2), Recording("good"), Sleeper()
    notifier = channels(bad, good, sleep=sleep)
    request = a_request()
    await notifier.announce(request, EVERYBODY)
    assert good.told == [], "announcing waits for nobody"
    await notifier.settled()
    assert good.told == bad.told == [("announce", 1, "pending")]
    assert sleep.slept == [1, 2]
    assert request.waits
    await notifier.close()
    assert good.closed
    assert bad.closed


async def test_a_channel_that_keeps_failing_is_given_up_for_this_state() -> None:
    bad = Recording("bad", fails=3)
    notifier = channels(bad)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    (delivery,) = notifier.deliveries("c1")
    assert (delivery.attempts, delivery.problem) == (3, "nobody is there")
    assert bad.told == []
    still = replace(a_request(), version=2)
    await notifier.update(still)
    await notifier.settled()
    assert bad.told == [("announce", 2, "pending")]
    assert notifier.deliveries("c1")[0].problem is None


async def test_what_was_resolved_before_it_could_be_shown_is_not_shown() -> None:
    one = Recording()
    notifier = channels(one)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.update(approved())
    await notifier.settled()
    assert one.told == []
    late = Recording()
    notifier = channels(late)
    await notifier.announce(approved(), EVERYBODY)
    await notifier.update(approved())
    await notifier.settled()
    assert late.told == []


async def test_what_may_have_been_shown_is_corrected() -> None:
    bad = Recording("bad", fails=1)
    notifier = channels(bad)
    await notifier.announce(a_request(), EVERYBODY)
    for _ in range(3):
        await asyncio.sleep(0)
    await notifier.update(approved())
    await notifier.settled()
    assert bad.told == [("update", 2, "approved")]


async def test_an_older_state_never_replaces_a_newer_one() -> None:
    one = Recording()
    notifier = channels(one)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    await notifier.update(running())
    await notifier.update(approved())
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    assert one.told == [("announce", 1, "pending"), ("update", 3, "running")]


async def test_what_is_finished_is_forgotten() -> None:
    one = Recording()
    notifier = channels(one)
    for number in range(20):
        request = a_request(a_call(call_id=f"c{number}"))
        await notifier.announce(request, EVERYBODY)
        await notifier.update(apply(request, Cancelled(said(Reason.CANCELLED))))
        await notifier.settled()
    await notifier.update(a_request())
    assert len(notifier._deliveries) == 0


async def test_it_can_ask_if_any_channel_can() -> None:
    class Unsure(Recording):
        @property
        def can_ask(self) -> bool:  # type: ignore[override]
            raise OSError("who knows")

        @can_ask.setter
        def can_ask(self, value: bool) -> None: ...

    mute = Recording()
    mute.can_ask = False
    assert not channels().can_ask
    assert not channels(mute, Unsure()).can_ask
    assert channels(mute, WebInbox()).can_ask
    notifier = channels(mute)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    assert mute.told == []


async def test_every_channel_is_checked() -> None:
    assert await channels(Recording("bad", fails=1), WebInbox()).check() == {
        "bad": "nobody is there",
        "web": None,
    }


async def test_votes_come_from_every_channel_under_its_name() -> None:
    votes: list[tuple[str, str]] = []

    def decide_as(name: str) -> Decide:
        async def decide(request_id: str, vote: Vote, digest: str, comment: str | None) -> None:
            votes.append((name, request_id))

        return decide

    bad, sleep = Recording("bad", fails=3), Sleeper()
    await channels(Recording("good"), bad, WebInbox(), sleep=sleep).listen(decide_as)
    assert votes == [("good", "c1"), ("bad", "c1")]
    assert sleep.slept == [1, 2, 2]


async def test_a_picture_that_cannot_be_made_is_a_failed_delivery() -> None:
    async def broken(_: ApprovalRequest) -> Card:
        raise ValueError("no picture")

    notifier = Channels([Recording()], broken, sleep=Sleeper(), retry_seconds=())
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    assert notifier.deliveries("c1")[0].problem == "no picture"


@pytest.mark.spec("CH-15")
@pytest.mark.parametrize(
    ("fidelity", "arguments", "refused"),
    [
        (Fidelity(), {"a": "x" * 10_000}, None),
        (Fidelity(max_length=10), {"a": "123456789"}, None),
        (Fidelity(max_length=10), {"a": "1234567890"}, TOO_LONG),
        (Fidelity(max_length=10), {"a": [1, 2, 3]}, TOO_LONG),
        (Fidelity(max_length=10), {"a": "\u202e"}, None),
        (Fidelity(max_length=8), {"a": "\u202e"}, TOO_LONG),
        (Fidelity(formatting=False), {"a": "\u202e"}, INDISTINCT),
        (Fidelity(formatting=False), {"a": "b"}, None),
    ],
)
async def test_what_does_not_fit_is_not_offered_for_approval(
    fidelity: Fidelity, arguments: dict[str, object], refused: str | None
) -> None:
    card = fitted(await picture(a_request(a_call(arguments=arguments))), fidelity)
    assert card.approve_refused == refused
    assert card.may_approve == (refused is None)
    assert card.may_reject


async def test_the_diff_counts_where_it_is_shown() -> None:
    card = await picture(a_request(a_call(arguments={}, diff="+" * 100)))
    assert fitted(card, Fidelity(max_length=50)).approve_refused == TOO_LONG
    assert fitted(card, Fidelity(max_length=50, diff=False)).approve_refused is None


async def test_a_resolved_card_fits_everywhere() -> None:
    card = await picture(in_every_state()["done"])
    assert fitted(card, Fidelity(max_length=1)) == card


@pytest.mark.spec("CH-16")
async def test_a_channel_is_given_no_approving_of_what_is_too_grave_for_it() -> None:
    channel, other = Recording("chat"), Recording("mail")
    cards: list[tuple[str, Card]] = []

    async def picture(request: ApprovalRequest) -> Card:
        return card_of(request, now=at(1))

    for one in (channel, other):

        async def keep(card: Card, name: str = one.name) -> None:
            cards.append((name, card))

        one.announce = keep  # type: ignore[method-assign]
    channels = Channels([channel, other], picture)
    policy = ApprovalPolicy(Severity.HIGH, channels=(("chat", Severity.MEDIUM),))
    await channels.announce(a_request(policy=policy), EVERYBODY)
    await channels.settled()
    assert {name: (card.may_approve, card.may_reject) for name, card in cards} == {
        "chat": (False, True),
        "mail": (True, True),
    }


async def test_a_channel_shows_what_concerns_somebody_it_reaches() -> None:
    one, two = Recording("one"), Recording("two")
    two.reached = {"anna"}
    notifier = channels(one, two, WebInbox())
    await notifier.announce(a_request(), [owner()])
    await notifier.settled()
    assert one.told == [("announce", 1, "pending")]
    assert two.told == []
    assert notifier.ways(owner()) == ("one", "web")
    await notifier.announce(a_request(), EVERYBODY)  # it was widened
    await notifier.settled()
    assert one.told == two.told == [("announce", 1, "pending")]


async def test_a_channel_that_cannot_say_whom_it_reaches_reaches_nobody() -> None:
    class Broken(Recording):
        def reaches(self, person: Person) -> bool:
            raise Undeliverable("who knows")

    broken = Broken()
    notifier = channels(broken)
    assert notifier.ways(owner()) == ()
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    assert broken.told == []


@pytest.mark.spec("REQ-16")
async def test_a_reminder_shows_the_card_once_more_to_whom_it_concerns_and_is_not_repeated() -> (
    None
):
    one, two, away = Recording("one"), Recording("two"), Recording("away")
    two.reached, away.reached = {"anna"}, {"nobody"}
    notifier = channels(one, two, away)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    await notifier.remind(replace(a_request(), version=2), [owner()])
    await notifier.settled()
    shown = [("announce", 1, "pending"), ("update", 2, "pending"), ("remind", 2, "pending")]
    assert one.told == shown
    assert two.told == shown[:1]
    one.fails = 1
    await notifier.remind(replace(a_request(), version=2), [owner()])
    await notifier.settled()
    assert one.told == shown
    assert away.told == []


async def test_what_was_delivered_is_said_once_for_each_person_it_reached() -> None:
    confirmed: list[tuple[str, str, list[str]]] = []
    request = a_request()

    async def confirm(request_id: str, digest: str, channel: str, people: Sequence[str]) -> None:
        assert digest == request.digest
        confirmed.append((request_id, channel, list(people)))

    def with_confirming(*them: object) -> Channels:
        return Channels(them, picture, confirm=confirm, sleep=Sleeper(), retry_seconds=())  # type: ignore[arg-type]

    one, failing, silent = Recording("one"), Recording("failing", fails=9), Recording("silent")
    silent.confirms = False
    notifier = with_confirming(one, failing, silent, WebInbox())
    await notifier.announce(a_request(), [owner()])
    await notifier.settled()
    assert confirmed == [("c1", "one", ["owner"])]
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.update(replace(a_request(), version=2))
    await notifier.settled()
    assert confirmed == [("c1", "one", ["owner"]), ("c1", "one", ["anna"])]


async def test_a_delivery_that_cannot_be_noted_harms_nothing() -> None:
    async def confirm(*_: object) -> None:
        raise Undeliverable("the store is away")

    one = Recording()
    notifier = Channels([one], picture, confirm=confirm)
    await notifier.announce(a_request(), EVERYBODY)
    await notifier.settled()
    assert one.told == [("announce", 1, "pending")]
