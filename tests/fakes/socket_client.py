"""A client of the server's socket, over a real connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)

PATIENCE = 10


class Refused(Exception):
    """The server did not open the socket; `status` is what it answered with."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class SocketClient:
    """One connection; what was heard while something else was waited for is kept."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._line = WSConnection(ConnectionType.CLIENT)
        self._text = ""
        self.heard: list[dict[str, Any]] = []
        self.code: int | None = None

    async def begin(self, host: str, headers: list[tuple[str, str]]) -> None:
        """Shake hands; raises Refused."""
        extra = [(name.encode(), value.encode()) for name, value in headers]
        self._send(Request(host=host, target="/api/ws", extra_headers=extra))
        while True:
            for event in await self._events():
                if isinstance(event, RejectConnection):
                    raise Refused(event.status_code)
                if isinstance(event, AcceptConnection):
                    return

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.say_text(json.dumps(message))

    def say_text(self, text: str) -> None:
        """Send any text."""
        self._send(TextMessage(text))

    async def hear(self, kind: str) -> dict[str, Any]:
        """The next message of that kind that was not heard yet."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for place, message in enumerate(self.heard):
                    if message["event"] == kind:
                        return self.heard.pop(place)
                assert self.code is None, (kind, self.code, self.heard)
                await self._read()

    async def end(self) -> int:
        """Read until the server closes; the code it closed with."""
        async with asyncio.timeout(PATIENCE):
            while self.code is None:
                await self._read()
        return self.code

    async def _read(self) -> None:
        for event in await self._events():
            match event:
                case TextMessage():
                    self._text += event.data
                    if event.message_finished:
                        self.heard.append(json.loads(self._text))
                        self._text = ""
                case Ping():
                    self._send(event.response())
                case CloseConnection():
                    self.code = int(event.code)

    async def _events(self) -> list[Event]:
        data = await self._reader.read(65536)
        if not data:
            self.code = self.code or 1006
            return []
        self._line.receive_data(data)
        return list(self._line.events())

    def _send(self, event: Event) -> None:
        self._writer.write(self._line.send(event))


@contextlib.asynccontextmanager
async def connected(url: str, **headers: str) -> AsyncIterator[SocketClient]:
    """A socket to the server at that address, with those headers (`_` stands for `-`)."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        client = SocketClient(reader, writer)
        host = headers.pop("Host", place.netloc)
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        await client.begin(host, named)
        yield client
    finally:
        writer.close()
