"""The compiled rules, and `judge`: from a call to what policy says of it (POL-20 to POL-25, POL-80)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msgspec import structs

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.in_force import NOTHING_IN_FORCE, InForce
from sayso.core.observed_tool import Definitions
from sayso.core.reason import Reason
from sayso.core.session import DEFAULT_GROUP
from sayso.core.shell_command import ShellCommand
from sayso.core.target import Target, TargetKind
from sayso.policy.command_index import CommandIndex, CommandMatches, needs_no_allow
from sayso.policy.compiled import CompiledRule, is_catch_all
from sayso.policy.descriptors import Descriptors
from sayso.policy.facts import Facts
from sayso.policy.host_weighing import weigh_host
from sayso.policy.layer import Layer
from sayso.policy.matching import PathMatcher, match_named
from sayso.policy.outcome import PolicyOutcome, TargetOutcome
from sayso.policy.path_index import Place
from sayso.policy.path_targets import path_target
from sayso.policy.plan import Plan, look_alike, may_be
from sayso.policy.rule import Origin, Rule
from sayso.policy.shell.own_commands import is_for_people, may_be_for_people
from sayso.policy.targets import targets_of
from sayso.policy.weighing import combine, weigh

MAX_MEMO = 8192
CHANGED = "its description or schema changed since it was approved"


class RuleSet:
    """All rules in force, compiled once and never changed; build it with `compile_ruleset`.

    `unavailable` says why the rules could not be loaded, None if they are; `problems` are sentences
    about rules that cannot be read (those count so that nothing is loosened), `left_out` those among
    them about rules that are not here, `warnings` about rules that can never match. `in_force` is what
    was read with them and is no rule.
    """

    def __init__(
        self,
        rules: Iterable[CompiledRule],
        descriptors: Descriptors,
        groups: Iterable[str],
        unavailable: str | None,
        definitions: Iterable[Definitions] = (),
        problems: Iterable[str] = (),
        in_force: InForce = NOTHING_IN_FORCE,
    ) -> None:
        self.descriptors = descriptors
        self.in_force = in_force
        self.unavailable = unavailable
        self._definitions = {(found.server, found.tool): found for found in definitions}
        self.rules: tuple[Rule, ...] = ()
        self._lists = Layer()
        self._groups: dict[str, Layer] = {name: Layer() for name in (DEFAULT_GROUP, *groups)}
        compiled = list(rules)
        for rule in compiled:
            if rule.is_list:
                self._lists.add(rule)
            else:
                self._groups.setdefault(rule.rule.group_id, Layer()).add(rule)
        self.rules = tuple(rule.rule for rule in compiled)
        self.has_budgets = any(rule.budget is not None for rule in self.rules)
        unread = (rule.problem for rule in compiled if rule.problem is not None)
        self.left_out = tuple(problems)
        self.problems = (*unread, *self.left_out)
        self.warnings = tuple(rule.never for rule in compiled if rule.never is not None)
        self._by_agent = any(rule.agent_id for rule in compiled)
        self._by_source = any(rule.source for rule in compiled)
        self._by_user = any(rule.user_id for rule in compiled)
        self._owned = self._by_agent or self._by_source or self._by_user
        # Memos: what they hold follows from the rules alone, so that forgetting is always safe.
        self._plans: dict[tuple[str | None, ...], Plan] = {}
        self._places: dict[tuple[str, bool], Place] = {}

    @property
    def definitions(self) -> tuple[Definitions, ...]:
        """What is known of the definitions of servers' tools."""
        return tuple(self._definitions.values())

    @property
    def groups(self) -> tuple[str, ...]:
        """The permission groups there are."""
        return tuple(self._groups)

    def definitions_of(self, call: ToolCall) -> Definitions | None:
        """The definitions of the call's tool; None for one that was never offered, or of no server."""
        return None if call.server is None else self._definitions.get((call.server, call.tool))

    def plan(self, call: ToolCall, group: str) -> Plan:
        """What is known of the call's tool before its arguments are looked at."""
        key: tuple[str | None, ...] = (call.server, call.tool, group)
        if self._owned:
            key += (
                call.agent_id if self._by_agent else None,
                call.source if self._by_source else None,
                call.user_id if self._by_user else None,
            )
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= MAX_MEMO:
                self._plans.clear()
            found = self._plans[key] = self._make_plan(call, call.server, call.tool, group)
        return found

    def unscoped_plan(self, tool: str, server: str | None, group: str) -> Plan:
        """The plan of a tool with the rules of every agent, source and user."""
        key = (server, tool, group, "any owner")
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._make_plan(None, server, tool, group)
        return found

    def place(self, path: str | None, *, windows: bool) -> Place | None:
        """A directory in normal form."""
        if path is None:
            return None
        found = self._places.get((path, windows))
        if found is None:
            if len(self._places) >= MAX_MEMO:
                self._places.clear()
            found = self._places[path, windows] = Place(path, windows=windows)
        return found

    def _make_plan(self, call: ToolCall | None, server: str | None, tool: str, group: str) -> Plan:
        warnings: tuple[str, ...] = ()
        if group not in self._groups:
            warnings = (f"there is no permission group `{group}`; only `{DEFAULT_GROUP}` counts",)
        names = [name for name in dict.fromkeys((group, DEFAULT_GROUP)) if name in self._groups]
        table = [self._groups[name] for name in names]
        return Plan(call, server, tool, group, self._lists, table, self.descriptors, warnings)


