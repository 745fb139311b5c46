from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.approval_policy import ApprovalPolicy, Approver, Severity
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge, with_lists
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, row, rule, said

READ = call("read_file", path="src/a.py")


@pytest.mark.spec("POL-20")
def test_in_a_list_deny_outranks_ask_outranks_allow_whatever_the_order() -> None:
    rules = ["allow tool(notify)", "ask tool(not*)", "deny tool(*)"]
    assert effect(call(), *rules) == effect(call(), *reversed(rules)) == "deny"
    assert effect(call(), *rules[:2]) == effect(call(), *reversed(rules[:2])) == "ask"


@pytest.mark.spec("POL-20")
def test_an_ask_of_a_list_is_must_ask_unless_it_is_a_tool_policy() -> None:
    assert said(call(), "ask tool(notify)").must_ask
    assert said(call(), "ask tool(notify)").reason is Reason.MUST_ASK
    soft = rule("ask tool(notify)", Origin.TOOL_POLICY)
    assert not said(call(), soft).must_ask
    assert said(call(), soft).reason is Reason.RULE_ASK
    assert said(call(), replace(soft, must_ask=True)).must_ask


@pytest.mark.spec("POL-21")
def test_in_the_table_the_first_match_decides_by_priority_then_id() -> None:
    table = [
        row("deny", "notify", priority=5, id="b"),
        row("allow", "not*", priority=5, id="a"),
        row("ask", "*", priority=9, id="c"),
    ]
    assert said(call(), table=table).rule == table[1]
    assert said(call(), table=[replace(table[1], priority=6), *table]).rule == table[1]
    assert said(call(), table=[replace(table[1], id="z"), table[0]]).rule == table[0]


@pytest.mark.spec("POL-21", "POL-41a")
def test_the_sessions_group_comes_before_the_default_group() -> None:
    table = [
        row("deny", "notify", priority=-5),
        row("allow", "notify", priority=9, group_id="team", id="team-allow"),
    ]
    assert effect(call(), table=table, group="team") == "allow"
    assert effect(call(), table=table) == "deny"
    falls_through = said(call("send"), table=[*table, row("ask", "send")], group="team")
    assert falls_through.rule is not None
    assert falls_through.rule.group_id == "default"


@pytest.mark.spec("POL-25")
def test_an_unknown_group_is_the_default_group_and_a_warning() -> None:
    outcome = said(call(), table=[row("allow", "notify")], group="teem")
    assert outcome.effect is Effect.ALLOW
    assert outcome.warnings == ("there is no permission group `teem`; only `default` counts",)
    ruleset = compile_ruleset([], [], SHIPPED, groups=["teem"])
    assert judge(call(), ruleset, NOTHING_KNOWN, group="teem").warnings == ()


@pytest.mark.spec("POL-22")
def test_a_list_allows_where_the_table_only_asks_by_default() -> None:
    catch_all = row("ask", "*", priority=999_999)
    seeded = row("ask", "notify", priority=10, seeded=True)
    written = row("ask", "notify", priority=10)
    assert effect(call(), "allow tool(notify)", table=[catch_all]) == "allow"
    assert effect(call(), "allow tool(notify)", table=[seeded]) == "allow"
    assert effect(call(), "allow tool(notify)", table=[written]) == "ask"
    assert effect(call(), "allow tool(notify)", table=[replace(seeded, must_ask=True)]) == "ask"
    assert effect(call(), "allow tool(notify)", table=[replace(catch_all, must_ask=True)]) == "ask"
    for policy in (
        ApprovalPolicy(approver=Approver.ADMIN),
        ApprovalPolicy(role="sre"),
        ApprovalPolicy(approvers=("web:ann",)),
        ApprovalPolicy(quorum=2),
    ):
        routed = replace(seeded, approval=policy)
        assert effect(call(), "allow tool(notify)", table=[routed]) == "ask"


@pytest.mark.spec("POL-22")
def test_a_deny_is_final_from_anywhere() -> None:
    assert effect(call(), "deny tool(notify)", table=[row("allow", "notify")]) == "deny"
    assert effect(call(), "allow tool(notify)", table=[row("deny", "notify")]) == "deny"


@pytest.mark.spec("POL-22", "POL-3")
def test_an_allow_needs_every_target_covered() -> None:
    move = call("move_file", source="src/a", destination="lib/a")
    assert effect(move, "allow path(src/**)") == "ask"
    assert effect(move, "allow path(src/**)", "allow write(lib/**)") == "allow"
    assert effect(move, "allow path(src/**)", "allow read(lib/**)") == "ask"
    assert effect(move, "allow path(**)", "deny delete(src)") == "deny"


