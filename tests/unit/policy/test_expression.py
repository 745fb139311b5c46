from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import RuleSyntaxError
from sayso.policy.patterns.expression import MAX_LENGTH, Expression, compile_expression


def test_search_finds_it_anywhere_and_fullmatch_wants_the_whole() -> None:
    expression = compile_expression("rm -[rf]+")
    assert expression.search("sudo rm -rf x")
    assert not expression.fullmatch("sudo rm -rf x")
    assert expression.fullmatch("rm -rf")
    assert not expression.search("git rm x")


def test_a_line_break_does_not_pass_a_search_and_does_not_stretch_a_whole_match() -> None:
    expression = compile_expression("curl .*sh")
    assert expression.search("curl x |\n sh")
    assert not expression.fullmatch("curl x |\n sh")
    assert not compile_expression("ls|rm").fullmatch("ls\n")


def test_equal_texts_are_equal_expressions() -> None:
    assert compile_expression("a.b") == compile_expression("a.b") != compile_expression("a.c")
    assert len({compile_expression("a"), compile_expression("a")}) == 1
    assert repr(compile_expression("a")) == "Expression('a')"
    assert isinstance(compile_expression("a"), Expression)


def test_half_a_surrogate_pair_is_a_character_like_others() -> None:
    assert compile_expression("rm .*x").search("rm \ud800 x")
    assert compile_expression("é.ü").fullmatch("é\udfffü")
    assert not compile_expression(r"a\?").fullmatch("a\ud800")


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a(?=b)", 2, "`(?=` cannot be matched in linear time"),
        ("(?<!a)b", 1, "linear time"),
        ("(a)(?P<n>b)(?P=n)", 12, "linear time"),
        (r"(a)\1", 4, r"`\1` cannot be matched in linear time"),
        (r"(a)\k<n>", 4, "linear time"),
        ("é(?!b)", 2, "linear time"),
        ("(", 1, "missing )"),
        ("a[b", 2, "missing ] `[b`"),
        ("a**", 2, "bad repetition operator `**`"),
        ("a{1001}", 2, "invalid repetition size"),
        (r"a\Z", 2, r"invalid escape sequence `\Z`"),
        ("(?:[\\pL\\pN]{1,30}){30}", 1, "pattern too large"),
        ("\ud800", 1, "no Unicode text"),
        ("a" * (MAX_LENGTH + 1), 1, "longer than"),
    ],
)
def test_what_cannot_be_matched_in_linear_time_and_memory_is_refused(
    text: str, column: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        compile_expression(text)
    assert message in caught.value.message
    assert caught.value.column == column
    assert caught.value.hint
    if "linear" in message:
        assert caught.value.hint == "leave out look-around and back references"
    assert capfd.readouterr() == ("", "")


def test_the_column_counts_from_where_the_expression_stands() -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        compile_expression("a(?=b)", column=10)
    assert caught.value.column == 11


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize("text", ["(a+)+$", "(a|a)*b", "(.*)(.*)(.*)(.*)x$", "(?:a?){100}a{100}"])
def test_no_expression_takes_long_on_a_long_line(
    text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    expression = compile_expression(text)
    line = "a" * 65_536 + "!"
    started = perf_counter()
    expression.search(line)
    expression.fullmatch(line)
    assert perf_counter() - started < 2
    assert capfd.readouterr() == ("", "")


@given(text=st.text(alphabet="ab()[]{}*+?|\\^$.<>=!P:0,9dws-", max_size=30), line=st.text())
def test_no_text_does_anything_but_compile_or_be_refused(text: str, line: str) -> None:
    try:
        expression = compile_expression(text)
    except RuleSyntaxError:
        return
    assert expression.search(line) in (True, False)
    if expression.fullmatch(line):
        assert expression.search(line)
