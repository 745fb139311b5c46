"""One held tool call: ask, wait, claim, send, record; and what its client is told at each turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sayso.adapters.mcp_gateway.edited import told, with_arguments
from sayso.adapters.mcp_gateway.judge import ToolCallMessage
from sayso.adapters.mcp_gateway.wire import (
    INVALID_PARAMS,
    SERVER_GONE,
    error_line,
    progress_line,
    tool_text,
)
from sayso.broker.ports import Claim, GatePort, Standing
from sayso.broker.run import renewed
from sayso.broker.settled import settled
from sayso.errors import (
    CallInvalid,
    ClaimLost,
    ExternalIdReused,
    ServerUnreachable,
    StoreUnavailable,
)
from sayso.gate.explain import edit_sentence

T = TypeVar("T")

WAIT_SECONDS = 25.0
"""How long one question to the gate waits, at most; it keeps the caller present."""

AGAIN_SECONDS = 1.0
"""After how long a gate that could not be reached is tried again."""

FINISH_SECONDS = 5.0
"""How long the client's result waits for the outcome to be recorded."""

REPORT_SECONDS = 600.0
"""How long recording the outcome is tried again while the gate cannot be reached."""

CANCEL_SECONDS = 30.0
"""How long a call that its client cancelled while it ran may still answer."""

MAX_SUMMARY = 1000

_UNREACHABLE = (ServerUnreachable, StoreUnavailable)

NO_GATE = (
    "the approval gate cannot be reached, so the tool was not run; "
    "tell the user, and call again with the same arguments once the gate is back"
)
_AGAIN = "call again with the same arguments"
_NOT_YET = {
    "pending": "approval pending (code {code}): a person has been asked and has not decided yet, "
    f"and the tool was not run; {_AGAIN} once it is approved",
    "approved": "approved (code {code}), but it cannot run at the moment and was not run; "
    f"{_AGAIN} later",
    "running": f"an identical call still runs (code {{code}}); {_AGAIN} to hear how it ended",
}
CHANGED = (
    "the tool's description or schema changed while the call waited, and it was not run; look at the "
    "list of tools, and call again if it is still what you want"
)
NOT_SENT = "the server has ended; the tool was not run"
NO_ANSWER = "the server ended before it answered; whether the tool ran is not known"


class ServerGone(Exception):
    """No answer will come from the server; `sent` tells whether it may have seen the call."""

    def __init__(self, *, sent: bool) -> None:
        super().__init__("the server is gone")
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server answered: the line as it came, and what it says."""

    line: bytes
    message: dict[str, Any]


class Road(Protocol):
    """What a held call needs of the gateway it is held in."""

    def forward(self, call: ToolCallMessage) -> asyncio.Future[Answer]:
        """Send the call to the server, at once; the answer comes later, or ServerGone."""

    def definition(self, tool: str) -> str | None:
        """The digest of what a tool last said it does; None where no list has named it."""

    async def answer(self, call: ToolCallMessage, line: bytes) -> None:
        """Give the client the answer to its call."""

    def give_up(self, call: ToolCallMessage) -> None:
        """The call's client has left and the server does not answer: nothing more will come."""

    async def notify(self, line: bytes) -> None:
        """Tell the client something."""

    def say(self, text: str) -> None:
        """Write to the gateway's own log."""


