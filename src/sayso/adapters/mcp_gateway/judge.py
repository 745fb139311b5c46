"""What a client's message is: passed on, a tool call, a list of tools, a cancellation, or refused.

Whatever any reader on the other side could take for a tool call is either a ToolCallMessage, built
anew from what was parsed here, or refused; it is never passed on as it came.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sayso.adapters.mcp_gateway.wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    JsonObject,
    NotJson,
    RequestId,
    dumps,
    error_line,
    id_key,
    one_line,
    parse,
    twice_in,
)
from sayso.core.call import MAX_INTEGER, check_arguments, check_name
from sayso.core.session import CallDraft
from sayso.errors import CallInvalid

CALL = "tools/call"
LIST = "tools/list"
CANCELLED = "notifications/cancelled"
INITIALIZE = "initialize"

MAX_BATCH = 1000

_META_PROTOCOL = "io.modelcontextprotocol/protocolVersion"
_META_CLIENT = "io.modelcontextprotocol/clientInfo"
_META_TOOL_USE = "claudecode/toolUseId"

# Some readers match member names without regard to case: to them `Method` is `method`.
_ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")
_PARAMS = ("name", "arguments", "_meta", "task", "inputResponses", "requestState")


@dataclass(frozen=True, slots=True)
class Through:
    """A message that is passed on; `request_id` if it is a request, which will be answered.

    `client_name` is what the client calls itself, where this is the message that says so; `answers`
    the id of the server's request that this may answer, as `id_key` gives it.
    """

    line: bytes
    request_id: RequestId | None = None
    client_name: str | None = None
    answers: RequestId | None = None


@dataclass(frozen=True, slots=True)
class ToolList:
    """A request for the tools, whose answer is to be filtered."""

    line: bytes
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class Cancel:
    """The client no longer waits for a request of its own; `target` compares with `id_key`."""

    line: bytes
    target: RequestId


@dataclass(frozen=True, slots=True)
class ToolCallMessage:
    """A tool call, parsed; `line` is what the server gets once it may run.

    `modern` tells the protocol from 2026-07-28 on, `progress_token` where the client wants to hear
    of progress, `client_name` what the client calls itself, if this message says so.
    """

    line: bytes
    request_id: RequestId
    draft: CallDraft
    modern: bool
    progress_token: RequestId | None = None
    client_name: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A message that goes no further; `answer` is None where the protocol has none."""

    why: str
    answer: bytes | None


Single = Through | ToolList | Cancel | ToolCallMessage | Refused


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that has to be taken apart, because something in it is not simply passed on."""

    items: tuple[Single, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A batch that is passed on whole; `request_ids` will be answered."""

    line: bytes
    request_ids: tuple[RequestId, ...]


def judge(line: bytes, server_name: str) -> Single | Batch | Whole:
    """What a client's line is; it has no newline."""
    if not line.strip(b" \t\r"):
        return Through(line)
    try:
        message = parse(line)
    except NotJson as error:
        # Not passed on: where one reader sees a broken line another, lenient or reading several
        # lines as one text, may see a call.
        return _refused(None, PARSE_ERROR, f"parse error: {error}")
    if isinstance(message, JsonObject):
        return _judge_object(message, server_name, one_line(line))
    if isinstance(message, list):
        return _judge_batch(message, server_name, one_line(line))
    return _refused(None, INVALID_REQUEST, "a message is an object or a batch")


def _judge_batch(message: list[Any], server_name: str, line: bytes) -> Single | Batch | Whole:
    if len(message) > MAX_BATCH:
        return _refused(None, INVALID_REQUEST, f"a batch has at most {MAX_BATCH} messages")
    items: list[Single] = []
    for element in message:
        if not isinstance(element, JsonObject):
            items.append(_refused(None, INVALID_REQUEST, "a batch is made of objects"))
            continue
        try:
            items.append(_judge_object(element, server_name, dumps(element)))
        except ValueError:  # a number that overflows cannot be written again
            items.append(_refused(element.get("id"), INVALID_REQUEST, "a number is too large"))
    ids = tuple(
        item.request_id
        for item in items
        if isinstance(item, Through) and item.request_id is not None
    )
    plain = all(isinstance(item, Through) and item.answers is None for item in items)
    if plain and len(set(map(id_key, ids))) == len(ids):
        return Whole(line, ids)
    return Batch(tuple(items))


def _judge_object(message: JsonObject, server_name: str, line: bytes) -> Single:
    request_id = message.get("id")
    odd = message.twice or _odd_case(message, _ENVELOPE)
    if odd is not None:
        return _refused(request_id, INVALID_REQUEST, f"the member `{_short(odd)}` is ambiguous")
    if "method" not in message:
        return Through(line, answers=id_key(request_id))
    method = message["method"]
    if not isinstance(method, str):
        return _refused(request_id, INVALID_REQUEST, "the method is not text")
    if method == CALL:
        return _judge_call(message, server_name)
    if _looks_like_call(method):
        return _refused(request_id, METHOD_NOT_FOUND, f"no such method: `{_short(method)}`")
    params = message.get("params")
    if method == CANCELLED:
        target = id_key(params.get("requestId")) if isinstance(params, dict) else None
        return Through(line) if target is None else Cancel(line, target)
    if (
        request_id is None or id_key(request_id) is None
    ):  # a notification, or a request whose answer finds nobody
        if method == LIST:
            return _refused(None, INVALID_REQUEST, "the id is neither text nor a number")
        return Through(line)
    if method == LIST:
        return ToolList(line, request_id)
    return Through(line, request_id, _client_of(params) if method == INITIALIZE else None)


