"""How people are asked: who is asked when, what they are shown beside the call, what may go without a vote.

The parts of an approval policy that time and channels read (requests.md, section 2). None of them
makes anybody eligible: they say who is told, when, and how (REQ-16).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LONGEST = 1e9
"""The longest time that a policy can name, in seconds."""

MAX_REMINDERS = 20
MAX_TURNS = 20

_CHANNEL = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class Unreachable(StrEnum):
    """What becomes of an ask while no eligible person has a reachable channel (REQ-67)."""

    WAIT = "wait"
    ESCALATE = "escalate"
    REFUSE = "refuse"


_UNREACHABLE_RANK = {Unreachable.WAIT: 0, Unreachable.ESCALATE: 1, Unreachable.REFUSE: 2}


@dataclass(frozen=True, slots=True)
class Escalation:
    """Whom to ask only later: the people of `to`, once `after` seconds have gone by without a decision.

    `after` None leaves it to `unreachable: escalate`. `to` holds identities, person ids, `role:<name>`
    and the words `end_user`, `operator` and `admin`.
    """

    to: tuple[str, ...]
    after: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The escalation as plain data."""
        found: dict[str, Any] = {} if self.after is None else {"after": self.after}
        return {**found, "to": list(self.to)}


@dataclass(frozen=True, slots=True)
class ContextWanted:
    """What of the dialogue stands on the card: the last request, so many turns, or a summary instead."""

    user_request: bool = True
    recent_turns: int = 3
    summary: bool = False

    def to_json(self) -> dict[str, Any]:
        """What is wanted as plain data."""
        return {
            "user_request": self.user_request,
            "recent_turns": self.recent_turns,
            "summary": self.summary,
        }


def seconds(name: str, value: object) -> float:
    """A time in seconds, above 0 and below 1e9; raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < LONGEST:
        raise ValueError(f"{name} `{value}` is not a number of seconds above 0 and below 1e9")
    return float(value)


def read_reminders(value: object) -> tuple[float, ...]:
    """After how many seconds people are reminded: a number or a list of numbers; raises ValueError."""
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    if len(items) > MAX_REMINDERS:
        raise ValueError(f"reminders has more than {MAX_REMINDERS} times")
    return tuple(sorted({seconds("reminders", item) for item in items}))


def read_escalation(value: object) -> Escalation | None:
    """To whom and when asking widens; raises ValueError or TypeError."""
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) - {"after", "to"}:
        raise TypeError("escalate is not a table of `after` and `to`")
    to = value.get("to")
    if isinstance(to, str):
        to = [to]
    if not isinstance(to, list) or not to or not all(isinstance(who, str) and who for who in to):
        raise TypeError("escalate names nobody in `to`")
    after = value.get("after")
    return Escalation(
        tuple(sorted(set(to))), None if after is None else seconds("escalate.after", after)
    )


def read_context(value: object) -> ContextWanted:
    """What of the dialogue stands on the card; raises ValueError or TypeError."""
    if value is None:
        return ContextWanted()
    default = ContextWanted()
    if not isinstance(value, dict) or set(value) - set(default.to_json()):
        raise TypeError("context is not a table of `user_request`, `recent_turns` and `summary`")
    turns = value.get("recent_turns", default.recent_turns)
    if isinstance(turns, bool) or not isinstance(turns, int) or not 0 <= turns <= MAX_TURNS:
        raise ValueError(f"recent_turns `{turns}` is not a number from 0 to {MAX_TURNS}")
    words = [value.get(name, getattr(default, name)) for name in ("user_request", "summary")]
    if not all(isinstance(word, bool) for word in words):
        raise TypeError("user_request and summary of context are true or false")
    return ContextWanted(words[0], turns, words[1])


def channel_name(value: object) -> str:
    """The name of a channel; raises ValueError for what cannot be one."""
    if not isinstance(value, str) or not _CHANNEL.fullmatch(value):
        raise ValueError(f"`{value}` is not the name of a channel")
    return value


def both_unreachable(a: Unreachable, b: Unreachable) -> Unreachable:
    """The stricter of two words: refusing before escalating before waiting."""
    return max(a, b, key=_UNREACHABLE_RANK.__getitem__)


def both_escalations(a: Escalation | None, b: Escalation | None) -> Escalation | None:
    """Whoever one policy asks at once is asked at once: only whom both ask later is asked later."""
    if a is None or b is None:
        return None
    to = tuple(who for who in a.to if who in b.to)
    if not to:
        return None
    times = [e.after for e in (a, b) if e.after is not None]
    return Escalation(to, min(times) if times else None)


def both_contexts(a: ContextWanted, b: ContextWanted) -> ContextWanted:
    """Whatever one of them wants shown is shown; a summary replaces the turns only if both say so."""
    return ContextWanted(
        a.user_request or b.user_request,
        max(a.recent_turns, b.recent_turns),
        a.summary and b.summary,
    )
