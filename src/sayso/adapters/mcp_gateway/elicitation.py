"""Elicitations of the gated server: what it wants to be told is asked in the inbox, not of the client (Q-8).

The client never hears of them, and so neither does the model: a secret goes from the person to the
server. Nothing is opened and nothing is filled in by the gateway itself.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

from sayso.adapters.mcp_gateway.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RequestId,
    dumps,
    error_line,
    id_key,
    result_line,
)
from sayso.broker.asking import elicit
from sayso.broker.ports import GatePort
from sayso.errors import QuestionInvalid, SaysoError

CREATE = "elicitation/create"
CANCELLED = "notifications/cancelled"
MOST_OPEN = 8
"""So many can wait at once; what a server asks beyond that is cancelled at once."""

KEY_BYTES = 32

CAPABILITY: dict[str, dict[str, Any]] = {"form": {}, "url": {}}
"""What the server is told that its client can do, since the gateway does it."""


class Elicitations:
    """The elicitations of one server that wait, by the server's own ids."""

    def __init__(
        self,
        gate: GatePort,
        server_name: str,
        to_server: Callable[[bytes], None],
        say: Callable[[str], None],
    ) -> None:
        self._gate = gate
        self._server_name = server_name
        self._to_server = to_server
        self._say = say
        self._waiting: dict[RequestId, asyncio.Task[None]] = {}
        self._taken: set[RequestId] = set()

    def takes(self, message: object) -> bool:
        """Take a message of the server that is an elicitation, or the end of one; whether it was one."""
        if not isinstance(message, dict):
            return False
        params = message.get("params")
        if message.get("method") == CANCELLED and isinstance(params, dict):
            key = id_key(params.get("requestId"))
            task = None if key is None else self._waiting.get(key)
            if task is not None:
                task.cancel()
            return task is not None
        key = id_key(message.get("id"))
        if message.get("method") != CREATE or key is None:
            return False
        self._taken.add(key)
        if key in self._waiting or len(self._waiting) >= MOST_OPEN:
            self._say("the server asks for too much at once; an elicitation was cancelled")
            self._to_server(result_line(message["id"], {"action": "cancel"}))
            return True
        task = asyncio.ensure_future(self._ask(message["id"], params))
        self._waiting[key] = task
        task.add_done_callback(lambda _: self._waiting.pop(key, None))
        return True

    def concern(self, line: bytes) -> bool:
        """Whether a line of the server may be about an elicitation, so that it has to be read."""
        # with an escape in it the method may be spelt in another way
        return b"elicitation" in line or b"\\u" in line or bool(self._waiting)

    def took(self, answers: RequestId | None) -> bool:
        """Whether this id, as `id_key` gives it, is that of an elicitation that the client never was asked."""
        return answers is not None and answers in self._taken

    async def close(self, seconds: float) -> None:
        """Take back what waits, within so many seconds."""
        tasks = set(self._waiting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    async def _ask(self, request_id: RequestId, params: Any) -> None:
        try:
            given = params if isinstance(params, dict) else {}
            message, url = given.get("message"), given.get("url")
            if not isinstance(message, str) or not isinstance(url, str | None):
                raise QuestionInvalid("an elicitation needs a message in words")
            answer = await elicit(
                self._gate,
                message,
                secret=lambda: os.urandom(KEY_BYTES),
                schema=None if given.get("mode") == "url" else given.get("requestedSchema"),
                url=url if given.get("mode") == "url" else None,
                server=self._server_name,
            )
            self._to_server(result_line(request_id, answer))
        except QuestionInvalid as error:
            self._say(f"an elicitation of the server was refused: {error.message}")
            self._to_server(error_line(request_id, INVALID_PARAMS, error.message))
        except SaysoError as error:
            self._say(f"an elicitation could not be asked: {error.message}")
            why = "nobody can be asked now; try again later"
            self._to_server(error_line(request_id, INTERNAL_ERROR, why))


def with_capability(line: bytes) -> bytes:
    """A client's `initialize`, saying that elicitations are answered; any other message as it is."""
    if b"initialize" not in line:
        return line
    message = json.loads(line)
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return line
    params = message.get("params")
    if not isinstance(params, dict):
        return line
    able = params.get("capabilities")
    able = {**(able if isinstance(able, dict) else {}), "elicitation": CAPABILITY}
    return dumps({**message, "params": {**params, "capabilities": able}})
