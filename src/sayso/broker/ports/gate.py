"""What the broker offers to hosts and adapters: the gate, embedded or remote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sayso.broker.ports.asking import AskingPort
from sayso.core.effect import Effect
from sayso.core.observed_tool import ObservedTool
from sayso.core.reason import Reason
from sayso.core.session import CallDraft
from sayso.requests.approval import Status
from sayso.requests.precondition import Precondition


@dataclass(frozen=True, slots=True)
class AskedBack:
    """What a person wants to know of the agent before deciding; answered with GatePort.answer."""

    question_id: str
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How a call stands, for the side that made it.

    `effect` and `reason` are the gate's verdict; `status` is the request's (None if no person was
    needed); `message` is for the agent. `call_id` may be another one than was asked about, where a
    superseded call was asked again. `code` is the four-word code of the digest. `verdict` is the
    verdict in full, as plain data. `arguments` are set where a person changed them (`edited_by`): the
    call runs with these, and the agent is told.
    """

    call_id: str
    digest: str
    code: str
    effect: str
    reason: str
    message: str
    status: str | None = None
    by: str | None = None
    comment: str | None = None
    summary: str | None = None
    verdict: Mapping[str, Any] | None = None
    arguments: Mapping[str, Any] | None = None
    edited_by: str | None = None
    question: AskedBack | None = None

    @property
    def allowed(self) -> bool:
        """Whether policy alone allows it: it runs without a claim."""
        return self.status is None and self.effect == Effect.ALLOW.word

    @property
    def frozen(self) -> bool:
        """Whether it is frozen: refused now, while an approval that it may have stays as it is (GATE-8)."""
        return self.reason == Reason.FROZEN

    @property
    def goes_on(self) -> bool:
        """Whether the next word on it is still to come: it waits for people, or runs."""
        return self.status in (Status.PENDING, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class Claim:
    """The single-use right to run a call; `lease_seconds` is how long it lasts unless renewed.

    `preconditions` held when it was taken; who runs the call where they can be looked at may look once
    more, right before it runs (REQ-34). `arguments` are set where a person changed them: exactly these
    run, and not the ones that were asked for (REQ-14). `receipt` proves to whoever executes the call, for
    whom it was claimed, that it may run once (REQ-38).
    """

    call_id: str
    token: str
    lease_seconds: float
    preconditions: tuple[Precondition, ...] = ()
    arguments: Mapping[str, Any] | None = None
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A call of a session that waits for people, or was approved and has not run: for a client that returns.

    `pre_approved` tells that people have approved it: it runs once, as this very call (REQ-32).
    """

    draft: CallDraft
    standing: Standing

    @property
    def pre_approved(self) -> bool:
        """Whether it may run as soon as it is claimed."""
        return self.standing.status == Status.APPROVED


@dataclass(frozen=True, slots=True)
class BatchMade:
    """A batch of calls, and how each stands, in their order."""

    batch_id: str
    standings: tuple[Standing, ...]


class GatePort(AskingPort, Protocol):
    """The gate as one session sees it; the embedded and the remote one are the same (GATE-2)."""

    async def decide(self, draft: CallDraft) -> Standing:
        """The verdict, with grants, asking nobody."""

    async def submit(self, draft: CallDraft) -> Standing:
        """The verdict; where it asks, the durable request that people now see (or the one it joins).

        Hooks and the reviewer are asked before: it may take minutes (core/advice.py).
        """

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """How the call stands once a person decided or asked back, or after so many seconds.

        Keeps the caller present. A question ends one wait, not the next one too.
        """

    async def answer(self, call_id: str, question_id: str, text: str | None) -> None:
        """Answer what a person asked back; None says that this side cannot answer.

        Raises RequestClosed if the question is answered already or the call waits no more.
        """

    async def leave(self, call_id: str) -> None:
        """Say that nobody waits for the call any more; the request stays."""

    async def claim(
        self, call_id: str, digest: str, audience: str | None = None
    ) -> Claim | Standing:
        """Take the right to run the approved call; a Standing says why it was not given.

        With an `audience` the claim carries a receipt for it.
        """

    async def unfinished(self) -> Sequence[Unfinished]:
        """What of this session waits or was approved, decided again; for a client that has returned."""

    async def renew(self, claim: Claim) -> None:
        """Say that the call still runs; raises ClaimLost if the claim is no longer this runner's."""

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        """Record what came of the run; `token` is the claim's, None for a call that policy allowed."""

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        """The tools that may be shown to the model, of those offered (POL-50)."""

    async def submit_batch(self, name: str, drafts: Sequence[CallDraft]) -> BatchMade:
        """Make the calls of one turn, in order; `name` is the host's own for the turn (REQ-33)."""

    async def take_turn(self, batch_id: str) -> str | None:
        """The right to continue the turn once all its calls are settled; None if it is not free."""

    async def end_turn(self, batch_id: str, token: str) -> None:
        """Say that the turn was continued; raises ClaimLost if somebody else has the right by now."""

    async def stop(self) -> None:
        """Stop the session: everything that waits is cancelled."""