@pytest.mark.spec("POL-22")
def test_only_the_table_can_express_an_exception() -> None:
    table = [row("allow", "@fs_read", "secrets/public/*"), row("deny", "@fs_any", "secrets/*")]
    table[0] = replace(table[0], priority=-1)
    assert effect(call("read_file", path="secrets/public/x"), table=table) == "allow"
    assert effect(call("write_file", path="secrets/public/x"), table=table) == "deny"
    assert effect(call("read_file", path="secrets/x"), table=table) == "deny"


@pytest.mark.spec("POL-22")
def test_silence_is_ask_with_its_own_reason() -> None:
    outcome = said(call())
    assert (outcome.effect, outcome.reason, outcome.rule) == (Effect.ASK, Reason.NO_RULE, None)


@pytest.mark.spec("POL-23")
def test_without_rules_known_denies_still_deny_and_all_else_asks() -> None:
    lists = [rule("deny tool(rm*)"), rule("allow tool(*)")]
    ruleset = compile_ruleset(lists, [], SHIPPED, unavailable="settings.toml:3:1: not TOML")
    denied = judge(call("rmdir"), ruleset, NOTHING_KNOWN)
    assert (denied.effect, denied.reason) == (Effect.DENY, Reason.RULE_DENY)
    asked = judge(call(), ruleset, NOTHING_KNOWN)
    assert asked.effect is Effect.ASK
    assert asked.must_ask
    assert asked.reason is Reason.RULES_UNAVAILABLE
    assert asked.warnings == ("the rules cannot be loaded: settings.toml:3:1: not TOML",)


@pytest.mark.spec("POL-10")
def test_a_rule_is_for_its_agent_source_and_user_only() -> None:
    for field, value in (("agent_id", "a1"), ("source", "api"), ("user_id", "u1")):
        mine = replace(rule("deny tool(notify)"), **{field: value})
        others = replace(rule("deny tool(notify)"), **{field: "other"})
        everybody = replace(rule("deny tool(notify)"), **{field: ""})
        assert effect(call(), mine) == "deny"
        assert effect(call(), others) == "ask"
        assert effect(call(), everybody) == "deny"
        assert effect(READ, replace(rule("deny path(src)"), **{field: "other"})) == "ask"
        assert effect(READ, replace(rule("deny path(src)"), **{field: value})) == "deny"


@pytest.mark.spec("POL-24")
def test_the_trace_tells_what_conditions_did() -> None:
    pay = call("pay", amount=5)
    small = replace(rule("allow tool(pay)"), when="input.amount < 10")
    big = replace(rule("deny tool(pay)"), when="input.amount > 1000")
    outcome = said(pay, small, big)
    assert outcome.effect is Effect.ALLOW
    target = outcome.trace()[0]
    assert target["lists"][0]["note"] == "its condition holds"
    assert target["notes"] == [
        "rule `deny tool(pay)`: `when input.amount > 1000` is false: not applied"
    ]
    text = said(call("pay", amount="5"), small, big)
    assert text.effect is Effect.DENY
    assert "cannot be compared" in str(text.trace())
    assert said(call("pay"), small).effect is Effect.ASK


@pytest.mark.spec("POL-24")
def test_the_policies_of_all_asks_merge() -> None:
    first = replace(rule("ask delete(src)"), approval=ApprovalPolicy(severity=Severity.HIGH))
    second = replace(
        row("ask", "@fs_write", "lib/*"),
        approval=ApprovalPolicy(timeout=60.0, quorum=2, remember=("once",)),
        must_ask=True,
    )
    outcome = said(call("move_file", source="src/a", destination="lib/a"), first, table=[second])
    assert outcome.must_ask
    assert outcome.approval.severity is Severity.HIGH
    assert outcome.approval.timeout == 60.0
    assert outcome.approval.quorum == 2
    assert outcome.approval.remember == ("once",)


def test_a_rule_that_cannot_be_read_counts_so_that_nothing_is_loosened() -> None:
    broken = replace(rule("deny path(src)"), path_pattern="a*/..")
    ruleset = compile_ruleset([broken, rule("allow tool(*)")], [], SHIPPED)
    assert len(ruleset.problems) == 1
    assert judge(call(), ruleset, NOTHING_KNOWN).effect is Effect.DENY
    left_out = replace(rule("allow path(src)"), path_pattern="a*/..")
    assert effect(READ, left_out) == "ask"


def test_what_is_said_of_rules_stays_said_when_others_are_added() -> None:
    broken = replace(rule("deny path(src)"), path_pattern="a*/..")
    ruleset = compile_ruleset([broken], [], SHIPPED, problems=["`lying` is left out"])
    more = with_lists(ruleset, [rule("allow tool(*)")], NOTHING_KNOWN)
    assert len(more.problems) == 2
    assert more.problems == ruleset.problems


