"""Rules as our settings file holds them: three lists, and a `[[rule]]` for one with more to it than its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.errors import RuleRefused
from sayso.policy.rule import Rule

_FIELDS = ("agent_id", "source", "user_id", "when", "unless", "note", "justification")


def print_rules(rules: Iterable[Rule]) -> str:
    """The rules as TOML, which reads back as the same rules; empty for none.

    Raises RuleRefused for one that a settings file cannot hold: a row of the rule table with a place in
    its order, or a built-in rule with exceptions.
    """
    rules = tuple(rules)
    blocks = []
    plain = [rule for rule in rules if is_plain(rule)]
    if plain:
        lines = ["[permissions]"]
        for effect in (Effect.ALLOW, Effect.ASK, Effect.DENY):
            texts = [rule.text for rule in plain if rule.effect is effect]
            if texts:
                lines += [f"{effect.word} = [", *(f"  {quoted(text)}," for text in texts), "]"]
        blocks.append("\n".join(lines))
    blocks += [print_table(rule) for rule in rules if not is_plain(rule)]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def is_plain(rule: Rule) -> bool:
    """Whether the rule is no more than its effect and its text."""
    return rule.kind is not None and not _beside(rule)


def print_table(rule: Rule) -> str:
    """The rule as a `[[rule]]`; raises RuleRefused for one that a settings file cannot hold."""
    if rule.priority or rule.group_id != "default" or rule.exceptions:
        raise RuleRefused(
            f"the rule `{rule.id}` has a place in an order, or exceptions, which no settings file holds",
            "leave it in the rule table",
        )
    lines = ["[[rule]]", f"effect = {quoted(rule.effect.word)}"]
    if rule.kind is not None:
        lines.append(f"rule = {quoted(rule.text)}")
    else:
        for key in ("tool_pattern", "path_pattern", "pattern"):
            value = getattr(rule, key)
            if value is not None:
                lines.append(f"{key} = {quoted(value)}")
    lines += [f"{key} = {_written(value)}" for key, value in _beside(rule).items()]
    return "\n".join(lines)


def print_fields(fields: Mapping[str, Any]) -> str:
    """Keys and their values as they stand in a table, on one line."""
    return ", ".join(f"{key} = {_written(value)}" for key, value in fields.items())


def print_beside(rule: Rule) -> str:
    """What the rule says beside its effect and pattern, on one line; empty for nothing."""
    return print_fields(_beside(rule))


def quoted(text: str) -> str:
    """A text in quotes as TOML reads it; raises RuleRefused for one that is not valid Unicode."""
    try:
        text.encode("utf-8")
    except UnicodeError:
        raise RuleRefused(
            "a text that is not valid Unicode cannot stand in a file", "leave it out"
        ) from None
    return "".join(map(_visible, json.dumps(text, ensure_ascii=False)))


def _visible(char: str) -> str:
    """The character, or its escape if it cannot be seen: whoever reads the file sees all of it."""
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def _beside(rule: Rule) -> dict[str, Any]:
    """What the rule says beside its effect and pattern."""
    found: dict[str, Any] = {}
    name = rf"{re.escape(f'{rule.origin.value}:{rule.effect.word}:{rule.text}')}(?:#\d+)?"
    if rule.id and not re.fullmatch(name, rule.id):
        found["id"] = rule.id
    found |= {key: getattr(rule, key) for key in _FIELDS if getattr(rule, key)}
    if rule.must_ask:
        found["must_ask"] = True
    if rule.examples:
        found["examples"] = list(rule.examples)
    if rule.counter_examples:
        found["counter_examples"] = list(rule.counter_examples)
    if rule.approval is not None:
        default = ApprovalPolicy().to_json()
        said = rule.approval.to_json()
        found["policy"] = {key: said[key] for key in said if said[key] != default[key]}
    return found


def _written(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, dict):
        inner = print_fields(value)
        return f"{{ {inner} }}" if inner else "{}"
    return str(value)
