"""Lint: dead, doubled, contradicting and dangerously broad rules, each with its place and a hint (POL-70)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.policy.defaults import seed_rules
from sayso.policy.lint import Finding, Severity, lint
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.shipped_descriptors import SHIPPED
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import row, rule


def found(*rules: Rule | str, built_in: Sequence[Rule] = ()) -> list[Finding]:
    given = [rule(item) if isinstance(item, str) else item for item in rules]
    return list(lint([*built_in, *given], SHIPPED, FakeFacts()))


def codes(*rules: Rule | str, built_in: Sequence[Rule] = ()) -> list[str]:
    return [finding.code for finding in found(*rules, built_in=built_in)]


@pytest.mark.spec("POL-70")
def test_an_ordinary_policy_has_nothing_to_mend() -> None:
    assert (
        codes(
            "allow shell(git status *)",
            "allow shell(npm test)",
            "allow shell(grep *)",
            "deny shell(git push *)",
            "allow read(**)",
            "allow write(src/**)",
            "deny path(secrets)",
            "ask web(*)",
            "allow web(example.com)",
            "allow mcp(mail:*)",
            built_in=[*protected_rules(["/data"], ports=[8484]), *seed_rules()],
        )
        == ["contradiction"]  # ask web(*) leaves allow web(example.com) nothing to say
    )


@pytest.mark.spec("POL-70")
def test_the_rules_that_ship_are_not_spoken_of() -> None:
    assert codes(built_in=[*protected_rules(["/data"], ports=[8484]), *seed_rules()]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("allow shell(*)", "any program runs"),
        ("allow shell(sudo *)", "`sudo` runs other programs with other rights"),
        ("allow shell(/usr/bin/sudo *)", "`sudo` runs other programs"),
        ("allow shell(sudo -u root *)", ""),
        ("allow shell(ssh *)", "`ssh` runs other programs"),
        ("allow shell(python3 *)", "`python3` runs whatever code"),
        ("allow shell(python3 -u *)", "`python3` runs whatever code"),
        ("allow shell(python3 -c*)", "`python3` runs whatever code"),
        ("allow shell(bash *)", "`bash` runs whatever script"),
        ("allow shell(eval *)", "`eval` runs whatever script"),
        ("allow shell(* --version)", "`*` fits programs"),
        ("allow shell(/.*/)", "the expression fits any command"),
        ("allow write(/**)", "every file of the machine may be changed"),
        ("allow read(/**)", "every file of the machine may be read"),
        ("allow path(~/**)", "every file of your home may be changed"),
        ("allow web(*)", "sent to any host"),
        ("allow web(https://*)", "sent to any host"),
        ("allow web(*:*)", "sent to any host"),
        ("allow *", "every tool runs without a question"),
        ("allow @fs_any", "every file of the machine may be changed"),
    ],
)
@pytest.mark.spec("POL-70")
def test_an_allow_that_opens_more_than_it_seems_is_a_warning(text: str, words: str) -> None:
    broad = [one for one in found(text) if one.code == "broad"]
    if not words:
        assert broad == []
        return
    [finding] = broad
    assert words in finding.message
    assert (finding.severity, bool(finding.hint)) == (Severity.WARNING, True)


@pytest.mark.parametrize(
    "text",
    [
        "deny shell(*)",
        "ask shell(sudo *)",
        "allow shell(python3 build.py *)",
        "allow shell(python3 --version)",
        "allow shell(terraform plan *)",
        "allow shell(git *)",
        "allow shell(sort *)",
        "allow shell(bash scripts/*.sh)",
        "allow shell(awk *)",
        "allow shell(/git (status|log)/)",
        "allow write(**)",
        "allow read(*)",
        "allow web(*.example.com)",
        "allow mcp(mail:*)",
        "allow mcp__mail__*",
        "allow @fs_read",
    ],
)
@pytest.mark.spec("POL-70")
def test_what_is_meant_to_be_wide_is_not_called_broad(text: str) -> None:
    assert "broad" not in codes(text)


@pytest.mark.spec("POL-39", "POL-70")
def test_a_wildcard_for_a_program_whose_options_are_not_known_is_a_warning() -> None:
    [finding] = found("allow shell(terraform *)")
    assert (finding.code, finding.severity) == ("options", Severity.WARNING)
    assert (
        "which options of `terraform` run programs or write files is not known" in finding.message
    )
    assert (
        codes("allow shell(terraform run *)", "allow shell(terraform)", "allow shell(sort *)") == []
    )


def test_a_condition_narrows_an_allow() -> None:
    given = Rule("r", Effect.ALLOW, Origin.GLOBAL, tool_pattern="*", when="agent == 'a'")
    assert "broad" not in codes(given)


@pytest.mark.spec("POL-70")
def test_two_rules_that_say_the_same_are_told_with_both_places() -> None:
    first = replace(rule("deny todo"), id="a", place="s.toml:1:1")
    second = replace(rule("deny todo"), id="b", place="s.toml:9:1")
    [finding] = found(first, second)
    assert (finding.code, finding.place) == ("duplicate", "s.toml:9:1")
    assert finding.message == "`deny tool(todo)` says the same as `deny tool(todo)` (s.toml:1:1)"
    assert codes(first, replace(second, agent_id="x")) == []


@pytest.mark.spec("POL-70")
def test_a_rule_of_a_list_that_a_stricter_one_silences_is_told() -> None:
    [finding] = found("allow read(src/**)", "deny path(src)", "allow read(docs/**)")
    assert (finding.code, finding.rule_id) == ("contradiction", "allow read(src/**)")
    assert "all it matches is denied by `deny path(src)`" in finding.message
    [asked] = found("allow todo", "ask tool(t*)")
    assert "all it matches is asked about by" in asked.message
    [protected] = found("allow write(.git/hooks/x)", built_in=protected_rules())
    assert "the built-in protection, `ask write(.git)`" in protected.message


def test_a_rule_with_a_condition_silences_nothing() -> None:
    guarded = Rule("g", Effect.DENY, Origin.GLOBAL, tool_pattern="*", when="agent == 'a'")
    assert codes("allow todo", guarded) == []


@pytest.mark.spec("POL-70")
def test_a_row_that_another_one_always_comes_before_is_told() -> None:
    first = row("allow", "mail_*", priority=1)
    [finding] = found(first, row("deny", "mail_send", priority=5))
    assert (finding.code, finding.severity) == ("shadowed", Severity.WARNING)
    assert "`allow mail_*` (allow mail_*) is tried before it" in finding.message
    [redundant] = found(first, row("allow", "mail_send", priority=5))
    assert (redundant.code, redundant.severity) == ("redundant", Severity.NOTE)
    assert codes(first, row("deny", "mail_send", priority=0)) == []
    assert codes(first, row("deny", "mail_send", priority=5, group_id="other")) == []
    assert (
        codes(row("allow", "mail_*", when="input.a > 1"), row("deny", "mail_s", priority=5)) == []
    )


def test_a_row_for_paths_is_reached_behind_a_catch_all() -> None:
    # paths of a command line are matched by rows that name paths, and by no `*`
    rows = row("ask", "*", priority=1), row("deny", "@fs_any", "secrets/*", priority=5)
    assert codes(*rows) == []


@pytest.mark.spec("POL-41a", "POL-70")
def test_a_catch_all_of_a_group_that_hides_denies_is_told() -> None:
    rows = row("deny", "x"), row("allow", "*", group_id="g", id="g-all")
    [hides] = [one for one in found(*rows) if one.code == "hides"]
    assert (hides.rule_id, hides.severity) == ("g-all", Severity.WARNING)


@pytest.mark.parametrize(
    "text", ["allow shell(make && ls)", "deny shell(echo x > y)", "ask shell(a | b)"]
)
@pytest.mark.spec("POL-70")
def test_a_pattern_that_spans_two_commands_is_told(text: str) -> None:
    assert codes(text) == ["never"]
    assert codes(text.replace("&&", "'&&'").replace(">", "'>'").replace("|", "'|'")) == []


def test_a_rule_that_can_never_match_is_a_warning() -> None:
    assert codes("allow mcp__mail") == ["never"]


@pytest.mark.spec("POL-70")
def test_what_cannot_be_read_and_a_lying_example_are_errors_and_come_first() -> None:
    broken = Rule("broken", Effect.DENY, Origin.GLOBAL, kind="shell", pattern="'")
    lying = replace(rule("deny path(a)"), id="lying", examples=("b",))
    odd = replace(rule("deny path(a)"), id="odd", when="input.")
    every = found("allow *", broken, lying, odd)
    assert [(one.severity, one.rule_id) for one in every[:3]] == [
        (Severity.ERROR, "broken"),
        (Severity.ERROR, "lying"),
        (Severity.ERROR, "odd"),
    ]
    assert every[1].message == "the rule `path(a)` does not match `b`, which it must match"
    assert every[0].to_json()["code"] == "unreadable"


@pytest.mark.spec("POL-70")
def test_a_command_that_is_spelled_as_a_tool_is_told() -> None:
    [finding] = found("deny git push")
    assert (finding.code, finding.severity) == ("never", Severity.WARNING)
    assert finding.message.startswith("`deny tool(git push)` is about a tool of that name")
    assert finding.hint == "a command line is shell(git push *)"
    assert codes("deny shell(git push *)", "allow todo") == []


@pytest.mark.spec("POL-70")
def test_two_spellings_of_one_command_say_the_same() -> None:
    assert codes("deny shell(git push *)", "deny shell(git push:*)") == ["duplicate"]
    assert codes("deny shell(git push)", "deny shell( git  push )") == ["duplicate"]
    assert codes("deny shell(git pull)", "deny shell(git push)") == []


@pytest.mark.spec("POL-70")
def test_rules_that_demand_another_approval_do_not_say_the_same() -> None:
    ask = rule("ask tool(send_mail)")
    two = replace(ask, id="two", origin=Origin.TOOL_POLICY, approval=ApprovalPolicy(quorum=2))
    assert codes(two, ask) == []
    assert codes(replace(two, id="again"), two) == ["duplicate"]
    assert codes(replace(ask, id="but", exceptions=("x",)), ask) == []
    rows = (row("ask", "x", priority=5), row("ask", "x", id="must", priority=6, must_ask=True))
    assert codes(*rows) == ["redundant"]


@pytest.mark.spec("POL-70")
def test_a_narrower_row_below_one_of_the_same_words_is_told_as_never_reached() -> None:
    first, second = row("deny", "x", priority=5), row("deny", "x", id="a", priority=6, agent_id="a")
    assert codes(first, second) == ["redundant"]
    assert codes(first, replace(first, id="b", priority=7)) == ["duplicate"]


@pytest.mark.spec("POL-70")
def test_an_operator_between_quotes_is_no_operator() -> None:
    assert codes('allow shell(grep "a | b" src)', "deny shell(psql -c 'a ; b')") == []
    assert codes("deny shell(psql -c 'a' ; b)") == ["never"]


@pytest.mark.spec("POL-70")
def test_only_patterns_for_commands_are_judged_as_commands() -> None:
    assert codes(row("allow", "web_fetch", pattern="*.example.com")) == []
    assert codes(row("allow", "*", pattern="github :: *")) == []
    [finding] = found(row("allow", "web_fetch", pattern="*"))
    assert (finding.code, "sent to any host" in finding.message) == ("broad", True)
    assert codes(row("allow", "execute_cmd", pattern="*")) == ["broad"]
