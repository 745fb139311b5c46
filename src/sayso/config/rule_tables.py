"""The rules of a settings file: `[permissions]`, `[[rule]]`, `[tools]`, `[approval]`, `[web]` and `[mcp]` (POL-60)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from sayso.config.positions import Path as KeyPath
from sayso.config.reading import Document, Table
from sayso.core.approval_policy import ApprovalPolicy, parse_approval_policy
from sayso.core.budget import Budget, parse_budget
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError, SettingsInvalid
from sayso.policy.patterns.mcp import write_pair
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import check_rule, parse_text_rule
from sayso.policy.tool_policy import (
    RequiredTool,
    ToolApproval,
    parse_tool_approval,
    tool_policy_rules,
)

EFFECTS = ("allow", "ask", "deny")
RULE_PATTERNS = ("tool_pattern", "path_pattern", "pattern")
RULE_KEYS = (
    *("id", "effect", "rule"),
    *RULE_PATTERNS,
    *("agent_id", "source", "user_id", "when", "unless"),
    *("must_ask", "note", "justification", "policy", "budget", "examples"),
    "counter_examples",
)


MAX_RULES = 10_000
MAX_PROJECT_RULES = 1_000
MAX_PAIRS = 100_000
MAX_EXAMPLES = 5_000
MAX_PROJECT_EXAMPLES = 200
"""So many rules a file may hold; a stranger's file must not keep anybody waiting."""


def read_rules(root: Table, origin: Origin) -> list[Rule]:
    """Every rule that the file means, each with an id of its own; raises SettingsInvalid."""
    most, there = _most(origin), _count(root)
    if there > most:
        root.document.refuse((1, 1), f"the file holds {there} rules, and {most} is the most")
    samples = _examples(root)
    if samples > (most := MAX_PROJECT_EXAMPLES if origin is Origin.PROJECT else MAX_EXAMPLES):
        root.document.refuse((1, 1), f"the file holds {samples} examples, and {most} is the most")
    found: dict[str, Rule] = {}
    permissions = root.table("permissions")
    for effect in EFFECTS:
        for path, text in permissions.texts(effect):
            _add(found, _text_rule(root.document, Effect.parse(effect), path, text, origin))
    for table in root.tables("rule"):
        _add(found, _rule(table, origin))
    for rule in _of_tools(root):
        _add(found, rule)
    for path, host in root.table("web").texts("allow_domains"):
        text = f"web({host})"
        _add(found, _text_rule(root.document, Effect.ALLOW, path, text, origin, before=4))
    for server, table in root.table("mcp").named_tables():
        for text in _approved(server, table):
            path = (*table.path, "auto_approve")
            _add(found, _text_rule(root.document, Effect.ALLOW, path, text, origin, before=None))
    return list(found.values())


def readable_rules(root: Table, origin: Origin) -> list[Rule]:
    """The deny and ask rules that can be read, each by itself, in a file that is invalid elsewhere (POL-63)."""
    found: dict[str, Rule] = {}
    for read in islice(_readers(root, origin, (Effect.ASK, Effect.DENY)), _most(origin)):
        with suppress(SettingsInvalid):
            for rule in read():
                if rule.effect is not Effect.ALLOW:
                    _add(found, rule)
    return list(found.values())


def rule_faults(root: Table, origin: Origin) -> Iterator[SettingsInvalid]:
    """What is wrong with each rule that cannot be read, whatever stands around it."""
    for read in islice(_readers(root, origin, Effect), _most(origin)):
        try:
            read()
        except SettingsInvalid as error:
            yield error


def with_timeout(rule: Rule, seconds: float | None) -> Rule:
    """The ask with the file's time limit, where it names none of its own."""
    if rule.effect is not Effect.ASK or seconds is None:
        return rule
    policy = rule.approval or ApprovalPolicy()
    return (
        rule
        if policy.timeout is not None
        else replace(rule, approval=replace(policy, timeout=seconds))
    )


def _most(origin: Origin) -> int:
    return MAX_PROJECT_RULES if origin is Origin.PROJECT else MAX_RULES


def _count(root: Table) -> int:
    """How many rules, tools and servers the file speaks of."""
    tables = [_as_table(root.data.get(name)) for name in ("permissions", "approval", "web")]
    lists = [item for table in tables for item in table.values() if isinstance(item, list)]
    servers = _as_table(root.data.get("mcp"))
    lists += [_as_list(_as_table(server).get("auto_approve")) for server in servers.values()]
    lists.append(_as_list(root.data.get("rule")))
    return sum(map(len, lists)) + len(servers) + len(_as_table(root.data.get("tools")))


