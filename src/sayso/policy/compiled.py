"""One rule, made ready for matching; an error in it never loosens (POL-14, POL-23)."""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import Condition, ConditionFailed, failing
from sayso.policy.condition import compile_condition
from sayso.policy.facts import Facts
from sayso.policy.outcome import Match
from sayso.policy.patterns.command import CommandPattern, compile_command
from sayso.policy.patterns.host import HostPattern, compile_host
from sayso.policy.patterns.mcp import PairPattern, compile_pair
from sayso.policy.patterns.path import (
    DEEP,
    PathPattern,
    compile_table_path,
    compile_text_path,
    with_resolved_prefix,
)
from sayso.policy.patterns.tool import (
    CLASS_OPERATIONS,
    ToolPattern,
    compile_tool_pattern,
)
from sayso.policy.rule import Origin, Rule
from sayso.policy.spelling import hidden_character
from sayso.policy.text_rule import NAME_KINDS, PATH_KINDS

CRITICAL = "@critical"
"""The path of a built-in rule that means the root, the home, the workspace and their parents."""

FOR_PEOPLE = "@for-people"
"""The command of a built-in rule that means those of sayso's that only people may run."""

_KIND_OPERATIONS: dict[str, frozenset[Operation] | None] = {
    "path": None,
    "read": frozenset({Operation.READ}),
    "write": frozenset({Operation.WRITE}),
    "delete": frozenset({Operation.DELETE}),
}
EVERY_PATH = PathPattern((DEEP,), anchored=False)