class Hold:
    """One tool call on its way; cancel its task while `running` is false, else call `let_go`."""

    def __init__(
        self,
        gate: GatePort,
        call: ToolCallMessage,
        road: Road,
        *,
        hold_seconds: float,
        progress_seconds: float,
        cancel_seconds: float = CANCEL_SECONDS,
    ) -> None:
        self.call = call
        self.running = False
        """Whether the server may have seen the call."""
        self._gate = gate
        self._road = road
        self._hold_seconds = hold_seconds
        self._progress_seconds = progress_seconds
        self._cancel_seconds = cancel_seconds
        self._call_id: str | None = None
        self._sent = call
        self._edited_by = ""
        self._let_go = asyncio.Event()

    async def run(self) -> None:
        """Take the call through the gate; whatever goes wrong before it runs becomes a refusal."""
        try:
            async with self._progress():
                admitted = await self._admitted()
        except (CallInvalid, ExternalIdReused) as error:
            await self._road.answer(
                self.call, error_line(self.call.request_id, INVALID_PARAMS, error.message)
            )
        except Exception as error:  # an adapter's own failure is a refusal, never a run (AD-3)
            self._road.say(f"a call of `{self.call.draft.tool}` was refused: {error}")
            await self._tell(NO_GATE)
        else:
            if isinstance(admitted, Standing):
                await self._run(admitted.call_id, None)
            elif isinstance(admitted, Claim):
                if admitted.arguments is not None:
                    self._edited_by = self._edited_by or "a person"
                    self._sent = with_arguments(self.call, admitted.arguments)
                async with renewed(self._gate, admitted):
                    await self._run(admitted.call_id, admitted.token)

    def let_go(self) -> None:
        """The client no longer waits for a call that runs; its outcome is still recorded."""
        self._let_go.set()

    async def _admitted(self) -> Standing | Claim | None:
        """The claim to run it, a Standing where policy allows it, None if the client was answered."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._hold_seconds
        try:
            standing = await settled(self._gate.submit(self.call.draft), self._leave_late)
            while True:
                self._call_id = standing.call_id
                self._edited_by = standing.edited_by or ""
                if standing.allowed:
                    return standing
                if standing.status == "approved" and self._changed():
                    await self._leave(standing.call_id)
                    await self._tell(CHANGED)
                    return None
                if not standing.goes_on and standing.status != "approved":
                    await self._refuse(standing)
                    return None
                left = deadline - clock()
                if left <= 0:
                    await self._pending(standing)
                    return None
                try:
                    step = await self._step(standing, min(left, WAIT_SECONDS))
                except _UNREACHABLE as error:
                    # The request is durable: a gate that restarts still knows it.
                    self._road.say(f"waiting for the gate: {error.message}")
                    await asyncio.sleep(min(AGAIN_SECONDS, left))
                    continue
                if isinstance(step, Claim):
                    return step
                if step.frozen:
                    await self._leave(step.call_id)
                    await self._tell(step.message)
                    return None
                await self._cannot_answer(step)
                if step.status == standing.status == "approved":
                    # Approved, but the gate does not let it run now (its rules cannot be loaded).
                    await asyncio.sleep(min(AGAIN_SECONDS, left))
                standing = step
        except asyncio.CancelledError:
            if self._call_id is not None:
                await settled(self._leave(self._call_id))
            raise

    def _changed(self) -> bool:
        """Whether the tool has become another one since the call was submitted (POL-46)."""
        then, now = self.call.draft.definition, self._road.definition(self.call.draft.tool)
        return then is not None and now != then

    async def _step(self, standing: Standing, seconds: float) -> Standing | Claim:
        if standing.status == "approved":
            claiming = self._gate.claim(standing.call_id, standing.digest)
            return await settled(claiming, self._unclaim)
        return await self._gate.wait(standing.call_id, seconds)

    async def _run(self, call_id: str, token: str | None) -> None:
        # From the claim to here nothing was awaited: a call is either cancelled before it was
        # claimed, or handed back unrun, or sent.
        self.running = True
        answering = self._road.forward(self._sent)
        clock = asyncio.get_running_loop().time
        start = clock()
        try:
            answer = await self._answered(answering, call_id)
        except ServerGone as gone:
            what = NO_ANSWER if gone.sent else NOT_SENT
            if token is None or not gone.sent:
                await self._report(call_id, token, False, what, clock() - start)
            # With a claim nothing is said: its lease ends, and the outcome is `unknown`, as it is.
            if self._let_go.is_set():
                self._road.give_up(self.call)
            else:
                line = error_line(self.call.request_id, SERVER_GONE, what)
                await self._road.answer(self.call, line)
            return
        ok, summary = _outcome(answer.message)
        report = asyncio.ensure_future(self._report(call_id, token, ok, summary, clock() - start))
        # The outcome stands before the agent's next call can come, unless the gate is slow.
        await asyncio.wait({report}, timeout=FINISH_SECONDS)
        line = answer.line
        if self._sent is not self.call:
            line = told(answer.message, self._edited_by, self._sent.draft.arguments)
        await self._road.answer(self.call, line)
        await report

    async def _answered(self, answering: asyncio.Future[Answer], call_id: str) -> Answer:
        """The server's answer; a call that was cancelled while it ran gets a while to give one."""
        letting_go: asyncio.Future[Any] = asyncio.ensure_future(self._let_go.wait())
        try:
            await asyncio.wait([answering, letting_go], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                # An identical retry joins this run instead of making another.
                await self._leave(call_id)
                await asyncio.wait({answering}, timeout=self._cancel_seconds)
            if not answering.done():
                raise ServerGone(sent=True)
            return answering.result()
        finally:
            letting_go.cancel()
            answering.cancel()

    async def _report(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float
    ) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + REPORT_SECONDS
        while True:
            try:
                await self._gate.finish(call_id, token, ok, summary, seconds)
            except ClaimLost as error:
                self._road.say(f"the outcome came late: {error.message}")
            except _UNREACHABLE as error:
                if clock() < deadline:
                    await asyncio.sleep(AGAIN_SECONDS)
                    continue
                self._road.say(f"the outcome was not recorded: {error.message}")
            except Exception as error:  # it has run: the client gets the result all the same
                self._road.say(f"the outcome was not recorded: {error}")
            return

    async def _refuse(self, standing: Standing) -> None:
        # Where it ran: an identical call, whose client had gone, was run, and this one joined it.
        also = ""
        if standing.arguments is not None:
            also = f" ({edit_sentence(standing.edited_by or 'a person', standing.arguments)})"
        if standing.status == "done":
            await self._tell(
                f"an identical call already ran: {standing.summary}{also}", is_error=False
            )
        elif standing.status == "failed":
            await self._tell(f"an identical call already ran and failed: {standing.summary}{also}")
        else:
            await self._tell(standing.message)

    async def _pending(self, standing: Standing) -> None:
        """The client can wait no longer: the request stays, and an identical call joins it."""
        await self._leave(standing.call_id)
        await self._tell(_NOT_YET[standing.status or "pending"].format(code=standing.code))

    async def _cannot_answer(self, standing: Standing) -> None:
        """What a person asks back cannot reach the agent while its call waits, and they are told so.

        MCP has no way to ask the model that made a call: sampling asks another one, and elicitation
        the client's user.
        """
        if standing.question is None:
            return
        try:
            await self._gate.answer(standing.call_id, standing.question.question_id, None)
        except Exception as error:  # a question stops no call
            self._road.say(f"a question was not answered: {error}")

    async def _tell(self, text: str, *, is_error: bool = True) -> None:
        line = tool_text(self.call.request_id, text, modern=self.call.modern, is_error=is_error)
        await self._road.answer(self.call, line)

    async def _leave(self, call_id: str) -> None:
        try:
            await self._gate.leave(call_id)
        except Exception as error:  # the sweep notices that nobody waits
            self._road.say(f"the gate was not told that the caller left: {error}")

    async def _leave_late(self, standing: Standing) -> None:
        self._call_id = standing.call_id

    async def _unclaim(self, taken: Standing | Claim) -> None:
        if isinstance(taken, Claim):
            await self._report(
                taken.call_id, taken.token, False, "not started: the caller had left", 0.0
            )
            self._call_id = None

    @contextlib.asynccontextmanager
    async def _progress(self) -> AsyncIterator[None]:
        """While the body runs, tell the client now and then that its call waits."""
        if self.call.progress_token is None:
            yield
            return
        beat = asyncio.ensure_future(self._beat(self.call.progress_token))
        try:
            yield
        finally:
            beat.cancel()  # and not awaited: nothing may come between the claim and the run

    async def _beat(self, token: int | str) -> None:
        step = 0
        while True:
            await asyncio.sleep(self._progress_seconds)
            step += 1
            await self._road.notify(progress_line(token, step, "waiting for approval"))


def _outcome(message: dict[str, Any]) -> tuple[bool, str]:
    """Whether the tool did its work, and in a line what it said."""
    error = message.get("error")
    if error is not None:
        text = error.get("message") if isinstance(error, dict) else None
        return False, _cut(f"the server refused it: {text}")
    result = message.get("result")
    if not isinstance(result, dict):
        return False, "the server's answer has no result"
    if result.get("resultType") == "input_required":
        return True, "the server asks for more input; the call is repeated with it"
    task = result.get("task") if "content" not in result else None
    if isinstance(task, dict) or result.get("resultType") == "task":
        return True, "the server took it on as a task; how that ends is not reported here"
    content = result.get("content")
    texts = [
        item["text"]
        for item in (content if isinstance(content, list) else [])
        if isinstance(item, dict) and isinstance(item.get("text"), str)
    ]
    return result.get("isError") is not True, _cut("\n".join(texts) or "answered without text")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"
