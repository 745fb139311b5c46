"""Both ends of an MCP gateway in memory: a client that sends lines, and a server that answers as told."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from sayso.adapters.mcp_gateway.gateway import Gateway
from sayso.adapters.mcp_gateway.wire import Lines
from tests.fakes.gate import FakeGate

Json = Any


class FakeUpstream:
    """A server that does what `react` says with each line; by default it answers tool calls."""

    command = "fake-server"
    returncode = 3

    def __init__(self, react: Callable[[FakeUpstream, bytes], None] | None = None) -> None:
        self.received: list[bytes] = []
        self.stopped = False
        self.out = asyncio.StreamReader()
        self.lines = Lines(self.out)
        self.got = asyncio.Condition()
        self._react = react or answer_calls

    def send(self, line: bytes) -> None:
        self.received.append(line)
        self._react(self, line)

    async def drain(self) -> None:
        await asyncio.sleep(0)

    async def stop(self, *, to_end: float, to_obey: float) -> None:
        self.die()
        self.stopped = True

    def say(self, message: Json | bytes) -> None:
        """Send a line to the client."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.out.feed_data(line + b"\n")

    def die(self) -> None:
        """End."""
        if not self.out.at_eof() and not self.out._eof:
            self.out.feed_eof()

    @property
    def ran(self) -> list[Json]:
        """The parameters of the tool calls that reached it."""
        messages = [json.loads(line) for line in self.received if line.strip()]
        flat = [m for item in messages for m in (item if isinstance(item, list) else [item])]
        return [
            m["params"] for m in flat if isinstance(m, dict) and m.get("method") == "tools/call"
        ]


def answer_calls(server: FakeUpstream, line: bytes) -> None:
    """Answer a tool call with its name; leave everything else unanswered."""
    message = json.loads(line)
    if isinstance(message, dict) and message.get("method") == "tools/call":
        server.say(result(message["id"], text=f"did {message['params']['name']}"))


def silent(server: FakeUpstream, line: bytes) -> None:
    """Answer nothing."""


def result(request_id: Json, *, text: str, **more: Json) -> Json:
    """A tool's result."""
    content = {"content": [{"type": "text", "text": text}], "isError": False, **more}
    return {"jsonrpc": "2.0", "id": request_id, "result": content}


def call(request_id: Json, tool: str, arguments: Json = None, **params: Json) -> Json:
    """A tool call; `arguments` are `{}` unless given."""
    body = {"name": tool, "arguments": {} if arguments is None else arguments, **params}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": body}


def cancelled(request_id: Json) -> Json:
    """The client's word that it waits no longer."""
    return {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": request_id},
    }


class Rig:
    """A gateway between a test, as its client, and a fake server."""

    def __init__(self, gate: FakeGate, upstream: FakeUpstream) -> None:
        self.gate = gate
        self.upstream = upstream
        self.input = asyncio.StreamReader()
        self.output: list[bytes] = []
        self.broken = False
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.gateway: Gateway | None = None
        self.task: asyncio.Future[None] | None = None
        self._news = asyncio.Event()

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.input.feed_data(data)
        await self.settle()

    async def ask(self, *messages: Json) -> None:
        """Send messages, one a line."""
        for message in messages:
            self.input.feed_data(json.dumps(message).encode() + b"\n")
        await self.settle()

    async def send(self, data: bytes) -> None:
        """Take what the gateway writes to its client (the gateway's Sink)."""
        if self.broken:
            raise BrokenPipeError
        self.output.append(data)
        self._news.set()

    async def settle(self) -> None:
        """Let everything happen that needs no time."""
        for _ in range(40):
            await asyncio.sleep(0)

    @property
    def messages(self) -> list[Json]:
        """What the client got, parsed."""
        return [json.loads(line) for line in b"".join(self.output).splitlines()]

    def answers(self, request_id: Json) -> list[Json]:
        """The answers to a request so far."""
        return [m for m in self.messages if isinstance(m, dict) and m.get("id") == request_id]

    async def answer(self, request_id: Json) -> Json:
        """The answer to a request; waits for it."""
        return await self.until(lambda: next(iter(self.answers(request_id)), None))

    async def until(self, true: Callable[[], Any]) -> Any:
        """Wait until something about the output is true, and return it."""
        async with asyncio.timeout(5):
            while not (found := true()):
                self._news.clear()
                await self._news.wait()
        return found

    def text(self, answer: Json) -> str:
        """The text of a tool's result."""
        return answer["result"]["content"][0]["text"]


@contextlib.asynccontextmanager
async def rig(
    effects: dict[str, str] | None = None,
    *,
    react: Callable[[FakeUpstream, bytes], None] | None = None,
    gate: FakeGate | None = None,
    hold_seconds: float | None = None,
    progress_seconds: float = 15.0,
) -> AsyncIterator[Rig]:
    """A running gateway; its end is awaited, and an error of it is the test's."""
    made = Rig(gate or FakeGate(effects), FakeUpstream(react))
    gateway = Gateway(
        made.gate,
        made.upstream,
        made,
        server_name="files",
        hold_seconds=hold_seconds,
        progress_seconds=progress_seconds,
        say=made.said.append,
    )
    made.gateway = gateway
    made.task = asyncio.ensure_future(gateway.run(made.input, made.stop))
    try:
        yield made
    finally:
        made.stop.set()
        await asyncio.wait({made.task}, timeout=20)
    await made.task
