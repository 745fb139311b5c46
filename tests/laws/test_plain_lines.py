"""A plain line read at once is what walking it word by word finds: the slow readers are the reference."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given

from bench.b3_work import make_lines
from sayso.policy.cases import read_cases
from sayso.policy.shell.analysis import analyse, forget, walked
from sayso.policy.shell.inner_files import of_script_file
from sayso.policy.shell.inner_options import by_options
from sayso.policy.shell.options import (
    Grammar,
    _read,
    _read_git_options,
    _read_options,
    grammars,
    read,
)
from sayso.policy.shell.plain_commands import plain_commands
from sayso.policy.shell.program_options import known_names
from sayso.policy.shell.programs import PROGRAMS
from sayso.policy.shell.reading import concern_about
from sayso.policy.shell.tokenizer import read_plain, read_tokens
from sayso.policy.shell.word_values import Surroundings
from sayso.policy.shell.words import literal
from sayso.policy.shell.wrapper_table import PACKAGE_RUNNERS, RUNNERS, WRAPPERS
from sayso.policy.shell.wrappers import _SPECIAL, _inner, inner_of
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import COMMANDS, randoms

TABLE = Path(__file__).parents[1] / "cases" / "policy.tsv"
CASES = [c.input for c in read_cases(TABLE.read_text("utf-8"), TABLE.name) if c.surface == "shell"]
RUNNING = {*WRAPPERS, *_SPECIAL, *(name for name, *_ in (*RUNNERS, *PACKAGE_RUNNERS))}
NAMES = sorted({*PROGRAMS, *known_names(), *RUNNING, "python3.12", "ld-linux-x86-64.so.2"})
OTHERS = (
    "cd src", "pushd /tmp", "popd", "exit", "set -e", "printf -v x y", "bash", ". a", "ld.so x", "./run",
    "/bin/ls", "sudo", "if", "time ls", "a=b", "a=b c", "export", "unset PATH", "read x", "env", "[ -f x ]",
    "su", "ssh host", "git -c core.pager=x log", "npm exec x", "npm --prefix a exec x", "frob",
)  # fmt: skip
WORDS = (
    "-a", "-rf", "--all", "--output=x", "x", "src/a.py", "..", "/etc/passwd", "a=b", "-", "--", "exec", "run",
    "-c", "--call", "'a b'", '"a b"', "*.py", "~", "{a,b}", "a\\ b", "''", "!", "}", "HEAD:a",
    "'1e rm x'", "-TT", "é", "=ls", "]", "[",
)  # fmt: skip
SIGNS = (
    " && ",
    " || ",
    " | ",
    "; ",
    "&&",
    "\n",
    " > out ",
    " 2>&1 | ",
    " < in; ",
    " >> log ",
    "  ",
    " 2>/dev/null ",
)


def a_line(r: random.Random) -> str:
    """Commands in a row, plain ones and others."""
    line = ""
    for number in range(r.choice([1, 1, 1, 2, 3])):
        line += r.choice(SIGNS) if number else ""
        start = r.choice([*OTHERS, r.choice(NAMES), r.choice(NAMES), r.choice(NAMES)])
        line += " ".join([start, *r.choices(WORDS, k=r.randrange(4))])
    return r.choice([line, line, f" {line}", f"{line} "])


def compare(line: str, dialect: str) -> None:
    """Fail where the quick readers say something else than the slow ones."""
    forget()
    facts = FakeFacts(dialect=dialect)
    assert read_plain(line) == read_tokens(line), line
    found = analyse(line, facts)
    reference, _ = walked(line, facts)
    assert found.commands == reference.commands, line
    concern = concern_about(line)
    assert found.doubts == (*([] if concern is None else [concern]), *reference.doubts), line


@pytest.mark.spec("POL-30", "POL-31")
@given(r=randoms)
def test_a_plain_line_is_what_walking_it_finds(r: random.Random) -> None:
    for line in (*[a_line(r) for _ in range(4)], r.choice(COMMANDS), *make_lines(r)[:4]):
        compare(line, r.choice(["bash", "bash", "posix", "zsh"]))


@pytest.mark.spec("POL-30", "POL-32")
def test_what_is_read_at_once_of_any_program_is_what_walking_it_finds() -> None:
    for name in NAMES:
        for line in (f"{name} a", f"cat x | {name}", f"{name} < x && {name} -c y >> z"):
            compare(line, "bash")


@pytest.mark.spec("POL-30", "POL-36")
@pytest.mark.parametrize(
    ("redirection", "piped"),
    [("2>&1", True), (">&2", True), ("2>/dev/null", True), (">> out", True), ("<<< a", True), ("&> out", True),
     ("< in", False), ("<&3", False), ("<&-", False), ("0>&3", False), ("0> out", False), ("<> in", False),
     ("2>&1 < in", False)],
)  # fmt: skip
def test_a_redirection_leaves_the_pipe_only_where_it_does_not_replace_the_input(
    redirection: str, piped: bool
) -> None:
    for line in (f"ls | rg x {redirection}", f"ls | rg {redirection} x"):
        compare(line, "bash")
        assert analyse(line, FakeFacts()).commands[-1].piped is piped, line


@pytest.mark.spec("POL-30")
def test_the_cases_are_what_walking_them_finds() -> None:
    for line in CASES:
        compare(line, "bash")


@pytest.mark.spec("POL-30")
def test_most_lines_of_an_agent_are_plain() -> None:
    scripts = map(read_plain, make_lines(random.Random(1)))
    around = Surroundings("/home/dev")
    plain = [s for s in scripts if s is not None and plain_commands(s, around) is not None]
    assert len(plain) > 120


@pytest.mark.spec("POL-32")
@given(r=randoms)
def test_a_program_that_is_told_by_its_name_runs_no_other(r: random.Random) -> None:
    for _ in range(20):
        name = r.choice(NAMES).lower()
        words = tuple(literal(word) for word in (name, *r.choices(WORDS, k=r.randrange(5))))
        if inner_of(words) == ():
            looked_into = (
                _inner(name, words),
                by_options(name, words),
                of_script_file(name, words),
            )
            assert not [found for each in looked_into for found in each], words


@pytest.mark.spec("POL-38")
@given(r=randoms)
def test_words_without_options_are_read_as_word_by_word(r: random.Random) -> None:
    plain = [word for word in WORDS if "'" not in word and '"' not in word]
    for _ in range(20):
        name = r.choice([*NAMES, "git"])
        words = [literal(name), *map(literal, r.choices(plain, k=r.randrange(4)))]
        if name == "git":
            words.insert(1, literal(r.choice(["push", "branch", "config", "x", "-C", "-"])))
            assert read(tuple(words)) == _read_git_options(words), words
        grammar = grammars().get(name) or Grammar(name)
        assert _read(words, 1, grammar) == _read_options(words, 1, grammar), words