def _examples(root: Table) -> int:
    """How many samples there are to try, each of which may be a command line."""
    tables = [_as_table(rule) for rule in _as_list(root.data.get("rule"))]
    return sum(
        len(_as_list(table.get(key)))
        for table in tables
        for key in ("examples", "counter_examples")
    )


def _add(found: dict[str, Rule], rule: Rule) -> None:
    same = found.get(rule.id)
    if same is None:
        found[rule.id] = rule
    elif replace(same, place=None) != replace(rule, place=None):
        name = f"{rule.id}#{len(found) + 1}"
        found[name] = replace(rule, id=name)


def _readers(
    root: Table, origin: Origin, effects: Iterable[Effect]
) -> Iterator[Callable[[], Sequence[Rule]]]:
    """One reader for each rule (of the lists: with these effects), whatever stands around it.

    What is of a wrong type is passed over.
    """
    document, data = root.document, root.data
    permissions = _as_table(data.get("permissions"))
    for effect in effects:
        for number, text in enumerate(_as_list(permissions.get(effect.word))):
            if isinstance(text, str):
                path: KeyPath = ("permissions", effect.word, number)
                yield partial(_one, _text_rule, document, effect, path, text, origin)
    for number, item in enumerate(_as_list(data.get("rule"))):
        if isinstance(item, dict):
            yield partial(_one, _rule, Table(document, item, ("rule", number)), origin)
    for name, item in _as_table(data.get("tools")).items():
        if isinstance(item, dict) and isinstance(item.get("approval"), dict):
            alone = {"tools": {name: item}}
            yield partial(_of_tools, Table(document, alone, ()))
    for text in _as_list(_as_table(data.get("approval")).get("required_tools")):
        if isinstance(text, str):
            yield partial(_of_tools, Table(document, {"approval": {"required_tools": [text]}}, ()))


def _one(read: Callable[..., Rule], *given: Any) -> list[Rule]:
    return [read(*given)]


def _as_table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _approved(server: str, table: Table) -> list[str]:
    """The text rules for what a server's tools may do without a question."""
    if isinstance(table.raw("auto_approve"), list):
        return [f"mcp({write_pair(server, tool)})" for _, tool in table.texts("auto_approve")]
    return [f"mcp({write_pair(server, '*')})"] if table.boolean("auto_approve") else []


def _text_rule(
    document: Document,
    effect: Effect,
    path: KeyPath,
    text: str,
    origin: Origin,
    *,
    before: int | None = 0,
) -> Rule:
    """One text rule; `before` is how many of its characters the file has not, None: all are made up."""
    place = document.place(document.positions.of_value(path))
    try:
        return parse_text_rule(effect, text, origin, place=place)
    except RuleSyntaxError as error:
        message = error.message.removeprefix(f"{place}: ")
        at = document.positions.of_value(path)
        if before is not None:
            at = document.positions.inside(path, max(1, error.column - before))
        document.refuse(at, message, error.hint)
    except RuleRefused as error:
        document.refuse(document.positions.of_value(path), error.message, error.hint)


def _rule(table: Table, origin: Origin) -> Rule:
    """One `[[rule]]`: a text rule in `rule`, or patterns as in the rule table, with what goes beside."""
    for key in ("priority", "group_id"):
        if key in table:
            table.refuse_key(
                key,
                f"`{key}` counts only in the rule table",
                "in a file, any deny that matches wins",
            )
    table.only(*RULE_KEYS)
    effect = _effect(table)
    rule = _matching(table, effect, origin)
    must_ask = table.boolean("must_ask")
    rule = replace(
        rule,
        id=_id(table, origin) or rule.id,
        must_ask=must_ask,
        note=table.text("note") or "",
        justification=table.text("justification") or "",
        approval=_policy(table, effect, must_ask=must_ask),
        agent_id=table.text("agent_id"),
        source=table.text("source"),
        user_id=table.text("user_id"),
        when=table.text("when"),
        unless=table.text("unless"),
        examples=tuple(text for _, text in table.texts("examples")),
        counter_examples=tuple(text for _, text in table.texts("counter_examples")),
        budget=_budget(table, effect),
    )
    _check(table, rule)
    return rule


