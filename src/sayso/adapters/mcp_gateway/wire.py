"""The wire: newline-delimited JSON-RPC, bounded lines, JSON read strictly and written in one way."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol

from sayso.core.strict_json import key_twice, read_json
from sayso.errors import CallInvalid

MAX_LINE = 64 * 1024 * 1024
"""The longest message that is passed on, in bytes."""

CHUNK = 64 * 1024

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_GONE = -32000

RequestId = int | str

_DECIMAL = re.compile(r"-?\d{1,16}", re.ASCII)
# Programs that read text split lines at more than the newline: Python's universal newlines at a
# carriage return, `str.splitlines` at these. What is one message here must be one message there.
_OTHER_LINE_ENDS = {
    "\x85": "\\u0085",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


class Source(Protocol):
    """Where bytes come from; an `asyncio.StreamReader` is one."""

    async def read(self, n: int = -1) -> bytes:
        """At most so many bytes; none at the end."""


class Sink(Protocol):
    """Where messages go."""

    async def send(self, data: bytes) -> None:
        """Write the bytes and wait until there is room for more; raises OSError once nobody reads."""


class LineTooLong(Exception):
    """A line was longer than the limit; it was skipped."""


class NotJson(Exception):
    """The bytes are not JSON by the letter of RFC 8259."""


class JsonObject(dict[str, Any]):
    """A JSON object that remembers a key which stood twice in it."""

    __slots__ = ("twice",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = key_twice(pairs, self)


class Lines:
    """Lines of a byte stream, each without its newline; an unfinished last line is not one."""

    def __init__(self, source: Source, limit: int = MAX_LINE) -> None:
        self._source = source
        self._limit = limit
        self._buffer = bytearray()
        self._searched = 0

    async def next(self) -> bytes | None:
        """The next line, or None at the end; raises LineTooLong once for each line over the limit."""
        skipping = False
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                if skipping or len(line) > self._limit:
                    raise LineTooLong
                return line
            if len(self._buffer) > self._limit:
                skipping = True
                self._buffer.clear()
            self._searched = len(self._buffer)
            data = await self._source.read(CHUNK)
            if not data:
                # The rest is a message that was cut off: it is nobody's, and nothing is guessed.
                return None
            self._buffer += data


def parse(line: bytes) -> Any:
    """Read one message strictly; objects come as JsonObject. Raises NotJson."""
    try:
        return read_json(line, "message", JsonObject)
    except CallInvalid as error:
        raise NotJson(error.message) from error


def dumps(value: object, *, strict: bool = True) -> bytes:
    """Write a message: ASCII only, so that no reader can see an end of line inside it.

    Raises ValueError for a number that JSON does not have, unless it is not `strict`.
    """
    return json.dumps(value, separators=(",", ":"), allow_nan=not strict).encode("ascii")


def one_line(line: bytes) -> bytes:
    """The same JSON, with nothing in it that another program could take for the end of a line."""
    body = line[:-1] if line.endswith(b"\r") else line
    if b"\r" not in body and body.isascii():
        return line
    # In JSON a bare carriage return can only be white space, the others only part of a string.
    text = body.decode("utf-8").replace("\r", " ")
    for character, escape in _OTHER_LINE_ENDS.items():
        text = text.replace(character, escape)
    return text.encode("utf-8") + line[len(body) :]


def twice_in(value: object) -> str | None:
    """A key that stands twice in some object inside the value, or None."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, JsonObject) and item.twice is not None:
            return item.twice
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return None


def id_key(value: object) -> RequestId | None:
    """What two ids are compared by: `5`, `5.0` and `"5"` are one, as some programs treat them so."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        return int(value) if _DECIMAL.fullmatch(value) else value
    return None


def error_line(request_id: object, code: int, message: str) -> bytes:
    """An error answer; an id that cannot be one is answered as null."""
    known = request_id if id_key(request_id) is not None else None
    return dumps({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}})


def result_line(request_id: RequestId, result: Mapping[str, Any]) -> bytes:
    """A result answer."""
    return dumps({"jsonrpc": "2.0", "id": request_id, "result": result})


def tool_text(request_id: RequestId, text: str, *, modern: bool, is_error: bool = True) -> bytes:
    """The result of a tool call that is a text from the gate; `modern` for protocol 2026-07-28 on."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": is_error}
    if modern:
        result["resultType"] = "complete"
    return result_line(request_id, result)


def progress_line(token: RequestId, step: int, message: str) -> bytes:
    """A progress notification.

    The steps are millionths: progress has to grow with each notification, and the server's own may
    start near zero once the call runs.
    """
    params = {"progressToken": token, "progress": step / 1_000_000, "message": message}
    return dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
