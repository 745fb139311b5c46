from __future__ import annotations

from typing import Any

import pytest

from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.reason import Reason
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.rule import Origin, Rule
from sayso.policy.tool_policy import (
    RequiredTool,
    ToolApproval,
    parse_tool_approval,
    tool_policy_rules,
)
from tests.unit.policy.worlds import call, effect, said

REFUND = {"when": "input.amount > 100", "severity": "high", "action": "Refund {{ amount }}?"}


def rules(
    block: dict[str, Any] | None = None,
    *required: str,
    tool: str = "refund",
    server: str | None = None,
) -> tuple[Rule, ...]:
    blocks = [] if block is None else [parse_tool_approval(tool, block, server=server)]
    return tool_policy_rules(blocks, [RequiredTool(pattern) for pattern in required])


@pytest.mark.spec("POL-61")
def test_a_block_is_an_ask_with_its_approval_policy() -> None:
    asked = said(call("refund", amount=5), *rules({"severity": "high", "timeout": 60}))
    assert asked.effect.word == "ask"
    assert asked.reason is Reason.RULE_ASK
    assert not asked.must_ask
    assert asked.approval == ApprovalPolicy(severity=Severity.HIGH, timeout=60.0)
    assert asked.rule is not None
    assert asked.rule.origin is Origin.TOOL_POLICY


@pytest.mark.spec("POL-61")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"amount": 101}, "ask"),
        ({"amount": 100}, "allow"),
        ({"amount": "7"}, "ask"),
        ({}, "ask"),
        ({"amount": None}, "ask"),
    ],
    ids=["large", "small", "of another type", "missing", "none"],
)
def test_small_operations_run_without_a_question_and_a_failing_condition_asks(
    arguments: dict[str, Any], expected: str
) -> None:
    assert effect(call("refund", **arguments), *rules(REFUND)) == expected
    assert effect(call("refund", "shop", **arguments), *rules(REFUND, server="shop")) == expected
    assert effect(call("refund", "other", **arguments), *rules(REFUND, server="shop")) == "ask"


@pytest.mark.spec("POL-61")
def test_a_deny_from_elsewhere_still_wins() -> None:
    small = call("refund", amount=1)
    assert effect(small, *rules(REFUND)) == "allow"
    assert effect(small, *rules(REFUND), "deny tool(refund)") == "deny"
    assert effect(small, *rules(REFUND), "ask tool(refund)") == "ask"


@pytest.mark.spec("POL-61")
def test_must_ask_is_kept_and_without_it_a_tool_policy_can_be_remembered() -> None:
    assert said(call("refund"), *rules({"must_ask": True})).must_ask
    assert not said(call("refund"), *rules({"must_ask": False})).must_ask


@pytest.mark.spec("POL-61")
@pytest.mark.parametrize(
    ("pattern", "asked"),
    [
        ("delete_*", call("delete_user")),
        ("send_email", call("send_email")),
        ("mcp(shop:*)", call("refund", "shop")),
        ("mcp__shop__*", call("refund", "shop")),
    ],
)
def test_a_match_in_required_tools_asks(pattern: str, asked: Any) -> None:
    everything = ["allow tool(*)", "allow mcp(shop:*)"]
    assert effect(asked, *everything) == "allow"
    verdict = said(asked, *everything, *rules(None, pattern))
    assert verdict.effect.word == "ask"
    assert verdict.rule is not None
    assert verdict.rule.origin is Origin.TOOL_POLICY
    assert effect(call("notify"), *everything, *rules(None, pattern)) == "allow"


@pytest.mark.spec("POL-61")
@pytest.mark.parametrize("pattern", ["ref*", "refund", "mcp(shop:*)"])
def test_a_tools_own_block_comes_before_required_tools(pattern: str) -> None:
    server = "shop" if pattern.startswith("mcp") else None
    both = rules({**REFUND, "severity": "low"}, pattern, server=server)
    assert effect(call("refund", server, amount=1), *both) == "allow"
    large = said(call("refund", server, amount=1000), *both)
    assert large.approval.severity is Severity.LOW
    if "*" in pattern:
        assert effect(call("refuse", server, amount=1), "allow tool(*)", *both) == "ask"


@pytest.mark.spec("POL-61")
def test_a_name_that_could_be_another_tools_is_asked_about_by_both() -> None:
    both = rules(REFUND, "mcp__*", tool="b__refund", server="a")
    assert effect(call("b__refund", "a", amount=1), *both) == "ask"


@pytest.mark.parametrize(
    ("block", "said_so"),
    [
        ({"when": 7}, "`when` is not a text"),
        ({"must_ask": "yes"}, "`must_ask` is not true or false"),
        ({"justification": 1}, "`justification` is not a text"),
        ({"severty": "high"}, "`severty` is not a field of an approval policy"),
        ({"must_ask": True, "on_timeout": "allow"}, "cannot stand with must_ask"),
    ],
)
def test_a_block_that_makes_no_sense_is_refused(block: dict[str, Any], said_so: str) -> None:
    with pytest.raises(RuleRefused, match=said_so):
        parse_tool_approval("refund", block)


@pytest.mark.parametrize("when", ["", "  ", "input.amount >", "amount > 1"])
def test_a_condition_that_cannot_be_read_is_refused_with_its_place(when: str) -> None:
    with pytest.raises(RuleSyntaxError, match=r"^x\.toml:1:1: in `when`: ") as caught:
        parse_tool_approval("refund", {"when": when}, place="x.toml:1:1")
    assert caught.value.column >= 1


def test_a_block_without_a_condition_never_allows() -> None:
    for when in (None, "", " "):
        [ask] = tool_policy_rules([ToolApproval("refund", when=when)])
        assert ask.effect.word == "ask"


@pytest.mark.parametrize(("tool", "server"), [("ref*", None), ("refund", "*"), ("*", "shop")])
def test_when_needs_one_tool(tool: str, server: str | None) -> None:
    with pytest.raises(RuleRefused, match="`when` needs one tool"):
        parse_tool_approval(tool, REFUND, server=server)
    assert effect(call("refund", "shop"), *rules({}, tool=tool, server=server)) == "ask"


@pytest.mark.parametrize("pattern", ["shell(rm *)", "@fs_any", "path(x)", "", "a)"])
def test_an_entry_of_required_tools_names_a_tool(pattern: str) -> None:
    with pytest.raises(RuleSyntaxError):
        rules(None, pattern)


def test_a_class_of_tools_has_no_block() -> None:
    with pytest.raises(RuleSyntaxError, match="is a class of tools"):
        rules({}, tool="@fs_any")