def _budget(table: Table, effect: Effect) -> Budget | None:
    """The `budget` of a rule, which only an allow can have."""
    given = table.raw("budget")
    if given is None:
        return None
    if effect is not Effect.ALLOW:
        table.refuse_key("budget", "only an allow has a budget", "leave it out of an ask or deny")
    if not isinstance(given, dict):
        table.refuse_key("budget", "a budget is a table", 'budget = { calls = 20, per = "1d" }')
    try:
        return parse_budget(given)
    except RuleRefused as error:
        table.refuse_key("budget", error.message, error.hint)


def _matching(table: Table, effect: Effect, origin: Origin) -> Rule:
    """What the rule matches, without what goes beside."""
    text = table.text("rule")
    patterns = {key: table.text(key) for key in RULE_PATTERNS}
    given = [key for key, value in patterns.items() if value is not None]
    if text is not None and given:
        table.refuse_key(
            given[0],
            f"`{given[0]}` cannot stand beside `rule`",
            "write either the text or the patterns",
        )
    if text is None and not given:
        table.document.refuse(
            table.document.positions.of_key(table.path),
            "the rule names nothing that it matches",
            'write rule = "kind(pattern)"; for every tool: tool_pattern = "*"',
        )
    if text is not None:
        return _text_rule(table.document, effect, (*table.path, "rule"), text, origin)
    rule = Rule(
        "",
        effect,
        origin,
        tool_pattern=patterns["tool_pattern"] or "*",
        path_pattern=patterns["path_pattern"],
        pattern=patterns["pattern"],
        place=table.place,
    )
    return replace(rule, id=f"{origin.value}:{effect.word}:{rule.text}")


def _id(table: Table, origin: Origin) -> str | None:
    """The rule's own name; one that somebody else chose shows whose it is."""
    name = table.text("id")
    if not name or origin is not Origin.PROJECT:
        return name
    return f"{Origin.PROJECT.value}:{name}"


def _effect(table: Table) -> Effect:
    try:
        return Effect.parse(table.text("effect"))
    except RuleRefused as error:
        table.refuse_value("effect", error.message, error.hint)


def _policy(table: Table, effect: Effect, *, must_ask: bool) -> ApprovalPolicy | None:
    if "policy" not in table:
        return None
    if effect is not Effect.ASK:
        table.refuse_key(
            "policy", f"a rule that says {effect.word} asks nobody", "leave `policy` out"
        )
    data: Any = table.raw("policy")
    if not isinstance(data, dict):
        table.refuse_value("policy", "`policy` is not a table", 'write { severity = "high" }')
    try:
        return parse_approval_policy(data, must_ask=must_ask)
    except RuleRefused as error:
        table.refuse_value("policy", error.message, error.hint)


def _check(table: Table, rule: Rule) -> None:
    """Check the rule as a whole; a fault in one of its texts is told with its place there."""
    try:
        check_rule(rule)
    except RuleSyntaxError as error:
        message = error.message.removeprefix(f"{rule.place}: ")
        for key in ("when", "unless"):
            if message.startswith(f"in `{key}`: "):
                where = table.document.positions.inside((*table.path, key), error.column)
                table.document.refuse(where, message, error.hint)
        table.document.refuse(table.document.positions.of_key(table.path), message, error.hint)
    except RuleRefused as error:
        table.document.refuse(
            table.document.positions.of_key(table.path), error.message, error.hint
        )


def _of_tools(root: Table) -> list[Rule]:
    """What the tools' `approval` blocks and `required_tools` compile to (POL-61)."""
    document = root.document
    approvals = [
        _tool_approval(name, table)
        for name, table in root.table("tools").named_tables()
        if "approval" in table
    ]
    required = [
        RequiredTool(text, document.place(document.positions.of_value(path)))
        for path, text in root.table("approval").texts("required_tools")
    ]
    if len(approvals) * len(required) > MAX_PAIRS:
        root.table("approval").refuse_value(
            "required_tools",
            f"{len(required)} names and {len(approvals)} tools with an `approval` are too many",
            "name fewer: a glob stands for many tools",
        )
    try:
        return list(tool_policy_rules(approvals, required))
    except RuleSyntaxError as error:
        raise SettingsInvalid(error.message, error.hint) from error


def _tool_approval(name: str, table: Table) -> ToolApproval:
    block = table.table("approval")
    try:
        return parse_tool_approval(name, block.data, server=table.text("server"), place=block.place)
    except RuleSyntaxError as error:
        message = error.message.removeprefix(f"{block.place}: ")
        where = table.document.positions.inside((*block.path, "when"), error.column)
        table.document.refuse(where, message, error.hint)
    except RuleRefused as error:
        table.refuse_value("approval", error.message, error.hint)
