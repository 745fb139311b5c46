"""Loops: their body runs any number of times, or once for each word that the line shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from sayso.core.shell_command import ShellWord
from sayso.policy.shell import syntax as s
from sayso.policy.shell.places import ANYWHERE, Outcome, Places, still, union
from sayso.policy.shell.variables import SET_BY_THE_SHELL
from sayso.policy.shell.word_finder import WordFinder
from sayso.policy.shell.word_values import Surroundings, is_plain
from sayso.policy.shell.words import is_known

_MOST_TURNS: Final = 32


class LoopFinder(WordFinder):
    """Walks the bodies of loops; `plain` tells that variables hold what words say."""

    def __init__(self, around: Surroundings, *, plain: bool) -> None:
        super().__init__(around)
        self._plain = plain
        self._looking_ahead = False
        self._turns = 1
        """How often the statement at hand is looked at, in loops whose words are known."""

    def _loop(self, run: Callable[[Places], Outcome], places: Places) -> Outcome:
        """A body that runs any number of times: what it does at its end counts at its beginning."""
        start = places
        if not self._looking_ahead:
            self._looking_ahead = True
            found, doubts = len(self.commands), dict(self.doubts)
            end = run(places)
            del self.commands[found:]
            self.doubts = doubts
            self._looking_ahead = False
            if not set(end.either) <= set(places):
                start = ANYWHERE
        return still(union(places, run(start).either))

    def _one_by_one(
        self, loop: s.For, found: tuple[ShellWord, ...], places: Places
    ) -> Outcome | None:
        """A loop over words that the line shows, with its variable as each; None where that is not sure."""
        values = [word.value for word in found if is_known(word) and is_plain(word.value or "")]
        if len(values) != len(found) or not 0 < self._turns * len(values) <= _MOST_TURNS:
            return None
        if self.functions or loop.name in self.looping or loop.name in SET_BY_THE_SHELL:
            return None
        around, count, doubts = self.around, len(self.commands), dict(self.doubts)
        self._turns *= len(values)
        self.looping.add(loop.name)
        ends = places
        for value in values:
            self.around = replace(around, known=(*around.known, (loop.name, value or "")))
            ends = union(ends, self._statements(loop.body, places).either)
        self.around = around
        self.looping.discard(loop.name)
        self._turns //= len(values)
        if ends == places and loop.name not in self.rebound and not self.functions:
            return still(places)
        self.rebound.discard(loop.name)
        del self.commands[count:]
        self.doubts = doubts
        return None
