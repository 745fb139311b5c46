from __future__ import annotations

import copy
from typing import Any

import minijinja
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.errors import RuleSyntaxError
from sayso.policy import minijinja_operations
from sayso.policy.comparison import ConditionFailed
from sayso.policy.condition import compile_condition
from sayso.policy.condition_tokens import MAX_OPERATIONS
from sayso.policy.minijinja_operations import FILTERS, METHODS, TESTS, Operation
from tests.unit.policy.worlds import call, effect, row, said

INPUT: dict[str, Any] = {
    "amount": 20000,
    "small": -7,
    "rate": 0.5,
    "currency": "EUR",
    "written": " 20000 ",
    "urgent": True,
    "note": None,
    "to": {"name": "Ann Lee", "tags": ["a", "b"], "age": 3},
    "items": [3, 1, 2],
    "names": ["ann", "bob"],
    "mixed": [1, "2"],
    "nothing": [],
    "lines": [{"price": 5, "in": {"stock": True}}, {"price": 500, "in": {"stock": False}}],
    "key": "name",
}


def answer(text: str, **arguments: Any) -> bool:
    return compile_condition(text)(call("pay", **(arguments or INPUT)))


def by_minijinja(text: str, arguments: dict[str, Any]) -> Any:
    """The whole condition, given to MiniJinja as it is written."""
    environment = minijinja.Environment(undefined_behavior="strict")
    text = text.replace("{{", "(").replace("}}", ")")
    return environment.eval_expr(
        text, input=arguments, tool="pay", agent="a1", source="api", user="u1"
    )


HOLDS = [
    "input.amount + 1 > 20000",
    "input.amount - 1 - 1 == 19998",
    "input.amount * 2 >= 40000 and input.amount / 3 > 6666",
    "input.small // 2 == -4 and input.small % 3 == 2",
    "2 ** 3 == 8 and -2 ** 2 == 4",
    "1 + 2 * 3 == 7 and (1 + 2) * 3 == 9",
    "-input.amount < 0 and -input.small | abs == 7",
    "input.currency ~ '/' ~ input.amount == 'EUR/20000'",
    "input.currency + '!' == 'EUR!'",
    "input.written | trim | int > 10000",
    "input.rate | round == 0",
    "input.amount | string == '20000'",
    "input.currency | lower == 'eur'",
    "input.currency.lower() in ['eur', 'usd']",
    "input.to.name.startswith('Ann')",
    "input.to.name.split(' ')[-1] == 'Lee'",
    "(input.to.name | split(' ') | last).upper() == 'LEE'",
    "input.to.tags | length == 2",
    "input.items | length > 2 and input.to | length == 3",
    "input.items | max == 3 and input.items | min == 1 and input.items | sum == 6",
    "input.items | sort | first == 1",
    "input.names | join(',') == 'ann,bob'",
    "input.names | map('upper') | join == 'ANNBOB'",
    "input.lines | map(attribute='price') | sum == 505",
    "input.lines | selectattr('price', 'gt', 100) | list | length == 1",
    "input.lines | selectattr('in.stock') | list | length == 1",
    "input.lines | rejectattr('price', 'gt', 100) | list | length == 1",
    "input.items | select('odd') | list | length == 2",
    "input.items | reject('in', [1, 2]) | list | first == 3",
    "input.items | select('gt', 2) | list | length == 1",
    "input.names | select('startingwith', 'a') | list | length == 1",
    "input.currency is string and input.amount is number and input.amount is not string",
    "input.note is none and input.urgent is true and input.to is mapping",
    "input.amount is divisibleby 3 or input.amount is divisibleby(2)",
    "input.currency is startingwith 'E'",
    "input.currency is eq 'EUR' and input.amount is gt(5) and 3 is in input.items",
    "input.nowhere is not defined and input.amount is defined",
    "input.nowhere is undefined and input.to.nowhere is undefined",
    "input.nowhere | default(3) == 3 and input.amount | default(3) == 20000",
    "input.to.nowhere | default('x') == 'x'",
    "input.to[input.key] == 'Ann Lee'",
    "input[input.key] | default('none') == 'none'",
    "input.items[1:] | length == 2 and input.currency[:2] == 'EU' and input.currency[::-1] == 'RUE'",
    "input.currency[0] == 'E'",
    "input.to.get('nowhere', 'x') == 'x' and input.to.get('nowhere') == none",
    "[input.note, none] | select('eq', none) | length == 2",
    "[input.note, 'x'] | reject('ne', none) | length == 1",
    "(input.amount if input.urgent else input.nowhere) > 1",
    "input.nowhere > 1 if not input.urgent else true",
    "'{{ input.currency }}' == 'EUR'",
    "'{{ input.amount }} {{ input.currency }}' == '20000 EUR'",
    "{{ input.amount | string | length }} > 4",
    "input.amount in [input.amount, 1]",
    "tool.startswith('p') and tool | length == 3 and tool[0] == 'p'",
    "input.names | unique | length == 2 and input.names | reverse | first == 'bob'",
    "input.to.name.replace('Ann', 'Bob') == 'Bob Lee'",
    "input.to | items | length == 3",
    "'\\u0041\\x42\\d' == 'AB\\\\d'",
    "True and not False and None == none",
    "[1, 2,] | length == 2",
]


