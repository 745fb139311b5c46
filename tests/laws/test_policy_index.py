"""The compiled index says what the slow, obvious reading of the specification says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import (
    COMMAND_PATTERNS,
    COMMANDS,
    a_call,
    a_list_rule,
    a_row,
    a_world,
    randoms,
)
from tests.reference import policy as reference


def compare(
    call: ToolCall,
    ruleset: RuleSet,
    lists: Sequence[Rule],
    table: Sequence[Rule],
    facts: FakeFacts,
    group: str,
) -> None:
    """Fail where the index and the reference differ about one call."""
    said = judge(call, ruleset, facts, group=group)
    expected = reference.judge(call, lists, table, SHIPPED, facts, group=group)
    found = reference.Said(
        said.effect,
        said.reason,
        None if said.rule is None else said.rule.id,
        said.must_ask,
        said.doubtful,
        said.approval,
    )
    assert found == expected, (
        f"{call.server}:{call.tool} {dict(call.arguments)} in {call.workspace}, group {group}\n"
        f"{said.trace()}\n"
        + "\n".join(f"  {r.id} {r.effect.word} {r.text}" for r in (*lists, *table))
    )


@pytest.mark.spec("POL-3", "POL-11", "POL-12", "POL-20", "POL-21", "POL-22", "POL-80")
@given(r=randoms)
def test_the_index_equals_the_linear_scan(r: random.Random) -> None:
    world = a_world(r)
    ruleset = world.compiled()
    calls = [world.call, a_call(r)]
    calls += [
        replace(world.call, agent_id=agent, user_id=user, source=source)
        for agent, user, source in (("a1", "u2", "web"), ("a2", "u1", "mcp"))
    ]
    for call in calls:
        compare(call, ruleset, world.lists, world.table, world.facts, world.group)


@pytest.mark.spec("POL-80")
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_the_index_equals_the_linear_scan_with_many_rules(size: int) -> None:
    r = random.Random(size)
    calls = [a_call(r) for _ in range(30)]
    # Few general rules, so that the calls reach the specific ones.
    rows = (a_row(r, number, r.choice(calls)) for number in range(size * 4))
    table = [row for row in rows if row.path_pattern or row.pattern or "*" not in row.tool_pattern][
        :size
    ]
    lists = [a_list_rule(r, number, r.choice(calls)) for number in range(5)]
    facts = FakeFacts(links={"/w/link": "/real"})
    ruleset = compile_ruleset(lists, table, SHIPPED, facts=facts)
    for call in calls:
        compare(call, ruleset, lists, table, facts, "default")


@pytest.mark.spec("POL-13", "POL-80")
@given(r=randoms)
def test_the_index_equals_the_linear_scan_for_commands(r: random.Random) -> None:
    call = replace(a_call(r), tool="execute_cmd", server=None)
    lists = [
        parse_text_rule(
            r.choice(list(Effect)),
            f"shell({r.choice(COMMAND_PATTERNS)})",
            Origin.GLOBAL,
            rule_id=f"l{number}",
        )
        for number in range(r.randrange(12))
    ]
    table = [
        Rule(
            f"t{number}",
            r.choice(list(Effect)),
            Origin.DATABASE,
            tool_pattern=r.choice(["*", "execute_cmd"]),
            pattern=r.choice(COMMAND_PATTERNS),
            priority=r.randrange(3),
        )
        for number in range(r.randrange(6))
    ]
    facts = FakeFacts()
    ruleset = compile_ruleset(lists, table, SHIPPED, facts=facts)
    for command in r.sample(COMMANDS, 5):
        line = replace(call, arguments={"command": command})
        compare(line, ruleset, lists, table, facts, "default")
