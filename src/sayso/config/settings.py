"""The user's settings file: what it may say, and what it means (POL-60; docs/reference/settings.md).

Project files are not read here: they are somebody else's word.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sayso.config.descriptors import read_descriptors
from sayso.config.positions import Path as KeyPath
from sayso.config.reading import Document, Table, parse_document, read_document
from sayso.core.approval_policy import ApprovalPolicy, parse_approval_policy
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import check_rule, parse_text_rule

EFFECTS = ("allow", "ask", "deny")
LANGUAGES = ("en",)
RULE_PATTERNS = ("tool_pattern", "path_pattern", "pattern")
RULE_KEYS = (
    *("id", "effect", "rule"),
    *RULE_PATTERNS,
    *("agent_id", "source", "user_id", "when", "unless"),
    *("must_ask", "note", "justification", "policy"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says; the defaults are those of a file that is not there.

    `host` and `port` are the server's, None where the file leaves them. `default_timeout` is in
    seconds: how long an ask of the file waits that names no time of its own.
    """

    rules: tuple[Rule, ...] = ()
    descriptors: tuple[ToolDescriptor, ...] = ()
    diff_lines: int = 120
    language: str = "en"
    host: str | None = None
    port: int | None = None
    default_timeout: float | None = None


def load_settings(path: Path) -> Settings:
    """Read the settings file; one that is not there says nothing.

    Raises SettingsInvalid, whose message begins with `file:line:column`, for the first fault.
    """
    document = read_document(path)
    return Settings() if document is None else _settings(document)


def parse_settings(path: Path, data: bytes) -> Settings:
    """Read settings from the content of a file; `path` is for messages. See load_settings."""
    return _settings(parse_document(path, data))


def _settings(document: Document) -> Settings:
    root = document.root
    root.only("permissions", "ui", "server", "approval", "rule", "tools")
    ui, server, approval = root.table("ui"), root.table("server"), root.table("approval")
    ui.only("diff_lines", "language")
    server.only("host", "port")
    approval.only("default_timeout")
    default_timeout = approval.seconds("default_timeout")
    default = Settings()
    host = server.text("host")
    if host is not None and not host.strip():
        server.refuse_value("host", "`host` is empty", 'write an address: "127.0.0.1"')
    return Settings(
        rules=tuple(_with_timeout(rule, default_timeout) for rule in _rules(root)),
        descriptors=read_descriptors(root.table("tools")),
        diff_lines=ui.whole_number("diff_lines", default.diff_lines, 1, 100_000),
        language=ui.choice("language", default.language, LANGUAGES),
        host=host,
        port=server.whole_number("port", 0, 0, 65535) if "port" in server else None,
        default_timeout=default_timeout,
    )


def _rules(root: Table) -> list[Rule]:
    permissions = root.table("permissions")
    permissions.only(*EFFECTS)
    found: dict[str, Rule] = {}
    for effect in EFFECTS:
        for path, text in permissions.texts(effect):
            rule = _text_rule(root.document, Effect.parse(effect), path, text)
            found.setdefault(rule.id, rule)
    for table in root.tables("rule"):
        rule = _rule(table)
        if rule.id in found:
            rule = replace(rule, id=f"{rule.id}#{len(found) + 1}")
        found[rule.id] = rule
    return list(found.values())


def _text_rule(document: Document, effect: Effect, path: KeyPath, text: str) -> Rule:
    place = document.place(document.positions.of_value(path))
    try:
        return parse_text_rule(effect, text, Origin.GLOBAL, place=place)
    except RuleSyntaxError as error:
        message = error.message.removeprefix(f"{place}: ")
        document.refuse(document.positions.inside(path, error.column), message, error.hint)
    except RuleRefused as error:
        document.refuse(document.positions.of_value(path), error.message, error.hint)


def _rule(table: Table) -> Rule:
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
        rule = _text_rule(table.document, effect, (*table.path, "rule"), text)
    else:
        rule = Rule(
            "",
            effect,
            Origin.GLOBAL,
            tool_pattern=patterns["tool_pattern"] or "*",
            path_pattern=patterns["path_pattern"],
            pattern=patterns["pattern"],
            place=table.place,
        )
        rule = replace(rule, id=f"{Origin.GLOBAL.value}:{effect.word}:{rule.text}")
    must_ask = table.boolean("must_ask")
    rule = replace(
        rule,
        id=table.text("id") or rule.id,
        must_ask=must_ask,
        note=table.text("note") or "",
        justification=table.text("justification") or "",
        approval=_policy(table, effect, must_ask=must_ask),
        agent_id=table.text("agent_id"),
        source=table.text("source"),
        user_id=table.text("user_id"),
        when=table.text("when"),
        unless=table.text("unless"),
    )
    _check(table, rule)
    return rule


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


def _with_timeout(rule: Rule, seconds: float | None) -> Rule:
    """The ask with the file's time limit, where it names none of its own."""
    if rule.effect is not Effect.ASK or seconds is None:
        return rule
    policy = rule.approval or ApprovalPolicy()
    return (
        rule
        if policy.timeout is not None
        else replace(rule, approval=replace(policy, timeout=seconds))
    )
