"""Tables of cases: how they are read, and what is said where they cannot be (POL-75)."""

from __future__ import annotations

import pytest

from sayso.core.effect import Effect
from sayso.errors import CasesInvalid
from sayso.policy.cases import COLUMNS, Case, CaseResult, differing, read_cases, run_case
from sayso.system import shell_parser

HEAD = "\t".join(COLUMNS)


def table(*rows: str) -> tuple[Case, ...]:
    return read_cases("\n".join([HEAD, *rows, ""]), "cases.tsv")


def row(rules: str, shown: str, *, surface: str = "path", expected: str = "ask") -> str:
    return "\t".join(["a-1", surface, rules, shown, expected, "why", "source"])


def run(rules: str, shown: str, *, surface: str = "path") -> CaseResult:
    return run_case(table(row(rules, shown, surface=surface))[0], shell_parser.syntax_tree)


@pytest.mark.spec("POL-75")
def test_a_row_becomes_a_case_with_its_line_and_escapes_decoded() -> None:
    [case] = table(row(r"allow shell(echo *)", r"echo \\a\u0301\tb\n \U0001F600", surface="shell"))
    assert (case.id, case.line, case.expected) == ("a-1", 2, Effect.ASK)
    assert case.input == "echo \\a\u0301\tb\n \U0001f600"


def test_blanks_at_the_edges_and_an_empty_input_are_kept() -> None:
    assert table(row("(none)", " a "))[0].input == " a "
    assert table(row("(none)", ""))[0].input == ""


@pytest.mark.parametrize(
    ("why", "accepted"),
    [
        ("plain", {Effect.ALLOW}),
        ("FP (ask tolerable)", {Effect.ALLOW, Effect.ASK}),
        ("(stricter ok)", {Effect.ALLOW, Effect.DENY}),
    ],
)
def test_tags_say_which_other_verdicts_are_right(why: str, accepted: set[Effect]) -> None:
    [case] = table("\t".join(["a-1", "name", "(none)", "todo", "allow", why, "source"]))
    assert case.accepted == accepted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\tsurface", "cases.tsv:1: the first line does not name the columns"),
        (f"{HEAD}\na\tb", "cases.tsv:2: the row has 2 columns and not 7"),
        (f"{HEAD}\n{row('(none)', 'a', surface='x')}", "cases.tsv:2: `x` is not a surface"),
        (f"{HEAD}\n{row('(none)', 'a', expected='x')}", "cases.tsv:2: `x` is not a verdict"),
        (f"{HEAD}\n{row('(none)', chr(92) + 'q')}", r"cases.tsv:2: `\q` is no escape"),
        (f"{HEAD}\n{row('(none)', chr(92))}", "cases.tsv:2: `\\` is no escape"),
        (f"{HEAD}\n{row('(none)', chr(92) + 'UFFFFFFFF')}", r"cases.tsv:2: `\UFFFFFFFF` is no esc"),
        (
            f"{HEAD}\n{row('(none)', 'a')}\n{row('(none)', 'b')}",
            "cases.tsv:3: the id `a-1` stands in line 2 too",
        ),
    ],
)
def test_a_table_that_cannot_be_read_says_where(text: str, message: str) -> None:
    with pytest.raises(CasesInvalid) as raised:
        read_cases(text, "cases.tsv")
    assert raised.value.message.startswith(message)
    assert raised.value.hint


@pytest.mark.parametrize(
    "rules",
    [
        "given moon(full)",
        "given op(dance)",
        "given op(any)",
        "given shell(fish)",
        "given os(beos)",
        "given fs(odd)",
        "given symlink(/a)",
        "given cwd(/a",
        "given builtin-allow(nonsense(x))",
        "permit path(a)",
    ],
)
def test_a_fact_that_is_not_known_is_an_error_and_never_ignored(rules: str) -> None:
    with pytest.raises(CasesInvalid) as raised:
        run(rules, "a")
    assert raised.value.message.startswith("a-1: `") or "a-1:" in raised.value.message
    assert raised.value.hint


def test_arguments_of_an_mcp_tool_that_are_no_object_are_an_error() -> None:
    with pytest.raises(CasesInvalid, match="no JSON object"):
        run("(none)", "s :: t [1]", surface="mcp")


def test_a_rule_refused_at_load_is_reported_and_ignored() -> None:
    result = run("allow nonsense(x); allow path(a)", "a")
    assert result.effect is Effect.ALLOW
    assert [text.split(":")[0] for text in result.refused] == ["allow nonsense(x)"]


@pytest.mark.parametrize(
    ("rules", "shown", "surface", "effect"),
    [
        ("allow path(b); given cwd(/w)", "/w/b", "path", Effect.ALLOW),
        ("allow path(b)", "/srv/proj/b", "path", Effect.ALLOW),
        ("allow path(/b); given symlink(/a -> /b)", "/a", "path", Effect.ASK),
        ("deny path(/b); given symlink(/a -> /b)", "/a", "path", Effect.DENY),
        ("deny path(B); given fs(case-insensitive)", "b", "path", Effect.DENY),
        ("deny path(B)", "/srv/proj/c", "path", Effect.ASK),
        (r"allow path(C:/x); given os(windows)", r"C:\\x", "path", Effect.ALLOW),
        ("allow write(a); given op(write)", "a", "path", Effect.ALLOW),
        ("allow write(a); given op(read)", "a", "path", Effect.ASK),
        ("allow path(a); given dir(/extra)", "/extra/a", "path", Effect.ASK),
        ("allow mcp(s:t)", 's :: t {"a": 1}', "mcp", Effect.ALLOW),
        ("allow mcp(s:t); given tool-definition-changed", "s :: t", "mcp", Effect.ASK),
        ("given annotation(readOnlyHint)", "s :: t", "mcp", Effect.ASK),
        ("allow mcp(s:t); deny path(k); given path-argument(f)", 's :: t {"f": "k"}', "mcp", 2),
        ("given builtin-allow(mcp(s:t))", "s :: t", "mcp", Effect.ALLOW),
        ("allow url(a.test); given redirect(https://a.test -> https://b.test)", "https://a.test",
         "url", Effect.ASK),
        ("allow url(a.test); deny url(loopback); given dns(a.test -> 127.0.0.1)", "https://a.test",
         "url", Effect.DENY),
        ("allow tool(todo)", "todo", "name", Effect.ALLOW),
        ("deny shell(*)", "ls", "shell", Effect.DENY),
    ],
)  # fmt: skip
@pytest.mark.spec("POL-75")
def test_facts_make_the_world_that_a_case_is_judged_in(
    rules: str, shown: str, surface: str, effect: Effect
) -> None:
    assert run(rules, shown, surface=surface).effect is Effect(effect)


def test_redirects_in_a_circle_end() -> None:
    rules = "allow url(a.test); given redirect(https://a.test -> https://a.test)"
    assert run(rules, "https://a.test", surface="url").effect is Effect.ALLOW


def test_only_results_that_are_not_right_differ() -> None:
    right = run("(none)", "a")
    wrong = run("allow path(a)", "a")
    assert differing([right, wrong]) == (wrong,)
