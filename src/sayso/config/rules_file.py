"""A `rules.json` that settings name, followed: what it asks about now, also while it is broken or away (POL-62)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sayso.config.reading import decoded, read_file, unreadable
from sayso.config.stamp import Stamp, is_settled, stamp_of
from sayso.errors import SettingsInvalid
from sayso.policy.dialects.rules_json import default_rules, translate
from sayso.policy.rule import Origin, Rule

_HINT = "give the user that sayso runs as the right to read it, or take `rules_json` out"


def read_rules_file(path: Path, origin: Origin) -> tuple[Rule, ...]:
    """What the file asks about; one that is not there, the eight that ship. Raises SettingsInvalid."""
    data = read_file(path, _HINT)
    if data is None:
        return _named(default_rules(origin).rules)
    return _parse(path, data, origin)


class RulesFile:
    """A followed `rules.json`, which costs one `stat` as long as it stays the same.

    All its rules are asks. One that is not there stands for the eight that ship; one that goes away
    keeps its rules beside these. One that becomes invalid keeps its last good rules and is a
    `problem`; one that is so from the start makes the rules `unavailable` (POL-23, POL-63).
    """

    def __init__(self, path: Path, origin: Origin) -> None:
        self.path = path
        self.origin = origin
        self.rules: tuple[Rule, ...] = ()
        self.problem: str | None = None
        self._good: tuple[Rule, ...] | None = None
        self._signature: Stamp | None = None
        self._settled = False

    @property
    def unavailable(self) -> bool:
        """Whether nothing is known of what the file asks about."""
        return self.problem is not None and self._good is None

    def look(self) -> bool:
        """Read the file if it may have changed; returns whether what counts of it has."""
        before = self.rules, self.problem
        try:
            signature = self._now()
            if self._settled and signature == self._signature:
                return False
            data = read_file(self.path, _HINT)
            self._signature = signature
            self._settled = is_settled(signature)
            self._take(data)
        except SettingsInvalid as error:
            self._settled = False
            self.problem = str(error)
        return (self.rules, self.problem) != before

    def _take(self, data: bytes | None) -> None:
        if data is None:
            known = {rule.id for rule in self._good or ()}
            shipped = _named(default_rules(self.origin).rules)
            ours = [rule for rule in shipped if rule.id not in known]
            self.rules = (*(self._good or ()), *ours)
        else:
            self.rules = self._good = _parse(self.path, data, self.origin)
        self.problem = None

    def _now(self) -> Stamp:
        try:
            return stamp_of(self.path.stat())
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            raise unreadable(self.path, error, _HINT) from error


def _parse(path: Path, data: bytes, origin: Origin) -> tuple[Rule, ...]:
    return _named(translate(decoded(path, data), str(path), origin=origin).rules)


def _named(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules with ids that no rule of a settings file has."""
    return tuple(replace(rule, id=f"rules.json:{rule.id}") for rule in rules)
