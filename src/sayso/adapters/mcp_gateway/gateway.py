"""The gateway: every message on its way between client and server, and the calls held between them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sayso.adapters.mcp_gateway.elicitation import Elicitations, with_capability
from sayso.adapters.mcp_gateway.hold import Answer, Hold, ServerGone
from sayso.adapters.mcp_gateway.judge import (
    Batch,
    Cancel,
    Refused,
    Single,
    Through,
    ToolCallMessage,
    ToolList,
    Whole,
    judge,
)
from sayso.adapters.mcp_gateway.ledger import Ledger, Open, Reply
from sayso.adapters.mcp_gateway.process import Upstream
from sayso.adapters.mcp_gateway.tools import definitions_in, without_hidden
from sayso.adapters.mcp_gateway.wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_LINE,
    PARSE_ERROR,
    SERVER_GONE,
    Lines,
    LineTooLong,
    Sink,
    Source,
    dumps,
    error_line,
)
from sayso.broker.ports import GatePort
from sayso.errors import UpstreamFailed

HOLD_SECONDS = 50.0
"""How long a call is held for a client that is not known: many give up after a minute."""

HOLD_SECONDS_OF = {"claude-code": 25 * 60.0}
"""How long it is held for clients that are known to wait, by the name they give themselves."""


@dataclass(frozen=True, slots=True)
class Grace:
    """How much time each part of the end gets, in seconds.

    `leave`: to say that held calls are left; `drain`: for calls that run to be answered; `end`: for
    the server to end once its input is closed; `obey`: for it to obey SIGTERM.
    """

    leave: float
    drain: float
    end: float
    obey: float


# Clients close our input, and after two seconds or so send SIGTERM and then SIGKILL.
CLIENT_LEFT = Grace(leave=2.0, drain=10.0, end=1.0, obey=1.0)
TOLD_TO_STOP = Grace(leave=0.5, drain=0.5, end=0.4, obey=0.3)


_TIDY_SECONDS = 0.1


class Gateway:
    """Routes messages between one client and one server; the road (`hold.Road`) of its held calls."""

    def __init__(
        self,
        gate: GatePort,
        upstream: Upstream,
        client: Sink,
        *,
        server_name: str,
        hold_seconds: float | None,
        progress_seconds: float,
        say: Callable[[str], None],
    ) -> None:
        self._gate = gate
        self._upstream = upstream
        self._ledger = Ledger(client)
        self._server_name = server_name
        self._hold_seconds = hold_seconds
        self._progress_seconds = progress_seconds
        self._client_name: str | None = None
        self._definitions: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._server_gone = False
        self.say = say
        self._elicitations = Elicitations(gate, server_name, upstream.send, say)

    async def run(self, source: Source, stop: asyncio.Event) -> None:
        """Pass messages until the client leaves, the server ends, or `stop` is set; then tidy up.

        Raises UpstreamFailed if it was the server that ended.
        """
        from_server = asyncio.ensure_future(self._from_server())
        stopping = asyncio.ensure_future(stop.wait())
        ends: set[asyncio.Future[Any]] = {
            asyncio.ensure_future(self._from_client(Lines(source))),
            asyncio.ensure_future(self._ledger.client_gone.wait()),
        }
        try:
            await asyncio.wait({from_server, stopping, *ends}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            by_itself = from_server.done()
            for task in ends:
                task.cancel()
            await self._close(from_server, stopping)
            stopping.cancel()
            await asyncio.gather(*ends, stopping, return_exceptions=True)
        if by_itself:
            if (error := from_server.exception()) is not None:
                raise error
            raise UpstreamFailed(
                f"the server `{self._upstream.command}` ended by itself"
                f" (exit code {self._upstream.returncode})",
                "run its command on its own to see why; its own messages stand above",
            )

    # ── from the client ──────────────────────────────────────────────────────────────────────

    async def _from_client(self, lines: Lines) -> None:
        while True:
            try:
                line = await lines.next()
            except LineTooLong:
                why = f"a message is at most {MAX_LINE} bytes"
                await self._ledger.send(error_line(None, PARSE_ERROR, why))
                continue
            if line is None:
                return
            judged = judge(line, self._server_name)
            if isinstance(judged, Batch):
                reply = Reply()
                for item in judged.items:
                    await self._take(item, reply)
                reply.sealed = True
                await self._ledger.complete(reply)
            elif isinstance(judged, Whole):
                await self._take_whole(judged)
            else:
                await self._take(judged, None)
            await self._upstream.drain()

    async def _take(self, item: Single, reply: Reply | None) -> None:
        match item:
            case Refused(why, answer):
                self.say(f"a message was refused: {why}")
                if answer is not None:
                    await self._ledger.put(answer, reply)
            case Through(answers=answers) if self._elicitations.took(answers):
                self.say("an answer to what the client never was asked was dropped")
            case Through(line, request_id, client_name):
                self._client_name = client_name or self._client_name
                if request_id is None or await self._ledger.opened(request_id, reply):
                    self._upstream.send(line if reply is not None else with_capability(line))
            case ToolList(line, request_id):
                if entry := await self._ledger.opened(request_id, reply):
                    entry.is_list = True
                    self._upstream.send(line)
            case Cancel(line, target):
                await self._cancel(line, self._ledger.find(target))
            case ToolCallMessage(request_id=request_id):
                if entry := await self._ledger.opened(request_id, reply):
                    entry.hold = Hold(
                        self._gate,
                        self._defined(item),
                        self,
                        hold_seconds=self._hold_limit(item.client_name),
                        progress_seconds=self._progress_seconds,
                    )
                    entry.task = self._spawn(entry.hold.run())

    async def _take_whole(self, batch: Whole) -> None:
        if any(self._ledger.find(request_id) for request_id in batch.request_ids):
            await self._ledger.send(error_line(None, INVALID_REQUEST, "an id is in use"))
            return
        for request_id in batch.request_ids:
            await self._ledger.opened(request_id, None)
        self._upstream.send(batch.line)

    async def _cancel(self, line: bytes, entry: Open | None) -> None:
        if entry is not None:
            await self._ledger.leave(entry)
            if entry.hold is not None and entry.task is not None:
                if not entry.hold.running:
                    # The server never saw the call, so it hears nothing of its end either.
                    entry.task.cancel()
                    self._ledger.close(entry)
                    return
                entry.hold.let_go()
        self._upstream.send(line)

    def _hold_limit(self, client_name: str | None) -> float:
        if self._hold_seconds is not None:
            return self._hold_seconds
        return HOLD_SECONDS_OF.get(client_name or self._client_name or "", HOLD_SECONDS)

    # ── from the server ──────────────────────────────────────────────────────────────────────

    async def _from_server(self) -> None:
        try:
            while (line := await self._upstream.lines.next()) is not None:
                told = len(self._ledger) or self._elicitations.concern(line)
                message = _lenient(line) if told else None
                if self._elicitations.takes(message):
                    continue
                if isinstance(message, list):
                    rest = [item for item in message if not self._elicitations.takes(item)]
                    if len(rest) < len(message):
                        message, line = rest, dumps(rest, strict=False)
                        if not rest:
                            continue
                    await self._pass_batch(line, message)
                else:
                    await self._pass(line, message)
        except LineTooLong as error:
            raise UpstreamFailed(
                f"the server `{self._upstream.command}` sent a message of more than {MAX_LINE} bytes",
                "let it send less at once",
            ) from error
        finally:
            self._server_gone = True

    async def _pass_batch(self, line: bytes, messages: list[Any]) -> None:
        entries = [self._answered(message) for message in messages]
        if all(entry is None or entry.simple for entry in entries):
            for entry in entries:
                if entry is not None:
                    self._ledger.close(entry)
            await self._ledger.send(line)
            return
        for message in messages:
            await self._pass(dumps(message, strict=False), message)

    async def _pass(self, line: bytes, message: Any) -> None:
        entry = self._answered(message)
        if entry is None:
            await self._ledger.send(line)
        elif entry.hold is not None:
            if entry.answer is None:
                self.say("the server answered a call that it has not been sent; dropped")
            elif not entry.answer.done():
                entry.answer.set_result(Answer(line, message))
        elif entry.is_list and isinstance(message.get("result"), dict):
            self._spawn(self._answer_list(entry, line, message))
        else:
            await self._ledger.deliver(entry.request_id, line)

    def _answered(self, message: object) -> Open | None:
        """The open request that a message of the server answers."""
        if not isinstance(message, dict) or "method" in message:
            return None
        return self._ledger.find(message.get("id"))

    async def _answer_list(self, entry: Open, line: bytes, message: dict[str, Any]) -> None:
        try:
            self._definitions.update(definitions_in(message["result"]))
            shown = await without_hidden(self._gate, self._server_name, message["result"], self.say)
            if shown is not None:
                line = dumps({**message, "result": shown}, strict=False)
        except Exception as error:  # what cannot be judged is not shown
            self.say(f"the list of tools was withheld: {error}")
            why = "the approval gate cannot be reached, so the tools are not shown; try again later"
            line = error_line(entry.request_id, INTERNAL_ERROR, why)
        await self._ledger.deliver(entry.request_id, line)

    def _defined(self, call: ToolCallMessage) -> ToolCallMessage:
        """The call with what its tool last said it does; None where no list has named it."""
        definition = self.definition(call.draft.tool)
        return replace(call, draft=replace(call.draft, definition=definition))

    # ── the road of a held call ──────────────────────────────────────────────────────────────

    def forward(self, call: ToolCallMessage) -> asyncio.Future[Answer]:
        """Send the call to the server, at once; the answer comes later, or ServerGone."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        entry = self._ledger.find(call.request_id)
        if self._server_gone or entry is None:
            answer.set_exception(ServerGone(sent=False))
        else:
            entry.answer = answer
            self._upstream.send(call.line)
        return answer

    def definition(self, tool: str) -> str | None:
        """The digest of what a tool last said it does; None where no list has named it."""
        return self._definitions.get(tool)

    async def answer(self, call: ToolCallMessage, line: bytes) -> None:
        """Give the client the answer to its call."""
        await self._ledger.deliver(call.request_id, line)

    def give_up(self, call: ToolCallMessage) -> None:
        """The call's client has left and the server does not answer: nothing more will come."""
        if (entry := self._ledger.find(call.request_id)) is not None:
            self._ledger.close(entry)

    async def notify(self, line: bytes) -> None:
        """Tell the client something."""
        await self._ledger.send(line)

    # ── the end ──────────────────────────────────────────────────────────────────────────────

    async def _close(self, from_server: asyncio.Future[None], stop: asyncio.Future[Any]) -> None:
        grace = TOLD_TO_STOP if from_server.done() or stop.done() else CLIENT_LEFT
        await self._elicitations.close(grace.leave)
        held = [e.task for e in self._ledger if e.hold is not None and not e.hold.running]
        for task in held:
            assert task is not None
            task.cancel()
        await _all_done(held, grace.leave)
        running = [e.task for e in self._ledger if e.task is not None]
        if not from_server.done():
            drained = asyncio.ensure_future(_all_done(running, grace.drain))
            # A second word to stop cuts the time short.
            enough = {drained, from_server, *({stop} if grace is CLIENT_LEFT else ())}
            await asyncio.wait(enough, return_when=asyncio.FIRST_COMPLETED)
            drained.cancel()
            grace = TOLD_TO_STOP if stop.done() else grace
        await self._upstream.stop(to_end=grace.end, to_obey=grace.obey)
        await _all_done([from_server], grace.obey)
        self._server_gone = True
        from_server.cancel()
        await self._say_that_it_is_gone()
        await _all_done(self._tasks, grace.leave)
        # A call that is cancelled tidies up first; a gate that hangs must not keep us for that.
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await _all_done(self._tasks, _TIDY_SECONDS)

    async def _say_that_it_is_gone(self) -> None:
        """Whoever still waits for the server is told that it has ended."""
        for entry in self._ledger:
            if entry.answer is not None:
                if not entry.answer.done():
                    entry.answer.set_exception(ServerGone(sent=True))
            elif not entry.left:
                what = "" if entry.hold is None else "; the tool was not run"
                line = error_line(entry.request_id, SERVER_GONE, f"the server has ended{what}")
                await self._ledger.deliver(entry.request_id, line)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _all_done(tasks: Iterable[asyncio.Future[None] | None], seconds: float) -> None:
    waiting = {task for task in tasks if task is not None and not task.done()}
    if waiting:
        await asyncio.wait(waiting, timeout=seconds)


def _lenient(line: bytes) -> Any:
    """A server's line as its client may read it; None if it is no JSON at all."""
    try:
        return json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
