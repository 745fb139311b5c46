"""The work of B-1: seeded rules of mixed kinds, and calls of which 70 % match one of them.

The rules are plain data; each engine gets its own translation. Their order is deny, ask, allow, so
that *first match by priority* and *the strictest match wins* mean the same for every engine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

CALLS = 1000
WORKSPACE = "/home/dev/project"
MATCHING = 0.70
BEYOND = 10_000_000
"""Numbers from here on belong to no rule: names that look like the rules' but match none."""

KINDS = (("exact", 0.60), ("glob", 0.20), ("path", 0.15), ("condition", 0.05))
FILE_TOOLS = ("read_file", "write_file", "edit_file", "delete_file")
SERVICES = (
    "billing", "calendar", "crm", "docs", "erp", "forms", "github", "hr", "jira", "ledger", "mail",
    "maps", "notes", "orders", "pages", "queue", "sheets", "stock", "tickets", "wiki",
)  # fmt: skip
VERBS = ("create", "delete", "export", "find", "list", "send", "share", "update")
NOUNS = ("account", "contact", "draft", "entry", "invoice", "report", "task", "thread")
AREAS = ("app", "data", "docs", "infra", "lib", "scripts", "src", "tests")


class Says(IntEnum):
    """What a rule says; a smaller value is stricter, and NOTHING means that no rule matches."""

    DENY = 0
    ASK = 1
    ALLOW = 2
    NOTHING = 3


@dataclass(frozen=True, slots=True)
class WorkRule:
    """One rule: an exact name or a prefix (`tool` ends in `*`), a subtree of paths, a limit."""

    number: int
    kind: str
    tool: str
    says: Says
    directory: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class WorkCall:
    """One call; `path` is its path as the rules write it, relative to the workspace."""

    tool: str
    arguments: dict[str, Any]
    path: str | None = None
    amount: int | None = None


def make_rules(count: int, chance: random.Random) -> list[WorkRule]:
    """So many rules in the proportions of KINDS, strictest first.

    One exact name in twenty has a second rule, one glob in ten has a narrower one beside it and one
    subtree in five lies inside another's: a call can match several rules that differ.
    """
    counts = {kind: max(1, round(count * share)) for kind, share in KINDS}
    counts["exact"] += count - sum(counts.values())
    rules: list[WorkRule] = []
    for kind, many in counts.items():
        made: list[WorkRule] = []
        while len(made) < many:
            made.append(_make(kind, len(rules) + len(made), made, chance))
        rules += made
    return sorted(rules, key=lambda rule: (rule.says, rule.number))


def _make(kind: str, number: int, made: Sequence[WorkRule], chance: random.Random) -> WorkRule:
    says = chance.choices((Says.DENY, Says.ASK, Says.ALLOW), (20, 30, 50))[0]
    service, verb, noun = chance.choice(SERVICES), chance.choice(VERBS), chance.choice(NOUNS)
    again = chance.choice(made) if made else None
    if kind == "exact":
        if again is not None and chance.random() < 0.05:
            return WorkRule(number, kind, again.tool, says)
        return WorkRule(number, kind, f"{service}_{verb}_{noun}_{number}", says)
    if kind == "glob":
        if again is not None and chance.random() < 0.10 and again.tool.count("_") == 1:
            return WorkRule(number, kind, f"{again.tool[:-1]}{verb}_*", says)
        return WorkRule(number, kind, f"{service}{number}_*", says)
    if kind == "path":
        tool = chance.choice(FILE_TOOLS)
        if again is not None and chance.random() < 0.20 and again.directory is not None:
            return WorkRule(number, kind, again.tool, says, f"{again.directory}/part{number}")
        return WorkRule(number, kind, tool, says, f"{chance.choice(AREAS)}/{noun}{number}/{verb}")
    return WorkRule(
        number, kind, f"{service}_pay_{number}", says, limit=chance.randrange(100, 20_000)
    )


def make_calls(rules: Sequence[WorkRule], chance: random.Random) -> list[WorkCall]:
    """CALLS calls in the rules' proportions of kinds; MATCHING of them match a rule."""
    by_kind = {kind: [rule for rule in rules if rule.kind == kind] for kind, _ in KINDS}
    calls: list[WorkCall] = []
    for kind, share in KINDS:
        many = round(CALLS * share)
        matching = round(many * MATCHING)
        for place in range(many):
            calls.append(_call(chance.choice(by_kind[kind]), place < matching, chance))
    chance.shuffle(calls)
    return calls


def _call(rule: WorkRule, matches: bool, chance: random.Random) -> WorkCall:
    number = BEYOND + chance.randrange(BEYOND)
    verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
    service = chance.choice(SERVICES)
    plain: dict[str, Any] = {"id": chance.randrange(10_000), "text": "as we agreed on the phone"}
    if rule.kind == "exact":
        return WorkCall(rule.tool if matches else f"{service}_{verb}_{noun}_{number}", plain)
    if rule.kind == "glob":
        return WorkCall(
            f"{rule.tool[:-1]}{verb}_{noun}" if matches else f"{service}{number}_{verb}", plain
        )
    if rule.kind == "path":
        directory = rule.directory if matches else f"{chance.choice(AREAS)}/{noun}{number}/{verb}"
        path = f"{directory}/{chance.choice(NOUNS)}/page{chance.randrange(100)}.txt"
        written = f"{WORKSPACE}/{path}" if chance.random() < 0.5 else path
        return WorkCall(rule.tool, {"path": written, "content": "line\n" * 8}, path=path)
    assert rule.limit is not None
    amount = rule.limit + chance.randrange(1, 5000) if matches else chance.randrange(rule.limit)
    return WorkCall(rule.tool, {"amount": amount, "currency": "EUR", **plain}, amount=amount)
