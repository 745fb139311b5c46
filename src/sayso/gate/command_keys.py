"""The keys of command lines: exact text, with what it touches (REQ-50, REQ-55).

A part of a line has a key of its own where it is the same alone: where nothing flows into it, and
nothing before it changes what it does. Otherwise the whole line is the key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sayso.core.call import ToolCall, canonical
from sayso.core.operation import Operation
from sayso.core.shell_command import Role, ShellCommand, ShellWord
from sayso.core.target import Target, TargetKind
from sayso.policy.broadness import OTHER_RIGHTS
from sayso.policy.descriptors import Descriptors
from sayso.policy.facts import Facts
from sayso.policy.shell.git_options import GLOBALS
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.programs import Use, program_of, runs_code
from sayso.policy.shell.wrapper_table import OTHER_SHELLS, SHELLS, WRAPPERS
from sayso.policy.shell.wrappers import inner_of, reads_script_from_input
from sayso.policy.spelling import hidden_character
from sayso.policy.targets import targets
from sayso.requests.key import MAX_KEY, NUL, Key, KeyKind

MOST_TOUCHED = 20
"""A command that touches more than so many things has no key: they could not all be shown."""

NO_MATTER = ("description", "timeout", "timeout_ms")
"""Arguments beside a command that change nothing of what it does."""

LEADS = " -> "
"""Stands between a path and where links take it."""

_FLOWS = re.compile(r"[|&<>(){}$`\\\n#]")
_JOINS = re.compile(r"&&|\|\|")

_RUNNERS = frozenset(
    {"eval", "source", ".", "exec", "trap", "alias", "command", "builtin", "coproc"}
)
_EDITORS = frozenset({Use.AWK, Use.SED})


def command_key(
    call: ToolCall, argument: str, text: str, tool: str, found: Sequence[Target]
) -> Key | None:
    """The key of a text that is a whole line, of which these are the targets; None if it has none.

    `tool` is empty for the shell tools that
    ship; any other may run commands elsewhere, so that its name is a part of the key.
    """
    if hidden_character(text, line=True) or NUL in text:
        return None
    touched: set[str] = {f"by:{tool}"} if tool else set()
    # A folder, an environment, a sandbox that is off: whatever else is said of how it runs is a part of it.
    beside = {k: v for k, v in call.arguments.items() if k not in (argument, *NO_MATTER)}
    if beside:
        touched.add(f"with:{canonical(beside).decode()}")
    for target in found:
        if target.kind is TargetKind.COMMAND:
            if target.opaque or not _may_be_remembered(target.command):
                return None
        elif target.kind in (TargetKind.PATH, TargetKind.HOST):
            thing = touched_thing(target)
            if thing is None:
                return None
            touched.add(thing)
    if len(touched) > MOST_TOUCHED:
        return None
    key = Key(KeyKind.COMMAND, (call.workspace or "", text, *sorted(touched)))
    return key if len(key.text) <= MAX_KEY else None


def key_alone(
    call: ToolCall,
    argument: str,
    command: ShellCommand,
    tool: str,
    descriptors: Descriptors,
    facts: Facts,
) -> Key | None:
    """The key of one command of a line, as if it stood alone; None where it is not the same then."""
    line = call.arguments.get(argument)
    if not isinstance(line, str) or _FLOWS.search(_JOINS.sub(";", line)):
        return None
    if command.places != ((),) or command.inherited or command.wrappers:
        return None
    alone = replace(call, arguments={**call.arguments, argument: command.text})
    found = targets(alone, descriptors, facts)
    commands = [target.command for target in found if target.kind is TargetKind.COMMAND]
    if len(commands) != 1 or commands[0] != command:
        return None
    if any(target.doubt is not None for target in found):
        return None
    return command_key(call, argument, command.text, tool, found)


def touched_thing(target: Target) -> str | None:
    """A path or host in a word, and where links lead; None where that is not known for certain."""
    if target.kind is TargetKind.HOST:
        if target.host is None:
            return None
        return f"host:{target.scheme or ''}://{target.host}:{target.port or ''}"
    if target.path is None or target.resolved is None:
        return None
    places = [target.path] if target.leads_to is None else [target.path, target.leads_to]
    if any(LEADS in place or hidden_character(place) or NUL in place for place in places):
        return None
    operation = (target.operation or Operation.ANY).value
    return f"{operation}:{LEADS.join(places)}"


def _may_be_remembered(command: ShellCommand | None) -> bool:
    """Whether a command is known to the last word and runs nothing but its own program."""
    if command is None or not command.words or command.role is Role.TRANSPARENT or command.wrappers:
        return False
    values = [assignment.value for assignment in command.assignments]
    if not all(_is_known(word) for word in (*command.words, *values)):
        return False
    name = base_name(command.words[0].value or "").lower()
    if name in SHELLS or name in OTHER_SHELLS or name in _RUNNERS or name in WRAPPERS:
        return False
    if name in OTHER_RIGHTS or _interprets(name):
        return False
    if name == "git" and not _has_a_verb(command.words):
        return False
    return not inner_of(command.words) and not reads_script_from_input(command.words)


def _has_a_verb(words: tuple[ShellWord, ...]) -> bool:
    """Whether a git does one thing, and not what options before its verb make of it."""
    options = syntax(GLOBALS)
    read = leading_options(words, 1, options)
    return (
        not isinstance(read, str) and read.rest < len(words) and not read.names & options.reaching
    )


def _interprets(name: str) -> bool:
    program = program_of(name)
    edits = program is not None and not _EDITORS.isdisjoint(program.fixed)
    return edits or runs_code(name)


def _is_known(word: ShellWord | None) -> bool:
    return word is not None and word.value is not None and not word.splits
