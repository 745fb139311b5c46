"""What a translation is: the rules, and a note for each thing that could not be carried over exactly.

A translation never widens. An allow becomes one that covers no more, or is left out; an ask or a deny
becomes one or several that hit no less. Since in a permission list any deny decides, else any ask, else
any allow, that holds of all rules together, whatever order the other dialect reads them in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.effect import Effect
from sayso.errors import RuleSyntaxError
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule

LEFT_OUT = "left out: calls like that are asked about"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that could not be carried over exactly.

    `position` is `line:column` in the text, `original` what stands there, `lost` what ours cannot say,
    and `instead` what was done.
    """

    position: str
    original: str
    lost: str
    instead: str

    def to_json(self) -> dict[str, str]:
        """The note as plain data."""
        return {
            "position": self.position,
            "original": self.original,
            "lost": self.lost,
            "instead": self.instead,
        }


@dataclass(frozen=True, slots=True)
class Translation:
    """The rules that a text was read into, each once, and the notes."""

    rules: tuple[Rule, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where something stands in the text that is translated: `line:column`, and its words."""

    position: str
    original: str


class Translator:
    """Gathers rules and notes; `name` is the file that the rules go on standing in, if they do."""

    def __init__(self, origin: Origin = Origin.GLOBAL, name: str | None = None) -> None:
        self.origin = origin
        self.name = name
        self._rules: dict[tuple[Effect, str, tuple[tuple[str, Any], ...]], Rule] = {}
        self._counts: dict[str, int] = {}
        self._notes: dict[Note, None] = {}

    def note(self, source: Source, lost: str, instead: str) -> None:
        """Tell of something that could not be carried over exactly."""
        self._notes[Note(source.position, source.original, lost, instead)] = None

    def aside(
        self, position: str, key: str, value: Any, lost: str, instead: str = "not carried over"
    ) -> None:
        """Tell of a setting that is no rule; `value` is what stands at `key`."""
        shown = json.dumps({key: value}, ensure_ascii=False, default=str)[1:-1]
        self.note(Source(position, shown[:200]), lost, instead)

    def allow(self, source: Source, text: str, **fields: Any) -> None:
        """Add an allow; one that our language cannot hold is left out with a note."""
        try:
            self._add(Effect.ALLOW, source, text, fields)
        except RuleSyntaxError as error:
            self.leave_out(source, error.message)

    def leave_out(self, source: Source, lost: str) -> None:
        """Leave an allow out, with a note."""
        self.note(source, lost, LEFT_OUT)

    def hit(
        self, effect: Effect, source: Source, texts: Iterable[str], wide: str, **fields: Any
    ) -> None:
        """Add an ask or a deny as several rules; `wide` takes the place of one that cannot be held."""
        for text in texts:
            try:
                self._add(effect, source, text, fields)
            except RuleSyntaxError as error:
                lost = error.message.removeprefix(f"{self.name}:{source.position}: ")
                self.note(source, lost, f"{effect.word} {wide}, which is stricter")
                self._add(effect, source, wide, fields)

    def stricter(
        self,
        effect: Effect,
        source: Source,
        texts: Iterable[str],
        lost: str,
        *,
        wide: str,
        **fields: Any,
    ) -> None:
        """Add an ask or a deny that hits more than it should, with a note."""
        texts = tuple(texts)
        self.hit(effect, source, texts, wide, **fields)
        self.note(source, lost, f"{effect.word} {', '.join(texts)}, which is stricter")

    def translation(self) -> Translation:
        """What was gathered."""
        return Translation(tuple(self._rules.values()), tuple(self._notes))

    def _add(self, effect: Effect, source: Source, text: str, fields: dict[str, Any]) -> None:
        place = None if self.name is None else f"{self.name}:{source.position}"
        rule = replace(parse_text_rule(effect, text, self.origin, place=place), **fields)
        key = (effect, rule.text, tuple(sorted(fields.items())))
        if key in self._rules:
            return
        same = self._counts[rule.id] = self._counts.get(rule.id, 0) + 1
        self._rules[key] = rule if same == 1 else replace(rule, id=f"{rule.id}#{same}")