def compile_ruleset(
    lists: Iterable[Rule],
    table: Iterable[Rule],
    descriptors: Descriptors,
    *,
    facts: Facts | None = None,
    unavailable: str | None = None,
    groups: Iterable[str] = (),
    definitions: Iterable[Definitions] = (),
    problems: Iterable[str] = (),
    in_force: InForce = NOTHING_IN_FORCE,
) -> RuleSet:
    """Compile rules of permission lists and of the rule table.

    With `facts`, `~` and links in the fixed part of a path are resolved. `groups` are the permission
    groups there are, beside those that have rules; `definitions` tell which tools of servers are
    still what was approved (POL-46); `problems` are sentences about rules that were left out. A rule
    that cannot be read does not raise: an allow is left out, a deny or ask applies to everything its
    tool pattern hits.
    """
    rules = []
    for rule in lists:
        # What stands in a list is judged as such, whatever its row claims.
        origin = Origin.SESSION if rule.origin is Origin.DATABASE else rule.origin
        rules.append(
            CompiledRule(rule if origin is rule.origin else replace(rule, origin=origin), facts)
        )
    for rule in table:
        row = rule if rule.origin is Origin.DATABASE else replace(rule, origin=Origin.DATABASE)
        rules.append(CompiledRule(row, facts))
    return RuleSet(rules, descriptors, groups, unavailable, definitions, problems, in_force)


def with_lists(ruleset: RuleSet, extra: Iterable[Rule], facts: Facts) -> RuleSet:
    """The same rules with others added to the permission lists."""
    given = ruleset.rules
    return compile_ruleset(
        (*(rule for rule in given if rule.origin is not Origin.DATABASE), *extra),
        (rule for rule in given if rule.origin is Origin.DATABASE),
        ruleset.descriptors,
        facts=facts,
        unavailable=ruleset.unavailable,
        groups=ruleset.groups,
        definitions=ruleset.definitions,
        problems=ruleset.left_out,
        in_force=ruleset.in_force,
    )


def judge(
    call: ToolCall, ruleset: RuleSet, facts: Facts, *, group: str = DEFAULT_GROUP
) -> PolicyOutcome:
    """What policy says of a call: the strictest of its targets, each weighed by all rules."""
    plan = ruleset.plan(call, group)
    outcome = plan.fixed
    if outcome is None:
        outcome = _judge(call, ruleset, facts, plan)
    if ruleset.unavailable is not None and outcome.effect is not Effect.DENY:
        return structs.replace(
            outcome,
            effect=Effect.ASK,
            reason=Reason.RULES_UNAVAILABLE,
            must_ask=True,
            warnings=(*outcome.warnings, f"the rules cannot be loaded: {ruleset.unavailable}"),
        )
    return outcome


def _judge(call: ToolCall, ruleset: RuleSet, facts: Facts, plan: Plan) -> PolicyOutcome:
    if plan.simple:
        only = weigh(plan.identity, call, plan.lists, plan.table, plan.doubts)
        return combine((only,), plan.warnings)
    only_path = plan.only_path
    targets: tuple[Target, ...]
    if only_path is not None and isinstance(path := call.arguments.get(only_path.name), str):
        operation, walks = only_path.operation, only_path.walks
        targets = (path_target(path, operation, call.workspace, facts, own=True, walks=walks),)
    else:
        identity = plan.identity if call.server is None else _identity(call, ruleset, plan)
        targets = targets_of(call, identity, plan.descriptor, facts)
    if len(targets) == 1:
        only = _weigh_target(targets[0], call, ruleset, facts, plan, None)
        return combine((only,), plan.warnings)
    deciding = [t for t in targets if t.own and not needs_no_allow(t.command)]
    deciding = deciding or [next(t for t in targets if t.own)]
    outcomes = [_weigh_target(target, call, ruleset, facts, plan, None) for target in deciding]
    if len(outcomes) < len(targets):
        own = outcomes[0] if len(outcomes) == 1 else combine(outcomes)
        decided = {id(target) for target in deciding}
        for target in targets:
            if id(target) in decided:
                continue
            outcome = _weigh_target(target, call, ruleset, facts, plan, own.effect)
            if outcome.rule is None and outcome.reason is Reason.NO_RULE:
                if target.redirected:
                    outcome = _unmatched_write(outcome, call, plan)
                else:
                    # A derived target that nothing matches follows the call's own effect.
                    outcome = outcome.following(own)
            outcomes.append(outcome)
    return combine(outcomes, plan.warnings)