def _judge_call(message: JsonObject, server_name: str) -> ToolCallMessage | Refused:
    request_id = message.get("id")
    if "id" not in message:
        return Refused("a tool call without an id has no answer and is not passed on", None)
    if isinstance(request_id, float) or not _fits(request_id):
        return _refused(None, INVALID_REQUEST, "the id of a tool call is text or an integer")
    assert isinstance(request_id, (int, str))
    if message.get("jsonrpc") != "2.0":
        return _refused(request_id, INVALID_REQUEST, 'a tool call says `"jsonrpc": "2.0"`')
    if extra := sorted(set(message) - {"jsonrpc", "id", "method", "params"}):
        return _refused(request_id, INVALID_REQUEST, f"unknown member `{_short(extra[0])}`")
    if (twice := twice_in(message)) is not None:
        return _refused(request_id, INVALID_PARAMS, f"the key `{_short(twice)}` stands twice")
    params = message.get("params")
    if not isinstance(params, dict):
        return _refused(request_id, INVALID_PARAMS, "the parameters are not an object")
    if (odd := _odd_case(params, _PARAMS)) is not None:
        return _refused(request_id, INVALID_PARAMS, f"the member `{_short(odd)}` is ambiguous")
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        meta = {}
    try:
        draft = _draft(params, meta, server_name)
        return ToolCallMessage(
            line=_call_line(request_id, params, draft),
            request_id=request_id,
            draft=draft,
            modern=isinstance(meta.get(_META_PROTOCOL), str),
            progress_token=_token(meta.get("progressToken")),
            client_name=_client_of({"clientInfo": meta.get(_META_CLIENT)}),
        )
    except CallInvalid as error:
        return _refused(request_id, INVALID_PARAMS, str(error))
    except (ValueError, RecursionError) as error:
        return _refused(request_id, INVALID_PARAMS, f"the parameters cannot be written: {error}")


def _draft(params: Mapping[str, Any], meta: Mapping[str, Any], server_name: str) -> CallDraft:
    if not isinstance(params.get("name"), str):
        raise CallInvalid("the tool's name is not text")
    arguments = params.get("arguments")
    tool_use = meta.get(_META_TOOL_USE)
    # Answers to the server's questions, a task's terms and whatever a later protocol adds change
    # what the server does, so people see them and the digest covers them. `_meta` is about the
    # protocol and differs between identical calls.
    rest = {key: params[key] for key in params if key not in ("name", "arguments", "_meta")}
    return CallDraft(
        tool=check_name("tool name", params["name"]),
        arguments={} if arguments is None else check_arguments(arguments),
        server=server_name,
        external_id=check_name("tool use id", tool_use) if isinstance(tool_use, str) else None,
        detail=json.dumps(check_arguments(rest), ensure_ascii=False) if rest else None,
    )


def _call_line(request_id: RequestId, params: Mapping[str, Any], draft: CallDraft) -> bytes:
    sent = {**params, "name": draft.tool}
    if params.get("arguments") is None:
        sent.pop("arguments", None)
    else:
        sent["arguments"] = draft.arguments
    return dumps({"jsonrpc": "2.0", "id": request_id, "method": CALL, "params": sent})


def _refused(request_id: object, code: int, why: str) -> Refused:
    return Refused(why, error_line(request_id if _fits(request_id) else None, code, why))


def _fits(request_id: object) -> bool:
    """Whether an id can be given back exactly."""
    if isinstance(request_id, str):
        return len(request_id) <= 1024
    return id_key(request_id) is not None and abs(request_id) <= MAX_INTEGER  # type: ignore[arg-type]


def _token(value: object) -> RequestId | None:
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _client_of(params: object) -> str | None:
    info = params.get("clientInfo") if isinstance(params, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else None


def _odd_case(members: Mapping[str, Any], known: tuple[str, ...]) -> str | None:
    """A member that some readers take for a known one, or that gives an object members it has not."""
    plain = {name.casefold() for name in known} | {"__proto__"}
    return next((key for key in members if key not in known and _folded(key) in plain), None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _looks_like_call(method: str) -> bool:
    """Whether a lenient reader (case, white space, cut at a NUL, look-alikes) could see `tools/call`."""
    folded = _folded(method.partition("\x00")[0])
    return "".join(c for c in folded if c.isascii() and (c.isalnum() or c == "/")) == CALL


def _short(text: str) -> str:
    return text if len(text) <= 64 else text[:64] + "…"
