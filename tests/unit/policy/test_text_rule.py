from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import check_rule, parse_text_rule, print_text_rule
from tests.unit.policy.worlds import row


def parse(text: str, effect: str = "deny") -> Rule:
    return parse_text_rule(effect, text, Origin.GLOBAL)


TEXTS = [
    ("path(src/**)", "path(src/**)"),
    ("read(~/.ssh/**)", "read(~/.ssh/**)"),
    ("write(a(b).txt)", "write(a(b).txt)"),
    ("edit(x)", "write(x)"),
    ("delete(/tmp/*)", "delete(/tmp/*)"),
    ("path(a\\*b)", "path(a\\*b)"),
    ("shell(npm test)", "shell(npm test)"),
    ("shell(npm test *)", "shell(npm test *)"),
    ("shell(npm test:*)", "shell(npm test:*)"),
    ("shell(/rm\\s+-rf/)", "shell(/rm\\s+-rf/)"),
    ("web(example.com)", "web(example.com)"),
    ("url(https://*.example.com:8443)", "web(https://*.example.com:8443)"),
    ("web(loopback:*)", "web(loopback:*)"),
    ("mcp(github:get_*)", "mcp(github:get_*)"),
    ("mcp(github :: get_*)", "mcp(github:get_*)"),
    ("mcp(a:b :: c)", "mcp(a:b :: c)"),
    ("mcp(*)", "mcp(*:*)"),
    ("skill(deploy)", "skill(deploy)"),
    ("agent(Explore)", "agent(Explore)"),
    ("tool(Read)", "tool(Read)"),
    ("Read", "tool(Read)"),
    ("get_*", "tool(get_*)"),
    ("mcp__gmail__*", "tool(mcp__gmail__*)"),
    ("@fs_read", "tool(@fs_read)"),
    ("  Read ", "tool(Read)"),
]


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(("text", "printed"), TEXTS)
def test_a_rule_is_printed_as_it_is_read(text: str, printed: str) -> None:
    rule = parse(text)
    assert print_text_rule(rule) == printed
    assert parse(printed) == rule


@pytest.mark.spec("POL-13")
@given(
    kind=st.sampled_from(
        ["path", "read", "shell", "web", "mcp", "tool", "skill", "agent", "delete"]
    ),
    body=st.text(alphabet="ab*/:.~()[]\\ -\"'1é", min_size=1, max_size=12),
    effect=st.sampled_from(["allow", "ask", "deny"]),
)
def test_what_can_be_read_is_printed_and_read_again(kind: str, body: str, effect: str) -> None:
    try:
        rule = parse_text_rule(effect, f"{kind}({body})", Origin.SESSION)
    except RuleSyntaxError:
        return
    assert parse_text_rule(effect, print_text_rule(rule), Origin.SESSION) == rule


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("", 1, "the rule is empty", "kind(pattern)"),
        ("Bash(npm test)", 1, "`Bash` is not a kind of rule", "did you mean `shell(…)`?"),
        ("Edit(a)", 1, "`Edit` is not a kind of rule", "did you mean `edit(…)`?"),
        ("pth(a)", 1, "`pth` is not a kind of rule", "did you mean `path(…)`?"),
        ("wizard(a)", 1, "`wizard` is not a kind of rule", "the kinds are path"),
        ("path(a", 7, "the rule does not end with `)`", "kind(pattern)"),
        ("path(a) b", 10, "the rule does not end with `)`", "kind(pattern)"),
        ("Read)", 5, "a `)` without its `(`", "kind(pattern)"),
        ("path()", 6, "the path is empty", "`**`"),
        ("path(../a)", 6, "leaves the workspace", "from `/` or `~`"),
        ("path(a*/../b)", 6, "`..` after a `*`", "leave out"),
        ("path(a\x00b)", 7, "NUL", None),
        ("shell()", 7, "the command is empty", "every command"),
        ('shell(echo "a)', 12, "is not closed", "backslash"),
        ("shell(/a[b/)", 9, "regular expression cannot be read", "starts and ends"),
        ("shell(/(?=a)/)", 8, "linear time", "look-around"),
        ("web(example.com/a)", 16, "cannot hold `/`", "host alone"),
        ("web(a.*.b)", 7, "first or the last label", "example.*"),
        ("web(example.com:http)", 17, "is not a number", "every port"),
        ("web(example.com:)", 17, "the port is missing", "every port"),
        ("web(exa mple.com)", 8, "cannot hold ` `", "host alone"),
        ("web([::1)", 5, "not closed", "[::1]"),
        ("web()", 5, "the host is missing", "example.com"),
        ("  web(1.2.3)x", 14, "does not end", "kind(pattern)"),
        ("mcp(github)", 5, "names no tool", "github:*"),
        ("mcp(:x)", 5, "the server in", "server:tool"),
        ("mcp(github:)", 5, "the tool in", "server:tool"),
        ("tool()", 6, "the name is empty", "tool(name)"),
        ("@fs_reed", 1, "no class of tools", "@fs_read"),
        ("x" * 5000, 1, "longer than", None),
    ],
)
def test_an_error_says_where_what_and_what_to_do(
    text: str, column: int, message: str, hint: str | None
) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert caught.value.column == column
    assert message in caught.value.message
    assert not caught.value.message.endswith(".")
    if hint is not None:
        assert hint in (caught.value.hint or "")


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(
    "text", ["mcp(*)", "mcp(*:get_*)", "mcp(git*:x)", "mcp__*", "mcp__git*__x"]
)
def test_an_allow_needs_its_server_named_in_full(text: str) -> None:
    assert parse(text, "deny")
    assert parse(text, "ask")
    with pytest.raises(RuleSyntaxError, match="named in full"):
        parse(text, "allow")


