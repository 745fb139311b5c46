"""What a remembered answer covers: a key, its text for files and its words for people (REQ-50).

A key is a tuple. Its text tells keys apart without doubt, so that it can stand in a database and in a
file; its words are made from the key alone, never taken from whoever hands it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote

from sayso.errors import KeyInvalid

MAX_KEY = 8192
"""The longest text of a key, in characters: what is longer cannot be shown with the offer."""

NUL = "\0"


class KeyKind(StrEnum):
    """What sort of thing a key covers."""

    WRITE = "write"
    DELETE = "delete"
    COMMAND = "cmd"
    WEB = "web"
    SEARCH = "search"
    MCP = "mcp"
    FORGED = "forged"
    TOOL = "tool"


_PARTS = {
    KeyKind.WRITE: 1,
    KeyKind.DELETE: 1,
    KeyKind.WEB: 1,
    KeyKind.SEARCH: 1,
    KeyKind.MCP: 2,
    KeyKind.FORGED: 1,
    KeyKind.TOOL: 2,
}


@dataclass(frozen=True, slots=True)
class Key:
    """What a grant or a veto covers: a kind, and what tells it from others of its kind.

    `write` and `delete` have the workspace; `cmd` the workspace, the exact command and then what it
    touches, each a part; `web` the host; `search` the provider; `mcp` server and tool; `forged` a
    generated tool's name; `tool` the name and what it is applied to (empty: whatever it is).
    """

    kind: KeyKind
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The key as it is stored and exported; two keys never have one text."""
        if self.kind is KeyKind.COMMAND:
            return f"{self.kind.value}:{NUL.join(self.parts)}"
        *first, last = self.parts
        return ":".join([self.kind.value, *(quote(part, safe="/ @+~") for part in first), last])

    @property
    def of_server(self) -> bool:
        """Whether it names a tool of an MCP server, which can become another one under its name."""
        match self.kind:
            case KeyKind.MCP:
                return True
            case KeyKind.TOOL:
                return self.parts[0].startswith("mcp__")
            case KeyKind.COMMAND:  # what runs it stands among what it touches
                return any(part.startswith("by:mcp__") for part in self.parts[2:])
            case _:
                return False

    @property
    def label(self) -> str:
        """What it covers, in words for people; names in it are as the call gave them."""
        parts = self.parts
        match self.kind:
            case KeyKind.WRITE:
                return f"edit any file in {parts[0]}"
            case KeyKind.DELETE:
                return f"delete any file in {parts[0]}"
            case KeyKind.COMMAND:
                place = f" in {parts[0]}" if parts[0] else ""
                return f"run exactly `{parts[1]}`{place}{_touching(parts[2:])}"
            case KeyKind.WEB:
                return f"fetch anything from {parts[0]}"
            case KeyKind.SEARCH:
                return f"search for anything with {parts[0]}"
            case KeyKind.MCP:
                return f"use {parts[1]} of the server {parts[0]}, whatever its arguments"
            case KeyKind.FORGED:
                return f"use the generated tool {parts[0]}, whatever its arguments"
            case KeyKind.TOOL:
                applied = parts[1]
                if not applied:
                    return f"use {parts[0]}, whatever its arguments"
                return f"use {parts[0]} for exactly {applied}, whatever its other arguments"


def _touching(touched: tuple[str, ...]) -> str:
    return f" (touching {', '.join(touched)})" if touched else ""


def parse_key(text: str) -> Key:
    """Read the text of a key; raises KeyInvalid for anything that no key is written as."""
    word, colon, rest = text.partition(":")
    if not colon or word not in set(KeyKind) or len(text) > MAX_KEY:
        raise KeyInvalid(
            f"`{text[:80]}` is not the key of a grant", "a key begins with write:, cmd:, mcp: …"
        )
    kind = KeyKind(word)
    if kind is KeyKind.COMMAND:
        key = Key(kind, tuple(rest.split(NUL)))
        valid = len(key.parts) > 1 and bool(key.parts[1].strip())
    else:
        *first, last = rest.split(":", _PARTS[kind] - 1)
        key = Key(kind, (*(unquote(part) for part in first), last))
        valid = len(key.parts) == _PARTS[kind] and bool(key.parts[0])
        valid = valid and (kind is not KeyKind.MCP or bool(last))
    if not valid or key.text != text:
        raise KeyInvalid(f"`{text[:80]}` is not a whole key", "export the grants to see how one is")
    return key
