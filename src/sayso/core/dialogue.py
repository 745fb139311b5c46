"""The dialogue that a call came from, as its agent's side tells it (REQ-2, CH-1).

It is no part of the call: it does not run, no digest covers it, no rule or template sees it. It helps
people to understand, and is shown as what somebody said. Because of that a text that is too long fails
no call: it is cut, and the card says so. Only what is no dialogue at all is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.asking import MAX_TURNS, ContextWanted
from sayso.errors import CallInvalid

MAX_WORDS = 8000
"""So many characters of one text are kept."""

SLACK = 1000
"""So many more are looked at: a secret that begins before the end has to be seen whole to be known."""

_HINT = (
    "send {user_request, summary, messages: [{role, content}]}, each of them text, or leave it out"
)


class Role(StrEnum):
    """Who said something, in the words of the agent's side."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Said:
    """One text of the dialogue; `cut` says that it went on. A summary is said by nobody in particular."""

    content: str
    role: Role | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What was said before the call, oldest message first.

    `summary_by` is the model that wrote the summary, as the user's settings name it; empty where it is the
    agent's side's own. No agent's side can say so.
    """

    user_request: Said | None = None
    summary: Said | None = None
    messages: tuple[Said, ...] = ()
    summary_by: str = ""

    @property
    def texts(self) -> tuple[Said, ...]:
        """Everything in it."""
        return (*filter(None, (self.user_request, self.summary)), *self.messages)

    def to_json(self) -> dict[str, Any]:
        """The dialogue as an agent's side sends it."""
        said = {"user_request": self.user_request, "summary": self.summary}
        found: dict[str, Any] = {name: one.content for name, one in said.items() if one is not None}
        if self.messages:
            found["messages"] = [
                {"role": str(message.role), "content": message.content} for message in self.messages
            ]
        return found


def read_dialogue(value: object) -> Dialogue | None:
    """What an agent's side says of the dialogue, no more of it than can ever be shown; None for nothing.

    Where no request of the user is named, it is the last message of `user`. Raises CallInvalid for what
    is no dialogue: other fields, other roles, what is no text.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or set(value) - {"user_request", "summary", "messages"}:
        raise CallInvalid("the context of the call is no dialogue", _HINT)
    told = value.get("messages")
    messages = [] if told is None else _messages(told)
    request = _optional(value.get("user_request"), "user_request", Role.USER)
    if request is None:
        request = next((one for one in reversed(messages) if one.role is Role.USER), None)
    summary = _optional(value.get("summary"), "summary", None)
    # One more than any policy shows: the request of the user may be one of them.
    found = Dialogue(request, summary, tuple(messages[-MAX_TURNS - 1 :]))
    return found if found.texts else None


def wanted_of(dialogue: Dialogue | None, wanted: ContextWanted) -> Dialogue | None:
    """What of the dialogue an approval policy wants shown; None for nothing.

    The message that is the request of the user itself does not stand there twice. A summary replaces
    the turns where there is one.
    """
    if dialogue is None:
        return None
    request = dialogue.user_request if wanted.user_request else None
    summary = dialogue.summary if wanted.summary else None
    messages: list[Said] = []
    if summary is None and wanted.recent_turns:
        messages = list(dialogue.messages)
        if request is not None:
            _drop_last(messages, request)
        messages = messages[-wanted.recent_turns :]
    by = "" if summary is None else dialogue.summary_by
    found = Dialogue(request, summary, tuple(messages), by)
    return found if found.texts else None


def _drop_last(messages: list[Said], request: Said) -> None:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at] == request:
            del messages[at]
            return


def _messages(value: object) -> list[Said]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise CallInvalid("the messages of the context are no list", _HINT)
    found = []
    for message in value:
        if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
            raise CallInvalid("a message of the context is not just a role and a content", _HINT)
        try:
            role = Role(message["role"])
        except ValueError as error:
            raise CallInvalid(
                f"`{str(message['role'])[:40]}` is no role in a dialogue",
                f"roles are {', '.join(Role)}",
            ) from error
        found.append(_said(message["content"], "content", role))
    return [one for one in found if one.content]


def _optional(value: object, name: str, role: Role | None) -> Said | None:
    return None if value is None or value == "" else _said(value, name, role)


def _said(value: object, name: str, role: Role | None) -> Said:
    if not isinstance(value, str):
        raise CallInvalid(f"`{name}` in the context of the call is no text", _HINT)
    content = value[: MAX_WORDS + SLACK + 1]
    try:
        content.encode("utf-8")
    except UnicodeError as error:
        raise CallInvalid(f"`{name}` in the context is not valid Unicode") from error
    return Said(content, role, cut=len(content) > MAX_WORDS)
