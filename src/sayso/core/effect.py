"""The three effects of a rule and of a verdict, ordered by strictness."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from sayso.core.plain_members import plain_members
from sayso.errors import RuleRefused


@plain_members
class Effect(IntEnum):
    """What a rule or a verdict says; a greater value is stricter."""

    ALLOW = 0
    ASK = 1
    DENY = 2

    @property
    def word(self) -> str:
        """The effect as people write it: `allow`, `ask` or `deny`."""
        return self.name.lower()

    @classmethod
    def parse(cls, word: str | None) -> Effect:
        """Read an effect from a rule; `require` is read as `ask`.

        Raises RuleRefused for anything else, also for a missing effect: a rule states its effect.
        """
        known = {"allow": cls.ALLOW, "ask": cls.ASK, "require": cls.ASK, "deny": cls.DENY}
        if word is None or word not in known:
            shown = "is missing" if word is None else f"`{word}` is unknown"
            raise RuleRefused(f"the effect {shown}", "write allow, ask or deny")
        return known[word]


def strictest(effects: Iterable[Effect]) -> Effect:
    """The strictest of the effects; of none it is ask, because silence is ask."""
    return max(effects, default=Effect.ASK)
