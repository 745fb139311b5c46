"""The trace of a command line in words: each command found, what it touches, and what would change it."""

from __future__ import annotations

import pytest

from sayso.core.call import ToolCall
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.explain import explain
from sayso.policy.defaults import seed_rules
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from tests.fakes.facts import FakeFacts
from tests.fakes.values import at
from tests.unit.policy.worlds import rule


def explained(line: str, *rules: str) -> list[str]:
    call = ToolCall("c", "execute_cmd", {"command": line}, "s", "a", "u", workspace="/w")
    ruleset = compile_ruleset([rule(text) for text in rules], (), SHIPPED, facts=FakeFacts())
    verdict = decide(call, ruleset, (), Context(), FakeFacts(), at(0))
    return explain(verdict).splitlines()


def about(lines: list[str], head: str) -> list[str]:
    """The lines under the first one that begins so, that one too."""
    start = next(place for place, line in enumerate(lines) if line.startswith(head))
    rest = [place for place in range(start + 1, len(lines)) if not lines[place].startswith("  ")]
    return lines[start : rest[0]]


@pytest.mark.spec("POL-24", "POL-71")
def test_each_command_of_a_line_has_its_own_matches() -> None:
    lines = explained("git status && rm -rf build", "allow shell(git *)", "deny shell(rm *)")
    assert lines[0] == "deny: rule-deny"
    assert about(lines, "command git status") == [
        "command git status: allow",
        "  list: allow shell(git *) in your settings <- decides",
    ]
    assert about(lines, "command rm -rf build") == [
        "command rm -rf build: deny",
        "  list: deny shell(rm *) in your settings <- decides",
    ]
    assert lines[-1] == (
        "what would change it: only taking away deny shell(rm *) in your settings; a deny is final"
    )


@pytest.mark.spec("POL-71")
def test_what_is_disguised_is_shown_as_it_runs() -> None:
    assert "  is run as: rm -rf build" in explained("\"r\"'m' -rf build")
    assert not any("is run as" in line for line in explained("rm -rf build"))


@pytest.mark.spec("POL-71")
def test_a_wrapper_says_that_what_it_runs_is_looked_at() -> None:
    lines = explained("timeout 5 git status", "allow shell(git *)")
    assert lines[0] == "allow: rule-allow"
    assert "  is run by: timeout" in about(lines, "command git status")
    assert about(lines, "command timeout") == [
        "command timeout 5 git status: allow",
        "  runs another command, which is looked at by itself: no allow has to cover this one",
        "  no rule is about it by name",
    ]


@pytest.mark.spec("POL-71")
def test_variables_and_folders_that_count_are_named() -> None:
    lines = explained("LD_PRELOAD=x git status", "allow shell(git *)")
    assert "  no allow counts while it sets: LD_PRELOAD" in about(lines, "command LD_PRELOAD=x git")
    moved = explained("cd src && make", "allow shell(make *)", "allow shell(cd *)")
    assert "  runs in: src" in about(moved, "command make")


@pytest.mark.spec("POL-71")
def test_what_a_line_touches_names_the_program_and_what_it_does() -> None:
    lines = explained("cat secrets/k > out.txt", "allow shell(cat *)", "deny read(secrets)")
    assert about(lines, "path /w/secrets/k") == [
        "path /w/secrets/k (read by cat): deny",
        "  list: deny read(secrets) in your settings <- decides",
    ]
    assert about(lines, "path /w/out.txt") == [
        "path /w/out.txt (write by redirection): ask",
        "  nothing matches, and what is written by redirection needs an allow of its own",
    ]


@pytest.mark.spec("POL-71")
def test_what_is_not_covered_is_named_once_and_counted() -> None:
    lines = explained("npm ci; npm test > log; timeout 5 ls; true", "allow shell(true)")
    assert lines[-1] == (
        "what would change it: an allow rule that covers npm ci, npm test, ls and writing /w/log"
    )
    many = explained("; ".join(f"p{number}" for number in range(8)))
    assert (
        many[-1] == "what would change it: an allow rule that covers p0, p1, p2, p3, p4 and 3 more"
    )


@pytest.mark.spec("POL-71")
def test_a_line_that_cannot_be_verified_says_why_and_what_covers_it() -> None:
    lines = explained('eval "$X"', "allow shell(eval *)")
    [head, doubt, unmatched] = about(lines, "line eval")
    assert head == 'line eval "$X": ask'
    assert doubt.startswith("  cannot be verified: ")
    assert unmatched == "  nothing matches, and only shell(*) covers what cannot be verified"


def test_no_text_of_a_line_begins_a_line_of_the_explanation() -> None:
    lines = explained("echo 'x\nallow: rule-allow\n' > 'a\nallow'")
    assert not any(line.startswith("allow") for line in lines)


@pytest.mark.spec("POL-71")
def test_where_only_the_defaults_ask_an_allow_is_missing() -> None:
    def said(line: str, *rules: str) -> str:
        call = ToolCall("c", "execute_cmd", {"command": line}, "s", "a", "u", workspace="/w")
        given = [rule(text) for text in rules]
        ruleset = compile_ruleset(given, seed_rules(), SHIPPED, facts=FakeFacts())
        return explain(decide(call, ruleset, (), Context(), FakeFacts(), at(0))).splitlines()[-1]

    assert said("git status && npm ci", "allow shell(git status *)") == (
        "what would change it: an allow rule that covers npm ci"
    )
    assert said("git status | sh").startswith("what would change it: a call that can be verified")


@pytest.mark.spec("POL-71")
def test_no_narrower_allow_is_promised_for_what_cannot_be_verified() -> None:
    assert explained('eval "$X"')[-1].startswith(
        "what would change it: a call that can be verified"
    )
