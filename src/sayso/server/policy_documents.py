"""What the API answers about a policy: a rule that was tried, what is odd about rules, a verdict in full."""

from __future__ import annotations

from typing import Any, Literal

from sayso.server.documents import Document, Effect, Shown


class PartShown(Document):
    """One part of a sample that a rule could be about."""

    kind: str
    text: str
    matches: bool
    note: str | None


class RuleTestShown(Document):
    """How a rule matches a sample: `applies` for an allow means every part, for a deny or ask any.

    `alone` is the verdict with this rule and no other; `redirections` are the files that a command line
    writes to by redirection, each of which needs an allow of its own.
    """

    applies: bool
    how: Literal["exact", "prefix", "glob", "regex", "path", "host", "name"] | None
    alone: Effect
    parts: list[PartShown]
    redirections: list[str]
    notes: list[str]


class FindingShown(Document):
    """One thing that is odd about a rule; `place` is `file:line:column` of a rule in a file."""

    severity: Literal["error", "warning", "note"]
    code: str
    rule_id: str
    place: str | None
    message: str
    hint: str


class PolicyCheckShown(Document):
    """What is odd about the rules, the worst first; `rules` counts those that people wrote."""

    rules: int
    findings: list[FindingShown]


class VerdictShown(Document):
    """What policy says of a call, why, and in `explain` in full for people."""

    effect: Effect
    reason: str
    must_ask: bool
    rule: dict[str, Any] | None
    target: dict[str, Any] | None
    warnings: list[str]
    trace: list[dict[str, Any]]
    explain: Shown
