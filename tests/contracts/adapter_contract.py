"""What every adapter has to do, whatever its framework (AD-1), on a real broker in memory.

An adapter's test module gives a fixture `adapter`; it is what drives the framework.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from sayso.errors import ServerUnreachable
from sayso.requests.approval import ApprovalRequest, Status, Vote
from tests.fakes.world import Scene, make_scene, rule

Call = tuple[str, Mapping[str, Any]]


class Adapter(Protocol):
    """A framework with the adapter in it, and a tool for every name."""

    scene: Scene
    ran: list[Call]

    async def turn(self, *calls: Call) -> list[asyncio.Future[str]]:
        """Let the model make these calls in one turn; each result is what the model is told."""

    async def cancel(self, number: int) -> None:
        """Cancel the caller of the last turn's call with that number."""

    async def resume(self) -> list[asyncio.Future[str]]:
        """Let the framework make the last turn's calls again, as after a restart from its state."""

    def lose_the_gate(self) -> None:
        """From now on the gate cannot be reached."""


def contract_scene(prefix: str = "") -> Scene:
    """The broker of the contract: reading is allowed, dropping denied, nothing else is listed.

    `prefix` is what the adapter's tools are called in rules before their own name.
    """
    return make_scene(
        rule("allow", f"{prefix}read"), rule("deny", f"{prefix}drop", justification="never drop")
    )


class UnreachableGate:
    """A gate port whose server is gone as soon as `lost` is set."""

    def __init__(self, gate: Any) -> None:
        self._gate = gate
        self.lost = False

    def __getattr__(self, name: str) -> Any:
        if self.lost:
            return self._fail
        return getattr(self._gate, name)

    async def _fail(self, *_: Any) -> Any:
        raise ServerUnreachable("no sayso server answers", "start it")


class AdapterContract:
    """The contract; a test class of each adapter inherits it."""

    async def test_a_tool_nobody_listed_is_asked(self, adapter: Adapter) -> None:
        [told] = await adapter.turn(("write", {"n": 1}))
        [request] = await pending(adapter)
        assert adapter.ran == []
        assert not told.done()
        await decide(adapter, request, Vote.APPROVE)
        assert await soon(told) == "did write"
        assert adapter.ran == [("write", {"n": 1})]
        assert (await adapter.scene.request(request.request_id)).status is Status.DONE

    async def test_an_allowed_one_runs_at_once(self, adapter: Adapter) -> None:
        [told] = await adapter.turn(("read", {"n": 1}))
        assert await soon(told) == "did read"
        assert adapter.ran == [("read", {"n": 1})]

    async def test_a_denied_one_never_runs_and_the_model_hears_why(self, adapter: Adapter) -> None:
        [told] = await adapter.turn(("drop", {}))
        assert "never drop" in await soon(told)
        assert adapter.ran == []

    async def test_the_reason_of_a_rejection_reaches_the_model(self, adapter: Adapter) -> None:
        [told] = await adapter.turn(("write", {}))
        [request] = await pending(adapter)
        await decide(adapter, request, Vote.REJECT, "not on a Friday")
        assert "not on a Friday" in await soon(told)
        assert adapter.ran == []

    async def test_a_denied_identical_retry_is_refused_at_once_with_the_same_reason(
        self, adapter: Adapter
    ) -> None:
        [told] = await adapter.turn(("write", {}))
        [request] = await pending(adapter)
        await decide(adapter, request, Vote.REJECT, "not on a Friday")
        await soon(told)
        [again] = await adapter.turn(("write", {}))
        assert "not on a Friday" in await soon(again)
        assert await pending(adapter, 0) == []
        assert adapter.ran == []

    async def test_without_a_gate_nothing_runs(self, adapter: Adapter) -> None:
        adapter.lose_the_gate()
        told = await adapter.turn(("read", {}), ("write", {}))
        for words in [await soon(one) for one in told]:
            assert "not run" in words
            assert "start it" not in words
        assert adapter.ran == []

    async def test_two_calls_in_one_turn_are_decided_apart(self, adapter: Adapter) -> None:
        first, second = await adapter.turn(("write", {"n": 1}), ("write", {"n": 2}))
        requests = {r.call.arguments["n"]: r for r in await pending(adapter, 2)}
        await decide(adapter, requests[2], Vote.APPROVE)
        await decide(adapter, requests[1], Vote.REJECT, "no")
        assert await soon(second) == "did write"
        assert "no" in await soon(first)
        assert adapter.ran == [("write", {"n": 2})]

    async def test_two_identical_calls_are_two(self, adapter: Adapter) -> None:
        told = await adapter.turn(("write", {}), ("write", {}))
        for request in await pending(adapter, 2):
            await decide(adapter, request, Vote.APPROVE)
        assert [await soon(one) for one in told] == ["did write", "did write"]
        assert len(adapter.ran) == 2

    async def test_a_cancelled_caller_runs_nothing_and_the_request_stays(
        self, adapter: Adapter
    ) -> None:
        await adapter.turn(("write", {}))
        [request] = await pending(adapter)
        await adapter.cancel(0)
        stored = await adapter.scene.request(request.request_id)
        assert (stored.status, stored.caller.value) == (Status.PENDING, "gone")
        await decide(adapter, request, Vote.APPROVE)
        await asyncio.sleep(0.02)
        assert adapter.ran == []

    async def test_what_is_resumed_twice_runs_once(self, adapter: Adapter) -> None:
        await adapter.turn(("write", {}))
        [request] = await pending(adapter)
        await adapter.cancel(0)
        await decide(adapter, request, Vote.APPROVE)
        [first] = await adapter.resume()
        [second] = await adapter.resume()
        assert "did write" in await soon(first)
        await soon(second)
        assert adapter.ran == [("write", {})]


async def soon(told: asyncio.Future[str]) -> str:
    """What the model is told."""
    return await asyncio.wait_for(told, 5)


async def pending(adapter: Adapter, count: int = 1) -> list[ApprovalRequest]:
    """The requests that wait, once there are so many."""
    async with asyncio.timeout(5):
        while True:
            found = list(await adapter.scene.store.pending())
            if len(found) >= count:
                return found
            await asyncio.sleep(0.001)


async def decide(
    adapter: Adapter, request: ApprovalRequest, vote: Vote, comment: str | None = None
) -> None:
    """Decide as the owner."""
    owner = await adapter.scene.actor()
    await adapter.scene.broker.review(
        owner, request.request_id, vote, digest=request.digest, comment=comment
    )