def test_an_error_carries_its_place() -> None:
    with pytest.raises(RuleSyntaxError, match=r"^settings\.toml:3:9: `pth` is not"):
        parse_text_rule("deny", "pth(a)", Origin.GLOBAL, place="settings.toml:3:9")


def test_the_id_of_a_rule_stays_the_same_over_loads() -> None:
    assert parse("url(a.b)").id == "global:deny:web(a.b)"
    named = parse_text_rule("deny", "Read", Origin.GLOBAL, rule_id="r1", place="f:1:1")
    assert (named.id, named.place) == ("r1", "f:1:1")


def test_a_row_of_the_table_has_no_text() -> None:
    with pytest.raises(ValueError, match="not a text rule"):
        print_text_rule(row("deny", "notify"))


@pytest.mark.spec("POL-10", "POL-13")
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (row("deny", ""), "tool pattern is empty"),
        (row("deny", "a\x00"), "NUL"),
        (row("deny", "@fs_reed"), "no class of tools"),
        (row("deny", "*", "a", pattern="b"), "either a path pattern or a pattern"),
        (row("deny", "*", "../x"), "leaves the workspace"),
        (row("deny", "@fs_any", pattern="x"), "goes with a path pattern"),
        (row("deny", "execute_cmd", pattern=" "), "the command is empty"),
        (row("deny", "pay", when="input.a >"), "in `when`: the condition ends too early"),
        (row("deny", "pay", unless="a"), "in `unless`: `a` is not known"),
        (row("deny", "pay", must_ask=True), "must_ask cannot stand on a rule that says deny"),
    ],
)
def test_a_row_is_checked_before_it_is_saved(rule: Rule, why: str) -> None:
    with pytest.raises((RuleSyntaxError, RuleRefused), match=why):
        check_rule(rule)


def test_sound_rules_pass_the_check() -> None:
    for rule in (
        row("ask", "@fs_any", "memory/*", must_ask=True),
        row("allow", "mcp__gmail__*", when="input.to == 'ann'"),
        row("deny", "web_fetch", pattern="loopback"),
        replace(parse("path(src)"), when="agent == 'a'"),
    ):
        check_rule(rule)


def test_a_text_rule_is_checked_in_its_own_grammar() -> None:
    with pytest.raises(RuleSyntaxError, match="`nope` is not a kind"):
        check_rule(replace(parse("path(src)"), kind="nope"))
    assert parse("path(src)").effect is Effect.DENY


def test_the_examples_of_the_page_about_rules_can_be_read() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/rules.md").read_text(encoding="utf-8")
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    lists = blocks[0]["permissions"]
    for effect in ("allow", "ask", "deny"):
        for text in lists[effect]:
            assert parse(text, effect).effect is Effect.parse(effect)
    for condition in blocks[1].values():
        check_rule(row("ask", "pay", when=condition))
