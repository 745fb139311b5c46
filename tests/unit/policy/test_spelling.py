from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.policy.name_index import NameIndex
from sayso.policy.patterns.glob import glob_matches, parse_glob
from sayso.policy.spelling import fold, hidden_character, normal, skeleton


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain text", None),
        ("\u00fcber", None),
        ("\u7d75\u6587\u5b57", None),
        ("a\u200bb", "U+200B"),
        ("a\u202eb", "U+202E"),
        ("a\u2028b", "U+2028"),
        ("a\x1bb", "U+001B"),
        ("a\x7fb", "U+007F"),
        ("a\u00a0b", "U+00A0"),
        ("a\u3164b", "U+3164"),
        ("a\ufe0fb", "U+FE0F"),
        ("a\U000e0041b", "U+E0041"),
        ("a\nb", "U+000A"),
    ],
)
def test_characters_that_are_not_seen(text: str, found: str | None) -> None:
    assert hidden_character(text) == found


def test_tab_and_newline_are_ordinary_in_a_command_line() -> None:
    assert hidden_character("a\tb\nc", line=True) is None
    assert hidden_character("a\rb", line=True) == "U+000D"


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("R\u0435ad", "read"),
        ("\uff32ead", "read"),
        ("\u0412ash", "bash"),
        ("\u03a1ay", "pay"),
        ("pay\u2010now", "pay-now"),
        (" Read ", "read"),
        ("Re\u200bad", "read"),
    ],
)
def test_look_alikes_have_one_skeleton(text: str, like: str) -> None:
    assert skeleton(text) == like


@given(a=st.text(), b=st.text())
def test_the_fold_of_two_texts_is_their_folds_joined(a: str, b: str) -> None:
    assert fold(a + b) == fold(a) + fold(b)


@given(text=st.text())
def test_normal_form_is_reached_once(text: str) -> None:
    assert normal(normal(text)) == normal(text)


globs = st.text(alphabet="ab*", max_size=6)
names = st.text(alphabet="ab", max_size=6)


@given(pattern=globs, name=names)
def test_a_glob_matches_as_its_plain_reading_says(pattern: str, name: str) -> None:
    def plain(pattern: str, name: str) -> bool:
        if not pattern:
            return not name
        if pattern[0] == "*":
            return any(plain(pattern[1:], name[place:]) for place in range(len(name) + 1))
        return name[:1] == pattern[0] and plain(pattern[1:], name[1:])

    assert glob_matches(parse_glob(pattern), name) == plain(pattern, name)


@given(patterns=st.lists(globs, max_size=8), name=names)
def test_the_name_index_finds_what_matches(patterns: list[str], name: str) -> None:
    index: NameIndex[int] = NameIndex()
    for number, pattern in enumerate(patterns):
        index.add(parse_glob(pattern), number)
    expected = [n for n, p in enumerate(patterns) if glob_matches(parse_glob(p), name)]
    assert sorted(index.find(name)) == expected


def test_a_star_can_be_meant_as_itself() -> None:
    assert parse_glob("a\\*b*", escapes=True) == ("a*b", "")
    assert parse_glob("a\\\\*", escapes=True) == ("a\\", "")
    assert parse_glob("a\\b", escapes=True) == ("a\\b",)
