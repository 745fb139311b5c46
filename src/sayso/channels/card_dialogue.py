"""The part of a card that tells what led here: the dialogue, as the agent's side tells it (CH-1, CH-17).

It never says what will run. Every surface shows it under its own heading, after what will run, and says
beside it that nobody has checked it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sayso.channels.display import Shown, show, shown_json
from sayso.core.dialogue import Dialogue, Role, Said


@dataclass(frozen=True, slots=True)
class CardSaid:
    """One text of the dialogue; `cut` says that only its beginning was kept. Only messages have a role."""

    content: Shown
    cut: bool
    role: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        role = {} if self.role is None else {"role": self.role}
        return {**role, "content": shown_json(self.content), "cut": self.cut}


@dataclass(frozen=True, slots=True)
class CardDialogue:
    """The user's last request, and the turns before the call or the summary that stands for them.

    `summary_by` is the model that wrote the summary, None where it is the agent's side's own (REV-4).
    """

    user_request: CardSaid | None
    summary: CardSaid | None
    messages: tuple[CardSaid, ...]
    summary_by: str | None = None

    @property
    def summary_words(self) -> str:
        """What stands above the summary."""
        return "summary" if self.summary_by is None else f"summary, written by {self.summary_by}"

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "user_request": None if self.user_request is None else self.user_request.to_json(),
            "summary": None if self.summary is None else self.summary.to_json(),
            "summary_by": self.summary_by,
            "messages": [message.to_json() for message in self.messages],
        }


def dialogue_of(kept: Dialogue | None) -> CardDialogue | None:
    """The part for what a request has kept of its dialogue; None where it has nothing."""
    if kept is None:
        return None
    return CardDialogue(
        None if kept.user_request is None else _said(kept.user_request),
        None if kept.summary is None else _said(kept.summary),
        tuple(_said(message, message.role) for message in kept.messages),
        kept.summary_by or None,
    )


def _said(said: Said, role: Role | None = None) -> CardSaid:
    return CardSaid(show(said.content), said.cut, None if role is None else role.value)