def _identity(call: ToolCall, ruleset: RuleSet, plan: Plan) -> Target:
    """The tool itself, in doubt where it is not what it was when it was approved (POL-46).

    A call that names no definition is one of the last that was seen.
    """
    known = ruleset.definitions_of(call)
    if known is None:
        return plan.identity
    definition = call.definition or known.current
    if definition is None or definition in known.approved:
        return plan.identity
    return structs.replace(plan.identity, doubt=plan.identity.doubt or CHANGED)


def _unmatched_write(outcome: TargetOutcome, call: ToolCall, plan: Plan) -> TargetOutcome:
    """A write by redirection that no rule is about asks; a catch-all of the table may say more (POL-34)."""
    rows = [row for row in plan.table if is_catch_all(row.rule)]
    said = weigh(outcome.target, call, (), rows)
    return outcome if said.effect is Effect.ALLOW else said


def _weigh_target(
    target: Target,
    call: ToolCall,
    ruleset: RuleSet,
    facts: Facts,
    plan: Plan,
    followed: Effect | None,
) -> TargetOutcome:
    """Weigh one target; one that nothing matches has the effect `followed`, where there is one."""
    decides = target.own and followed is None
    lists = plan.lists if decides else []
    table = plan.table if decides else []
    doubts: list[str] = [*plan.doubts] if target.own else []
    looks: list[CompiledRule] = []
    if target.kind is TargetKind.PATH:
        windows = facts.windows
        matcher = PathMatcher(target, ruleset.place(call.workspace, windows=windows), facts)
        if plan.list_paths:
            lists = lists + matcher.match(plan.list_paths, call, looks)
        if plan.table_paths:
            table = plan.ordered(table + matcher.match(plan.table_paths, call, looks))
        if target.resolved is None and target.doubt is None and plan.path_concern is not None:
            doubts.append(
                "where the path leads is not known, and rule "
                f"`{plan.path_concern.rule.id}` could be about it"
            )
        if target.walks and (
            reached := matcher.reached((*plan.list_paths, *plan.table_paths), call)
        ):
            doubts.append(f"what rule `{reached.rule.id}` is about lies below it, or may")
    elif target.kind is TargetKind.HOST:
        return weigh_host(target, call, facts, plan, lists, table, doubts, followed)
    elif target.kind is TargetKind.COMMAND:
        matches = _matches(plan.list_commands, target, call, facts, plan)
        lists = lists + matches.rules
        looks, maybe = matches.looks, matches.maybe
        if plan.table_commands:
            rows = _matches(plan.table_commands, target, call, facts, plan)
            table = plan.ordered(table + rows.rules)
            looks, maybe = looks + rows.looks, maybe + rows.maybe
        if maybe:
            doubts += sorted({may_be(target, rule) for rule in maybe})
        if needs_no_allow(target.command) and not decides:
            # It is a wrapper, or runs nothing: only what is said of it by name counts.
            lists = [rule for rule in lists if not rule.strict and not _is_wide(rule)]
            table = [row for row in table if not _is_wide(row)]
        if target.command is not None and may_be_for_people(target.command):
            doubts.append("its program is not known, and sayso's own decisions are for people")
        if plan.for_people and target.command is not None and is_for_people(target.command):
            lists = lists + plan.for_people
        if target.opaque and plan.concern is not None:
            doubts.append(
                f"{target.doubt}, and rule `{plan.concern.rule.id}` could be about a part of it"
            )
    elif target.kind in (TargetKind.SKILL, TargetKind.AGENT):
        lists = lists + match_named(target, plan.list_groups, call, looks)
        table = plan.ordered(table + match_named(target, plan.table_groups, call, looks))
    if looks:
        doubts += sorted({look_alike(target, rule) for rule in looks})
    return weigh(target, call, lists, table, doubts)


def _matches(
    indexes: list[CommandIndex], target: Target, call: ToolCall, facts: Facts, plan: Plan
) -> CommandMatches:
    found = CommandMatches()
    name = None if plan.descriptor is None else plan.descriptor.command
    line = None if name is None else call.arguments.get(name)
    command = target.command or ShellCommand(target.text, ())
    for index in indexes:
        index.match(command, line if isinstance(line, str) else target.text, call, facts, found)
    return found


def _is_wide(rule: CompiledRule) -> bool:
    return rule.command is None or rule.command.everything
