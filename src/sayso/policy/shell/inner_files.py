"""The script that a shell or an interpreter is given: it is run as if it were called by its own name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.arguments import Arguments
from sayso.policy.shell.inner import Inner
from sayso.policy.shell.inner_shells import read_shell
from sayso.policy.shell.programs import Use, program_of
from sayso.policy.shell.words import is_known, literal
from sayso.policy.shell.wrapper_table import SHELLS

_PACKAGE = re.compile(r"(?<=.)@[^/@]*$")
_INPUT = frozenset({"", "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def of_script_file(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The script in a file that a shell or an interpreter runs, with its operands.

    A rule about the interpreter covers it; a deny or an ask about the script itself is tried.
    """
    if name in SHELLS:
        call = read_shell(words)
        if call.unclear is None and not set("cs") & set(call.letters):
            yield from _called(words[call.rest :])
        return
    program = program_of(name)
    if program is None or program.fixed[:1] != (Use.SCRIPT,):
        return
    arguments = Arguments(program, list(words[1:]))
    if not arguments.replaced and not program.does("tells", arguments.given):
        yield from _called(tuple(arguments.operands))


def _called(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    script = words[0] if words else None
    if script is None or not is_known(script) or script.value in _INPUT or script.value is None:
        return
    # A name without a slash is looked for in the folder first.
    called = script.value if "/" in script.value else f"./{script.value}"
    yield Inner((ShellWord(script.text, called, called), *words[1:]), covered=True)


def of_package(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The program of a package that is fetched to be run, without the version that is asked for."""
    if not words or not is_known(words[0]) or not words[0].value:
        return
    program = literal(_PACKAGE.sub("", words[0].value))
    yield Inner((program, *words[1:]), covered=True)
