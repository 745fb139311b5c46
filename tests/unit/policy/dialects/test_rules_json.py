from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.dialects.rules_json import DEFAULTS, default_rules, translate
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from tests.unit.policy.worlds import call, said


def texts(*rules: dict[str, Any]) -> list[str]:
    return [rule.text for rule in translate(json.dumps({"rules": list(rules)})).rules]


@pytest.mark.spec("POL-62")
def test_each_rule_is_an_ask_with_its_message() -> None:
    entry = {"tool": "refund", "action": "call", "message": "Money leaves."}
    [rule] = translate(json.dumps({"rules": [entry]}), "r.json", origin=Origin.WORKSPACE).rules
    assert (rule.effect, rule.text, rule.justification) == (
        Effect.ASK,
        "tool(refund)",
        "Money leaves.",
    )
    assert (rule.origin, rule.place, rule.id) == (
        Origin.WORKSPACE,
        "r.json:1:12",
        "workspace:ask:tool(refund)",
    )
    assert said(call("refund"), rule).must_ask


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    ("rule", "ours"),
    [
        ({"tool": "shell", "pattern": "rm *"}, ["shell(rm *)"]),
        ({"tool": "shell", "pattern": "*drop*"}, ["shell(/(?i)drop/)"]),
        (
            {"tool": "shell", "pattern": "git * -f"},
            ["shell(git * -f)", "shell(/(?i)(?:^|\\W)git\\s+.*\\s+-f(?:\\W|$)/)"],
        ),
        ({"tool": "shell", "pattern": "cd * && rm *"}, ["shell(/(?i)(?:^|\\W)cd\\s+.*\\s+&&\\s+rm/)"]),
        ({"tool": "bash"}, ["shell(*)"]),
        ({"tool": "file", "action": "delete"}, ["delete(**)"]),
        ({"tool": "file", "action": "overwrite", "pattern": "*.env"}, ["write(*.env)"]),
        ({"tool": "file", "action": "touch", "pattern": "src/[ab]*"}, ["path(src)"]),
        ({"tool": "web", "pattern": "example.com"}, ["web(example.com)"]),
        ({"tool": "web", "pattern": "*.example.com"}, ["web(*.example.com)"]),
        ({"tool": "web", "pattern": "example.*"}, ["web(*)"]),
        ({"tool": "web", "pattern": "example.*."}, ["web(*)"]),
        ({"tool": "web", "pattern": "a*b"}, ["web(*)"]),
        ({"tool": "shop:refund"}, ["mcp(shop:refund)"]),
        ({"tool": "refund", "pattern": "x"}, ["tool(refund)"]),
    ],
)  # fmt: skip
def test_what_each_rule_asks_about(rule: dict[str, str], ours: list[str]) -> None:
    assert texts(rule) == ours


@pytest.mark.spec("POL-62")
def test_the_eight_that_ship() -> None:
    assert len(json.loads(DEFAULTS)["rules"]) == 8
    found = default_rules()
    assert found.notes == ()
    assert {rule.effect for rule in found.rules} == {Effect.ASK}
    assert all(rule.justification for rule in found.rules)
    assert compile_ruleset(found.rules, [], SHIPPED).problems == ()
    assert len({rule.id for rule in found.rules}) == len(found.rules)
    allow = "allow tool(*)"
    for asked in (
        call("delete_file", path="x"),
        call("move_file", source="a", destination="b"),
        call("Write", file_path="/w/x"),
        call("execute_code", "box"),
        call("remote_execute"),
    ):
        rules = (
            [*found.rules, allow, f"allow mcp({asked.server}:*)"]
            if asked.server
            else [*found.rules, allow]
        )
        assert said(asked, *rules).effect is Effect.ASK
    assert said(call("Edit", file_path="/w/x"), *found.rules, allow).effect is Effect.ALLOW


def test_what_has_no_meaning_is_told() -> None:
    found = translate('{"rules": [{"tool": "x", "id": 7}]}')
    assert [note.original for note in found.notes] == ["id"]
    assert translate("{}").rules == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "rules.json:1:1: `the file` is not an object"),
        ('{"rules": {}}', "rules.json:1:11: `rules` is not a list"),
        ('{"rules": [1]}', "rules.json:1:12: `0` is not an object"),
        ('{"rules": [{}]}', "rules.json:1:12: the rule names no `tool`"),
        ('{"rules": [{"tool": 1}]}', "rules.json:1:21: `tool` is not a text"),
        ('{"rules": [{"tool": "x", "pattern": []}]}', "1:37: `pattern` is not a text"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        translate(text)
    assert message in caught.value.message
