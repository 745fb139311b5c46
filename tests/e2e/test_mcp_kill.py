"""`kill -9` of gateway and of server at each state: nothing runs twice, nothing that waits is lost."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso.requests.deadline import LEASE_SECONDS
from tests.e2e.mcp.installation import PATIENCE, Installation, raw_client

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SLOW_SERVER = str(Path(__file__).parent / "mcp" / "slow_server.py")


class Tool:
    """The slow server, and what it has done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.command = [sys.executable, SLOW_SERVER, str(path)]

    @property
    def ran(self) -> list[int]:
        """Which calls have run, by their number."""
        text = self.path.read_text() if self.path.exists() else ""
        return [json.loads(line)["n"] for line in text.splitlines()]

    async def started(self, n: int) -> None:
        """Wait until that call has begun to run."""
        async with asyncio.timeout(PATIENCE):
            while n not in self.ran:  # noqa: ASYNC110  another process
                await asyncio.sleep(0.02)


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool(tmp_path / "ran")


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Installation]:
    installation = Installation(tmp_path / "home", "")
    try:
        await installation.set_up()
        yield installation
    finally:
        installation.close()


async def test_the_server_is_killed_while_a_call_is_pending(made: Installation, tool: Tool) -> None:
    async with raw_client(made, tool.command) as client:
        answer = client.call(1, "work", n=1)
        [card] = await made.asked()
        made.kill()
        await asyncio.sleep(0.5)
        assert not answer.done()
        await made.start()
        [same] = await made.asked()
        assert same["request_id"] == card["request_id"]
        await made.resolve(same, "approve")
        found = await asyncio.wait_for(answer, PATIENCE)
        assert found["result"]["content"][0]["text"] == "did 1"
        assert tool.ran == [1]


async def test_the_server_is_killed_while_a_call_is_approved(
    made: Installation, tool: Tool
) -> None:
    async with raw_client(made, tool.command) as client:
        client.call(1, "work", n=1)
        [card] = await made.asked()
        client.cancel(1)
        await made.until(lambda: made.card(card["request_id"]), lambda c: c["caller"] == "gone")
        await made.resolve(card, "approve")
        made.kill()
        await made.start()
        assert (await made.card(card["request_id"]))["status"] == "approved"
        found = await asyncio.wait_for(client.call(2, "work", n=1), PATIENCE)
        assert found["result"]["content"][0]["text"] == "did 1"
        assert tool.ran == [1]
        assert (await made.becomes(card["request_id"], "done"))["outcome"]["ok"]


async def test_the_server_is_killed_while_a_call_runs(made: Installation, tool: Tool) -> None:
    async with raw_client(made, tool.command) as client:
        answer = client.call(1, "work", n=1, seconds=1)
        [card] = await made.asked()
        await made.resolve(card, "approve")
        await tool.started(1)
        made.kill()
        # The tool ends while nobody can be told; the client has its result all the same.
        found = await asyncio.wait_for(answer, PATIENCE)
        assert found["result"]["content"][0]["text"] == "did 1"
        await made.start()
        assert (await made.becomes(card["request_id"], "done"))["outcome"]["ok"]
        assert tool.ran == [1]


async def test_without_a_server_a_call_is_refused_and_later_ones_work(
    made: Installation, tool: Tool
) -> None:
    async with raw_client(made, tool.command) as client:
        first = client.call(1, "work", n=1)
        [card] = await made.asked()
        await made.resolve(card, "approve")
        await asyncio.wait_for(first, PATIENCE)
        made.kill()
        refused = await asyncio.wait_for(client.call(2, "work", n=2), PATIENCE)
        assert refused["result"]["isError"]
        assert "not run" in refused["result"]["content"][0]["text"]
        await made.start()
        again = client.call(3, "work", n=2)
        [card] = await made.asked()
        await made.resolve(card, "approve")
        await asyncio.wait_for(again, PATIENCE)
        assert tool.ran == [1, 2]


async def test_the_gateway_is_killed_while_calls_are_pending_approved_and_running(
    made: Installation, tool: Tool
) -> None:
    async with raw_client(made, tool.command) as client:
        client.call(1, "work", n=1)
        [pending] = await made.asked()
        client.call(2, "work", n=2)
        approved = next(c for c in await made.asked(2) if c["request_id"] != pending["request_id"])
        client.cancel(2)
        await made.until(lambda: made.card(approved["request_id"]), lambda c: c["caller"] == "gone")
        await made.resolve(approved, "approve")
        client.call(3, "work", n=3, seconds=60)
        running = next(c for c in await made.asked(2) if c["request_id"] != pending["request_id"])
        await made.resolve(running, "approve")
        await tool.started(3)
        await client.kill()
    # Nothing that waits is lost, and nothing runs for a caller that has gone.
    [still] = await made.inbox()
    assert still["request_id"] == pending["request_id"]
    # The client starts the gateway anew: a new session, in which all is asked again.
    async with raw_client(made, tool.command) as client:
        again = client.call(1, "work", n=3, seconds=0)
        known = {pending["request_id"], approved["request_id"], running["request_id"]}
        fresh = next(c for c in await made.asked(2) if c["request_id"] not in known)
        await made.resolve(pending, "approve")
        await asyncio.sleep(1)
        assert tool.ran == [3]
        await made.resolve(fresh, "approve")
        await asyncio.wait_for(again, PATIENCE)
        assert tool.ran == [3, 3], "the second was approved by itself"
    # What ran when the gateway died is unknown once its lease is over; a person is told so.
    unknown = await made.becomes(running["request_id"], "unknown", within=LEASE_SECONDS + PATIENCE)
    assert unknown["outcome"] is None
    assert running["request_id"] in {card["request_id"] for card in await made.inbox()}
    for card in (pending, approved):
        assert (await made.card(card["request_id"]))["status"] == "approved"
    assert tool.ran == [3, 3]
    assert [said["reason"] for said in await made.outcomes(running["request_id"])] == ["unknown"]


async def test_two_gateways_are_two_sessions(made: Installation, tool: Tool) -> None:
    async with raw_client(made, tool.command) as one, raw_client(made, tool.command) as two:
        first, second = one.call(1, "work", n=1), two.call(1, "work", n=1)
        cards = await made.asked(2)
        assert len({card["session_id"] for card in cards}) == 2
        assert {card["source"] for card in cards} == {"mcp"}
        for card in cards:
            await made.resolve(card, "approve")
        await asyncio.wait_for(asyncio.gather(first, second), PATIENCE)
        assert tool.ran == [1, 1]
