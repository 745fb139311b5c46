"""The contenders of B-4: a durable question, its answer, and the work that waited for it.

Both keep everything in a SQLite file in a directory of their own, with a write-ahead log and
synchronous=FULL: an answered step is on the disk.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.ports import Claim, Feed, Standing, Subscription
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.run import await_decision
from sayso.broker.session_gate import SessionGate
from sayso.broker.world import World
from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from sayso.policy.protection import protected_rules
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.store.sqlite import SqliteStore, open_sqlite
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


# ── sayso ──────────────────────────────────────────────────────────────────────────────────────


class NoChannel:
    """An inbox that people look at by themselves: there is nothing to send."""

    can_ask = True

    async def announce(self, request: ApprovalRequest) -> None:
        """Nothing to do."""

    async def update(self, request: ApprovalRequest) -> None:
        """Nothing to do."""


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

    def subscribe(self, topic: str) -> Subscription:
        """A place in the feed, watched if the benchmark waits for it."""
        place = self._feed.subscribe(topic)
        parked = self.parked.get(topic)
        return place if parked is None else WatchedPlace(place, parked)


@dataclass(slots=True)
class Trip:
    """The moments of one round trip, in seconds of the performance counter."""

    voting: float = 0.0
    voted: float = 0.0
    awake: float = 0.0


@dataclass(slots=True)
class Ours:
    """A broker on a SQLite file, one agent's session, and an approver with a token of their own."""

    store: SqliteStore
    feed: WatchedFeed
    broker: Broker
    gate: SessionGate
    approver: Actor
    count: int = 0

    async def one(self) -> Trip:
        """One call from its submission to its recorded outcome, with a person who approves."""
        trip = Trip()
        draft = self._draft()
        standing = await self.gate.submit(draft)
        parked = self.feed.parked[standing.call_id] = asyncio.Event()
        agent = asyncio.create_task(self._agent(standing, trip))
        await _parked(parked, agent)
        await self._approve(standing, trip)
        await agent
        del self.feed.parked[standing.call_id]
        return trip

    async def many(self, waiting: int) -> list[Trip]:
        """So many calls at once: all wait, all are approved, all run."""
        trips = [Trip() for _ in range(waiting)]
        standings = await asyncio.gather(*(self.gate.submit(self._draft()) for _ in range(waiting)))
        for standing in standings:
            self.feed.parked[standing.call_id] = asyncio.Event()
        agents = [
            asyncio.create_task(self._agent(standing, trip))
            for standing, trip in zip(standings, trips, strict=True)
        ]
        for standing, agent in zip(standings, agents, strict=True):
            await _parked(self.feed.parked[standing.call_id], agent)
        self.feed.parked.clear()
        await asyncio.gather(
            *(
                self._approve(standing, trip)
                for standing, trip in zip(standings, trips, strict=True)
            )
        )
        await asyncio.gather(*agents)
        return trips

    def _draft(self) -> CallDraft:
        self.count += 1
        return CallDraft(TOOL, arguments(self.count), external_id=f"call-{self.count}")

    async def _approve(self, standing: Standing, trip: Trip) -> None:
        trip.voting = time.perf_counter()
        await self.broker.review(
            self.approver, standing.call_id, Vote.APPROVE, digest=standing.digest
        )
        trip.voted = time.perf_counter()

    async def _agent(self, standing: Standing, trip: Trip) -> None:
        standing = await await_decision(self.gate, standing)
        trip.awake = time.perf_counter()
        claim = await self.gate.claim(standing.call_id, standing.digest)
        assert isinstance(claim, Claim), claim
        await self.gate.finish(claim.call_id, claim.token, True, "sent", 0.0)


async def _parked(parked: asyncio.Event, agent: asyncio.Task[None]) -> None:
    """Wait until the agent waits in the feed; an agent that failed before says why."""
    waiting = asyncio.ensure_future(parked.wait())
    await asyncio.wait({waiting, agent}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        await agent
        raise RuntimeError("the agent did not wait: its call needed nobody")


async def open_ours(directory: Path) -> Ours:
    """Assemble the real parts on a new file in that directory, and log in."""
    store = open_sqlite(directory / "sayso.db")
    feed, facts = WatchedFeed(store.feed), LocalFacts()
    lists = FixedLists(ListRules(version=0, rules=()))
    rules = CachedRules(store, lists, protected_rules(), facts)
    world = World(store, feed, SystemClock(), SystemIds(), rules, facts, NoChannel())
    broker = Broker(world)
    await broker.start()
    await broker.access.choose_passphrase(PASSPHRASE, None, "bench")
    _, owner = await broker.access.login(PASSPHRASE, "bench")
    token, _ = await broker.access.create_token(owner, CredentialKind.APPROVER, name="phone")
    approver = await broker.access.authenticate(token, "bench")
    token, _ = await broker.access.create_token(owner, CredentialKind.AGENT, agent_id="clerk")
    agent = await broker.access.authenticate(token, "bench")
    session = await broker.open_session(agent, workspace=str(directory))
    return Ours(store, feed, broker, await broker.gate_for(agent, session.session_id), approver)


async def close_ours(ours: Ours) -> None:
    """Stop the broker and close the file."""
    await ours.broker.close()
    ours.store.close()


# ── LangGraph ──────────────────────────────────────────────────────────────────────────────────


class _State(TypedDict, total=False):
    tool: str
    arguments: dict[str, Any]
    result: str


def _gate(state: _State) -> _State:
    answer = interrupt({"tool": state["tool"], "arguments": state["arguments"]})
    return {"result": "sent" if answer == "approve" else "rejected"}


class LangGraph:
    """A graph of one node that interrupts before it acts, with a SqliteSaver, durability `sync`."""

    def __init__(self, directory: Path) -> None:
        self._connection = sqlite3.connect(directory / "langgraph.db", check_same_thread=False)
        saver = SqliteSaver(self._connection)
        saver.setup()
        self._connection.execute("PRAGMA synchronous=FULL")
        builder = StateGraph(_State)
        builder.add_node("gate", _gate)
        builder.add_edge(START, "gate")
        builder.add_edge("gate", END)
        self._graph = builder.compile(checkpointer=saver)
        self._count = 0
        self.synchronous = self._connection.execute("PRAGMA synchronous").fetchone()[0]

    def ask(self) -> Any:
        """Start a thread that waits for a person; returns its configuration."""
        self._count += 1
        config: Any = {"configurable": {"thread_id": f"thread-{self._count}"}}
        state: Any = {"tool": TOOL, "arguments": arguments(self._count)}
        found = self._graph.invoke(state, config, durability="sync")
        assert "__interrupt__" in found, found
        return config

    def answer(self, config: Any) -> None:
        """Resume a thread with an approve."""
        found = self._graph.invoke(Command(resume="approve"), config, durability="sync")
        assert found["result"] == "sent", found

    def one(self) -> None:
        """One question and its answer."""
        self.answer(self.ask())

    def many(self, waiting: int) -> None:
        """So many questions, then their answers."""
        asked: Sequence[Any] = [self.ask() for _ in range(waiting)]
        for config in asked:
            self.answer(config)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
