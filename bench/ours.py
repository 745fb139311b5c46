"""sayso as the benchmarks of durable round trips use it: a broker, an agent's session, an approver.

It is the real thing but for two hooks: the feed says when a call's waiter has parked, and each trip
notes the moments that are reported.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.ports import Claim, Feed, Standing, Store, Subscription
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.run import await_decision
from sayso.broker.session_gate import SessionGate
from sayso.broker.world import World
from sayso.channels.web.channel import WebInbox
from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Rule
from sayso.requests.approval import Vote
from sayso.system.clock import SystemClock
from sayso.system.facts import LocalFacts
from sayso.system.ids import SystemIds

TOOL = "send_payment"
PASSPHRASE = "a passphrase for the benchmark"


def arguments(number: int) -> dict[str, Any]:
    """The arguments of one call, about 300 bytes; no two are alike."""
    return {
        "number": number,
        "amount": 120_50 + number,
        "currency": "EUR",
        "recipient": {"name": "Example Office Supplies", "account": "XX00 0000 0000 0000 0000"},
        "memo": "Invoice 2026-0117, paper and toner for the second quarter, as ordered by the office.",
    }


class StoreWithFeed(Store, Protocol):
    """Any of the stores: they come with a feed, and are closed."""

    @property
    def feed(self) -> Feed:
        """Who waits for what in this process."""

    def close(self) -> None:
        """Give everything back."""


class WatchedPlace:
    """A place in the feed that says when somebody begins to wait in it."""

    def __init__(self, place: Subscription, parked: asyncio.Event) -> None:
        self._place = place
        self._parked = parked

    async def wait(self, timeout: float) -> bool:
        """Say so, then wait."""
        self._parked.set()
        return await self._place.wait(timeout)

    def close(self) -> None:
        """Give the place back."""
        self._place.close()


class WatchedFeed:
    """The store's feed; the benchmark is told when a call's waiter has parked."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self.publish = feed.publish
        self.parked: dict[str, asyncio.Event] = {}
        self._missing, self._taken = 0, asyncio.Event()

    def taken(self, more: int) -> asyncio.Event:
        """What says when so many more places have been taken."""
        self._missing, self._taken = more, asyncio.Event()
        return self._taken

    def subscribe(self, topic: str) -> Subscription:
        """A place in the feed, watched if the benchmark waits for it."""
        place = self._feed.subscribe(topic)
        self._missing -= 1
        if self._missing == 0:
            self._taken.set()
        parked = self.parked.get(topic)
        return place if parked is None else WatchedPlace(place, parked)


class Voted(NamedTuple):
    """When a review was begun and when it had returned, in seconds of the performance counter."""

    begun: float
    returned: float


class Approver(Protocol):
    """Whoever approves: somebody in this process, or in another."""

    async def approve(self, asked: Sequence[tuple[str, str]]) -> Sequence[Voted]:
        """Approve calls, given by id and digest, all at once."""


@dataclass(frozen=True, slots=True)
class Here:
    """An approver in this process, with a token of their own."""

    broker: Broker
    actor: Actor

    async def approve(self, asked: Sequence[tuple[str, str]]) -> Sequence[Voted]:
        """See Approver."""
        return await asyncio.gather(*(self._approve(*each) for each in asked))

    async def _approve(self, call_id: str, digest: str) -> Voted:
        begun = time.perf_counter()
        await self.broker.review(self.actor, call_id, Vote.APPROVE, digest=digest)
        return Voted(begun, time.perf_counter())


@dataclass(slots=True)
class Trip:
    """The moments of one round trip, in seconds of the performance counter."""

    voting: float = 0.0
    voted: float = 0.0
    awake: float = 0.0

    @property
    def wake(self) -> float:
        """From the moment the review began to the waiter being awake."""
        return self.awake - self.voting

    @property
    def heard(self) -> float:
        """From the moment the review had returned to the waiter being awake; it may be before."""
        return max(0.0, self.awake - self.voted)


