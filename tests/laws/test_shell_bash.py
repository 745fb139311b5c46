"""Bash is the judge of what a command line runs (POL-31)."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.operation import Operation
from sayso.core.shell_command import ShellLine, ShellWord
from sayso.policy.shell.analysis import analyse
from sayso.policy.shell.tokenizer import read_plain
from sayso.policy.shell.tree import read_tree
from sayso.system.shell_parser import TIMEOUT_SECONDS, syntax_tree
from tests.cases.test_policy_cases import CASES
from tests.fakes.facts import FakeFacts
from tests.fakes.shell_jail import HOME, PLACE, Jail, Run, why_no_jail
from tests.fakes.shell_lines import PROGRAMS, Lines

INPUTS = [case.input for case in CASES if case.surface == "shell" and "\0" not in case.input]
SLICES = 16
POSIX_SLICES = 4
SEED = int(os.environ.get("SAYSO_FUZZ_SEED", "0"))
LINES = int(os.environ.get("SAYSO_FUZZ_LINES", "20000"))
if settings.default is not None and settings.default.max_examples < 50:
    LINES = 320  # only to see that it runs
POSIX_LINES = LINES // 4
BUILTINS = frozenset({
    "cd", "echo", "eval", "printf", "read", "test", "[", ":", "pwd", "type", "source", ".", "exec", "command",
    "builtin", "set", "unset", "pushd", "popd", "umask", "trap", "export", "declare", "readonly", "alias", "hash",
})  # fmt: skip
ONLY_NAMES = frozenset({"export", "declare", "readonly", "alias", "read"})


def fits(words: tuple[ShellWord, ...], argv: list[str]) -> bool:
    """Whether words may have become these arguments, known ones to the letter."""
    if not words:
        return not argv
    word, rest = words[0], words[1:]
    if word.splits:
        return any(fits(rest, argv[n:]) for n in range(len(argv) + 1))
    if word.pattern is not None:
        pattern = glob_of(word.pattern)
        for n in range(1, len(argv) + 1):
            if argv[n - 1] != word.value and not fnmatch.fnmatchcase(argv[n - 1], pattern):
                return False
            if fits(rest, argv[n:]):
                return True
        return False
    if not argv:
        return False
    good = argv[0] == word.value if word.value is not None else argv[0].startswith(word.start)
    return good and fits(rest, argv[1:])


def glob_of(pattern: str) -> str:
    """A pattern of the shell in the form that fnmatch reads."""
    return re.sub(r"\\(.)", lambda m: f"[{m[1]}]" if m[1] in "*?[" else m[1], pattern)


def found(line: ShellLine, argv: list[str]) -> bool:
    """Whether a program that ran is among the commands of a line."""
    name = posixpath.basename(argv[0])
    for command in line.commands:
        words = command.words
        if not words or words[0].value is None or posixpath.basename(words[0].value) != name:
            continue
        if fits(words[1:], argv[1:]):
            return True
    return False


def written(line: ShellLine, path: str) -> bool:
    """Whether a file that was written is among the redirections of a line."""
    for command in line.commands:
        for redirection in command.redirections:
            if redirection.operation is Operation.READ:
                continue
            target = redirection.target
            if target.value is None or target.pattern is not None:
                return True
            for place in command.places:
                if None in place and not target.value.startswith("/"):
                    return True
                folder = PLACE
                for step in place:
                    folder = posixpath.join(folder, step or "")
                if posixpath.normpath(posixpath.join(folder, target.value)) == path:
                    return True
    return False


def words_of_trace(text: str) -> list[str] | None:
    """The words of a command as `set -x` shows it; None where it is not certain."""
    words: list[str] = []
    position = 0
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        word = ""
        while position < len(text) and text[position] != " ":
            if text[position] == "'":
                end = text.find("'", position + 1)
                if end < 0:
                    return None
                word += text[position + 1 : end]
                position = end + 1
            elif text[position] == "\\":
                word += text[position + 1 : position + 2]
                position += 2
            elif text[position] in '$"':
                return None
            else:
                word += text[position]
                position += 1
        words.append(word)
    return words


@dataclass
class Fault:
    line: str
    what: str


def faults_of(text: str, run: Run, facts: FakeFacts) -> Iterable[Fault]:
    line = analyse(text, facts)
    if line.doubts:
        return
    for argv in run.calls:
        if not found(line, argv):
            yield Fault(text, f"ran {argv}")
    for path in run.written:
        if not written(line, path):
            yield Fault(text, f"wrote {path}")
    for shown in run.traced:
        words = words_of_trace(shown)
        if not words or words[0] not in BUILTINS or words[:3] == ["printf", "%s\\0", "P"]:
            continue
        if words[0] in ONLY_NAMES:
            if not any(c.words and c.words[0].value == words[0] for c in line.commands):
                yield Fault(text, f"ran {words[0]}")
        elif not found(line, words):
            yield Fault(text, f"ran {words}")


@pytest.fixture(scope="module")
def jail(tmp_path_factory: pytest.TempPathFactory) -> Jail:
    why = why_no_jail()
    if why is not None:
        pytest.skip(f"NO JAIL, SO BASH DID NOT JUDGE: {why}")
    return Jail(tmp_path_factory.mktemp("jail"), PROGRAMS)


def lines_of(number: int, count: int, *, posix: bool) -> list[str]:
    make = Lines(SEED * 1000 + number, INPUTS, posix=posix)
    ways = (make.plain, make.rich, make.rich, make.spoiled)
    return [ways[n % len(ways)]() for n in range(count)]


def judged(jail: Jail, lines: list[str], shell: str, facts: FakeFacts) -> list[Fault]:
    process = jail.start(lines, shell)
    for line in lines:
        analyse(line, facts)  # meanwhile
    runs = jail.finish(process, seconds=280)
    assert len(runs) == len(lines)
    return [f for line, run in zip(lines, runs, strict=True) for f in faults_of(line, run, facts)]


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize("number", range(SLICES))
def test_everything_bash_runs_was_judged(number: int, jail: Jail) -> None:
    lines = lines_of(number, LINES // SLICES, posix=False)
    faults = judged(jail, lines, "bash", FakeFacts(home=HOME, user=None))
    assert not faults, "\n".join(f"{fault.line!r}: {fault.what}" for fault in faults[:20])


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize("number", range(POSIX_SLICES))
def test_everything_dash_runs_was_judged(number: int, jail: Jail) -> None:
    lines = lines_of(number + 500, POSIX_LINES // POSIX_SLICES, posix=True)
    faults = judged(jail, lines, "dash", FakeFacts(home=HOME, user=None, dialect="posix"))
    assert not faults, "\n".join(f"{fault.line!r}: {fault.what}" for fault in faults[:20])


@pytest.mark.spec("POL-31")
def test_plain_lines_are_hardly_ever_doubted() -> None:
    make = Lines(SEED, INPUTS)
    lines = [make.plain() for _ in range(1000)]
    facts = FakeFacts(home=HOME, user=None)
    doubted = [line for line in lines if analyse(line, facts).doubts]
    assert len(doubted) <= len(lines) // 100, doubted[:5]


@pytest.mark.spec("POL-30")
def test_both_readers_agree_on_every_plain_line() -> None:
    make = Lines(SEED + 1, INPUTS)
    plain = 0
    for line in (*INPUTS, *(way() for _ in range(700) for way in (make.plain, make.spoiled))):
        script = read_plain(line)
        if script is None:
            continue
        plain += 1
        tree = syntax_tree(line, "bash")
        assert not isinstance(tree, str), (line, tree)
        assert script == read_tree(tree, line), line
    assert plain > 700


NASTY = st.text(
    st.one_of(st.sampled_from("'\"\\`$(){}<>|&;\n #*~![]=-/@^,:a1 \t"), st.characters()),
    max_size=200,
)


@pytest.mark.spec("POL-30")
@given(NASTY, st.sampled_from(("bash", "posix", "zsh")))
def test_any_text_at_all_is_analysed_in_time(text: str, dialect: str) -> None:
    began = time.monotonic()
    line = analyse(text, FakeFacts(dialect=dialect, user=None))
    assert time.monotonic() - began < 1 + 3 * TIMEOUT_SECONDS
    assert line.text == text


@pytest.mark.spec("POL-30")
@pytest.mark.parametrize(
    "text",
    [
        "{a,b}" * 30, "{" * 5000, "x{a,{" * 500, "$(" * 60 + ")" * 60, "a " * 30_000, "[" * 3000,
        "$((" + "(" * 500 + "1" + ")" * 500 + "))", "'" * 5001, "eval '" * 50, "bash -c " * 500,
        "for x in a; do " * 60 + ":" + "; done" * 60, "a <<E\n" * 500, "\\" * 5001, "{1..9}" * 20,
        "if :; then :; " + "elif :; then :; " * 2000 + "fi", "${a:-" * 60 + "}" * 60, "a | " * 3000 + "b",
        "! " * 3000 + "a", "a=" * 3000, "~" * 5000, "env " * 3000 + "rm x", "$x&&" * 300 + "a",
        "[[ " + "( " * 200 + "a" + " )" * 200 + " ]]",
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_nothing_makes_it_hang(text: str) -> None:
    began = time.monotonic()
    analyse(text, FakeFacts(user=None))
    assert time.monotonic() - began < 1 + 3 * TIMEOUT_SECONDS
