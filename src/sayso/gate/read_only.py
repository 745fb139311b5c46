"""Command lines that only read, and only where the run context lets them (POL-35).

The list of programs is short and every question is answered with no where it is not known: what is lifted
here was looked at by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from sayso.core.call import ToolCall
from sayso.core.mode import Mode
from sayso.core.operation import Operation
from sayso.core.shell_command import Redirection, Role, ShellCommand, ShellWord
from sayso.core.target import Target, TargetKind
from sayso.gate.asked_call import descriptor_of
from sayso.gate.circumstances import Circumstances
from sayso.gate.command_keys import NO_MATTER
from sayso.gate.paths_inside import lies_in
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome, TargetOutcome
from sayso.policy.path_targets import path_target
from sayso.policy.plan import Plan
from sayso.policy.ruleset import RuleSet
from sayso.policy.shell.places import START
from sayso.policy.shell.program_name import trusted_name
from sayso.policy.shell.reaching import reaches
from sayso.policy.shell.touched import is_quiet
from sayso.policy.shell.variables import sets_harmless
from sayso.policy.shell.words import is_known
from sayso.policy.walks import protected_below, written_below

PROGRAMS = frozenset(
    {
        *("ls", "pwd", "cat", "head", "tail", "wc", "stat", "du", "df"),
        *("which", "grep", "rg", "diff", "git"),
    }
)
GIT_VERBS = frozenset(["status", "log", "show", "diff", "blame", "rev-parse"])

_WITH_CONTENT = frozenset({"log", "show", "diff"})
"""Verbs of git that show what the tracked files of the whole tree hold, or held."""

_LISTS = ("--files0", "--no-index", "--ext-diff", "--textconv", "--show-signature", "--paginate")
"""Beginnings of options that name files by a list, or leave the tree, or run what the configuration says."""

_LEADS_AWAY: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "grep": ("RS", ("--de",)),
    "rg": ("L", ("--fo",)),
    "ls": ("L", ("--de",)),
    "du": ("L", ("--de", "--f")),
    "wc": ("", ("--f",)),
}
"""Letters, and beginnings of long options, by which a program follows links on a walk or reads a list of files."""

_KEEPS_LINKS = "--no-dereference"
"""With it a `diff` of folders compares where links lead to, and not what is there."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A call with a command line, and what says whether all of it only reads."""

    call: ToolCall
    policy: PolicyOutcome
    rules: RuleSet
    facts: Facts
    circumstances: Circumstances
    group: str

    @property
    def readable(self) -> tuple[str, ...]:
        """Where the run context lets read."""
        return (*self.circumstances.readable, *self.circumstances.writable)

    def only_reads(self) -> bool:
        """Whether the call is nothing but a command line of which every part reads what may be read."""
        if not self._is_a_line() or self.call.workspace is None:
            return False
        if not lies_in(self._place(), self.readable):
            return False
        commands = [o for o in self.policy.targets if o.target.kind is TargetKind.COMMAND]
        others = [o for o in self.policy.targets if o.target.kind is not TargetKind.COMMAND]
        return (
            bool(commands)
            and all(map(self._command_reads, commands))
            and all(map(self._reads_readable, others))
        )

    def _is_a_line(self) -> bool:
        """Whether the tool runs a line on this machine, and nothing is said of how but the line."""
        found = descriptor_of(self.call, self.rules)
        if self.call.server is not None or found is None or found.command is None:
            return False
        said = {name for name, value in self.call.arguments.items() if value is not None}
        return said <= {found.command, *NO_MATTER}

    def _command_reads(self, outcome: TargetOutcome) -> bool:
        target, command = outcome.target, outcome.target.command
        if not target.own or target.opaque or outcome.doubtful or command is None:
            return False
        if not is_reading(command) or (_program(command) == "git" and not self._git_is_plain()):
            return False
        return not any(
            written_below(folder, self.call, self.rules, self.facts, self._plan)
            for folder in self._named_below(command)
        )

    def _git_is_plain(self) -> bool:
        """Whether git tells of the workspace alone, and runs nothing that the agent may have written.

        Below the top of a repository it tells of the rest of the tree too; where there is none, and where a
        `.git` is none, it takes a folder with a `HEAD` for a bare one, whose configuration may run programs.
        A real one's may run files anywhere in the tree, as hooks: so none may be written without a question.
        """
        there, place = self.circumstances, self._place().resolved
        if there.mode is Mode.ACCEPT_EDITS or there.writable or place is None:
            return False
        if self.facts.is_repository(place) is not True:
            return False
        names = self.facts.glob("*", place)
        return names is not None and not any(name.lower().endswith("/head") for name in names)

    def _reads_readable(self, outcome: TargetOutcome) -> bool:
        """Whether what the line touches besides is a file that may be read; a host or a write is none."""
        target = outcome.target
        if target.own or target.redirected or outcome.doubtful or target.command is None:
            return False
        if target.kind is not TargetKind.PATH or target.operation is not Operation.READ:
            return False
        if not lies_in(target, self.readable):
            return False
        return not target.walks or self._may_walk(target)

    def _named_below(self, command: ShellCommand) -> Iterator[Target]:
        """Folders of which a command tells more than is known from its operands: names, or what is tracked.

        What commonly holds secrets is not looked for here, only what people wrote: git tells of what is
        tracked, the others of names.
        """
        name, words = _program(command), command.words
        if name == "git" and (_git_verb(words) in _WITH_CONTENT or _is_verbose(words)):
            yield self._place()
        elif name == "du" or (name == "ls" and _is_recursive(words)):
            yield self._place()
            for outcome in self.policy.targets:
                if outcome.target.command == command and outcome.target.kind is TargetKind.PATH:
                    yield replace(outcome.target, walks=True)

    def _may_walk(self, target: Target) -> bool:
        """Whether nothing that is protected lies below; what people wrote has made the outcome doubtful."""
        command = target.command
        if command is not None and _program(command) == "diff" and not _keeps_links(command.words):
            folder = target.resolved
            if folder is None or any(self.facts.glob(names, folder) != () for names in ("*", ".*")):
                return False
        hidden = command is None or _program(command) != "rg" or _looks_at_hidden(command.words)
        return not protected_below(
            target, self.call, self.rules, self.facts, self._plan, hidden=hidden
        )

    @property
    def _plan(self) -> Plan:
        return self.rules.plan(self.call, self.group)

    def _place(self) -> Target:
        return path_target(
            ".", Operation.READ, self.call.workspace, self.facts, own=False, walks=True
        )


