"""Today's rules, compiled once per change: the lists of files and built-ins, and the rule table (POL-22, POL-23)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import structlog

from sayso.broker.ports import Store
from sayso.core.effect import Effect
from sayso.core.freeze import Freeze
from sayso.core.in_force import NOTHING_IN_FORCE, InForce
from sayso.core.mode import TIGHTENING
from sayso.core.observed_tool import Definitions
from sayso.core.run_context import RunContext
from sayso.core.session import GivenRule
from sayso.errors import PolicyError, RuleRefused
from sayso.policy.descriptors import Descriptors, ToolDescriptor
from sayso.policy.examples import check_examples
from sayso.policy.facts import Facts
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule

_log = structlog.get_logger("sayso.rules")

MAX_COMPILED = 64
"""So many compiled rule sets are kept: one for all workspaces and sessions with the same rules."""

_OF_A_PLACE = frozenset({Origin.WORKSPACE, Origin.PROJECT, Origin.SESSION})
"""Where rules come from that do not hold everywhere."""


@dataclass(frozen=True, slots=True)
class ListRules:
    """What the permission lists say now, in one workspace.

    `version` differs whenever the rest does; `problem` says what is wrong with the files, in which
    case `rules` holds what still counts of them; `unavailable` means that there was no last good.
    `warnings` are sentences for people; `in_force` is what the files say beside rules.
    """

    version: object
    rules: tuple[Rule, ...]
    problem: str | None = None
    unavailable: bool = False
    descriptors: tuple[ToolDescriptor, ...] = ()
    warnings: tuple[str, ...] = ()
    in_force: InForce = NOTHING_IN_FORCE


class Lists(Protocol):
    """Where the permission lists come from: files that are followed, or what a test says."""

    def current(self, workspace: str | None = None) -> ListRules:
        """What the lists say now for calls of a workspace."""

    def edition(self) -> int:
        """A number that grows whenever a file is seen to have changed."""

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the files, for people."""


class FixedLists:
    """Lists that are the same in every workspace and change only when they are set."""

    def __init__(self, lists: ListRules) -> None:
        self.lists = lists

    def current(self, workspace: str | None = None) -> ListRules:
        """See Lists."""
        return self.lists

    def edition(self) -> int:
        """See Lists."""
        return 0

    def problems(self) -> tuple[str, ...]:
        """See Lists."""
        return () if self.lists.problem is None else (self.lists.problem,)


@dataclass(frozen=True, slots=True)
class _Table:
    """What the store holds for the rules, as of one version of it; the brakes that are on count among it."""

    version: int
    rows: Sequence[Rule]
    groups: Sequence[str]
    definitions: Sequence[Definitions]
    run_contexts: Mapping[str, RunContext]
    freezes: tuple[Freeze, ...]


