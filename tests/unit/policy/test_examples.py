"""A rule's own examples: what it must match and what it must not (POL-70)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.errors import RuleRefused
from sayso.policy.examples import MAX_EXAMPLES, check_examples, failing_examples
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import rule


def failures(text: str, *, match: tuple[str, ...] = (), never: tuple[str, ...] = ()) -> list[str]:
    given = replace(rule(text), examples=match, counter_examples=never)
    return list(failing_examples(given, FakeFacts()))


@pytest.mark.spec("POL-70")
def test_examples_that_are_as_they_say_fail_nothing() -> None:
    assert failures("deny path(**/keys/**)", match=("a/keys/b", "/keys"), never=("a/keyset",)) == []
    assert failures("allow web(*.example.com)", match=("https://a.example.com",)) == []
    assert failures("deny path(a)") == []


@pytest.mark.spec("POL-70")
def test_each_example_that_is_not_as_it_says_is_told() -> None:
    assert failures("deny read(src)", match=("docs/a", "src/a"), never=("src/b", "docs/b")) == [
        "the rule `read(src)` does not match `docs/a`, which it must match",
        "the rule `read(src)` matches `src/b`, which it must not match",
    ]


@pytest.mark.spec("POL-70")
def test_a_rule_with_a_lying_example_is_refused() -> None:
    lying = replace(rule("allow read(src/**)"), counter_examples=("src/a",))
    with pytest.raises(RuleRefused, match="matches `src/a`, which it must not match"):
        check_examples(lying, FakeFacts())
    check_examples(replace(lying, counter_examples=("docs/a",)), FakeFacts())


def test_the_links_of_the_day_do_not_change_what_is_found() -> None:
    given = replace(rule("allow read(notes)"), examples=("notes",))
    linked = FakeFacts(links={"/srv/project/notes": "/etc/passwd"})
    assert list(failing_examples(given, linked)) == []


def test_an_example_that_cannot_be_read_is_a_failure() -> None:
    assert failures("deny mcp(mail:send)", match=("mail",)) == [
        "the example `mail` cannot be read: `mail` names no tool of a server"
    ]


def test_examples_are_bounded() -> None:
    many = tuple(f"a/{number}" for number in range(MAX_EXAMPLES + 1))
    assert failures("deny path(a)", match=many) == [
        f"the rule has more than {MAX_EXAMPLES} examples"
    ]


@pytest.mark.spec("POL-70")
def test_examples_of_rules_for_commands_are_command_lines() -> None:
    lines = ("git push -f", "git status; git push --force origin")
    assert failures("deny shell(git push --force *)", match=lines, never=("git push",)) == []
    assert failures("allow shell(npm test)", match=("npm test",), never=("npm test; rm x",)) == []
    assert failures("allow shell(npm *)", match=("npm ci && rm x",)) == [
        "the rule `shell(npm *)` does not match `npm ci && rm x`, which it must match"
    ]
