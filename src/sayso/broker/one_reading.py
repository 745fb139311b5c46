"""Today's rules, read once for what one call needs: the verdict, what is frozen and what is offered agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.ports import RuleSource
from sayso.broker.world import World
from sayso.core.session import GivenRule
from sayso.policy.ruleset import RuleSet


class OneReading:
    """A RuleSource that reads another one once for each workspace and its rules given to a session."""

    def __init__(self, rules: RuleSource) -> None:
        self._rules = rules
        self._read: dict[tuple[str | None, tuple[GivenRule, ...]], RuleSet] = {}

    async def current(
        self, workspace: str | None = None, given: Sequence[GivenRule] = ()
    ) -> RuleSet:
        """See RuleSource."""
        key = (workspace, tuple(given))
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = await self._rules.current(workspace, given)
        return found

    def edition(self) -> int:
        """See RuleSource."""
        return self._rules.edition()

    def problems(self) -> tuple[str, ...]:
        """See RuleSource."""
        return self._rules.problems()


def reading_once(world: World) -> World:
    """The world for one attempt at one call: its rules are read anew now, and not again (GATE-5)."""
    return replace(world, rules=OneReading(world.rules))
