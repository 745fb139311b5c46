"""Words for tests of policy: one call, a few rules, what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.policy.descriptors import Descriptors
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts


def call(tool: str = "notify", server: str | None = None, **arguments: Any) -> ToolCall:
    """A call in the workspace `/w`."""
    return ToolCall("c1", tool, arguments, "s1", "a1", "u1", workspace="/w", server=server)


def rule(text: str, origin: Origin = Origin.GLOBAL) -> Rule:
    """A text rule with its effect, such as `deny path(secrets)`."""
    effect, _, rest = text.partition(" ")
    return parse_text_rule(effect, rest, origin, rule_id=text)


def row(effect: str, tool: str, path: str | None = None, **fields: Any) -> Rule:
    """A row of the rule table."""
    name = fields.pop("id", f"{effect} {tool} {path or ''}".strip())
    return Rule(
        name,
        Effect.parse(effect),
        Origin.DATABASE,
        tool_pattern=tool,
        path_pattern=path,
        **fields,
    )


def said(
    what: ToolCall,
    *lists: Rule | str,
    table: Sequence[Rule] = (),
    facts: FakeFacts | None = None,
    group: str = "default",
    descriptors: Descriptors = SHIPPED,
) -> PolicyOutcome:
    """What policy says of a call."""
    facts = facts or FakeFacts()
    rules = [rule(item) if isinstance(item, str) else item for item in lists]
    ruleset = compile_ruleset(rules, table, descriptors, facts=facts)
    return judge(what, ruleset, facts, group=group)


def effect(what: ToolCall, *lists: Rule | str, **more: Any) -> str:
    """The effect in a word."""
    return said(what, *lists, **more).effect.word
