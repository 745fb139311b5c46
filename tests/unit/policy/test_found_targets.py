"""Paths and URLs in arguments that nobody described: they only count where a rule speaks of them."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.policy.found_targets import MAX_FOUND
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts

RULES = ("allow mcp(fs:*)", "deny path(/etc/**)", "deny web(evil.test)", "ask path(drafts)")


def outcome(tool: str = "frob", **arguments: Any) -> tuple[str, Reason]:
    rules = [
        parse_text_rule(Effect.parse(effect), text, Origin.GLOBAL)
        for effect, text in (rule.split(" ", 1) for rule in RULES)
    ]
    ruleset = compile_ruleset((*protected_rules(["/home/u/.sayso"]), *rules), (), SHIPPED)
    call = ToolCall("c", tool, arguments, "s", "a", "u", server="fs", workspace="/srv/proj")
    found = judge(call, ruleset, FakeFacts(home="/home/u"))
    return found.effect.word, found.reason


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "/etc/passwd"},
        {"anything": "/etc/passwd"},
        {"deep": {"list": ["a", {"x": "/etc/passwd"}]}},
        {"where": "/srv/proj/../../etc/passwd"},
        {"input_file": "../../etc/passwd"},
        {"link": "https://evil.test/x"},
    ],
)
def test_a_deny_sees_what_nobody_described(arguments: dict[str, Any]) -> None:
    assert outcome(**arguments) == ("deny", Reason.RULE_DENY)


@pytest.mark.spec("POL-3")
def test_arguments_beside_the_described_ones_are_looked_at() -> None:
    assert outcome("read_file", path="ok.txt", paths=["/etc/shadow"])[0] == "deny"


@pytest.mark.spec("POL-44")
def test_sayso_itself_is_protected_from_tools_that_nobody_described() -> None:
    assert outcome(p="~/.sayso/sayso.db") == ("deny", Reason.PROTECTED)


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"note": "hello"},
        {"body": "/giphy hello\nworld"},
        {"src": "a/b.txt"},
        {"count": 3, "flag": True, "nothing": None},
        {"site": "https://example.com/"},
    ],
)
def test_what_no_rule_speaks_of_follows_the_call(arguments: dict[str, Any]) -> None:
    assert outcome(**arguments) == ("allow", Reason.RULE_ALLOW)


@pytest.mark.spec("POL-3")
def test_an_ask_for_a_path_is_seen_too() -> None:
    assert outcome(file="drafts/a.md")[0] == "ask"


def test_more_texts_than_are_looked_at_ask() -> None:
    assert outcome(items=["x"] * MAX_FOUND)[0] == "allow"
    assert outcome(items=["x"] * (MAX_FOUND + 1))[0] == "ask"
