"""Rules as people write them: `kind(pattern)` or a tool's name; read, checked and printed (POL-13).

The grammar is on one page: docs/reference/rules.md.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.condition import compile_condition
from sayso.policy.patterns.command import compile_command
from sayso.policy.patterns.host import compile_host
from sayso.policy.patterns.mcp import compile_pair, split_pair, write_pair
from sayso.policy.patterns.path import compile_table_path, compile_text_path
from sayso.policy.patterns.tool import CLASS_OPERATIONS, compile_tool_pattern
from sayso.policy.rule import Origin, Rule

PATH_KINDS = ("path", "read", "write", "delete")
NAME_KINDS = ("tool", "skill", "agent")
KINDS = (*PATH_KINDS, "shell", "web", "mcp", *NAME_KINDS)
_SYNONYMS = {"url": "web", "edit": "write"}
_ELSEWHERE = {
    "bash": "shell",
    "command": "shell",
    "execute_cmd": "shell",
    "fetch": "web",
    "webfetch": "web",
    "host": "web",
    "domain": "web",
    "file": "path",
    "glob": "read",
    "grep": "read",
    "multiedit": "write",
    "task": "agent",
}
MAX_LENGTH = 4096


def parse_text_rule(
    effect: Effect | str,
    text: str,
    origin: Origin,
    *,
    rule_id: str | None = None,
    place: str | None = None,
) -> Rule:
    """Read one text rule; `place` is the `file:line:column` it stands at.

    Without `rule_id` the id is made of origin, effect and text, so that it stays the same over loads.
    Raises RuleSyntaxError with the 1-based column of the fault and what to write instead, and
    RuleRefused for an unknown effect.
    """
    effect = effect if isinstance(effect, Effect) else Effect.parse(effect)
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(f"the rule is longer than {MAX_LENGTH} characters", place=place)
    stripped = text.strip(" ")
    offset = len(text) - len(text.lstrip(" "))
    try:
        kind, body = _split(stripped)
        start = stripped.index("(") + 1 if stripped.endswith(")") and "(" in stripped else 0
        rule = _rule(effect, kind, body, origin, start)
    except RuleSyntaxError as error:
        raise RuleSyntaxError(
            error.message, error.hint, column=error.column + offset, place=place
        ) from None
    name = rule_id or f"{origin.value}:{effect.word}:{rule.text}"
    return replace(rule, id=name, place=place)


def print_text_rule(rule: Rule) -> str:
    """The text of a text rule, which parses to the same rule; raises ValueError for a table rule."""
    if rule.kind is None:
        raise ValueError(f"the rule `{rule.id}` is not a text rule")
    return rule.text


def check_rule(rule: Rule) -> None:
    """Check a rule of either form before it is saved or loaded.

    Raises RuleSyntaxError for a pattern or condition that cannot be read, and RuleRefused for fields
    that do not go together.
    """
    if rule.kind is not None:
        parse_text_rule(rule.effect, rule.text, rule.origin, place=rule.place)
    else:
        _check_table(rule)
    for name, text in (("when", rule.when), ("unless", rule.unless)):
        if text is None:
            continue
        try:
            compile_condition(text)
        except RuleSyntaxError as error:
            raise RuleSyntaxError(
                f"in `{name}`: {error.message}", error.hint, column=error.column, place=rule.place
            ) from None
    if rule.must_ask and rule.effect is not Effect.ASK:
        raise RuleRefused(
            f"must_ask cannot stand on a rule that says {rule.effect.word}",
            "leave it out, or make the rule an ask",
        )


def _check_table(rule: Rule) -> None:
    strict = rule.effect is Effect.ALLOW
    pattern = rule.tool_pattern
    if not pattern:
        raise RuleSyntaxError("the tool pattern is empty", "write `*` for every tool")
    if "\x00" in pattern:
        raise RuleSyntaxError("the tool pattern contains a NUL character")
    if pattern.startswith("@") and pattern not in CLASS_OPERATIONS:
        raise RuleSyntaxError(
            f"`{pattern}` is no class of tools", f"the classes are {', '.join(CLASS_OPERATIONS)}"
        )
    if rule.path_pattern is not None and rule.pattern is not None:
        raise RuleRefused(
            "a rule has either a path pattern or a pattern, not both", "make two rules of it"
        )
    if rule.path_pattern is not None:
        compile_table_path(rule.path_pattern, "/home", windows=False, strict=strict)
    if rule.pattern is not None:
        if pattern in CLASS_OPERATIONS:
            raise RuleRefused(f"`{pattern}` goes with a path pattern", "write it as path pattern")
        compile_command(rule.pattern)


def _split(text: str) -> tuple[str, str]:
    if not text:
        raise RuleSyntaxError("the rule is empty", "write `kind(pattern)` or the name of a tool")
    if "\x00" in text:
        raise RuleSyntaxError("the rule contains a NUL character", column=text.index("\x00") + 1)
    word, opened, rest = text.partition("(")
    if not opened:
        if ")" in text:
            raise RuleSyntaxError(
                "there is a `)` without its `(`",
                "write `kind(pattern)`",
                column=text.index(")") + 1,
            )
        return "tool", text
    if not rest.endswith(")"):
        raise RuleSyntaxError(
            "the rule does not end with `)`",
            "write `kind(pattern)`",
            column=len(text) + 1,
        )
    kind = _SYNONYMS.get(word, word)
    if kind not in KINDS:
        raise RuleSyntaxError(f"`{word}` is not a kind of rule", _did_you_mean(word), column=1)
    return kind, rest[:-1]


def _did_you_mean(word: str) -> str:
    lower = word.strip().lower()
    guess = _ELSEWHERE.get(lower)
    if guess is None:
        close = difflib.get_close_matches(lower, (*KINDS, *_SYNONYMS), n=1)
        guess = close[0] if close else None
    if guess is not None:
        return f"did you mean `{guess}(…)`?"
    return f"the kinds are {', '.join(KINDS)}"


def _rule(effect: Effect, kind: str, body: str, origin: Origin, start: int) -> Rule:
    strict = effect is Effect.ALLOW
    try:
        if kind in PATH_KINDS:
            compile_text_path(body, "/home", windows=False, strict=strict)
            return Rule("", effect, origin, kind=kind, path_pattern=body)
        if kind == "shell":
            compile_command(body)
            return Rule("", effect, origin, kind=kind, pattern=body)
        if kind == "web":
            compile_host(body)
            return Rule("", effect, origin, kind=kind, pattern=body)
        if kind == "mcp":
            return Rule("", effect, origin, kind=kind, pattern=_pair(body, strict=strict))
        _check_name(body, kind, strict=strict)
    except RuleSyntaxError as error:
        raise RuleSyntaxError(error.message, error.hint, column=error.column + start) from None
    if kind == "tool":
        return Rule("", effect, origin, kind=kind, tool_pattern=body)
    return Rule("", effect, origin, kind=kind, pattern=body)


def _pair(body: str, *, strict: bool) -> str:
    pattern = compile_pair(body)
    if strict and not pattern.literal_server:
        raise RuleSyntaxError(
            "an allow needs the server named in full", "write `mcp(server:*)` for each server"
        )
    pair = ("*", "*") if body == "*" else split_pair(body)
    assert pair is not None, "compile_pair has refused it"
    return write_pair(*pair)


def _check_name(body: str, kind: str, *, strict: bool) -> None:
    if not body:
        raise RuleSyntaxError("the name is empty", f"write `{kind}(name)`")
    if kind == "tool" and body.startswith("@") and body not in CLASS_OPERATIONS:
        raise RuleSyntaxError(
            f"`{body}` is no class of tools", f"the classes are {', '.join(CLASS_OPERATIONS)}"
        )
    pattern = compile_tool_pattern(body)
    if kind == "tool" and strict and pattern.server is not None and len(pattern.server) > 1:
        raise RuleSyntaxError(
            "an allow needs the server named in full", "write `mcp__server__*` for each server"
        )