def is_reading(command: ShellCommand) -> bool:
    """Whether a command is one of those that read, with nothing by which it would do more."""
    words = command.words
    if not words or command.role is not Role.PLAIN or command.wrappers or command.inherited:
        return False
    if command.places != START or not all(map(sets_harmless, command.assignments)):
        return False
    if not is_known(words[0]) or not all(map(_is_plain, words[1:])):
        return False
    if not all(map(_is_harmless_redirection, command.redirections)):
        return False
    name = _program(command)
    if name not in PROGRAMS or reaches(words) or _leads_away(name, words):
        return False
    return name != "git" or _git_verb(words) in GIT_VERBS


def _program(command: ShellCommand) -> str | None:
    return trusted_name(command.words[0].value or "") if command.words else None


def _is_plain(word: ShellWord) -> bool:
    """Whether a word is known, up to what files a glob stands for; an option names no file that is not seen."""
    if word.value is None or word.splits:
        return False
    value = word.value
    if not value.startswith("-"):
        return True
    return not any(sign in value for sign in ("/", "~", "..")) and not value.startswith(_LISTS)


def _is_harmless_redirection(redirection: Redirection) -> bool:
    if redirection.operation is Operation.READ:
        return True
    value = redirection.target.value
    return value is not None and is_quiet(value)


def _git_verb(words: tuple[ShellWord, ...]) -> str | None:
    """The verb of a git without options before it, but for the one that turns the pager off."""
    rest = [word for word in words[1:] if word.value != "--no-pager"]
    return rest[0].value if rest else None


def _leads_away(name: str, words: tuple[ShellWord, ...]) -> bool:
    letters, beginnings = _LEADS_AWAY.get(name, ("", ()))
    for value in (word.value or "" for word in words[1:]):
        if value.startswith("--"):
            if value.startswith(beginnings):
                return True
        elif value.startswith("-") and any(letter in value for letter in letters):
            return True
    return False


def _keeps_links(words: tuple[ShellWord, ...]) -> bool:
    """Whether the option is there for certain: in front, where it is no other's value and no operand."""
    return len(words) > 1 and words[1].value == _KEEPS_LINKS


def _is_verbose(words: tuple[ShellWord, ...]) -> bool:
    """Whether a `git status` may be told to show contents."""
    return _git_verb(words) == "status" and any(
        value.startswith("--v") or (value[:1] == "-" and value[:2] != "--" and "v" in value)
        for value in (word.value or "" for word in words[1:])
    )


def _is_recursive(words: tuple[ShellWord, ...]) -> bool:
    return any(
        value.startswith("--r") or (value[:1] == "-" and value[:2] != "--" and "R" in value)
        for value in (word.value or "" for word in words[1:])
    )


def _looks_at_hidden(words: tuple[ShellWord, ...]) -> bool:
    """Whether a `rg` may read files whose names begin with a dot: it is told to, or by name."""
    for word in words[1:]:
        value = word.value or ""
        if value.startswith("--"):
            if value.startswith(
                ("--hid", "--unr", "--glob", "--igl", "--no-ig", "--type", "--pre")
            ):
                return True
        elif value.startswith("-") and any(letter in value for letter in "ug.tT"):
            return True
    return False
