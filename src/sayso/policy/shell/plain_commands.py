"""Plain lines, which are most: commands in a row of which none changes the shell or runs another (POL-30).

Nothing has to be followed through such a line, so its commands are its words. Walking it (`finding.py`) comes
to the same, and a law compares the two.
"""

from __future__ import annotations

from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.shell import syntax as s
from sayso.policy.shell.findings import Findings, leaves_input
from sayso.policy.shell.places import START
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.session_input import reads_commands
from sayso.policy.shell.shell_builtins import CHANGING
from sayso.policy.shell.word_values import Surroundings
from sayso.policy.shell.wrappers import SCRIPT_READERS, inner_of


def plain_commands(script: s.Script, around: Surroundings) -> tuple[ShellCommand, ...] | None:
    """The commands of a plain line; None where the line has to be walked."""
    if around.dialect == "zsh":
        return None  # it has words of its own, wherever they stand
    found: list[ShellCommand] = []
    for statement in script.body:
        if not _add(statement, around, found):
            return None
    return tuple(found)


def _add(
    statement: s.Statement, around: Surroundings, found: list[ShellCommand], piped: bool = False
) -> bool:
    """Add the commands of a statement; False where it has to be walked."""
    command, redirects = statement.command, statement.redirects
    if statement.negated or statement.background:
        return False
    if isinstance(command, s.Pipeline):
        return not redirects and all(
            _add(part, around, found, place > 0) for place, part in enumerate(command.parts)
        )
    if isinstance(command, s.Chain):
        return not redirects and all(_add(part, around, found) for part in command.parts)
    if not isinstance(command, s.Simple) or not command.words or command.assigns:
        return False
    words = []
    for word in command.words:
        literal = word.literal
        if literal is None:
            return False
        words.append(ShellWord(word.text, literal, literal))
    called = tuple(words)
    name = called[0].value or ""
    program = base_name(name).lower()
    if name in CHANGING or program in SCRIPT_READERS or reads_commands(program, called):
        return False
    if inner_of(called):
        return False
    if not redirects:
        found.append(ShellCommand(statement.text, called, places=START, piped=piped))
        return True
    findings = Findings(around)
    files = findings.redirections(redirects)
    piped = piped and leaves_input(redirects)
    found.append(
        ShellCommand(statement.text, called, redirections=files, places=START, piped=piped)
    )
    return not findings.doubts and all(
        redirect.target.literal is not None for redirect in redirects
    )
