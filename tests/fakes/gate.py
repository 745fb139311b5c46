"""A gate in memory, for tests of what talks to one: simple rules, and the test is the person."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sayso.broker.ports import AskedBack, Claim, Standing
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.errors import ClaimLost, ExternalIdReused, ServerUnreachable

UNREACHABLE = ServerUnreachable(
    "no sayso server answers at http://127.0.0.1:8484", "start it with `sayso serve`"
)


@dataclass
class FakeCall:
    """A call as the fake gate keeps it."""

    call_id: str
    draft: CallDraft
    digest: str
    effect: str
    status: str | None
    message: str
    waiting: bool = True
    by: str | None = None
    summary: str | None = None
    token: str | None = None
    question: AskedBack | None = None
    edited: dict[str, Any] | None = None
    finished: list[tuple[bool, str]] = field(default_factory=list)


class FakeGate:
    """A GatePort: `effects` by tool name, all else is `otherwise`; one session.

    `log` holds what was asked of it, in order. With `reachable` false everything fails as it does
    when no server answers; names in `broken` fail alone.
    """

    def __init__(self, effects: dict[str, str] | None = None, *, lease: float = 30.0) -> None:
        self.effects = effects or {}
        self.lease = lease
        self.otherwise = "ask"
        self.reachable = True
        self.broken: dict[str, Exception] = {}
        self.calls: dict[str, FakeCall] = {}
        self.log: list[tuple[Any, ...]] = []
        self.offered: list[ObservedTool] = []
        self.renewals = 0
        self._ids = itertools.count(1)
        self._changed = asyncio.Condition()

    # ── the person ───────────────────────────────────────────────────────────────────────────

    async def asked(self, count: int = 1) -> list[FakeCall]:
        """Wait until so many calls are pending."""
        async with self._changed:
            await asyncio.wait_for(
                self._changed.wait_for(lambda: len(self._in("pending")) >= count), 5
            )
        return self._in("pending")

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something about the calls is true."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(true), 5)

    async def approve(self, call: FakeCall) -> None:
        """Approve a pending call."""
        assert call.status == "pending"
        call.status, call.effect, call.by = "approved", "allow", "owner"
        await self._wake()

    async def edit(self, call: FakeCall, arguments: dict[str, Any]) -> None:
        """Approve a pending call with other arguments."""
        call.edited = arguments
        call.digest = _digest(replace(call.draft, arguments=arguments))
        await self.approve(call)

    async def ask_back(self, call: FakeCall, text: str) -> None:
        """Ask the agent something about a pending call."""
        assert call.status == "pending"
        call.question = AskedBack("q1", "owner", text)
        await self._wake()

    async def reject(self, call: FakeCall, comment: str) -> None:
        """Reject a pending call."""
        assert call.status == "pending"
        call.status, call.effect, call.by = "rejected", "deny", "owner"
        call.message = f"rejected by owner: {comment}"
        await self._wake()

    async def lease_over(self, call: FakeCall) -> None:
        """Nobody renewed: the outcome is unknown."""
        assert call.status == "running"
        call.status, call.token = "unknown", None
        call.message = "whether it ran to its end is unknown"
        await self._wake()

    # ── the port ─────────────────────────────────────────────────────────────────────────────

    async def decide(self, draft: CallDraft) -> Standing:
        self._enter("decide", draft.tool)
        effect = self.effects.get(draft.tool, self.otherwise)
        return self._standing(FakeCall("", draft, _digest(draft), effect, None, effect))

    async def submit(self, draft: CallDraft) -> Standing:
        self._enter("submit", draft.tool)
        await asyncio.sleep(0)
        digest = _digest(draft)
        for call in self.calls.values():
            if draft.external_id is not None and call.draft.external_id == draft.external_id:
                if call.digest != digest:
                    raise ExternalIdReused("the external id came before with other arguments")
                call.waiting = True
                return self._standing(call)
        for call in self.calls.values():
            if call.digest != digest:
                continue
            if not call.waiting and call.status in ("pending", "approved", "running"):
                call.waiting = True
                return self._standing(call)
            if call.status == "rejected":
                return self._standing(call)
        effect = self.effects.get(draft.tool, self.otherwise)
        call = FakeCall(
            f"call-{next(self._ids)}",
            draft,
            digest,
            effect,
            "pending" if effect == "ask" else None,
            {"deny": "denied by a rule", "ask": "waiting for a person"}.get(effect, ""),
        )
        self.calls[call.call_id] = call
        await self._wake()
        return self._standing(call)

    async def answer(self, call_id: str, question_id: str, text: str | None) -> None:
        self._enter("answer", call_id, question_id, text)
        self.calls[call_id].question = None
        await self._wake()

    async def wait(self, call_id: str, timeout: float) -> Standing:
        self._enter("wait", call_id)
        call = self.calls[call_id]
        async with self._changed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._changed.wait_for(
                        lambda: (
                            call.status not in ("pending", "running")
                            or call.question is not None
                            or not self.reachable
                        )
                    ),
                    timeout,
                )
        self._enter("waited", call_id)
        return self._standing(call)

    async def leave(self, call_id: str) -> None:
        self._enter("leave", call_id)
        self.calls[call_id].waiting = False
        await self._wake()

    async def claim(self, call_id: str, digest: str) -> Claim | Standing:
        self._enter("claim", call_id)
        await asyncio.sleep(0)
        call = self.calls[call_id]
        if call.status != "approved":
            return self._standing(call)
        assert digest == call.digest
        call.status, call.token = "running", f"token-{call_id}"
        await self._wake()
        return Claim(call_id, call.token, self.lease, arguments=call.edited)

    async def renew(self, claim: Claim) -> None:
        self._enter("renew", claim.call_id)
        if self.calls[claim.call_id].token != claim.token:
            raise ClaimLost("this claim is not the one that runs the call")
        self.renewals += 1
        await self._wake()

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        self._enter("finish", call_id)
        await asyncio.sleep(0)
        call = self.calls[call_id]
        if token != call.token:
            raise ClaimLost("this claim is not the one that runs the call")
        call.finished.append((ok, summary))
        if token is not None:
            call.status, call.summary, call.token = ("done" if ok else "failed"), summary, None
            call.message = "it ran"
        await self._wake()

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        self._enter("see_tools", len(tools))
        await asyncio.sleep(0)
        self.offered += tools
        return [tool for tool in tools if self.effects.get(tool.name) != "deny"]

    async def stop(self) -> None:
        self._enter("stop")

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    def _enter(self, name: str, *about: Any) -> None:
        self.log.append((name, *about))
        if not self.reachable:
            raise UNREACHABLE
        if name in self.broken:
            raise self.broken[name]

    def _in(self, status: str) -> list[FakeCall]:
        return [call for call in self.calls.values() if call.status == status]

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def go_down(self) -> None:
        """Become unreachable, also for whoever waits."""
        self.reachable = False
        await self._wake()

    def _standing(self, call: FakeCall) -> Standing:
        return Standing(
            call_id=call.call_id,
            digest=call.digest,
            code="amber otter seven lake",
            effect=call.effect,
            reason="rule-ask",
            message=call.message,
            status=call.status,
            by=call.by,
            summary=call.summary,
            arguments=call.edited,
            edited_by=None if call.edited is None else call.by,
            question=call.question,
        )


def _digest(draft: CallDraft) -> str:
    document = [draft.server, draft.tool, draft.arguments, draft.detail]
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
