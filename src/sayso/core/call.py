"""A call, its canonical form and its digest (POL-1).

The digest binds every decision to exactly one call: what was shown is what runs.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import rfc8785

from sayso.core.strict_json import parse_json
from sayso.core.withheld import Withheld
from sayso.errors import CallInvalid

MAX_ARGUMENT_BYTES = 1024 * 1024
MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1
MAX_NAME = 512


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom a call belongs to: user, agent and session, bound when the session was opened."""

    user_id: str
    agent_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call that an agent wants to make.

    `call_id` is minted by sayso and is the id of the call's request too. `external_id` is the
    framework's id, unique per owner and session only. `server` is the configured MCP server, and
    `tool` then the tool's own name on it; the pair is the identity. Everything from `session_id` to
    `parent` was bound when the session was opened; a call cannot change it. `detail` is what the
    agent says about the call: shown as the agent's words, and part of the digest. `diff` is computed
    by the gate's side, for people only. `definition` is the digest of what the server's tool said it
    does (observed_tool.py), None where that is not known. `batch_id` are the calls of the same turn,
    `agent_chain` the agents from the outermost down to this one, where there are several. Where
    `withheld` is set this is the redacted form of the call, which may not be judged or run (withheld.py).
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    session_id: str
    agent_id: str
    user_id: str
    source: str = "api"
    workspace: str | None = None
    attended: bool = True
    server: str | None = None
    external_id: str | None = None
    parent: tuple[str, ...] = ()
    context_label: str | None = None
    detail: str | None = None
    diff: str | None = field(default=None, compare=False)
    definition: str | None = None
    batch_id: str | None = None
    agent_chain: tuple[str, ...] = ()
    withheld: Withheld | None = None

    @property
    def root_session_id(self) -> str:
        """The session that the call's people look at: of a sub-agent, the one at the top."""
        return self.parent[0] if self.parent else self.session_id

    @property
    def owner(self) -> Owner:
        """The user, agent and session the call belongs to."""
        return Owner(self.user_id, self.agent_id, self.session_id)

    @property
    def written_name(self) -> str:
        """The tool's name as it is written, with its server's."""
        return written_name(self.server, self.tool)


def written_name(server: str | None, tool: str) -> str:
    """A tool's name as it is written: `mcp__<server>__<tool>` for a tool of an MCP server."""
    return tool if server is None else f"mcp__{server}__{tool}"


def parse_arguments(raw: bytes | str) -> dict[str, Any]:
    """Read a call's arguments from JSON text, strictly (strict_json.py), and check them."""
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    return check_arguments(parse_json(data, "arguments text"))


def check_arguments(value: object) -> dict[str, Any]:
    """Check arguments that are already Python values and return them as plain JSON data.

    Raises CallInvalid for more than 1 MiB, integers from 2^53 on, NaN or infinity, half characters,
    deep nesting, and anything that is not a JSON object. Text is read by strict_json.py before.
    """
    if not isinstance(value, Mapping):
        raise CallInvalid("the arguments are not a JSON object", "pass an object with named values")
    checked = _plain(value, 0)
    assert isinstance(checked, dict)
    written = json.dumps(checked, ensure_ascii=False, separators=(",", ":"))
    if len(written.encode()) > MAX_ARGUMENT_BYTES:
        raise CallInvalid(
            f"the arguments are more than {MAX_ARGUMENT_BYTES} bytes",
            "pass large content by reference, such as a file",
        )
    return checked


def canonical(value: object) -> bytes:
    """The canonical JSON of a value (RFC 8785); raises CallInvalid for what it cannot carry."""
    try:
        if _is_simple(value, 0):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return rfc8785.dumps(value)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, ValueError, TypeError, RecursionError) as error:
        raise CallInvalid(f"the value has no canonical form: {error}") from error


_SIMPLE = frozenset({str, bool, type(None)})


def _is_simple(value: object, depth: int) -> bool:
    """Whether any JSON writer that sorts keys writes the canonical form: no floats, ASCII keys."""
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind is int:
        number: Any = value
        return bool(abs(number) <= MAX_INTEGER)
    if depth > MAX_DEPTH:
        return False
    items: Any = value
    if kind is dict:
        for key, item in items.items():
            if type(key) is not str or not key.isascii():
                return False
            kind = type(item)
            if kind in _SIMPLE or (kind is list and _SIMPLE.issuperset(map(type, item))):
                continue
            if not _is_simple(item, depth + 1):
                return False
        return True
    if kind is list:
        plain = _SIMPLE.issuperset(map(type, items))
        return plain or all(_is_simple(item, depth + 1) for item in items)
    return False


def digest_of(call: ToolCall) -> str:
    """The digest of a call: SHA-256 in hex over tool, arguments, owner, workspace, detail and definition."""
    document: dict[str, Any] = {
        "version": 1,
        "tool": [call.server, call.tool],
        "arguments": dict(call.arguments),
        "owner": [call.user_id, call.agent_id, call.session_id],
        "workspace": call.workspace,
        "detail": call.detail,
    }
    if call.definition is not None:
        document["definition"] = call.definition
    return hashlib.sha256(canonical(document)).hexdigest()


def check_name(what: str, name: object) -> str:
    """Check a name from outside (tool, server, external id): text of 1 to 512 characters.

    Odd characters are accepted here and asked about by policy (POL-40a); only what cannot be
    stored or compared is refused with CallInvalid.
    """
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise CallInvalid(f"the {what} is not text of at most {MAX_NAME} characters")
    try:
        name.encode("utf-8")
    except UnicodeError as error:
        raise CallInvalid(f"the {what} is not valid Unicode") from error
    if "\x00" in name:
        raise CallInvalid(f"the {what} contains a NUL character")
    return name


def _plain(value: object, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise CallInvalid(f"the arguments are nested deeper than {MAX_DEPTH}")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeError as error:
            raise CallInvalid("a text in the arguments is not valid Unicode") from error
        return str(value)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise CallInvalid("an integer in the arguments is not below 2^53", "send it as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CallInvalid(f"`{value}` is not a JSON number")
        return float(value) + 0.0  # -0 has the digest of 0, so it is 0 for whoever runs it, too
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise CallInvalid("a key in the arguments is not text")
        return {_plain(key, depth): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    raise CallInvalid(f"a value of type `{type(value).__name__}` is not JSON data")
