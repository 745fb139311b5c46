"""What is found while a line is walked: its commands, the doubts, and the state of the shell on the way."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from sayso.core.operation import Operation
from sayso.core.shell_command import Assignment, Redirection, Role, ShellCommand, ShellWord
from sayso.policy.shell import syntax as s
from sayso.policy.shell.evaluation import Evaluation
from sayso.policy.shell.places import Places
from sayso.policy.shell.shell_builtins import (
    Change,
    Doubt,
    Evaluated,
    ExportAll,
    SetVariable,
    Unsettled,
)
from sayso.policy.shell.variables import SHELL_RUNS, is_dangerous, is_harmless
from sayso.policy.shell.word_values import Surroundings, one, value_of_assignment, values

_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&"})
_TEXTS: Final = frozenset({"<<", "<<-", "<<<"})
_PLAIN_NAME: Final = re.compile(r"[\w./+,:@%=-]+")
_DESCRIPTOR: Final = frozenset("0123456789")


class Findings:
    """The commands and doubts of a line so far; `around` is what the values of its words depend on."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.commands: list[ShellCommand] = []
        self.doubts: dict[str, None] = {}
        self.evaluation = Evaluation()
        self.names: dict[str, None] = {}
        """Variables set so far in a way that voids an allow (POL-33)."""
        self.looping: set[str] = set()
        """Variables of the loops at hand whose values the line shows."""
        self.rebound: set[str] = set()
        """Those of them that a loop gives another value itself."""
        self.all_names: set[str] = set()
        """Every variable that the line sets anywhere."""
        self.unsettled = False
        """Whether something may change variables, or the folder, where no word of the line says so."""
        self.exporting = False
        self.functions: set[str] = set()
        self.programs: set[str] = set()
        self.covered = 0
        """How many commands around the one at hand it is covered by: only denies and asks are tried on it."""
        self.wrappers: tuple[str, ...] = ()
        self.piped = False
        """Whether the command at hand surely reads from a pipe."""

    def doubt(self, why: str) -> None:
        """The line cannot be verified, and why."""
        if not self.covered:
            self.limit(why)

    def limit(self, why: str) -> None:
        """The line was not looked at to its end, and why: no rule that covers a part of it helps."""
        self.doubts[why] = None

    def emit(
        self,
        text: str,
        words: tuple[ShellWord, ...],
        places: Places,
        *,
        assignments: tuple[Assignment, ...] = (),
        redirections: tuple[Redirection, ...] = (),
        role: Role = Role.PLAIN,
    ) -> None:
        """A command that the line can run."""
        if self.covered:
            role = Role.TRANSPARENT
        command = ShellCommand(
            text,
            words,
            assignments,
            redirections,
            tuple(self.names),
            places,
            self.wrappers,
            role,
            self.piped,
        )
        self.commands.append(command)

    def words(self, words: tuple[s.Word, ...]) -> tuple[ShellWord, ...]:
        """The values of words."""
        around = self.around
        found: list[ShellWord] = []
        for word in words:
            if word.literal is not None:
                found.append(ShellWord(word.text, word.literal, word.literal))
            else:
                found += values(word, around)
        return tuple(found)

    def redirections(self, redirects: tuple[s.Redirect, ...]) -> tuple[Redirection, ...]:
        """The files among redirections; copies of descriptors and heredocs are none."""
        found: list[Redirection] = []
        for redirect in redirects:
            sign = redirect.sign
            if sign in _TEXTS:
                continue
            target = one(redirect.target, self.around)
            if sign in {">&", "<&"}:
                if redirect.target.text[:1] == "-" and redirect.target.text != "-":
                    # Bash ends the redirection after the `-`; what follows is a word of its own.
                    self.doubt(f"`{redirect.text}` is read in different ways")
                if _is_descriptor(target, redirect):
                    continue
                if sign == ">&" and not (target.value and _PLAIN_NAME.fullmatch(target.value)):
                    # Bash expands the word, sees that it is no number, and expands it once more.
                    self.doubt(f"bash expands the target of `{redirect.text}` twice")
            operation = Operation.READ
            if sign == "<>":
                operation = Operation.ANY
            elif sign in _WRITES:
                operation = Operation.WRITE
            elif sign not in {"<", "<&"}:
                self.doubt(f"an unknown redirection `{sign}`")
                operation = Operation.ANY
            found.append(Redirection(operation, target))
        return tuple(found)

    def assignment(self, assign: s.Assign) -> Assignment:
        """What a variable is set to."""
        if assign.items is not None or assign.sums or assign.append:
            return Assignment(assign.name, None)
        if assign.value is None:
            return Assignment(assign.name, ShellWord("", "", ""))
        return Assignment(assign.name, value_of_assignment(assign.value, self.around))

    def set_variable(
        self,
        name: str,
        value: str | None,
        *,
        exported: bool = False,
        number: bool = False,
        lasting: bool = True,
    ) -> None:
        """A variable is set, for the rest of the line (`lasting`) or for one command."""
        name = name.partition("[")[0]  # the variable itself is the first of an array
        self.evaluation.assign(name, value, number=number)
        if name in self.looping:
            self.rebound.add(name)
        if name in SHELL_RUNS or name.startswith("BASH_FUNC_"):
            self.doubt(f"the shell runs what `{name}` holds")
        if name in {"HOME", "CDPATH", "PWD", "IFS"}:
            # What runs within the command, `cd` and other shells, goes by it at once.
            self.all_names.add(name)
        if not lasting:
            return
        self.all_names.add(name)
        if name == "PATH":
            self.doubt("`PATH` is changed, and so is what the names of programs mean")
        if is_harmless(name):
            return
        if exported or self.exporting or is_dangerous(name):
            self.names[name] = None

    def change(self, change: Change) -> None:
        """What a builtin does to the shell."""
        if isinstance(change, SetVariable):
            self.set_variable(
                change.name, change.value, exported=change.exported, number=change.number
            )
        elif isinstance(change, Evaluated):
            self.evaluation.text(change.text)
        elif isinstance(change, Doubt):
            self.doubt(change.why)
        elif isinstance(change, ExportAll):
            self.exporting = True
        elif isinstance(change, Unsettled):
            self.unsettled = True

    def in_dialect(self, dialect: str) -> Surroundings:
        """The surroundings of a text for another shell."""
        return replace(self.around, dialect=dialect)


def leaves_input(redirects: tuple[s.Redirect, ...]) -> bool:
    """Whether the input of a command is what it would be without these redirections, or a text."""
    return all(
        redirect.sign in _TEXTS
        or (
            redirect.sign in _WRITES and (redirect.descriptor.strip("0") or not redirect.descriptor)
        )
        for redirect in redirects
    )


def _is_descriptor(target: ShellWord, redirect: s.Redirect) -> bool:
    """Whether `>&` copies, moves or closes a descriptor instead of naming a file."""
    value = target.value
    if value is None:
        return False
    if redirect.sign == "<&":
        return True
    return value == "-" or (value != "" and _DESCRIPTOR.issuperset(value.removesuffix("-")))
