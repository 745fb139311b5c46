"""The client's open requests and its one way out: answers alone or, in a batch, together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from sayso.adapters.mcp_gateway.hold import Answer, Hold
from sayso.adapters.mcp_gateway.wire import INVALID_REQUEST, RequestId, Sink, error_line, id_key


@dataclass(slots=True)
class Reply:
    """The answer to a batch: complete when it is sealed and every request of it is answered."""

    missing: set[RequestId] = field(default_factory=set)
    lines: list[bytes] = field(default_factory=list)
    sealed: bool = False


@dataclass(slots=True)
class Open:
    """A request that is not answered yet; `left` once its client no longer waits for it.

    `hold` and `task` of a tool call; `answer` is the server's, from when the call was sent to it.
    """

    key: RequestId
    request_id: RequestId
    is_list: bool = False
    batch: Reply | None = None
    hold: Hold | None = None
    task: asyncio.Task[None] | None = None
    answer: asyncio.Future[Answer] | None = None
    left: bool = False

    @property
    def simple(self) -> bool:
        """Whether the server's answer just passes."""
        return self.hold is None and self.batch is None and not self.is_list


class Ledger:
    """Open requests by id, and the only place that writes to the client."""

    def __init__(self, client: Sink) -> None:
        self._client = client
        self._open: dict[RequestId, Open] = {}
        self.client_gone = asyncio.Event()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Open]:
        return iter(tuple(self._open.values()))

    def find(self, request_id: object) -> Open | None:
        """The open request with that id."""
        key = id_key(request_id)
        return None if key is None else self._open.get(key)

    async def opened(self, request_id: RequestId, reply: Reply | None) -> Open | None:
        """Note a request; one whose id is in use is refused: its answer would be taken for another's."""
        key = id_key(request_id)
        assert key is not None
        if key in self._open:
            await self.put(error_line(request_id, INVALID_REQUEST, "the id is in use"), reply)
            return None
        entry = self._open[key] = Open(key, request_id, batch=reply)
        if reply is not None:
            reply.missing.add(key)
        return entry

    async def deliver(self, request_id: object, line: bytes) -> None:
        """Answer an open request, alone or as part of its batch; nothing if it is open no more."""
        entry = self.find(request_id)
        if entry is None:
            return
        del self._open[entry.key]
        if entry.batch is None:
            await self.send(line)
        else:
            entry.batch.missing.discard(entry.key)
            entry.batch.lines.append(line)
            await self.complete(entry.batch)

    def close(self, entry: Open) -> None:
        """Forget a request that gets no answer, or whose answer has passed."""
        self._open.pop(entry.key, None)

    async def leave(self, entry: Open) -> None:
        """The client waits no longer for this one; its batch is complete without it."""
        entry.left = True
        if entry.batch is not None:
            batch, entry.batch = entry.batch, None
            batch.missing.discard(entry.key)
            await self.complete(batch)

    async def put(self, line: bytes, reply: Reply | None) -> None:
        """Send an answer to something that never was an open request."""
        if reply is None:
            await self.send(line)
        else:
            reply.lines.append(line)

    async def complete(self, reply: Reply) -> None:
        """Send the answer to a batch if nothing of it is missing."""
        if reply.sealed and not reply.missing and reply.lines:
            lines, reply.lines = reply.lines, []
            await self.send(b"[" + b",".join(lines) + b"]")

    async def send(self, line: bytes) -> None:
        """Write a line to the client; if nobody reads any more, `client_gone` is set."""
        try:
            await self._client.send(line + b"\n")
        except OSError:
            self.client_gone.set()
