"""Whatever is written as a rule, a settings file, another gate's file or a call's arguments: only the
declared exceptions, an answer within a second, and no verdict looser for a rule that cannot be used."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.config.settings import parse_settings, readable_part
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError, SettingsInvalid
from sayso.policy.dialects import claude_code, codex, gemini, opencode, rules_json
from sayso.policy.dialects.settings_text import quoted
from sayso.policy.dialects.translated import Translation
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.targets import targets
from sayso.policy.text_rule import KINDS, check_rule, parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import a_call, a_list_rule, a_machine, randoms

SECOND = 1.0
PIECES = st.sampled_from(
    ["(", ")", "*", "**", "/", "..", ".", "~", ":", "::", "[", "]", "{", "}", "|", "?", "+", "\\", "'", '"', " ",
     "\t", "\n", "\x00", "\u202e", "\ud800", "é", "e\u0301", "a", "git", "rm -rf", "@fs_any", "mcp__", "__",
     "(?=", "\\1", "(a+)+", "shell(", "path(", "web(", "://", "xn--", "127.0.0.1", "1" * 30]
)  # fmt: skip
ODD = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=12).map("".join),
    st.builds(lambda piece, count: piece * count, PIECES, st.integers(0, 2000)),
)
"""Texts of all sorts, those that mean something somewhere among them."""

RULES = st.one_of(
    ODD, st.builds(lambda kind, body: f"{kind}({body})", st.sampled_from((*KINDS, "url")), ODD)
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False), ODD),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(ODD, inner, max_size=4)),
    max_leaves=12,
)


@contextmanager
def within_a_second() -> Iterator[None]:
    begin = time.perf_counter()
    yield
    assert time.perf_counter() - begin < SECOND


def as_read(effect: Effect, text: str) -> Rule | None:
    column = 1
    found = None
    with within_a_second():
        try:
            found = parse_text_rule(effect, text, Origin.GLOBAL)
        except RuleSyntaxError as error:
            column = error.column
    assert 1 <= column <= len(text) + 1
    return found


@pytest.mark.spec("POL-13")
@given(effect=st.sampled_from(Effect), text=RULES)
@example(Effect.DENY, "shell(" + "(a|" * 1300 + ")" * 1300 + ")")
@example(Effect.ALLOW, "path(" + "a*" * 2000 + ")")
def test_a_text_rule_is_read_or_refused_and_can_then_be_used(effect: Effect, text: str) -> None:
    rule = as_read(effect, text)
    if rule is None:
        return
    facts = FakeFacts()
    with within_a_second():
        check_rule(rule)
        ruleset = compile_ruleset([rule], [], SHIPPED, facts=facts)
        assert ruleset.problems == ()
        for call in (
            ToolCall("c", "Bash", {"command": "git status"}, "s", "a", "u", workspace="/w"),
            ToolCall("c", "Read", {"file_path": text[:4000]}, "s", "a", "u", workspace="/w"),
            ToolCall("c", "WebFetch", {"url": text[:4000]}, "s", "a", "u", workspace="/w"),
        ):
            judge(call, ruleset, facts)


@pytest.mark.spec("POL-23")
@given(
    r=randoms, effect=st.sampled_from(Effect), kind=st.sampled_from((*KINDS, "nonsense")), body=ODD
)
def test_no_verdict_is_looser_for_a_rule_that_cannot_be_read(
    r: random.Random, effect: Effect, kind: str, body: str
) -> None:
    call, facts = a_call(r), a_machine(r)
    others = [a_list_rule(r, number, call) for number in range(r.randrange(4))]
    field = {"path": "path_pattern", "read": "path_pattern", "write": "path_pattern"}.get(
        kind, "pattern"
    )
    broken = replace(Rule("x", effect, Origin.GLOBAL, kind=kind), **{field: body})  # type: ignore[arg-type]
    with within_a_second():
        ruleset = compile_ruleset([*others, broken], [], SHIPPED, facts=facts)
        found = judge(call, ruleset, facts).effect
    if ruleset.problems or effect is not Effect.ALLOW:
        without = compile_ruleset(others, [], SHIPPED, facts=facts)
        assert found >= judge(call, without, facts).effect


# ── settings ──

PLACE = Path("settings.toml")
TOML = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")),
    st.lists(
        st.sampled_from(
            ["[permissions]\n", "[[rule]]\n", "[tools.x]\n", 'allow = ["', '"]\n', "deny = [", "]\n", "[", "= ",
             'effect = "deny"\n', 'rule = "shell(rm *)"\n', 'when = "input.a >"\n', "policy = {", "}\n", "x\n",
             '[approval]\nrequired_tools = ["', "'''", '"""', "a.b.c = 1\n", "[web]\n", "\\u", "# x\n", "\r\n"]
        ),
        max_size=14,
    ).map(lambda pieces: "".join(pieces).encode()),
)  # fmt: skip


@pytest.mark.spec("POL-60")
@given(data=TOML)
@example(b"x = " + b"[" * 100_000)
@example(b"x = 1\n" + b"a." * 50_000 + b"b = 1\n")
def test_a_settings_file_is_read_or_refused(data: bytes) -> None:
    said = "settings.toml:"
    with within_a_second():
        try:
            parse_settings(PLACE, data)
        except SettingsInvalid as error:
            said = error.message
        readable_part(PLACE, data)
    assert said.startswith("settings.toml:")


