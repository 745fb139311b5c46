from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import ConditionFailed
from sayso.policy.condition import compile_condition
from tests.unit.policy.worlds import call

INPUT: dict[str, Any] = {
    "amount": 20000,
    "rate": 0.5,
    "currency": "EUR",
    "urgent": True,
    "note": None,
    "to": {"name": "ann", "tags": ["a", "b"]},
    "items": [1, 2, 3],
    "weird key": 1,
}


def answer(text: str, **arguments: Any) -> bool:
    return compile_condition(text)(call("pay", **(arguments or INPUT)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("input.amount > 10000", True),
        ("input.amount >= 20000 and input.amount <= 20000", True),
        ("10000 < input.amount", True),
        ("input.amount == 20000.0", True),
        ("input.rate < 1", True),
        ("input.amount != 20000", False),
        ("{{ input.amount }} > 10000", True),
        ("{{ input.amount > 10000 }}", True),
        ("{{input.currency}} == 'EUR'", True),
        ('input.currency == "EUR" or input.nowhere == 1', True),
        ("input.currency == 'USD' and input.nowhere == 1", False),
        ("not input.urgent", False),
        ("not not input.urgent", True),
        ("input.urgent == true", True),
        ("input.note == none", True),
        ("input.note != null", False),
        ("input.currency != none", True),
        ("none != input.currency", True),
        ("input.note == input.note", True),
        ("input.note is eq(none)", True),
        ("input.currency is ne(none)", True),
        ("input.to.name == 'ann'", True),
        ("input['to'][\"name\"] == 'ann'", True),
        ("input.to.tags[1] == 'b'", True),
        ("input.to.tags[-1] == 'b'", True),
        ("input['weird key'] == 1", True),
        ("input.currency in ['EUR', 'USD']", True),
        ("input.currency not in ['USD']", True),
        ("2 in input.items", True),
        ("'UR' in input.currency", True),
        ("'name' in input.to", True),
        ("'nowhere' in input", False),
        ("tool == 'pay' and agent == 'a1' and source == 'api' and user == 'u1'", True),
        ("(input.amount > 1 or input.amount < 0) and (tool == 'pay')", True),
        ("input.currency < 'F'", True),
        ("input.currency == 'E\\'UR'", False),
        (r"'\ud83d\ude00' == '😀'", True),
        (r"'\u0041\ud83d\uDE00\x42\103' == 'A😀BC'", True),
        (r"'\\ud83d' == '\\' ~ 'ud83d'", True),
        ("input.amount > -1e3", True),
        ("input.items in []", False),
    ],
)
def test_the_subset_is_answered(text: str, expected: bool) -> None:
    if text == "input.items in []":
        with pytest.raises(ConditionFailed):
            answer(text)
        return
    assert answer(text) is expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("input.nowhere > 1", "`nowhere` is missing"),
        ("input.to.nowhere == 1", "is missing"),
        ("input.items[9] == 1", "is missing"),
        ("input.amount > '10000'", "cannot be compared"),
        ("input.currency > 10000", "cannot be compared"),
        ("input.urgent == 1", "cannot be compared"),
        ("input.urgent > false", "cannot be compared"),
        ("input.note > 1", "cannot be compared"),
        ("input.note != 'main'", "`none` cannot be compared with `text`"),
        ("'main' != input.note", "`text` cannot be compared with `none`"),
        ("input.note == 5", "`none` cannot be compared with `number`"),
        ("input.note == input.currency", "`none` cannot be compared with `text`"),
        ("input.currency != input.note", "`text` cannot be compared with `none`"),
        ("input.note is ne('main')", "`none` cannot be compared with `text`"),
        ("input.note not in ['main']", "holds nothing of type"),
        ("input.amount.name == 'x'", "a value of type `number` has no parts with names"),
        (
            "input.amount.name | default('x') == 'x'",
            "a value of type `number` has no parts with names",
        ),
        ("input.note.name is undefined", "a value of type `none` has no parts with names"),
        (
            "input.currency.name | default('x') == 'x'",
            "a value of type `text` has no parts with names",
        ),
        (
            "input.items.name | default('x') == 'x'",
            "a value of type `list` has no parts with names",
        ),
        ("input.to[0] is undefined", "a value of type `object` has no parts with numbers"),
        ("input.items == [1, 2, 3]", "cannot be compared"),
        ("input.to == input.to", "cannot be compared"),
        ("input.amount", "where true or false must"),
        ("not input.currency", "where true or false must"),
        ("input.amount and true", "where true or false must"),
        ("input.currency in [1, 2]", "holds nothing of type"),
        ("input.amount in input.currency", "cannot be looked for"),
        ("1 in input.to", "cannot be looked for"),
        ("input.to in [1]", "cannot be looked for"),
    ],
)
def test_what_has_no_answer_fails_and_is_no_silent_answer(text: str, why: str) -> None:
    with pytest.raises(ConditionFailed, match=why):
        answer(text)


@pytest.mark.parametrize("value", ["20000", True, None, [20000], {"a": 1}])
def test_an_argument_of_another_type_is_no_number(value: object) -> None:
    with pytest.raises(ConditionFailed):
        answer("input.amount > 10000", amount=value)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "ends too early"),
        ("input.amount >", 15, "ends too early"),
        ("amount > 1", 1, "`amount` is not known"),
        ("1 < input.a < 5", 13, "a chain of comparisons"),
        ("(input.a == 1", 14, "expected `)`"),
        ("{{ input.a == 1", 16, "expected `}}`"),
        ("input.a not 1", 13, "expected `in`"),
        ("tool.name == 'a'", 1, "is a text and has no parts"),
        ("input[1.5] == 1", 7, "an index is"),
        ("input.a == 'open", 12, "is not supported"),
        (r"input.a == '\ud83d'", 12, "is half a character"),
        (r"input.a == 'x\ude00'", 12, "is half a character"),
        (r"input.a == '\ud83d\u0041'", 12, "is half a character"),
        (r"input.a == '\ud83d{{ tool }}\ude00'", 12, "is half a character"),
        (r"input.a == '\u12'", 12, "is no character"),
        (r"input.a == '\x4'", 12, "is no character"),
        (r"input.a == '\401'", 12, "is no character"),
        ("(" * 60 + "true" + ")" * 60, 1, "nested deeper"),
        ("not " * 60 + "true", 1, "nested deeper"),
        ("true and " * 600 + "true", 1, "longer than"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        compile_condition(text)
    assert message in caught.value.message
    assert caught.value.column == column


def test_a_long_condition_is_no_deep_one() -> None:
    assert answer("false or " * 400 + "true")
    assert not answer("true and " * 400 + "false")


@given(text=st.text(alphabet="input.ab ()[]{}'\"<>=!&|,0123andortse", max_size=40))
def test_no_text_does_anything_but_compile_or_be_refused(text: str) -> None:
    try:
        condition = compile_condition(text)
    except RuleSyntaxError:
        return
    try:
        assert condition(call("pay", **INPUT)) in (True, False)
    except ConditionFailed:
        return
