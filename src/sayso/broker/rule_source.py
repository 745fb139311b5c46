"""Today's rules, compiled once per change: the lists of files and built-ins, and the rule table (POL-22, POL-23)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from sayso.broker.ports import Store
from sayso.core.effect import Effect
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.facts import Facts
from sayso.policy.rule import Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED

_log = structlog.get_logger("sayso.rules")


@dataclass(frozen=True, slots=True)
class ListRules:
    """What the permission lists say now.

    `version` differs whenever the rest does; `problem` says what is wrong with the files, in which
    case `rules` holds the last good denies and asks only; `unavailable` means there was no last good.
    """

    version: object
    rules: tuple[Rule, ...]
    problem: str | None = None
    unavailable: bool = False
    descriptors: tuple[ToolDescriptor, ...] = ()


class CachedRules:
    """A RuleSource over a store and the permission lists; nothing that fails here becomes an allow."""

    def __init__(
        self,
        store: Store,
        lists: Callable[[], ListRules],
        built_in: Sequence[Rule],
        facts: Facts,
    ) -> None:
        self._store = store
        self._lists = lists
        self._built_in = tuple(built_in)
        self._facts = facts
        self._key: object = None
        self._compiled: RuleSet | None = None
        self._denies: tuple[Rule, ...] = self._built_in

    async def current(self) -> RuleSet:
        """See RuleSource: read anew for each call, compiled only when something changed."""
        try:
            lists = self._lists()
            version = await self._store.rules_version()
            key = (version, lists.version)
            if self._compiled is not None and key == self._key:
                return self._compiled
            _, table = await self._store.rules()
            groups = [group.group_id for group in await self._store.groups()]
            unavailable = lists.problem if lists.unavailable else None
            compiled = compile_ruleset(
                (*self._built_in, *lists.rules),
                table,
                SHIPPED.adding(lists.descriptors),
                facts=self._facts,
                unavailable=unavailable,
                groups=groups,
            )
        except Exception as error:  # whatever fails, a defect too: it must not become an allow
            return self._unavailable(error)
        if lists.problem is not None:
            _log.error("settings cannot be used", problem=lists.problem)
        self._denies = tuple(
            rule for rule in (*self._built_in, *lists.rules, *table) if rule.effect is Effect.DENY
        )
        self._key, self._compiled = key, compiled
        return compiled

    def _unavailable(self, error: Exception) -> RuleSet:
        """Ask about everything; denies that are known still deny."""
        _log.error("rules cannot be loaded", error=str(error), kind=type(error).__name__)
        self._key = None
        return compile_ruleset(
            self._denies,
            (),
            SHIPPED,
            facts=self._facts,
            unavailable=str(error) or type(error).__name__,
        )
