"""The compiled index says what the slow, obvious reading of the specification says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.call import ToolCall
from sayso.policy.rule import Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import a_call, a_list_rule, a_machine, a_row, randoms
from tests.reference import policy as reference


def compare(
    call: ToolCall, lists: Sequence[Rule], table: Sequence[Rule], facts: FakeFacts, group: str
) -> None:
    """Fail where the index and the reference differ about one call."""
    ruleset = compile_ruleset(lists, table, SHIPPED, facts=facts)
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
        f"{said.trace()}\n" + "\n".join(f"  {r.id} {r.effect.word} {r.text}" for r in (*lists, *table))
    )


@pytest.mark.spec("POL-3", "POL-11", "POL-12", "POL-20", "POL-21", "POL-22", "POL-80")
@given(r=randoms, listed=st.integers(0, 6), rows=st.integers(0, 8))
@settings(max_examples=400)
def test_the_index_equals_the_linear_scan(r: random.Random, listed: int, rows: int) -> None:
    lists = [a_list_rule(r, number) for number in range(listed)]
    table = [a_row(r, number) for number in range(rows)]
    facts = a_machine(r)
    for _ in range(5):
        compare(a_call(r), lists, table, facts, r.choice(["default", "team", "nowhere"]))


@pytest.mark.spec("POL-80")
@pytest.mark.parametrize("size", [10, 100, 2000])
def test_the_index_equals_the_linear_scan_with_many_rules(size: int) -> None:
    r = random.Random(size)
    # Few general rules, so that the calls reach the specific ones.
    table = [row for row in (a_row(r, n) for n in range(size * 3)) if row.path_pattern or row.pattern
             or "*" not in row.tool_pattern][:size]
    lists = [a_list_rule(r, number) for number in range(5)]
    facts = FakeFacts(links={"/w/link": "/real"})
    ruleset = compile_ruleset(lists, table, SHIPPED, facts=facts)
    for _ in range(60):
        call = a_call(r)
        said = judge(call, ruleset, facts)
        expected = reference.judge(call, lists, table, SHIPPED, facts)
        assert (said.effect, said.reason) == (expected.effect, expected.reason)
        assert (said.rule.id if said.rule else None) == expected.rule
