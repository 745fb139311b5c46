"""Ten thousand calls wait in one process, and waking one is nothing to the others (REQ-20).

Counted is what is done, not how long it takes; that is B-6.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso.broker import wait as waiting
from sayso.broker.broker import Broker
from sayso.broker.ports import GatePort, Standing
from sayso.broker.world import World
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
FEW_LATE = 3
LOOKS = 4
"""So often at most a caller looks at its own call until it has heard how it was decided."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(params=["postgres", "sqlite"])
async def broker(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Broker]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "settings.toml").write_text("[approval]\npending_limit = 1000000\n")
    monkeypatch.setenv("SAYSO_HOME", str(home))
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


class Looking:
    """Which calls the waiters look at: each look is a read of the store."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at: list[str] = []
        really = waiting.own_request

        async def own_request(world: World, session_id: str, call_id: str) -> object:
            self.at.append(call_id)
            return await really(world, session_id, call_id)

        monkeypatch.setattr(waiting, "own_request", own_request)
        # nobody looks of their own accord meanwhile, so that every look has to be somebody's doing
        monkeypatch.setattr(waiting, "POLL_SECONDS", 3600.0)


@pytest.mark.spec("REQ-20", "ST-3")
async def test_waking_one_is_unaffected_by_the_others(
    broker: Broker, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = Looking(monkeypatch)
    store, clock, ids = broker.world.store, broker.world.clock, broker.world.ids
    owner = await make_actor(store, ids, clock.now(), CredentialKind.SESSION)
    actor = await broker.access.embedded_agent("coder")
    session = await broker.open_session(actor, source="api", workspace="/")
    gate = broker.gate(session.session_id)

    async def settled(count: int) -> None:
        """Wait until all have begun to wait and the events of their own requests have passed by."""
        async with asyncio.timeout(240):
            before = -1
            while before != len(looking.at) or len(set(looking.at)) < count:
                before = len(looking.at)
                await asyncio.sleep(1)
        looking.at.clear()

    async def wake(asked: list[tuple[Standing, asyncio.Task[Standing]]]) -> None:
        """Decide some of them one after the other; nobody else looks whether it concerns them."""
        heard_by_others = 0
        for _ in range(WAKES):
            standing, task = asked.pop()
            await broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
            assert (await asyncio.wait_for(task, 60)).status == "approved"
            assert 1 <= looking.at.count(standing.call_id) <= LOOKS
            heard_by_others += set(looking.at) != {standing.call_id}
            looking.at.clear()
        # What came late of their own events may be heard once or twice, but not of each that is decided.
        assert heard_by_others <= FEW_LATE

    few = await parked(gate, 0, WAKES + FEW)
    await settled(len(few))
    await wake(few)
    threads = threading.active_count()
    count = MANY[request.node.callspec.params["broker"]]
    many = await parked(gate, 1000, 1000 + count)
    await settled(count)
    assert threading.active_count() <= threads + 1  # a caller that waits holds no thread
    await wake(many)
    assert not any(task.done() for _, task in few + many)
    for _, task in few + many:
        task.cancel()
    await asyncio.gather(*(task for _, task in few + many), return_exceptions=True)
