"""Three servers on one PostgreSQL: killed and restarted at any point, nothing is lost and nothing runs twice."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from sayso.requests.approval import Status
from sayso.requests.deadline import LEASE_SECONDS
from sayso.store.postgres import open_postgres
from tests.contracts.store_values import chain
from tests.e2e.postgres.replicas import Cluster, Gone, Json

REQUESTS = int(os.environ.get("SAYSO_E2E_REQUESTS", "200"))
SEED = int(os.environ.get("SAYSO_E2E_SEED", "1"))
AT_ONCE = 40

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240 + REQUESTS)]


class Agent:
    """One session that makes calls, waits, claims and runs; its tool writes down what it did."""

    def __init__(self, cluster: Cluster, token: str) -> None:
        self._cluster = cluster
        self._token = token
        self._session = ""
        self.ran: Counter[str] = Counter()
        self.answers: dict[str, Json] = {}

    async def open(self) -> None:
        """Open the session."""
        _, said = await self._cluster.insist(self._token, "POST", "/api/sessions", {})
        self._session = said["session_id"]

    async def call(self, n: int) -> None:
        """One call from its first word to its last; now and then the agent dies in between."""
        name = f"x{n}"
        body = {
            "session_id": self._session,
            "tool": "deploy",
            "arguments": {"n": n},
            "external_id": name,
        }
        standing = (await self._cluster.insist(self._token, "POST", "/api/calls", body))[1]
        call_id, digest = standing["call_id"], standing["digest"]
        self.answers[name] = call_id
        fate = self._cluster.random.random()
        while True:
            wait = f"/api/calls/{call_id}/wait?timeout=5"
            standing = (await self._cluster.insist(self._token, "GET", wait))[1]
            if standing["status"] != "approved":
                if standing["status"] == "pending":
                    continue
                return
            if fate < 0.03:
                return  # dies approved: it lapses
            try:
                status, said = await self._cluster.send(
                    self._token, "POST", f"/api/calls/{call_id}/claim", {"digest": digest}
                )
            except Gone:
                return  # whether it may run is not known: so it does not
            if status == 200 and said["claim"] is not None:
                break
        token = said["claim"]["token"]
        if fate < 0.05:
            return  # dies before it ran
        self.ran[call_id] += 1
        if fate < 0.07:
            return  # dies before it said so
        outcome = {"token": token, "ok": True, "summary": "deployed"}
        await self._cluster.insist(self._token, "POST", f"/api/calls/{call_id}/outcome", outcome)


async def decide(cluster: Cluster, over: asyncio.Event) -> None:
    """A person who decides whatever waits: most is approved, some is not."""
    while not over.is_set():
        with contextlib.suppress(Gone):
            _, inbox = await cluster.send(cluster.approver, "GET", "/api/inbox")
            cards = [card for card in inbox["approvals"] if card["status"] == "pending"]
            for card in cluster.random.sample(cards, min(10, len(cards))):
                action = "approve" if cluster.random.random() < 0.85 else "reject"
                path = f"/api/inbox/approvals/{card['request_id']}/resolve"
                body = {"action": action, "digest": card["digest"]}
                await cluster.send(cluster.approver, "POST", path, body)
        await asyncio.sleep(0.05)


async def settle(cluster: Cluster, agents: list[Agent]) -> None:
    """A person looks up what ran, and says so, once the leases of the dead are over."""
    ran = sum((agent.ran for agent in agents), Counter[str]())
    async with asyncio.timeout(LEASE_SECONDS + 60):
        while True:
            with psycopg.connect(cluster.database) as connection:
                found = connection.execute(
                    "SELECT request_id, status FROM requests WHERE status IN ('running', 'unknown')"
                ).fetchall()
            if not found:
                return
            for request_id, status in found:
                if status == "unknown":
                    body = {"ok": ran[request_id] > 0, "summary": "looked up"}
                    await cluster.insist(
                        cluster.approver, "POST", f"/api/calls/{request_id}/outcome", body
                    )
            await asyncio.sleep(0.5)


@pytest.mark.spec("ST-2", "ST-3")
async def test_servers_and_database_die_and_nothing_is_lost_or_runs_twice(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, SEED)
    over, calm = asyncio.Event(), asyncio.Event()
    running: list[asyncio.Task[None]] = []
    try:
        await cluster.set_up()
        agents = [Agent(cluster, token) for token in cluster.agents]
        await asyncio.gather(*(agent.open() for agent in agents))
        places = asyncio.Semaphore(AT_ONCE)

        async def call(n: int) -> None:
            async with places:
                await agents[n % len(agents)].call(n)

        people = [asyncio.create_task(decide(cluster, over)) for _ in range(3)]
        trouble = asyncio.create_task(cluster.trouble(calm))
        running += [*people, trouble]
        await asyncio.gather(*(call(n) for n in range(REQUESTS)))
        calm.set()
        await trouble
        await cluster.all_run()
        await settle(cluster, agents)
        over.set()
        await asyncio.gather(*people)
        await check(cluster, agents)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await cluster.close()


async def check(cluster: Cluster, agents: list[Agent]) -> None:
    """What must hold at the end, from the database and from what the tool wrote down."""
    assert cluster.killed > 1
    assert cluster.restarted > 0
    ran = sum((agent.ran for agent in agents), Counter[str]())
    answered = {name: call_id for agent in agents for name, call_id in agent.answers.items()}
    with psycopg.connect(cluster.database) as connection:
        rows = connection.execute(
            "SELECT c.external_id, r.request_id, r.status, r.closed FROM requests r "
            "JOIN calls c ON c.call_id = r.request_id"
        ).fetchall()
        events = [n for (n,) in connection.execute("SELECT event_id FROM notices ORDER BY 1")]
        claims = connection.execute(
            'SELECT call_id, count(*) FROM audit WHERE body LIKE \'%"kind":"claim"%\' GROUP BY 1'
        ).fetchall()
    # none lost, none doubled
    assert {name: request_id for name, request_id, _, _ in rows} == answered
    assert len(rows) == len(answered) == REQUESTS
    # at most one run, and only of what was approved and claimed
    assert set(ran.values()) <= {1}
    assert {count for _, count in claims} == {1}
    assert set(ran) <= {call_id for call_id, _ in claims}
    # one final state, which is what happened; what was approved and never claimed lapses later
    by_status: dict[str, set[str]] = {}
    for _, request_id, status, closed in rows:
        by_status.setdefault(status, set()).add(request_id)
        assert closed or status == Status.APPROVED.value, (request_id, status)
    assert by_status.get(Status.DONE.value, set()) == set(ran)
    assert not set(ran) & by_status.get(Status.REJECTED.value, set())
    # a reader of events skips none, and the log is whole
    assert events == list(range(events[0], events[0] + len(events)))
    store = open_postgres(cluster.database)
    try:
        found = await chain(store)
        assert (found.ok, found.fault) == (True, None)
        finals = Counter(
            entry.body.split('"call_id":"')[1].split('"')[0]
            for entry in await store.audit_chain(0, 10_000_000)
            if '"kind":"outcome"' in entry.body
        )
    finally:
        store.close()
    assert all(finals[request_id] >= 1 for request_id in ran)