class CachedRules:
    """A RuleSource over a store and the permission lists; nothing that fails here becomes an allow."""

    def __init__(self, store: Store, lists: Lists, built_in: Sequence[Rule], facts: Facts) -> None:
        self._store = store
        self._lists = lists
        self._built_in = tuple(built_in)
        self._facts = facts
        self._compiled: OrderedDict[object, RuleSet] = OrderedDict()
        self._table: _Table | None = None
        self._freezes: tuple[Freeze, ...] = ()
        self._last: OrderedDict[str | None, RuleSet] = OrderedDict()

    async def current(
        self, workspace: str | None = None, given: Sequence[GivenRule] = ()
    ) -> RuleSet:
        """See RuleSource: read anew for each call, compiled only when something changed."""
        try:
            lists = self._lists.current(workspace)
            version = await self._store.rules_version()
            key = (version, lists.version, tuple(given))
            found = self._compiled.get(key)
            if found is not None:
                self._compiled.move_to_end(key)
                return self._remembered(workspace, found)
            compiled = await self._compile(lists, version, given)
        except Exception as error:  # whatever fails, a defect too: it must not become an allow
            return self._unavailable(workspace, given, error)
        if lists.problem is not None:
            _log.error("settings cannot be used", problem=lists.problem)
        for warning in lists.warnings:
            _log.warning("settings", warning=warning)
        self._compiled[key] = compiled
        while len(self._compiled) > MAX_COMPILED:
            self._compiled.popitem(last=False)
        return self._remembered(workspace, compiled)

    def edition(self) -> int:
        """See RuleSource."""
        return self._lists.edition()

    def problems(self) -> tuple[str, ...]:
        """See RuleSource."""
        return self._lists.problems()

    async def _compile(self, lists: ListRules, version: int, given: Sequence[GivenRule]) -> RuleSet:
        if self._table is None or self._table.version != version:
            read, rows = await self._store.rules()
            named = [group.group_id for group in await self._store.groups()]
            known_tools = await self._store.definitions()
            contexts = {one.run_context_id: one for one in await self._store.run_contexts()}
            # last: it may only be newer than the version it is kept under
            frozen = tuple(await self._store.freezes())
            self._table = _Table(read, rows, named, known_tools, contexts, frozen)
        table = self._table.rows
        rules = (*self._built_in, *lists.rules, *given_rules(given))
        known = SHIPPED.adding(lists.descriptors)
        lying = {row.id: why for row in table if (why := self._lie(row, known)) is not None}
        return compile_ruleset(
            rules,
            [row for row in table if row.id not in lying or row.effect is not Effect.ALLOW],
            known,
            facts=self._facts,
            unavailable=lists.problem if lists.unavailable else None,
            groups=self._table.groups,
            definitions=self._table.definitions,
            problems=lying.values(),
            in_force=replace(
                lists.in_force,
                run_contexts=self._table.run_contexts,
                freezes=self._table.freezes,
            ),
        )

    def _remembered(self, workspace: str | None, rules: RuleSet) -> RuleSet:
        """The rules, kept as the last that held in a workspace."""
        self._freezes = rules.in_force.freezes
        self._last[workspace] = rules
        self._last.move_to_end(workspace)
        while len(self._last) > MAX_COMPILED:
            self._last.popitem(last=False)
        return rules

    def _known_denies(self, workspace: str | None) -> tuple[list[Rule], Descriptors]:
        """The denies that held last, and the tools they are about.

        In a workspace that was never seen they are those of the newest one that hold everywhere.
        """
        last = self._last.get(workspace)
        if last is not None:
            return [rule for rule in last.rules if rule.effect is Effect.DENY], last.descriptors
        if not self._last:
            return [rule for rule in self._built_in if rule.effect is Effect.DENY], SHIPPED
        newest = next(reversed(self._last.values()))
        denies = [rule for rule in newest.rules if rule.effect is Effect.DENY]
        return [rule for rule in denies if rule.origin not in _OF_A_PLACE], newest.descriptors

    def _known_in_force(self, workspace: str | None) -> InForce:
        """What held last beside rules, without what loosens: nothing is lifted now anyway."""
        last = self._last.get(workspace)
        if last is None:
            return InForce(read_only_defaults=False, freezes=self._freezes)
        mode = last.in_force.mode
        tight = mode if mode in TIGHTENING else None
        contexts = last.in_force.run_contexts
        return InForce(
            mode=tight,
            read_only_defaults=False,
            run_contexts=contexts,
            freezes=self._freezes,
        )

    def _lie(self, row: Rule, known: Descriptors) -> str | None:
        """An example that a row of the table does not bear out, in words; it had none when it was saved.

        An allow then does not count; a deny or ask does as far as it goes.
        """
        try:
            check_examples(row, self._facts, known)
        except RuleRefused as error:
            return error.message
        except PolicyError:
            return None  # it cannot be read, which compiling it says better
        return None

    def _unavailable(
        self, workspace: str | None, given: Sequence[GivenRule], error: Exception
    ) -> RuleSet:
        """Ask about everything; denies that are known still deny."""
        _log.error("rules cannot be loaded", error=str(error), kind=type(error).__name__)
        self._compiled.clear()
        self._table = None
        known, descriptors = self._known_denies(workspace)
        denies = {*known, *(rule for rule in _readable(given) if rule.effect is Effect.DENY)}
        return compile_ruleset(
            denies,
            (),
            descriptors,
            facts=self._facts,
            unavailable=str(error) or type(error).__name__,
            in_force=self._known_in_force(workspace),
        )


@lru_cache(maxsize=1024)
def given_rule(given: GivenRule) -> Rule:
    """The rule that was given to a session; raises RuleSyntaxError if it cannot be read."""
    return parse_text_rule(given.effect, given.text, Origin(given.origin))


def given_rules(given: Sequence[GivenRule]) -> tuple[Rule, ...]:
    """The rules that were given to a session, on its command line or in its course (POL-64)."""
    return tuple(given_rule(one) for one in given)


def _readable(given: Sequence[GivenRule]) -> Iterator[Rule]:
    """The rules given to a session that can be read: one that cannot must hide no other."""
    for one in given:
        with suppress(PolicyError):
            yield given_rule(one)