@pytest.mark.spec("POL-63")
@given(r=randoms, effect=st.sampled_from(Effect), text=RULES, place=st.integers(0, 5))
def test_a_rule_that_breaks_its_file_leaves_no_verdict_looser(
    r: random.Random, effect: Effect, text: str, place: int
) -> None:
    if as_read(effect, text) is not None or not encodable(text):
        return
    call, facts = a_call(r), a_machine(r)
    rules = [f"[[rule]]\n{plain(a_list_rule(r, n, call))}" for n in range(r.randrange(1, 5))]
    broken = f'[[rule]]\neffect = "{effect.word}"\nrule = {quoted(text)}\n'
    good = parse_settings(PLACE, "\n".join(rules).encode()).rules
    whole = "\n".join([*rules[:place], broken, *rules[place:]]).encode()
    with pytest.raises(SettingsInvalid):
        parse_settings(PLACE, whole)
    kept = readable_part(PLACE, whole).rules
    assert all(rule.effect is not Effect.ALLOW for rule in kept)
    effects = [
        judge(call, compile_ruleset(found, [], SHIPPED, facts=facts), facts).effect
        for found in (kept, good)
    ]
    assert effects[0] >= effects[1]


def encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeError:
        return False
    return True


def plain(rule: Rule) -> str:
    return f'effect = "{rule.effect.word}"\nrule = {quoted(rule.text)}\n'


# ── calls ──

TOOLS = [descriptor.tool for descriptor in SHIPPED]
NAMES = (
    "path",
    "file_path",
    "command",
    "cmd",
    "url",
    "pattern",
    "source",
    "destination",
    "skill",
    "x",
)


@pytest.mark.spec("POL-3")
@given(
    r=randoms,
    tool=st.one_of(st.sampled_from(TOOLS), ODD.filter(lambda text: len(text) < 500)),
    server=st.one_of(st.none(), st.sampled_from(["fs", "git", "a__b"]), ODD),
    arguments=st.dictionaries(st.one_of(st.sampled_from(NAMES), ODD), VALUES, max_size=4),
)
def test_a_call_has_targets_whatever_it_holds(
    r: random.Random, tool: str, server: str | None, arguments: dict[str, Any]
) -> None:
    call = ToolCall("c", tool, arguments, "s", "a", "u", workspace="/w", server=server)
    facts = a_machine(r)
    with within_a_second():
        found = targets(call, SHIPPED, facts)
    assert found
    assert any(target.own for target in found)


# ── other gates ──

READERS: dict[str, Callable[[str], Translation]] = {
    "settings.json": claude_code.translate,
    "default.rules": codex.translate,
    "config.toml": lambda text: codex.translate(text, "config.toml"),
    "policy.toml": gemini.translate,
    "gemini.json": lambda text: gemini.translate(text, "settings.json"),
    "opencode.json": opencode.translate,
    "rules.json": rules_json.translate,
}
WORDS = st.sampled_from(
    ["permissions", "permission", "allow", "ask", "deny", "rules", "tool", "action", "pattern", "message", "bash",
     "edit", "*", "tools", "exclude", "allowed", "mcpServers", "mcp", "excluded", "trust", "agent", "hooks", "read",
     "webfetch", "external_directory", "defaultMode", "1", "Bash(git *)", "Read(x)", "mcp__a__b"]
)  # fmt: skip
DOCUMENTS = st.recursive(
    st.one_of(WORDS, RULES, st.booleans(), st.none(), st.integers(-3, 3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(WORDS, ODD), inner, max_size=4),
    ),
    max_leaves=20,
)
SHAPED = st.one_of(
    st.builds(
        lambda lists: {"permissions": lists}, st.dictionaries(WORDS, st.lists(RULES, max_size=4))
    ),
    st.builds(
        lambda map_: {"permission": map_},
        st.dictionaries(
            st.one_of(WORDS, ODD),
            st.one_of(
                st.sampled_from(["allow", "ask", "deny"]),
                st.dictionaries(ODD, st.sampled_from(["allow", "ask", "deny"]), max_size=3),
            ),
            max_size=4,
        ),
    ),
    st.builds(
        lambda rules: {"rules": rules},
        st.lists(
            st.dictionaries(st.sampled_from(["tool", "action", "pattern", "message"]), ODD),
            max_size=3,
        ),
    ),
    st.builds(
        lambda allowed: {"tools": {"allowed": allowed, "exclude": allowed}},
        st.lists(RULES, max_size=3),
    ),
)
CODE = st.lists(
    st.one_of(
        st.sampled_from(
            ["prefix_rule(", "network_rule(", "pattern=[", "]", ")", ",", '"git"', "'x'", 'r"\\d"', '"""a', "#\n",
             'decision="forbidden"', "host=", "=", "[[rule]]\n", 'toolName = "run_shell_command"\n', "priority = 1\n",
             'decision = "deny"\n', 'commandPrefix = "', 'commandRegex = "(', '"\n', "mcp_servers.x.disabled_tools = "]
        ),
        ODD,
    ),
    max_size=14,
).map("".join)  # fmt: skip
TEXTS = st.one_of(
    ODD,
    CODE,
    DOCUMENTS.map(json.dumps),
    SHAPED.map(json.dumps),
    SHAPED.map(lambda v: json.dumps(v, ensure_ascii=False)),
)


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize("name", READERS)
@given(text=TEXTS)
@example("[" * 100_000)
@example('{"permissions": ' * 50_000)
@example("prefix_rule(pattern=" + "[" * 50_000)
@example('"' * 200_000)
@example("/*" * 100_000)
def test_another_gates_file_is_read_or_refused(name: str, text: str) -> None:
    try:
        with within_a_second():
            found = READERS[name](text)
    except (SettingsInvalid, RuleRefused):
        return
    for rule in found.rules:
        check_rule(rule)
    assert compile_ruleset(found.rules, [], SHIPPED, facts=FakeFacts()).problems == ()
    if name == "rules.json":
        assert all(rule.effect is Effect.ASK for rule in found.rules)
