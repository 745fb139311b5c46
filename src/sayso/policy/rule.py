"""A rule: a pattern with an effect (POL-10)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.budget import Budget
from sayso.core.effect import Effect
from sayso.core.plain_members import plain_members
from sayso.core.session import DEFAULT_GROUP


@plain_members
class Origin(StrEnum):
    """Where a rule comes from; `database` is the rule table, all others are permission lists."""

    BUILT_IN = "built-in"
    GLOBAL = "global"
    WORKSPACE = "workspace"
    PROJECT = "project"
    FLAG = "flag"
    SESSION = "session"
    TOOL_POLICY = "tool-policy"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, of a permission list or of the rule table.

    `kind` is set for text rules (`shell`, `path`, `read`, `write`, `delete`, `web`, `mcp`, `skill`,
    `agent`, `tool`) and None for table rules; `tool_pattern` and the target patterns are as written.
    `priority` and `group_id` count only in the rule table. `place` is `file:line:column` of a rule
    that stands in a file. `seeded` marks a row of the defaults (POL-41) that no person has touched.
    `budget` limits an allow. `exceptions` are paths, in the grammar of text rules, that a built-in rule
    leaves alone (POL-44).
    """

    id: str
    effect: Effect
    origin: Origin
    tool_pattern: str = "*"
    kind: str | None = None
    path_pattern: str | None = None
    pattern: str | None = None
    agent_id: str | None = None
    source: str | None = None
    user_id: str | None = None
    when: str | None = None
    unless: str | None = None
    priority: int = 0
    group_id: str = DEFAULT_GROUP
    must_ask: bool = False
    note: str = ""
    justification: str = ""
    examples: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()
    approval: ApprovalPolicy | None = None
    seeded: bool = False
    place: str | None = None
    exceptions: tuple[str, ...] = ()
    budget: Budget | None = None

    @property
    def text(self) -> str:
        """The rule as people read it, without its effect: a text rule, or the table row's pattern."""
        if self.kind is not None:
            return f"{self.kind}({self.path_pattern or self.pattern or self.tool_pattern})"
        target = self.path_pattern or self.pattern
        return self.tool_pattern if target is None else f"{self.tool_pattern} {target}"

    def to_json(self) -> dict[str, Any]:
        """The rule as plain data, as the API and the audit log carry it."""
        return {
            "id": self.id,
            "effect": self.effect.word,
            "origin": self.origin.value,
            "text": self.text,
            "kind": self.kind,
            "tool_pattern": self.tool_pattern,
            "path_pattern": self.path_pattern,
            "pattern": self.pattern,
            "agent_id": self.agent_id,
            "source": self.source,
            "user_id": self.user_id,
            "when": self.when,
            "unless": self.unless,
            "priority": self.priority,
            "group_id": self.group_id,
            "must_ask": self.must_ask,
            "note": self.note,
            "justification": self.justification,
            "examples": list(self.examples),
            "counter_examples": list(self.counter_examples),
            "policy": None if self.approval is None else self.approval.to_json(),
            "budget": None if self.budget is None else self.budget.to_json(),
            "seeded": self.seeded,
            "place": self.place,
        }
