"""A small host with a sub-agent: what a program that runs an agent does with the public gate, and nothing else.

Its conversation is on paper (`Paper`), which outlives the program: which turn asked for which calls, and
what came of them. After a restart another Host takes up the paper and the session, and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sayso.broker.ports import BatchMade, GatePort, Unfinished
from sayso.broker.run import run
from sayso.core.session import CallDraft
from sayso.errors import CallAlreadyRan, CallDenied, CallRejected

Below = Callable[[str], Awaitable[GatePort]]
"""Opens the gate of a sub-agent's session."""


@dataclass
class Paper:
    """What the host writes down: the turn's calls, results by their external ids, and what ran in which process."""

    turn: str = ""
    calls: dict[str, CallDraft] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    ran: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    continued: list[str] = field(default_factory=list)
    routed: list[tuple[str, bool]] = field(default_factory=list)


class Host:
    """One process of the host, with the gate of its session."""

    def __init__(self, gate: GatePort, paper: Paper, below: Below) -> None:
        self.gate = gate
        self.paper = paper
        self._below = below
        self._async: list[asyncio.Task[str]] = []

    async def turn(self, name: str, *drafts: CallDraft) -> BatchMade:
        """The model asked for these calls: they are made together, and each goes through the router."""
        self.paper.turn = name
        self.paper.calls = {draft.external_id or "": draft for draft in drafts}
        made = await self.gate.submit_batch(name, drafts)
        await asyncio.gather(*(self.route(draft) for draft in drafts))
        await self.go_on(made)
        return made

    async def returned(self) -> None:
        """The program was restarted: what waits or was approved goes through the same router."""
        open_calls = await self.gate.unfinished()
        await asyncio.gather(
            *(self.route(one.draft, pre_approved=one.pre_approved) for one in open_calls)
        )
        made = await self.gate.submit_batch(self.paper.turn, list(self.paper.calls.values()))
        await self.go_on(made)

    async def route(self, draft: CallDraft, *, pre_approved: bool = False) -> None:
        """Run a call: of a simple tool here, of a sub-agent in a session of its own."""
        external_id = draft.external_id or ""
        self.paper.routed.append((external_id, pre_approved))
        if external_id in self.paper.results:
            return

        async def execute(arguments: Mapping[str, Any]) -> str:
            self.paper.ran.append((draft.tool, dict(arguments)))
            if draft.tool == "delegate":
                return await self._sub_agent(external_id, arguments)
            if draft.tool == "delegate_async":
                self._async.append(asyncio.create_task(self._sub_agent(external_id, arguments)))
                return "started"
            return f"did {draft.tool}"

        try:
            self.paper.results[external_id] = await run(self.gate, draft, execute)
        except (CallDenied, CallRejected, CallAlreadyRan) as error:
            self.paper.results[external_id] = error.message

    async def go_on(self, made: BatchMade) -> None:
        """Continue the turn, if it is this process that may: the model would be asked here."""
        token = await self.gate.take_turn(made.batch_id)
        if token is None:
            return
        self.paper.continued.append(made.batch_id)
        await self.gate.end_turn(made.batch_id, token)

    async def done(self) -> None:
        """Wait for the sub-agents that work beside the conversation."""
        await asyncio.gather(*self._async)

    async def _sub_agent(self, external_id: str, arguments: Mapping[str, Any]) -> str:
        gate = await self._below(str(arguments.get("agent", "helper")))

        async def execute(judged: Mapping[str, Any]) -> str:
            self.paper.ran.append(("write", dict(judged)))
            return "written"

        draft = CallDraft("write", {"for": external_id}, external_id=f"{external_id}/1")
        return await run(gate, draft, execute)


def approved(calls: list[Unfinished]) -> list[str]:
    """The external ids of those that were approved."""
    return [one.draft.external_id or "" for one in calls if one.pre_approved]
