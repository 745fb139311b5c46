"""Whether one pattern matches whatever another does, as both are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.policy.compiled import CompiledRule
from sayso.policy.covering import covers, glob_covers, path_covers
from sayso.policy.patterns.glob import glob_matches, parse_glob
from sayso.policy.patterns.path import compile_text_path
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import row, rule


def covered(wide: str, narrow: str) -> bool:
    first, second = (CompiledRule(rule(text), FakeFacts()) for text in (wide, narrow))
    return covers(first, second)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("deny shell(*)", "allow shell(git push)"),
        ("deny shell(git *)", "allow shell(git)"),
        ("deny shell(git *)", "allow shell(git push origin)"),
        ("deny shell(git p* *)", "allow shell(git push *)"),
        ("deny shell(git push)", "allow shell(git push)"),
        ("deny shell(/git .*/)", "allow shell(/git .*/)"),
        ("deny path(src)", "allow read(src/**)"),
        ("deny path(src)", "allow read(src/a/b.py)"),
        ("deny path(.env)", "allow read(a/b/.env)"),
        ("deny path(/etc)", "allow write(/etc/passwd)"),
        ("deny path(**)", "allow write(/etc/passwd)"),
        ("deny read(src/*.py)", "allow read(src/a*.py)"),
        ("deny @fs_any", "allow read(src/**)"),
        ("deny web(*)", "allow web(https://example.com:8443)"),
        ("deny web(example.com)", "allow web(example.com)"),
        ("deny web(example.com)", "allow web(example.com:8443)"),
        ("deny web(*.example.com)", "allow web(a.example.com)"),
        ("deny web(*.example.com)", "allow web(*.a.example.com)"),
        ("deny mcp(*:delete_*)", "allow mcp(mail:delete_all)"),
        ("deny tool(*)", "allow todo"),
        ("deny tool(t*)", "allow todo*"),
        ("deny tool(*)", "allow shell(ls)"),
        ("deny skill(p*)", "allow skill(pdf)"),
    ],
)
def test_the_wide_covers_the_narrow_and_not_the_other_way(wide: str, narrow: str) -> None:
    assert covered(wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("deny shell(git push)", "allow shell(git push *)"),
        ("deny shell(git push *)", "allow shell(git *)"),
        ("deny shell(git *)", "allow shell(gitk)"),
        ("deny shell(/git.*/)", "allow shell(git push)"),
        ("deny shell(git *)", "allow shell(/git push/)"),
        ("deny path(src/a)", "allow read(src/**)"),
        ("deny read(src)", "allow write(src/a)"),
        ("deny read(src)", "allow path(src/a)"),
        ("deny path(/etc)", "allow read(etc)"),
        ("deny read(*.py)", "allow read(src/**)"),
        ("deny path(src)", "allow @fs_read"),
        ("deny web(https://example.com)", "allow web(example.com)"),
        ("deny web(example.com:80)", "allow web(example.com)"),
        ("deny web(*.example.com)", "allow web(example.com)"),
        ("deny web(a.example.com)", "allow web(*.example.com)"),
        ("deny web(example.com)", "allow web(ftp://example.com)"),
        ("deny web(example.com)", "allow web(*)"),
        ("deny web(loopback)", "allow web(private)"),
        ("deny web(example.*)", "allow web(a.*)"),
        ("deny mcp(mail:*)", "allow mcp(post:send)"),
        ("deny tool(todo)", "allow tool(*)"),
        ("deny skill(pdf)", "allow agent(pdf)"),
        ("deny tool(*)", "allow read(src)"),  # a path of a command line is no tool's own target
        ("deny shell(ls)", "allow tool(ls)"),
    ],
)
def test_what_the_wide_does_not_surely_match_is_not_covered(wide: str, narrow: str) -> None:
    assert not covered(wide, narrow)


def test_a_rule_for_one_agent_covers_none_for_all() -> None:
    scoped, free = row("deny", "x", agent_id="a"), row("allow", "x")
    first, second = CompiledRule(scoped, None), CompiledRule(free, None)
    assert not covers(first, second)
    assert covers(second, first)


WORDS = st.text("ab*", max_size=5)


@given(WORDS, WORDS, st.text("ab", max_size=6))
def test_a_covering_glob_matches_whatever_the_covered_does(w: str, n: str, word: str) -> None:
    wide, narrow = parse_glob(w), parse_glob(n)
    if glob_covers(wide, narrow) and glob_matches(narrow, word):
        assert glob_matches(wide, word)


PATHS = st.lists(st.sampled_from(["a", "b", "*", "a*", "**"]), min_size=1, max_size=4).map("/".join)


@given(
    PATHS, PATHS, st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5), st.booleans()
)
def test_a_covering_path_matches_whatever_the_covered_does(
    w: str, n: str, parts: list[str], absolute: bool
) -> None:
    start = "/" if absolute else ""
    [wide] = compile_text_path(start + w, None, windows=False, strict=False)
    [narrow] = compile_text_path(start + n, None, windows=False, strict=True)
    if path_covers(wide, narrow) and narrow.matches(parts):
        assert wide.matches(parts)
