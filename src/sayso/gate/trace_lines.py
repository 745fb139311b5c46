"""The trace of a policy's outcome as lines for people: each thing the call touches, and what matched it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from sayso.core.effect import Effect
from sayso.core.shell_command import Role, ShellCommand, ShellWord
from sayso.core.target import Target, TargetKind
from sayso.policy.outcome import TargetOutcome
from sayso.policy.rule import Rule
from sayso.policy.shell.variables import sets_harmless

UNKNOWN = "…"
"""Stands for a word, or a folder, that is known only when the line runs."""


def target_lines(outcome: TargetOutcome, rule_words: Callable[[Rule], str]) -> Iterator[str]:
    """One target: what it is, what is known of it, what matched, and what its effect comes from."""
    target, command = outcome.target, outcome.target.command
    yield f"{_head(target)}: {outcome.effect.word}"
    if target.kind is TargetKind.COMMAND and command is not None:
        yield from _command_lines(command)
    if target.leads_to is not None:
        yield f"  leads to {target.leads_to}"
    if target.doubt:
        yield f"  cannot be verified: {target.doubt}"
    for where, matches in (("list", outcome.lists), ("table", outcome.table)):
        for match in matches:
            decides = " <- decides" if match.rule is outcome.rule else ""
            note = f" ({match.note})" if match.note else ""
            yield f"  {where}: {rule_words(match.rule)}{note}{decides}"
    if not outcome.lists and not outcome.table:
        yield f"  {_unmatched(outcome)}"
    yield from (f"  note: {note}" for note in outcome.notes)


def _head(target: Target) -> str:
    """The target in a word; of what a command line touches, also what is done to it and by which program."""
    if target.opaque:
        return f"line {target.text}"
    if target.kind is TargetKind.COMMAND or target.command is None:
        return f"{target.kind.value} {target.text}"
    done = "" if target.operation is None else f"{target.operation.value} "
    by = "redirection" if target.redirected else program_of(target.command)
    return f"{target.kind.value} {target.text} ({done}by {by})"


def program_of(command: ShellCommand) -> str:
    """The program that a command runs, as it will be called."""
    return _as_read(command.words[0]) if command.words else "the shell"


def _command_lines(command: ShellCommand) -> Iterator[str]:
    read = words_of(command)
    if read and read not in command.text:
        yield f"  is run as: {read}"
    if command.role is Role.TRANSPARENT:
        yield "  runs another command, which is looked at by itself: no allow has to cover this one"
    if command.wrappers:
        yield f"  is run by: {', '.join(command.wrappers)}"
    dangerous = [a.name for a in command.assignments if not sets_harmless(a)]
    if dangerous and command.words:
        yield f"  no allow counts while it sets: {', '.join(dangerous)}"
    if command.inherited:
        yield f"  no allow counts, for the line has set: {', '.join(command.inherited)}"
    places = [place for place in command.places if place]
    if places:
        said = [
            " and then ".join(UNKNOWN if at is None else at for at in place) for place in places
        ]
        here = " or where the call does" if len(places) < len(command.places) else ""
        yield f"  runs in: {' or '.join(dict.fromkeys(said))}{here}"


def words_of(command: ShellCommand) -> str:
    """The words of a command as the shell will hand them over, written so that it can be read again."""
    return " ".join(_as_read(word) for word in command.words)


def _as_read(word: ShellWord) -> str:
    if word.value is not None and word.pattern is None:
        return shlex.quote(word.value)
    return word.text


def _unmatched(outcome: TargetOutcome) -> str:
    target, command = outcome.target, outcome.target.command
    if (
        target.kind is TargetKind.COMMAND
        and command is not None
        and command.role is Role.TRANSPARENT
    ):
        return "no rule is about it by name"
    if target.opaque:
        return "nothing matches, and only shell(*) covers what cannot be verified"
    if target.redirected:
        return "nothing matches, and what is written by redirection needs an allow of its own"
    if not target.own:
        return "nothing matches, and it follows the call's own effect"
    if outcome.effect is Effect.ALLOW:
        return "nothing matches, and nothing has to"
    return "nothing matches, and silence is ask"
