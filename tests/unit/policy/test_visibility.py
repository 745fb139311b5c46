from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sayso.policy.rule import Rule
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.visibility import visible
from tests.unit.policy.worlds import row, rule


def shown(
    tool: str,
    *lists: Rule | str,
    table: Sequence[Rule] = (),
    server: str | None = None,
    group: str = "default",
) -> bool:
    rules = [rule(item) if isinstance(item, str) else item for item in lists]
    return visible(tool, compile_ruleset(rules, table, SHIPPED), server=server, group=group)


@pytest.mark.spec("POL-50")
def test_what_every_call_would_be_denied_is_hidden() -> None:
    assert shown("notify")
    assert shown("notify", "ask tool(*)", "allow tool(notify)")
    assert not shown("notify", "deny tool(notify)", "allow tool(notify)")
    assert not shown("notify", "deny tool(no*)")
    assert not shown("drop", "deny mcp(db:drop)", server="db")
    assert not shown("drop", "deny mcp(*:drop)", server="db")
    assert not shown("drop", "deny mcp__db__*", server="db")
    assert shown("drop", "deny mcp(db:drop)", server="db2")
    assert not shown("write_file", "deny tool(@fs_write)")
    assert not shown("move_file", "deny tool(@fs_write)")
    assert shown("read_file", "deny tool(@fs_write)")


@pytest.mark.spec("POL-50")
@pytest.mark.parametrize(
    "change",
    [
        {"agent_id": "a"},
        {"source": "web"},
        {"user_id": "u"},
        {"when": "input.x"},
        {"unless": "true"},
    ],
)
def test_what_only_some_calls_would_be_denied_is_shown(change: dict[str, str]) -> None:
    assert shown("notify", replace(rule("deny tool(notify)"), **change))  # type: ignore[arg-type]
    assert shown("notify", table=[replace(row("deny", "notify"), **change)])  # type: ignore[arg-type]


@pytest.mark.spec("POL-50")
def test_a_target_pattern_hides_nothing() -> None:
    assert shown("read_file", "deny path(**)", "deny read(secrets)")
    assert shown("execute_cmd", "deny shell(rm *)")
    assert shown("web_fetch", "deny web(*)")
    assert shown("read_file", table=[row("deny", "@fs_any", "secrets/*")])


@pytest.mark.spec("POL-50", "POL-21")
def test_in_the_table_the_first_match_counts() -> None:
    deny = row("deny", "notify", priority=5)
    assert not shown("notify", table=[deny])
    assert not shown("notify", table=[deny, row("allow", "*", priority=9)])
    assert shown("notify", table=[deny, row("allow", "not*", priority=1)])
    assert shown("notify", table=[deny, row("allow", "notify", priority=1, agent_id="a")])
    assert not shown("notify", table=[deny, row("deny", "notify", priority=1, agent_id="a")])
    assert not shown("notify", table=[deny, row("allow", "*", "src/*", priority=1)])
    files = row("deny", "read_file", priority=5)
    assert shown("read_file", table=[files, row("allow", "@fs_read", "src/*", priority=1)])
    assert not shown("read_file", table=[row("deny", "@fs_read", priority=900)])


@pytest.mark.spec("POL-50")
def test_the_sessions_group_decides_first() -> None:
    table = [row("deny", "notify"), row("allow", "notify", group_id="team", id="t")]
    assert not shown("notify", table=table)
    assert shown("notify", table=table, group="team")
