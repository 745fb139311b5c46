"""Ten thousand calls wait in one process, and waking one costs what it costs where ten wait (REQ-20)."""

from __future__ import annotations

import asyncio
import os
import statistics
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso.broker.broker import Broker
from sayso.broker.ports import GatePort, Standing
from sayso.core.session import CallDraft
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from sayso.requests.approval import Vote
from tests.fakes.postgres import server
from tests.fakes.world import make_actor

MANY = {"sqlite": 10_000, "postgres": 2_000}
if number := os.environ.get("SAYSO_E2E_WAITERS"):
    MANY = dict.fromkeys(MANY, int(number))
FEW = 10
WAKES = 25

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(params=["postgres", "sqlite"])
async def broker(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Broker]:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    shared = request.param == "postgres"
    database = server().new_database() if shared else tmp_path / "sayso.db"
    async with open_broker(database=database) as opened:
        await opened.start()
        yield opened


async def parked(
    gate: GatePort, first: int, last: int
) -> list[tuple[Standing, asyncio.Task[Standing]]]:
    """Calls that ask, each with a task that waits for it."""
    found = []
    for start in range(first, last, 500):
        asked = await asyncio.gather(
            *(
                gate.submit(CallDraft("deploy", {"n": n}))
                for n in range(start, min(last, start + 500))
            )
        )
        found += [(one, asyncio.create_task(gate.wait(one.call_id, 900))) for one in asked]
    return found


async def quiet(broker: Broker) -> None:
    """Wait until everybody has begun to wait, so that a read is answered at once."""
    async with asyncio.timeout(120):
        while True:
            began = time.perf_counter()
            await broker.world.store.request("none")
            if time.perf_counter() - began < 0.05:
                return
            await asyncio.sleep(0.2)


@pytest.mark.spec("REQ-20", "ST-3")
async def test_waking_one_is_unaffected_by_the_others(
    broker: Broker, request: pytest.FixtureRequest
) -> None:
    store, clock, ids = broker.world.store, broker.world.clock, broker.world.ids
    owner = await make_actor(store, ids, clock.now(), CredentialKind.SESSION)
    actor = await broker.access.embedded_agent("coder")
    session = await broker.open_session(actor, source="api", workspace="/")
    gate = broker.gate(session.session_id)

    async def wake(waiting: list[tuple[Standing, asyncio.Task[Standing]]]) -> float:
        """The median time from a decision to its caller, in seconds."""
        took = []
        for _ in range(WAKES):
            standing, task = waiting.pop()
            began = time.perf_counter()
            await broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
            assert (await task).status == "approved"
            took.append(time.perf_counter() - began)
        return statistics.median(took)

    few = await wake(await parked(gate, 0, WAKES + FEW))
    threads = threading.active_count()
    count = MANY[request.node.callspec.params["broker"]]
    waiting = await parked(gate, 1000, 1000 + count)
    await quiet(broker)
    assert threading.active_count() <= threads + 1  # a caller that waits holds no thread
    began = time.monotonic()
    many = []
    while time.monotonic() < began + 12:  # two polls of everybody, and a beat
        many.append(await wake(waiting))
        await asyncio.sleep(0.5)
    assert not any(task.done() for _, task in waiting)
    assert statistics.median(many) < 3 * few + 0.02
    for _, task in waiting:
        task.cancel()
    await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)
