"""What policy alone says of a call: the strictest of its targets, with the trace (POL-22, POL-24)."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target
from sayso.policy.rule import Rule

_DEFAULT_POLICY = ApprovalPolicy()


class Match(Struct, frozen=True):
    """One rule that matched one target; `note` says what a condition did, where there is one."""

    rule: Rule
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The match as plain data."""
        return {
            "rule_id": self.rule.id,
            "effect": self.rule.effect.word,
            "origin": self.rule.origin.value,
            "text": self.rule.text,
            "place": self.rule.place,
            "note": self.note,
        }


class TargetOutcome(Struct, frozen=True):
    """What policy says of one target: the deciding rule (None = nothing matched) and all matches."""

    target: Target
    effect: Effect
    reason: Reason
    rule: Rule | None = None
    must_ask: bool = False
    doubtful: bool = False
    asks: tuple[Rule, ...] = ()
    lists: tuple[Match, ...] = ()
    table: tuple[Match, ...] = ()
    notes: tuple[str, ...] = ()

    def following(self, other: PolicyOutcome | TargetOutcome) -> TargetOutcome:
        """The same with the effect and the reason of another outcome; written out, as most lines need it."""
        return TargetOutcome(
            self.target, other.effect, other.reason, self.rule, self.must_ask, self.doubtful,
            self.asks, self.lists, self.table, self.notes,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The target's outcome as plain data, for the trace."""
        return {
            "target": self.target.to_json(),
            "effect": self.effect.word,
            "reason": self.reason.value,
            "rule_id": None if self.rule is None else self.rule.id,
            "must_ask": self.must_ask,
            "doubtful": self.doubtful,
            "lists": [match.to_json() for match in self.lists],
            "table": [match.to_json() for match in self.table],
            "notes": list(self.notes),
        }


class PolicyOutcome(Struct, frozen=True):
    """What policy says of a call.

    `rule` and `target` are the deciding ones; `approval` is the merged approval policy of every ask
    that matches; `warnings` are for people (an unknown group, rules that could not be loaded).
    """

    effect: Effect
    reason: Reason
    target: Target
    rule: Rule | None = None
    must_ask: bool = False
    doubtful: bool = False
    approval: ApprovalPolicy = _DEFAULT_POLICY
    targets: tuple[TargetOutcome, ...] = ()
    warnings: tuple[str, ...] = ()

    def trace(self) -> list[dict[str, Any]]:
        """Each target with its matches and conditions, as plain data."""
        return [outcome.to_json() for outcome in self.targets]
