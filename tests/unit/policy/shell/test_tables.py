"""The tables of programs agree where they speak of the same options."""

from __future__ import annotations

import pytest

from sayso.policy.shell import git_options
from sayso.policy.shell.option_syntax import Syntax, Takes, syntax
from sayso.policy.shell.options import GIT, grammars
from sayso.policy.shell.program_options import known_names
from sayso.policy.shell.programs import PROGRAMS
from sayso.policy.shell.wrapper_table import (
    EXEC_ACTIONS,
    FD_PROGRAMS,
    OTHER_SHELLS,
    SHELLS,
    WRAPPERS,
)

# What they do with it depends on the words behind, or on a verb before.
EXCEPTIONS = (
    {(shell, "-c") for shell in SHELLS}
    | {(fd, option) for fd in FD_PROGRAMS for option in ("-x", "-X", "--exec", "--exec-batch")}
    | {("docker", "-v"), ("nerdctl", "-v"), ("pnpm", "-w")}
)


def options_of(program: str) -> Syntax | None:
    if program.startswith("git-"):
        return syntax(git_options.VERBS.get(program[4:], ""))
    if program == "git":
        return GIT.syntax
    if program in grammars():
        return grammars()[program].syntax
    return syntax(WRAPPERS[program].options) if program in WRAPPERS else None


@pytest.mark.spec("POL-36")
@pytest.mark.spec("POL-38")
def test_both_tables_say_the_same_of_which_options_take_the_next_word() -> None:
    differing = []
    for program, entry in PROGRAMS.items():
        known = options_of(program)
        for option in entry.options if known is not None else ():
            name = option.lstrip("-")
            found = known.short.get(name) if option[:2] != "--" else known.long.get(name)
            takes = option not in entry.glued
            if found is not None and takes and found[1] is not Takes.VALUE:
                differing.append((program, option))
    assert set(differing) <= EXCEPTIONS, set(differing) - EXCEPTIONS


@pytest.mark.spec("POL-32")
def test_a_program_is_described_in_one_table_of_options() -> None:
    wrappers = WRAPPERS.keys() | OTHER_SHELLS
    assert not wrappers & known_names()
    assert {action[1:] for action in EXEC_ACTIONS} <= grammars()["find"].syntax.long.keys()
