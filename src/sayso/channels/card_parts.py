"""The parts of a card, each with its JSON form: why it asks, what will run, who may decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sayso.channels.display import Shown, shown_json
from sayso.core.moment import Moment, to_rfc3339


@dataclass(frozen=True, slots=True)
class CardWhy:
    """Why it asks: a sentence, the reason code, the rule as plain data, the explanation in full."""

    sentence: Shown
    reason: str
    must_ask: bool
    rule: dict[str, Any] | None
    explain: Shown

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "sentence": shown_json(self.sentence),
            "reason": self.reason,
            "must_ask": self.must_ask,
            "rule": self.rule,
            "explain": shown_json(self.explain),
        }


@dataclass(frozen=True, slots=True)
class CardChange:
    """One thing that has changed since this was approved before, in words."""

    kind: str
    text: Shown

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {"kind": self.kind, "text": shown_json(self.text)}


@dataclass(frozen=True, slots=True)
class CardArgument:
    """One argument: a text as it is (`kind` "text"), anything else as indented JSON ("json")."""

    name: Shown
    value: Shown
    kind: str

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "name": shown_json(self.name),
            "value": shown_json(self.value),
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class CardEdit:
    """What an approver changed: who, when, and the arguments as the agent gave them."""

    by: Shown
    at: Moment
    arguments: tuple[CardArgument, ...]

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "by": shown_json(self.by),
            "at": to_rfc3339(self.at),
            "arguments": [argument.to_json() for argument in self.arguments],
        }


@dataclass(frozen=True, slots=True)
class CardTarget:
    """One thing the call touches, with what policy says of it; `decides` marks the one that asks."""

    kind: str
    text: Shown
    effect: str
    decides: bool

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "kind": self.kind,
            "text": shown_json(self.text),
            "effect": self.effect,
            "decides": self.decides,
        }


@dataclass(frozen=True, slots=True)
class CardWhat:
    """What will run, complete; `hidden` characters are shown as marks, `note` says so in words."""

    arguments: tuple[CardArgument, ...]
    diff: Shown | None
    targets: tuple[CardTarget, ...]
    hidden: int
    lines: int
    note: str

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "arguments": [argument.to_json() for argument in self.arguments],
            "diff": None if self.diff is None else shown_json(self.diff),
            "targets": [target.to_json() for target in self.targets],
            "hidden": self.hidden,
            "lines": self.lines,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class CardReview:
    """One person's vote as people see it."""

    by: str
    channel: str
    vote: str
    comment: str | None
    at: Moment

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "by": self.by,
            "channel": self.channel,
            "vote": self.vote,
            "comment": self.comment,
            "at": to_rfc3339(self.at),
        }


@dataclass(frozen=True, slots=True)
class CardWho:
    """Who may decide, how many have, and whether the one who looks at the card may, and may edit it.

    `waiting` says for whom it waits, where that is not just the one who looks; `out_of_reach` why not
    enough people can approve it any more.
    """

    approver: str
    have: int
    need: int
    may_decide: bool
    reviews: tuple[CardReview, ...]
    may_edit: bool = False
    waiting: str = ""
    out_of_reach: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "approver": self.approver,
            "have": self.have,
            "need": self.need,
            "may_decide": self.may_decide,
            "may_edit": self.may_edit,
            "waiting": self.waiting,
            "out_of_reach": self.out_of_reach,
            "reviews": [review.to_json() for review in self.reviews],
        }