@dataclass(slots=True)
class Ours:
    """A broker on a store, one agent's session, and an approver."""

    store: StoreWithFeed
    feed: WatchedFeed
    broker: Broker
    gate: SessionGate
    approver: Approver
    approver_token: str
    count: int = 0

    async def one(self) -> Trip:
        """One call from its submission to its recorded outcome, with a person who approves."""
        return (await self.many(1))[0]

    async def many(self, waiting: int) -> list[Trip]:
        """So many calls at once: all wait, all are approved, all run."""
        trips = [Trip() for _ in range(waiting)]
        standings = await asyncio.gather(*(self.gate.submit(self.draft()) for _ in range(waiting)))
        for standing in standings:
            self.feed.parked[standing.call_id] = asyncio.Event()
        agents = [
            asyncio.create_task(self.agent(standing, trip))
            for standing, trip in zip(standings, trips, strict=True)
        ]
        for standing, agent in zip(standings, agents, strict=True):
            await parked(self.feed.parked[standing.call_id], agent)
            del self.feed.parked[standing.call_id]
        await self.approve(standings, trips)
        await asyncio.gather(*agents)
        return trips

    def draft(self) -> CallDraft:
        """A call unlike any before."""
        self.count += 1
        return CallDraft(TOOL, arguments(self.count), external_id=f"call-{self.count}")

    async def approve(self, standings: Sequence[Standing], trips: Sequence[Trip]) -> None:
        """Have calls approved, and note when."""
        asked = [(standing.call_id, standing.digest) for standing in standings]
        for trip, voted in zip(trips, await self.approver.approve(asked), strict=True):
            trip.voting, trip.voted = voted

    async def agent(self, standing: Standing, trip: Trip) -> None:
        """What an agent does whose call waits: it wakes, claims the call and reports its outcome."""
        standing = await await_decision(self.gate, standing)
        trip.awake = time.perf_counter()
        claim = await self.gate.claim(standing.call_id, standing.digest)
        assert isinstance(claim, Claim), claim
        await self.gate.finish(claim.call_id, claim.token, True, "sent", 0.0)


async def parked(waits: asyncio.Event, agent: asyncio.Task[None]) -> None:
    """Wait until the agent waits in the feed; an agent that failed before says why."""
    waiting = asyncio.ensure_future(waits.wait())
    await asyncio.wait({waiting, agent}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        await agent
        raise RuntimeError("the agent did not wait: its call needed nobody")


async def start_broker(
    store: StoreWithFeed, rules: tuple[Rule, ...] = ()
) -> tuple[Broker, WatchedFeed]:
    """Assemble the real parts on a store, with permission lists that hold these rules, and start."""
    feed, facts = WatchedFeed(store.feed), LocalFacts()
    lists = FixedLists(ListRules(version=0, rules=rules))
    cached = CachedRules(store, lists, protected_rules(), facts)
    world = World(store, feed, SystemClock(), SystemIds(), cached, facts, WebInbox())
    broker = Broker(replace(world, pending_limit=1_000_000))  # one session holds all that is parked
    await broker.start()
    return broker, feed


async def open_ours(store: StoreWithFeed, workspace: str, rules: tuple[Rule, ...] = ()) -> Ours:
    """Start a broker on a new store, log in, and open an agent's session."""
    broker, feed = await start_broker(store, rules)
    await broker.access.choose_passphrase(PASSPHRASE, None, "bench")
    _, owner = await broker.access.login(PASSPHRASE, "bench")
    approver_token, _ = await broker.access.create_token(
        owner, CredentialKind.APPROVER, name="phone"
    )
    approver = await broker.access.authenticate(approver_token, "bench")
    token, _ = await broker.access.create_token(owner, CredentialKind.AGENT, agent_id="clerk")
    agent = await broker.access.authenticate(token, "bench")
    session = await broker.open_session(agent, workspace=workspace)
    gate = await broker.gate_for(agent, session.session_id)
    return Ours(store, feed, broker, gate, Here(broker, approver), approver_token)


async def close_ours(ours: Ours) -> None:
    """Stop the broker and close the store."""
    await ours.broker.close()
    ours.store.close()
