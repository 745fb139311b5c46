"""What is printed of rules reads back as the same rules, or is refused by name."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config.settings import parse_settings
from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout, Severity
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.dialects.settings_text import print_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import KINDS, parse_text_rule, print_text_rule
from tests.laws.policy_worlds import a_call, a_list_rule, a_row, randoms

BODIES = st.one_of(
    st.text(max_size=40),
    st.text(alphabet=string.ascii_letters + " */:.~@\\'\"()[]{}?|$^+-_=,#", max_size=40),
    st.lists(
        st.sampled_from(
            ["git", "*", "push", "'a b'", '"x"', ":*", "npm test", "a*b", "/", "\\*", "**", "~/x"]
        ),
        max_size=5,
    ).map(" ".join),
    st.sampled_from(
        ["/rm\\s+-rf/", "//", "/a/b/", "\\/bin/ls x/", "server :: a:b", "a__b", "@fs_any"]
    ),
)
WORDS = st.sampled_from((*KINDS, "edit", "url", "Bash", ""))
PLACE = Path("settings.toml")


def as_parsed(effect: Effect, text: str) -> Rule | None:
    try:
        return parse_text_rule(effect, text, Origin.GLOBAL)
    except RuleSyntaxError:
        return None


@pytest.mark.spec("POL-13")
@given(effect=st.sampled_from(Effect), kind=WORDS, body=BODIES, bare=st.booleans())
def test_a_text_rule_prints_as_it_is_read(effect: Effect, kind: str, body: str, bare: bool) -> None:
    rule = as_parsed(effect, body if bare else f"{kind}({body})")
    if rule is not None:
        printed = print_text_rule(rule)
        assert parse_text_rule(effect, printed, Origin.GLOBAL) == rule
        assert print_text_rule(parse_text_rule(effect, printed, Origin.GLOBAL)) == printed


POLICIES = (
    None, None, ApprovalPolicy(), ApprovalPolicy(Severity.HIGH, 60.5, approver=Approver.OPERATOR),
    ApprovalPolicy(Severity.LOW, on_timeout=OnTimeout.ALLOW, message='say "no"\n', remember=("once",)),
    ApprovalPolicy(approvers=("tg:1", "web:ann"), quorum=2, action="Run {{ x }}?", allow_edit=True),
    ApprovalPolicy(approvers=()), ApprovalPolicy(role="ops", self_approval=True),
)  # fmt: skip


def a_rule(r: random.Random, number: int) -> Rule:
    """A rule of either form, as a settings file could hold it."""
    near = a_call(r)
    if r.random() < 0.5:
        rule = replace(a_list_rule(r, number, near), origin=Origin.GLOBAL)
    else:
        row = a_row(r, number, near)
        rule = replace(row, origin=Origin.GLOBAL, priority=0, group_id="default", seeded=False)
    if r.random() < 0.5:
        rule = replace(rule, id=f"global:{rule.effect.word}:{rule.text}")
    said: dict[str, Any] = {}
    if r.random() < 0.5:
        said["justification"] = r.choice(["why", 'a "b" \\ \u2028 \x7f', "ü\n\t"])
    if rule.effect is Effect.ASK:
        said["approval"] = r.choice(POLICIES)
        said["must_ask"] = said["approval"] is None and r.random() < 0.3
    return replace(rule, **said)


@pytest.mark.spec("POL-62")
@given(r=randoms)
def test_rules_written_as_settings_read_back(r: random.Random) -> None:
    rules = [a_rule(r, number) for number in range(r.randrange(6))]
    try:
        text = print_rules(rules)
        found = parse_settings(PLACE, text.encode()).rules
    except RuleRefused:
        return
    wanted = {comparable(rule) for rule in rules}
    assert {comparable(rule) for rule in found} == wanted


def comparable(rule: Rule) -> str:
    """The rule without where it stands, and without an id that tells only what it says."""
    told = rule.to_json() | {"place": None, "examples": list(rule.examples)}
    if rule.id.partition("#")[0] == f"global:{rule.effect.word}:{rule.text}":
        told["id"] = None
    return repr(sorted(told.items(), key=lambda pair: pair[0]))


@pytest.mark.parametrize(
    "change",
    [
        {"priority": 7},
        {"group_id": "team"},
        {"exceptions": ("x",), "note": "n"},
        {"note": "\ud800"},
    ],
    ids=["priority", "group", "exceptions", "no Unicode"],
)
def test_what_a_settings_file_cannot_hold_is_refused_by_name(change: dict[str, Any]) -> None:
    rule = Rule("r", Effect.DENY, Origin.GLOBAL, tool_pattern="x")
    assert print_rules([rule]).startswith("[[rule]]")
    with pytest.raises(RuleRefused):
        print_rules([replace(rule, **change)])