@pytest.mark.spec("POL-13")
def test_a_rule_that_can_never_match_is_a_warning() -> None:
    rules = [rule("allow path(~/x)"), rule("allow mcp__db"), rule("allow tool(a\u200bb)")]
    warnings = compile_ruleset(rules, [], SHIPPED, facts=FakeFacts(home=None)).warnings
    assert len(warnings) == 3
    assert warnings[0] == "the rule `path(~/x)` can never match: the home directory is not known"
    assert compile_ruleset(rules[:1], [], SHIPPED, facts=FakeFacts()).warnings == ()


def test_a_failed_ask_of_the_table_hides_no_deny_below_it() -> None:
    failing = row("ask", "notify", priority=1, when="input.nowhere", seeded=True)
    deny = row("deny", "notify", priority=2)
    assert effect(call(), "allow tool(notify)", table=[failing, deny]) == "deny"
    assert effect(call(), "allow tool(notify)", table=[failing]) == "ask"


def test_a_list_rule_is_judged_as_one_whatever_it_claims_to_be() -> None:
    claimed = replace(rule("ask tool(notify)"), origin=Origin.DATABASE, seeded=True)
    assert said(call(), claimed, "allow tool(*)").must_ask


@pytest.mark.spec("POL-2")
def test_an_mcp_tool_is_a_pair_and_no_allow_of_a_list_covers_it_by_a_star() -> None:
    read = call("read", "db")
    assert effect(read, "allow tool(*)") == "ask"
    assert effect(read, "allow tool(read)") == "ask"
    assert effect(read, table=[row("allow", "*")]) == "allow"
    assert effect(read, "allow mcp(db:*)") == "allow"
    assert effect(read, "allow mcp__db__read") == "allow"
    assert effect(read, "allow mcp__db__*") == "allow"
    assert effect(read, "deny mcp(*:read)", "allow mcp(db:*)") == "deny"
    assert effect(call("c", "a__b"), "allow mcp__a__b__c") == "ask"
    assert effect(call("b__c", "a"), "allow mcp__a__b__c") == "allow"
    assert effect(call("c", "a__b"), "deny mcp__a__b__c") == "deny"


@pytest.mark.spec("POL-2")
def test_a_written_mcp_name_is_its_pair_where_there_is_one_way_to_read_it() -> None:
    assert effect(call("mcp__db__read"), "allow mcp(db:read)") == "allow"
    ambiguous = call("mcp__a__b__c")
    assert effect(ambiguous, "allow mcp(a:*)", "allow mcp__a__b__c", "allow tool(*)") == "ask"
    assert effect(ambiguous, "deny mcp(a__b:c)") == "deny"
    assert effect(ambiguous, "deny mcp(a:b__c)") == "deny"


def test_a_name_that_looks_like_a_denied_one_asks_unless_a_rule_spells_it_out() -> None:
    assert effect(call("Refund"), "deny tool(Refund)") == "deny"
    for name in ("refund", "R\u0435fund", "Re\u200bfund", "Refund "):
        outcome = said(call(name), "deny tool(Refund)", "allow tool(*)")
        assert outcome.effect is Effect.ASK
        assert outcome.doubtful
    assert effect(call("refund"), "deny tool(Refund)", "allow tool(refund)") == "allow"


def test_where_links_are_not_known_no_deny_for_paths_can_be_passed() -> None:
    unknown = FakeFacts(unknown=True)
    assert effect(READ, "allow tool(read_file)", facts=unknown) == "allow"
    assert effect(READ, "allow path(src/**)", facts=unknown) == "ask"
    outcome = said(READ, "allow tool(read_file)", "deny path(secrets)", facts=unknown)
    assert outcome.reason is Reason.DOUBTFUL
    assert outcome.doubtful


@pytest.mark.spec("POL-80")
def test_the_memo_is_bounded() -> None:
    ruleset = compile_ruleset([rule("allow tool(t*)")], [], SHIPPED)
    for number in range(20_000):
        assert judge(call(f"t{number}"), ruleset, NOTHING_KNOWN).effect is Effect.ALLOW
    assert len(ruleset._plans) <= 8192


@pytest.mark.parametrize(
    ("effect", "pattern"),
    [("deny", "shell(*)"), ("ask", "shell(git push *)"), ("allow", "shell(npm test)")],
)
def test_a_rule_for_commands_is_no_warning(effect: str, pattern: str) -> None:
    rule = parse_text_rule(Effect.parse(effect), pattern, Origin.GLOBAL)
    assert compile_ruleset([rule], [], SHIPPED).warnings == ()