@pytest.mark.spec("POL-14")
@pytest.mark.parametrize("text", HOLDS)
def test_what_goes_beyond_comparing_is_answered_as_minijinja_answers_it(text: str) -> None:
    before = copy.deepcopy(INPUT)
    assert answer(text) is True
    assert before == INPUT
    if "'{{" not in text and "nowhere > 1 if" not in text:
        assert by_minijinja(text, INPUT) is True


@pytest.mark.spec("POL-14")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("input.written > 10000", "cannot be compared"),
        ("input.written | trim > 10000", "`text` cannot be compared with `number`"),
        ("input.amount | string > 10000", "`text` cannot be compared with `number`"),
        ("input.amount + '1' > 2", "does not take a value of type `text`"),
        ("input.written * 2 > 2", "does not take a value of type `text`"),
        ("input.urgent + 1 > 1", "does not take a value of type `boolean`"),
        ("input.note ~ 'x' == 'x'", "does not take a value of type `none`"),
        ("input.currency | int > 2", "invalid"),
        ("input.urgent | int > 0", "does not take a value of type `boolean`"),
        ("input.mixed | max > 1", "values of one type"),
        ("input.mixed | sort | first == 1", "values of one type"),
        ("input.mixed | sum > 1", "values of one type"),
        ("input.mixed | select('gt', 0) | list | length > 1", "cannot be compared"),
        ("input.lines | selectattr('price', 'gt', '1') | list | length > 1", "cannot be compared"),
        ("input.lines | selectattr('cost', 'gt', 1) | list | length > 1", "is missing"),
        ("input.lines | selectattr('price') | list | length > 1", "cannot be compared"),
        ("input.lines | map(attribute='cost') | list | length > 0", "is missing"),
        ("input.written is gt 5", "cannot be compared"),
        ("input.nothing | first == 1", "nothing to choose from"),
        ("input.nothing | max == 1", "nothing to choose from"),
        ("input.nowhere | upper == 'A'", "`nowhere` is missing"),
        ("input.nowhere is string", "`nowhere` is missing"),
        ("input.nowhere | default(input.neither) == 1", "`neither` is missing"),
        ("input.to.get('nowhere') > 1", "`none` cannot be compared"),
        ("input.to.get('nowhere') == 'x'", "`none` cannot be compared"),
        ("[input.note] | reject('eq', 'x') | length == 1", "`none` cannot be compared"),
        ("[input.currency] | select('ne', input.note) | length == 1", "cannot be compared"),
        ("input.items[9:][0] == 1", "is missing"),
        ("input.items[input.note] == 1", "names no part"),
        ("input.amount | length > 1", "does not take a value of type `number`"),
        (
            "input.items | map('upper') | list | length > 1",
            "does not take a value of type `number`",
        ),
        ("input.amount | map('upper') | list | length > 1", "goes through a list"),
        ("input.currency.get('x') == none", "does not take a value of type `text`"),
        ("input.to.upper() == 'A'", "does not take a value of type `object`"),
        ("input.amount / 0 > 1", "unable to calculate"),
        ("input.amount ** 400 > 1", "unable to calculate"),
        ("(input.rate * 1e308) * 1e308 > 1", "no number"),
        ("'inf' | float > 1", "no number"),
        ("'nan' | float > 1 or true", "no number"),
        ("input.currency | upper", "where true or false must"),
        ("input.items | length", "where true or false must"),
        ("input.amount if input.currency else 1", "where true or false must"),
        ("'{{ input.note }}' == ''", "does not take a value of type `none`"),
        ("'{{ input.nowhere }}' == ''", "is missing"),
    ],
)
def test_what_has_no_sound_answer_fails(text: str, why: str) -> None:
    with pytest.raises(ConditionFailed, match=why):
        answer(text)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("input.items.clear() == 1", 13, "the method `clear` is not supported"),
        ("input.items.pop() == 1", 13, "the method `pop` is not supported"),
        ("input.to.__class__() == 1", 10, "the method `__class__` is not supported"),
        ("input.a | debug == ''", 11, "the filter `debug` is not supported"),
        ("input.a | safe == ''", 11, "the filter `safe` is not supported"),
        ("input.a | tojson == ''", 11, "the filter `tojson` is not supported"),
        ("input.a | groupby('x') == ''", 11, "the filter `groupby` is not supported"),
        ("input.a | map('debug') == ''", 11, "the filter `debug` is not supported"),
        ("input.a | map(input.f) == ''", 11, "a name in quotes"),
        ("input.a | map('upper', attribute='x') == ''", 11, "`map` takes"),
        ("input.a | select(input.t) == ''", 11, "a name in quotes"),
        ("input.a | select('foo') == ''", 11, "the test `foo` is not supported"),
        ("input.a | select('gt') == ''", 11, "`gt` takes one value"),
        ("input.a | selectattr() == ''", 11, "a name, a test"),
        ("input.a is foo", 12, "the test `foo` is not supported"),
        ("input.a is sameas(1)", 12, "the test `sameas` is not supported"),
        ("input.a is divisibleby", 12, "`divisibleby` takes 1 values"),
        ("input.a is eq(x=1)", 12, "without names"),
        ("input.a | upper(1) == ''", 11, "`upper` takes 0 values"),
        ("input.a | sort(reverse=true) == []", 11, "no values with names"),
        ("input.a | default == ''", 11, "`default` takes one value"),
        ("(1 + 2) | default(3) == 3", 11, "never missing"),
        ("range(9) | length == 9", 1, "`range` is not known"),
        ("input.a(1) == 1", 7, "the method `a` is not supported"),
        ("input.a[1](2) == 1", 11, "`(` is not supported"),
        ("input.a[1:2:3:4] == 1", 16, "`:` is not supported"),
        ("{'a': 1} == 1", 1, "`{` is not supported"),
        ("{% if true %}", 1, "`{%` is not supported"),
        ("{# x #} true", 1, "`{#` is not supported"),
        ("'{% raw %}' == ''", 1, "`{%` is not supported"),
        ("1 if true", 10, "expected `else`"),
        ("2 ** 3 ** 2 == 1", 8, "a chain of powers"),
        ("1 in [1] in [2]", 10, "a chain of comparisons"),
        ("'{{ input.a + }}' == ''", 1, "ends too early"),
        ("'{{ foo }}' == ''", 1, "`foo` is not known"),
        ("true" + " + 1" * (MAX_OPERATIONS + 1), 264, "more than 64 operations"),
        ("-" * 60 + "1 == 1", 1, "nested deeper"),
        ("input" + "[input" * 60, 1, "nested deeper"),
        ("'" + "{{ 1 }}" * 70 + "' == ''", 494, "operations"),
    ],
)
def test_what_could_not_be_checked_is_refused_when_the_rule_is_read(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        compile_condition(text)
    assert message in caught.value.message
    assert caught.value.column == column


@pytest.mark.spec("POL-14")
@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("input.a | map('upper') | list | length > 0", {"a": ["x"] * 1_001}),
        ("input.a | select('gt', 0) | list | length > 0", {"a": [1] * 1_001}),
        ("input.a | sort | length > 0", {"a": [1] * 60_000}),
        ("input.a | list | length > 0", {"a": "x" * 60_000}),
        ("input.a.replace('', input.a) == ''", {"a": "x" * 5_000}),
        ("input.a | replace('x', input.a) == ''", {"a": "x" * 5_000}),
        ("input.b | join(input.a) == ''", {"a": "x" * 5_000, "b": ["x"] * 5_000}),
        ("input.a ~ input.a == ''", {"a": "x" * 600_000}),
        ("input.a | upper == ''", {"a": "ß" * 600_000}),
    ],
)
def test_an_expression_that_goes_on_for_long_is_stopped_and_has_failed(
    text: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(ConditionFailed, match=r"stopped|ran out of fuel"):
        answer(text, **arguments)
    assert effect(call("pay", **arguments), table=[row("allow", "pay", when=text)]) == "ask"
    denied = [row("deny", "pay", when=text), row("allow", "pay", priority=1)]
    assert effect(call("pay", **arguments), table=denied) == "deny"


def test_loops_of_minijinja_run_out_of_fuel() -> None:
    with pytest.raises(minijinja.TemplateError, match="fuel"):
        minijinja_operations._ENVIRONMENT.render_str(
            "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"
        )


@pytest.mark.spec("POL-14")
@pytest.mark.parametrize("when", ["input.a | int > 5", "input.a + 0 > 5", "input.a.upper() == 'X'"])
def test_a_failing_operation_never_loosens_and_the_trace_says_so(when: str) -> None:
    what = call("pay", a=[1])
    for verdict in ("ask", "deny"):
        outcome = said(
            what, table=[row(verdict, "pay", when=when), row("allow", "pay", priority=1)]
        )
        assert outcome.effect is Effect.parse(verdict)
        assert "its condition failed (`" in str(outcome.trace())
        assert "it counts as applying" in str(outcome.trace())
    outcome = said(what, table=[row("allow", "pay", when=when)])
    assert outcome.effect is Effect.ASK
    assert "an allow does not count" in str(outcome.trace())


@pytest.mark.spec("POL-14")
@pytest.mark.parametrize(
    "hostile",
    [
        "' or true or '",
        "{{ 1 }}",
        "{% include 'x' %}",
        "EUR' == 'EUR' or 'a",
        "}} true {{",
        "__class__",
        "upper",
        "\x00",
    ],
)
def test_an_argument_is_data_and_never_a_template(hostile: str) -> None:
    assert not answer("'{{ input.a }}' == 'EUR'", a=hostile)
    assert answer("'{{ input.a }}' == input.a", a=hostile)
    assert answer("input.a ~ '' == input.a and input.a | string == input.a", a=hostile)
    assert answer("input.a | replace('zzz', 'y') == input.a", a=hostile)
    assert answer("input[input.a] | default('gone') == 'gone'", a=hostile)
    assert answer("input.b | map(attribute='k') | first == input.a", a=hostile, b=[{"k": hostile}])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(["10", "20000", "1e3", "", "EUR"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abk"), inner, max_size=3)
    ),
    max_leaves=6,
)
EVERY_OPERATION = [
    *(operation for table in (FILTERS, TESTS, METHODS) for operation in table.values()),
    *minijinja_operations.ARITHMETIC.values(),
    *minijinja_operations.ADDITION.values(),
    minijinja_operations.SLICE,
    minijinja_operations.NEGATIVE,
]


@given(operation=st.sampled_from(EVERY_OPERATION), values=st.lists(JSON, min_size=1, max_size=4))
@settings(max_examples=400)
def test_an_operation_changes_no_argument_and_gives_json_or_fails(
    operation: Operation, values: list[Any]
) -> None:
    before = copy.deepcopy(values)
    given_ = values[: max(operation.needed, len(operation.kinds))]
    try:
        found = operation(*given_)
    except ConditionFailed:
        found = None
    assert values == before
    assert found is None or type(found) in (bool, int, float, str, list, tuple, dict)


PATHS = ("input.a", "input.b", "input.a.k", "input.b[0]", "input.nowhere", "tool")
LITERALS = ("1", "10", "-3", "1.5", "'10'", "'EUR'", "true", "none", "['a', 'EUR']", "[1, 10]")


@st.composite
def conditions(draw: st.DrawFn, depth: int = 0) -> str:
    """Conditions of the compiled subset."""
    kind = draw(st.integers(0, 6 if depth < 3 else 2))
    if kind <= 2:
        left, right = draw(st.sampled_from(PATHS)), draw(st.sampled_from(PATHS + LITERALS))
        sign = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in"]))
        return f"{left} {sign} {right}"
    if kind == 3:
        return f"not {draw(conditions(depth + 1))}"
    word = draw(st.sampled_from(["and", "or"]))
    first, second = draw(conditions(depth + 1)), draw(conditions(depth + 1))
    return f"({first}) {word} ({second})" if kind == 4 else f"{first} {word} {second}"


@pytest.mark.spec("POL-14")
@given(text=conditions(), a=JSON, b=JSON)
@example(text="input.a > 10", a="20000", b=1)
@settings(max_examples=600)
def test_closures_answer_as_minijinja_does_wherever_they_answer(text: str, a: Any, b: Any) -> None:
    arguments = {"a": a, "b": b}
    try:
        found = answer(text, **arguments)
    except ConditionFailed:
        return
    assert found is by_minijinja(text, arguments)


@given(text=st.text(alphabet="input.ab ()[]{}'\"<>=!|~+-*/%:,01is dfupermapl", max_size=60), a=JSON)
@settings(max_examples=300)
def test_no_text_does_anything_but_compile_or_be_refused(text: str, a: Any) -> None:
    try:
        condition = compile_condition(text)
    except RuleSyntaxError:
        return
    try:
        assert condition(call("pay", a=a)) in (True, False)
    except ConditionFailed:
        return


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_a_whole_number_beyond_all_others_is_an_answer(number: int) -> None:
    assert answer(f"input.o.get('x', {abs(number)}) == input.n", o={}, n=abs(number))
    assert answer("input.o.get('x') == input.n", o={"x": number}, n=number)
