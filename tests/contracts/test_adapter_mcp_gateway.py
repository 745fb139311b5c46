"""The MCP gateway keeps the contract of adapters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.contracts.adapter_contract import (
    AdapterContract,
    Call,
    UnreachableGate,
    contract_scene,
)
from tests.fakes.mcp import Rig, call, cancelled, rig
from tests.fakes.world import Scene


class GatewayUnderTest:
    """An MCP client that makes a model's calls, each with a tool use id, as Claude Code does."""

    def __init__(self, scene: Scene, gate: UnreachableGate, made: Rig) -> None:
        self.scene = scene
        self._gate = gate
        self._rig = made
        self._next = 0
        self._last: list[tuple[Call, int, int]] = []

    @property
    def ran(self) -> list[Call]:
        return [(params["name"], params["arguments"]) for params in self._rig.upstream.ran]

    async def turn(self, *calls: Call) -> list[asyncio.Future[str]]:
        return await self._make([(one, self._next + n) for n, one in enumerate(calls)])

    async def resume(self) -> list[asyncio.Future[str]]:
        return await self._make([(one, use) for one, use, _ in self._last])

    async def cancel(self, number: int) -> None:
        await self._rig.ask(cancelled(self._last[number][2]))

    def lose_the_gate(self) -> None:
        self._gate.lost = True

    async def _make(self, calls: list[tuple[Call, int]]) -> list[asyncio.Future[str]]:
        self._last, told = [], []
        for (tool, arguments), use in calls:
            self._next += 1
            meta = {"claudecode/toolUseId": f"toolu_{use}"}
            await self._rig.ask(call(self._next, tool, arguments, _meta=meta))
            self._last.append(((tool, arguments), use, self._next))
            told.append(asyncio.ensure_future(self._told(self._next)))
        return told

    async def _told(self, request_id: int) -> str:
        answer: Any = await self._rig.answer(request_id)
        return self._rig.text(answer)


@pytest.fixture
async def adapter() -> AsyncIterator[GatewayUnderTest]:
    scene = contract_scene("mcp__files__")
    gate = UnreachableGate(await scene.gate())
    async with rig(gate=gate) as made:  # type: ignore[arg-type]
        yield GatewayUnderTest(scene, gate, made)


class TestGateway(AdapterContract):
    """The whole contract."""