class CompiledRule:
    """A rule with its patterns and conditions compiled.

    Exactly one sort of target is set for a rule with a target pattern: `paths`, `hosts`, `pair`,
    `command` or `named` (skills and agents). `problem` says what could not be
    compiled: the rule then applies to everything its tool pattern hits if it asks or denies, and to
    nothing if it allows.
    """

    __slots__ = (
        "agent_id", "command", "critical", "denies", "effect", "every_path", "exceptions", "firm",
        "for_people", "guarded", "host", "is_list", "match", "must_ask", "named", "named_kind", "operations", "order",
        "pair", "paths", "problem", "rule", "scoped", "source", "strict", "targeted", "tool",
        "unless", "user_id", "when",
    )  # fmt: skip

    def __init__(self, rule: Rule, facts: Facts | None) -> None:
        self.rule = rule
        self.match = (Match(rule),)
        self.effect = rule.effect
        self.strict = rule.effect is Effect.ALLOW
        self.denies = rule.effect is Effect.DENY
        self.is_list = rule.origin is not Origin.DATABASE
        self.order = (rule.priority, rule.id)
        self.agent_id = rule.agent_id or None
        self.source = rule.source or None
        self.user_id = rule.user_id or None
        self.scoped = bool(self.agent_id or self.source or self.user_id)
        self.must_ask = _must_ask(rule)
        self.problem: str | None = None
        self.when = self._condition(rule.when)
        self.unless = self._condition(rule.unless)
        self.operations: frozenset[Operation] | None = None
        self.paths: tuple[PathPattern, ...] | None = None
        self.exceptions: tuple[PathPattern, ...] = ()
        self.critical = False
        self.for_people = False
        self.host: HostPattern | None = None
        self.pair: PairPattern | None = None
        self.command: CommandPattern | None = None
        self.named: ToolPattern | None = None
        self.named_kind: str | None = None
        self.tool = compile_tool_pattern("*")
        try:
            self._compile(rule, facts)
        except RuleSyntaxError as error:
            self.problem = f"the rule `{rule.text}` cannot be read: {error.message}"
            self.paths = self.host = self.pair = self.command = self.named = None
        self.guarded = self.when is not None or self.unless is not None or bool(self.problem)
        self.firm = self.must_ask or _routed(rule) or not (rule.seeded or is_catch_all(rule))
        self.every_path = False
        self.targeted = False
        self._summarise()

    def _summarise(self) -> None:
        self.every_path = self.paths is not None and any(p.everything for p in self.paths)
        patterns = (self.paths, self.host, self.pair, self.command, self.named)
        self.targeted = self.for_people or any(pattern is not None for pattern in patterns)

    def in_scope(self, call: ToolCall) -> bool:
        """Whether the rule is for this agent, source and user."""
        return (
            (self.agent_id is None or self.agent_id == call.agent_id)
            and (self.source is None or self.source == call.source)
            and (self.user_id is None or self.user_id == call.user_id)
        )

    def for_call(self, call: ToolCall) -> bool:
        """Whether the rule is for the owner of the call; most rules are for all."""
        return not self.scoped or self.in_scope(call)

    def holds(self, call: ToolCall) -> tuple[bool, bool, str | None]:
        """Whether the rule applies by its conditions, whether they failed, and what they did.

        Where they fail a deny or ask counts as applying and an allow as not (POL-14).
        """
        try:
            if self.when is not None and not self.when(call):
                return False, False, f"`when {self.rule.when}` is false: not applied"
            if self.unless is not None and self.unless(call):
                return False, False, f"`unless {self.rule.unless}` is true: not applied"
        except ConditionFailed as failure:
            if self.strict:
                return False, True, f"its condition failed ({failure}): an allow does not count"
            return True, True, f"its condition failed ({failure}): it counts as applying"
        if self.problem is not None:
            return not self.strict, True, f"{self.problem}; it counts as applying"
        return True, False, "its condition holds" if self.guarded else None

    def for_operation(self, operation: Operation | None) -> bool:
        """Whether the rule is about this operation on a path; one not known could be any."""
        if self.operations is None or operation in self.operations:
            return True
        return operation is Operation.ANY and not self.strict

    @property
    def never(self) -> str | None:
        """Why the rule can never do what it says, None if it can."""
        if self.paths == () and not self.critical:
            return f"the rule `{self.rule.text}` can never match: the home directory is not known"
        if self.strict and not self.targeted:
            name = self.tool.text
            hidden = hidden_character(name)
            if hidden is not None or name != name.strip():
                return f"the rule `{self.rule.text}` can never match: such a name always asks"
            if self.tool.literal and name.startswith("mcp__") and self.tool.server is None:
                return f"the rule `{self.rule.text}` can never match: it names no tool of a server"
        return None

    def _condition(self, text: str | None) -> Condition | None:
        if text is None or not text.strip():
            return None
        try:
            return compile_condition(text)
        except RuleSyntaxError as error:
            return failing(f"it cannot be read: {error.message}")

    def _compile(self, rule: Rule, facts: Facts | None) -> None:
        if rule.kind is None:
            self._compile_table(rule, facts)
        elif rule.kind in PATH_KINDS:
            self.operations = _KIND_OPERATIONS[rule.kind]
            self._compile_paths(rule, facts, compile_text_path)
        elif rule.kind == "shell":
            if rule.pattern == FOR_PEOPLE and rule.origin is Origin.BUILT_IN:
                self.for_people = True
            else:
                self.command = compile_command(rule.pattern or "", _home(facts))
        elif rule.kind == "web":
            self.host = compile_host(rule.pattern or "")
        elif rule.kind == "mcp":
            self.pair = compile_pair(rule.pattern or "")
        elif rule.kind == "tool":
            self._compile_tool(rule.tool_pattern)
        elif rule.kind in NAME_KINDS:
            self.named = compile_tool_pattern(rule.pattern or "")
            self.named_kind = rule.kind
        else:
            raise RuleSyntaxError(f"`{rule.kind}` is not a kind of rule")

    def _compile_tool(self, pattern: str) -> None:
        if pattern.startswith("@"):
            if pattern not in CLASS_OPERATIONS:
                raise RuleSyntaxError(f"`{pattern}` is no class of tools")
            operations = CLASS_OPERATIONS[pattern]
            self.operations = None if pattern == "@fs_any" else operations
            self.paths = (EVERY_PATH,)
        else:
            self.tool = compile_tool_pattern(pattern)

    def _compile_table(self, rule: Rule, facts: Facts | None) -> None:
        self._compile_tool(rule.tool_pattern)
        if rule.path_pattern is not None:
            self.paths = None
            self._compile_paths(rule, facts, compile_table_path)
        elif rule.pattern is not None:
            self.command = compile_command(rule.pattern, _home(facts))
            for compile_other in (self._try_host, self._try_pair):
                compile_other(rule.pattern)

    def _try_host(self, pattern: str) -> None:
        try:
            self.host = compile_host(pattern)
        except RuleSyntaxError:
            self.host = None

    def _try_pair(self, pattern: str) -> None:
        try:
            self.pair = compile_pair(pattern)
        except RuleSyntaxError:
            self.pair = None

    def _compile_paths(
        self, rule: Rule, facts: Facts | None, compile_path: Callable[..., list[PathPattern]]
    ) -> None:
        home = _home(facts)
        windows = facts is not None and facts.windows
        text = rule.path_pattern or ""
        if text == CRITICAL and rule.origin is Origin.BUILT_IN:
            self.critical = True
            self.paths = ()
            return
        patterns = compile_path(text, home, windows=windows, strict=self.strict)
        if facts is not None:
            for pattern in list(patterns):
                other = with_resolved_prefix(pattern, facts.resolve)
                if other is not None:
                    patterns.append(other)
        self.paths = tuple(patterns)
        if rule.exceptions:
            self.exceptions = tuple(
                pattern
                for exception in rule.exceptions
                for pattern in compile_text_path(exception, home, windows=windows, strict=False)
            )


def _home(facts: Facts | None) -> str | None:
    return None if facts is None else facts.home


def is_catch_all(rule: Rule) -> bool:
    """Whether a row of the rule table is a group's default action: a bare `*` (POL-22)."""
    return (
        rule.tool_pattern == "*"
        and rule.kind is None
        and not (rule.path_pattern or rule.pattern or rule.when or rule.unless)
        and not (rule.agent_id or rule.source or rule.user_id)
    )


def _must_ask(rule: Rule) -> bool:
    if rule.effect is not Effect.ASK:
        return False
    return rule.must_ask or rule.origin not in (Origin.DATABASE, Origin.TOOL_POLICY)


def _routed(rule: Rule) -> bool:
    """Whether an ask goes to others than the session's user, so that a list's allow cannot lift it."""
    policy = rule.approval
    return policy is not None and any(
        one.are_others or one.quorum not in (None, 1) for one in policy.deciders
    )
