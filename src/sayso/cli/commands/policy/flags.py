"""What several commands of `sayso policy` take: rules given as flags, and the settings file to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sayso.core.effect import Effect
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule

AllowRules = Annotated[
    tuple[str, ...],
    Parameter(name="--allow", negative="", show_default=False, help="A further rule that allows."),
]
AskRules = Annotated[
    tuple[str, ...],
    Parameter(name="--ask", negative="", show_default=False, help="A further rule that asks."),
]
DenyRules = Annotated[
    tuple[str, ...],
    Parameter(name="--deny", negative="", show_default=False, help="A further rule that denies."),
]
SettingsFile = Annotated[
    Path | None,
    Parameter(
        name="--file",
        show_default=False,
        help="Judge by this settings file alone, without your own settings and the rule table.",
    ),
]


def flag_rules(allow: Sequence[str], ask: Sequence[str], deny: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of flags; raises RuleSyntaxError with the flag as place."""
    return tuple(
        parse_text_rule(effect, text, Origin.FLAG, place=f"--{effect.word}")
        for effect, texts in _by_effect(allow, ask, deny)
        for text in texts
    )


def _by_effect(*texts: Sequence[str]) -> Iterable[tuple[Effect, Sequence[str]]]:
    return zip((Effect.ALLOW, Effect.ASK, Effect.DENY), texts, strict=True)
