"""A simple command of a line: what it does to the shell, and the commands that it runs in its turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from msgspec.structs import replace

from sayso.core.shell_command import Assignment, Redirection, Role, ShellWord
from sayso.policy.shell.findings import Findings
from sayso.policy.shell.inner import Inner
from sayso.policy.shell.places import ANYWHERE, Outcome, Places, moved, still
from sayso.policy.shell.program_name import base_name, trusted_name
from sayso.policy.shell.session_input import reads_commands, run_by_input
from sayso.policy.shell.shell_builtins import DECLARING, SPECIAL_BUILTINS, changes
from sayso.policy.shell.syntax import MAX_DEPTH
from sayso.policy.shell.variables import is_harmless, names_a_program, names_in
from sayso.policy.shell.words import after, beginning, is_known
from sayso.policy.shell.wrapper_table import SHELLS
from sayso.policy.shell.wrappers import SCRIPT_READERS, inner_of, reads_script_from_input

_MOST_WORDS: Final = 32_768
"""Words of commands within commands that are looked at: each level of wrappers holds all further ones."""
_WORD: Final = 4
"""Characters of a word that has not been read yet."""
_EACH: Final = 16
"""What a command costs beside its words, in words; those that a wrapper of the line itself runs are free."""

_IN_THIS_SHELL: Final = frozenset({"command", "builtin", "eval"})
_SAME_USER: Final = _IN_THIS_SHELL | {"trap", "exec", "find", "xargs", "setsid", "ionice", "flock"}
_ZSH_WORDS: Final = names_in(
    "noglob nocorrect - repeat foreach end always integer float private emulate setopt unsetopt zmodload "
    "autoload sched zle vared functions unfunction disable zparseopts zstyle zargs zmv bindkey "
    "add-zsh-hook"
)
"""Commands that zsh has of its own, and that bash would look for among the programs."""


class CommandFinder(Findings, ABC):
    """Finds what simple commands run, and what those run in their turn."""

    depth = 0
    feed: str | None = None
    """The text that a command reads from its standard input, None where it is not known."""
    _within = 0
    """Words of all commands within commands so far."""
    fed = False
    """Whether it reads what another command writes, which is not what lies in files."""

    @abstractmethod
    def run_text(self, text: str, dialect: str | None, places: Places) -> Outcome:
        """Find the commands of a text that a shell reads; by the class that knows statements."""

    def call(
        self,
        text: str,
        words: tuple[ShellWord, ...],
        places: Places,
        assignments: tuple[Assignment, ...] = (),
        redirections: tuple[Redirection, ...] = (),
    ) -> Outcome:
        """A command of at least one word, and all that it runs."""
        first = words[0]
        name = first.value
        role = Role.PLAIN
        inner: tuple[Inner, ...] = ()
        if name is None or not is_known(first):
            self.doubt(f"which program `{first.text}` is, is known only when the line runs")
            name = ""
        else:
            self.programs.add(name)
            inner = inner_of(words)
            if inner and all(
                found.transparent or found.elsewhere or found.covered for found in inner
            ):
                plain = any(found.elsewhere or found.covered for found in inner)
                role = Role.PLAIN if plain else Role.TRANSPARENT
        script = self._script(name, words, inner)
        if script is not None and _is_bare_shell(name, words):
            role = Role.TRANSPARENT
        self.emit(
            text, words, places, assignments=assignments, redirections=redirections, role=role
        )
        for assignment in assignments:
            value = assignment.value.value if assignment.value is not None else None
            lasting = name in SPECIAL_BUILTINS
            self.set_variable(assignment.name, value, lasting=lasting)
        self.run_by_variables(name, assignments or _declared(name, words), text, places)
        outcome = self._effect(name, words, places, redirections)
        if script is not None:
            dialect = SHELLS.get(base_name(name))
            fed = Inner(text=script, transparent=dialect is not None, dialect=dialect)
            self._inside(name, fed, text, places, assignments)
        program = base_name(name).casefold()
        if (self.fed or self.feed) and reads_commands(program, words):
            self._session(program, text, places)
        for found in inner:
            ended = self._inside(name, found, text, places, assignments)
            if name in _IN_THIS_SHELL:
                outcome = ended
        return outcome

    def run_by_variables(
        self, name: str, assignments: tuple[Assignment, ...], text: str, places: Places
    ) -> None:
        """Find what variables name for well-known programs to run: their pagers and editors."""
        for assignment in assignments:
            value = assignment.value
            if value is not None and value.value and names_a_program(assignment.name):
                named = Inner(text=value.value.lstrip("|-!"), covered=True)
                self._inside(name, named, text, places, ())

    def _script(
        self, name: str, words: tuple[ShellWord, ...], inner: tuple[Inner, ...]
    ) -> str | None:
        """The commands that a shell reads from its standard input, if it does."""
        if not inner and base_name(name).casefold() not in SCRIPT_READERS:
            return None
        if not name or not reads_script_from_input(words):
            return None
        if any(found.words and reads_script_from_input(found.words) for found in inner):
            return None  # it is the inner command that reads them
        if self.feed is None:
            self.doubt(f"`{name}` runs what it reads from its input, and that is not known")
        return self.feed

    def _session(self, program: str, text: str, places: Places) -> None:
        """What a program has a shell run because its input says so."""
        if self.feed is None:
            self.doubt(f"what `{program}` reads from its input may have it run commands")
            return
        for line in run_by_input(program, self.feed):
            self.doubt(f"its input has `{program}` run a command")
            if line.strip():
                self._inside(program, Inner(text=line, covered=True), text, places, ())

    def _inside(
        self,
        name: str,
        inner: Inner,
        text: str,
        places: Places,
        assignments: tuple[Assignment, ...],
    ) -> Outcome:
        """What a wrapper runs, with the variables that are set for the wrapper."""
        if inner.unknown is not None:
            if not inner.elsewhere and not inner.covered:
                self.doubt(inner.unknown)
            return still(places)
        if self.depth >= MAX_DEPTH:
            self.limit(f"it is nested deeper than {MAX_DEPTH} levels")
            return still(places)
        self._within += len(inner.words or ()) + len(inner.text or "") // _WORD
        self._within += _EACH if self.depth else 0
        if self._within > _MOST_WORDS:
            self.limit("the commands within commands are too long together")
            return still(places)
        wrappers, names, feed, around = self.wrappers, dict(self.names), self.feed, self.around
        here = name in _IN_THIS_SHELL
        self.wrappers = (*wrappers, base_name(name))
        self.depth += 1
        self.covered += inner.elsewhere or inner.covered
        for assignment in assignments:
            if not is_harmless(assignment.name):
                self.names[assignment.name] = None
        if not (inner.transparent or inner.covered or name in _SAME_USER):
            # Another user, host or environment: `~` within is not known.
            self.around = replace(around, home=None)
        if around.known and not here:
            # Another shell, or a text for later: the variables of loops are not exported.
            self.around = replace(self.around, known=())
        piped = self.piped
        self.piped = piped and inner.transparent
        start = places
        if inner.elsewhere or name == "trap":
            start = ANYWHERE
        elif inner.folder is not None:
            start = moved(places, inner.folder.value if is_known(inner.folder) else None)
        if inner.text is not None:
            self.feed = None
            for assignment in inner.assignments:
                self.set_variable(assignment.name, None, exported=True)
            outcome = self.run_text(inner.text, inner.dialect, start)
        elif inner.words:
            if inner.assignments:
                for assignment in inner.assignments:
                    self.set_variable(assignment.name, None, lasting=False)
            shown = " ".join(word.text for word in inner.words)
            outcome = self.call(shown, inner.words, start, inner.assignments)
        else:
            outcome = still(start)
        self.covered -= inner.elsewhere or inner.covered
        self.depth -= 1
        self.wrappers, self.feed, self.around = wrappers, feed, around
        self.piped = piped
        if not here:
            self.names = names
            outcome = still(places)
        return outcome

    def _effect(
        self,
        name: str,
        words: tuple[ShellWord, ...],
        places: Places,
        redirections: tuple[Redirection, ...],
    ) -> Outcome:
        """What a command of the shell itself changes; where the shell is afterwards."""
        if not name or "/" in name:
            return still(places)
        if self.around.dialect == "zsh" and name in _ZSH_WORDS:
            self.doubt(f"zsh reads `{name}` in a way of its own")
        for change in changes(name, words):
            self.change(change)
        if name in {"cd", "pushd", "chdir"}:
            return Outcome(self._moved(name, words, places), places)
        if name == "popd":
            return Outcome(ANYWHERE, places)
        if name == "exit" and not redirections and _ends(words):
            return Outcome((), ())
        return still(places)

    def _moved(self, name: str, words: tuple[ShellWord, ...], places: Places) -> Places:
        operands = list(words[1:])
        if operands and is_known(operands[0]) and operands[0].value == "--":
            operands = operands[1:]
        if not operands and name != "pushd":
            return moved(places, self.around.home)
        if len(operands) != 1 or not is_known(operands[0]):
            return ANYWHERE
        operand = operands[0].value or ""
        if operand.startswith(("-", "+")) or "CDPATH" in self.all_names:
            return ANYWHERE
        return moved(places, operand)


def _declared(name: str, words: tuple[ShellWord, ...]) -> tuple[Assignment, ...]:
    """The variables that a builtin is given values for among its words."""
    if name not in DECLARING:
        return ()
    pairs = ((word, beginning(word).find("=")) for word in words[1:])
    return tuple(
        Assignment(beginning(word)[:at], after(word, at + 1)) for word, at in pairs if at > 0
    )


def _is_bare_shell(name: str, words: tuple[ShellWord, ...]) -> bool:
    """Whether it is a shell of the system with no option that changes how it reads its input."""
    if trusted_name(name) != base_name(name) or base_name(name) not in SHELLS:
        return False
    return all(word.value in {"-", "-s", "-e", "-u", "-x", "-l"} for word in words[1:])


def _ends(words: tuple[ShellWord, ...]) -> bool:
    """Whether `exit` surely leaves the shell: with a number or nothing behind it."""
    return len(words) == 1 or (
        len(words) == 2 and is_known(words[1]) and beginning(words[1]).isdigit()
    )
