"""Each command line of the table in other words that mean the same: the verdict stays."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.policy.cases import Case, read_cases, run_case
from sayso.system import shell_parser

TABLE = Path(__file__).with_name("policy.tsv")
LINES = [
    case
    for case in read_cases(TABLE.read_text(encoding="utf-8"), TABLE.name)
    if case.surface == "shell"
]
WRAPPERS = (
    "timeout 5",
    "nohup",
    "env",
    "command",
    "nice -n 5",
    "stdbuf -oL",
    "timeout -k 1 5 env LC_ALL=C",
)

_QUOTING = re.compile(r"""['"\\`$#]|<<|[^\x00-\x7f]|[\x00-\x09\x0b-\x1f]""")
_PROGRAM = re.compile(r"[a-z][a-z0-9_+-]*(?=[ ]|$)")
# What the shell itself does, or reads as grammar, is no program that another one could run.
_SHELL = frozenset(
    shlex.split(
        "alias bg break builtin case cd command continue coproc declare do done elif else esac eval exec "
        "exit export fg fi for function getopts hash help if in jobs let local popd pushd read readonly "
        "return select set shift shopt source then time times trap true type typeset ulimit umask unalias "
        "unset until wait while test"
    )
)


def other_separators(line: str) -> Iterator[str]:
    """The same lists, separated otherwise."""
    if _QUOTING.search(line) or "&&&" in line or ";;" in line:
        return
    if "; " in line and not re.search(r"\b(?:for|while|if|select)\b|[{}()]", line):
        yield line.replace("; ", "\n")
        yield line.replace("; ", ";")
        yield line.replace("; ", " ; ")
    if " && " in line:
        yield line.replace(" && ", "&&")
        yield line.replace(" && ", " &&\n")
        yield line.replace(" && ", " && \t")
    if " | " in line:
        yield line.replace(" | ", "|")
        yield line.replace(" | ", " |\n  ")


def other_blanks(line: str) -> Iterator[str]:
    """More blanks, where none of them is part of a word."""
    yield f"  {line}"
    if not line.endswith("\\") and "<<" not in line:
        yield f"{line}\n"
        yield f"\n{line} "
    if not _QUOTING.search(line) and "\n" not in line:
        yield line.replace(" ", "  ")
        yield line.replace(" ", " \\\n ")


def other_quotes(line: str) -> Iterator[str]:
    """The first word in quotes, in part or as a whole, or behind a backslash."""
    found = _PROGRAM.match(line)
    if found is None or found[0] in _SHELL:
        return
    name, rest = found[0], line[found.end() :]
    yield f"'{name}'{rest}"
    yield f'"{name}"{rest}'
    yield f"\\{name}{rest}"
    yield f"{name[:1]}''{name[1:]}{rest}"
    yield f'{name[:1]}"{name[1:]}"{rest}'
    yield f"$'{name}'{rest}"


def more_quotes(line: str) -> Iterator[str]:
    """Plain words of a plain command in quotes; an option stays one."""
    words = line.split(" ")
    if len(words) < 2 or not all(re.fullmatch(r"[A-Za-z0-9_./:@,+-]+", word) for word in words):
        return
    if words[0] in _SHELL:
        return
    yield " ".join([words[0], *(f"'{word}'" for word in words[1:])])
    yield " ".join([words[0], *(f'{word[:1]}"{word[1:]}"' for word in words[1:])])


def wrapped(line: str) -> Iterator[str]:
    """A program in front that runs the first command as it is."""
    found = _PROGRAM.match(line)
    if found is None or found[0] in _SHELL or re.match(rf"{re.escape(found[0])}\(", line):
        return
    for wrapper in WRAPPERS:
        yield f"{wrapper} {line}"


def in_a_shell(line: str) -> Iterator[str]:
    """The whole line as the text of a shell, or in a group."""
    if "'" not in line and "<<" not in line and "\n" not in line:
        yield f"bash -c '{line}'"
        yield f"bash -lc '{line}'"
    if not line.endswith("\\") and "<<" not in line and "#" not in line:
        yield f"({line}\n)"
        yield f"{{ {line}\n}}"


VARIANTS = {
    "separators": other_separators,
    "blanks": other_blanks,
    "quotes": other_quotes,
    "more-quotes": more_quotes,
    "wrapper": wrapped,
    "shell": in_a_shell,
}


@pytest.mark.parametrize("kind", VARIANTS)
@pytest.mark.parametrize("case", LINES, ids=lambda case: case.id)
@pytest.mark.spec("POL-30", "POL-32", "POL-38")
def test_another_spelling_has_the_same_verdict(case: Case, kind: str) -> None:
    lines = list(VARIANTS[kind](case.input))
    # Each row has its turn with a third of the variants, and each variant with a third of the rows.
    for line in lines[case.line % 3 :: 3]:
        result = run_case(replace(case, input=line), shell_parser.syntax_tree)
        assert result.effect in case.accepted, f"{line!r}: {case.why}"
