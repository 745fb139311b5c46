"""From a command line to every simple command that it can run, and what cannot be known of it."""

from __future__ import annotations

from typing import Final

from sayso.core.shell_command import ShellLine
from sayso.policy.facts import Facts
from sayso.policy.shell import syntax as s
from sayso.policy.shell.finding import Finder
from sayso.policy.shell.places import START
from sayso.policy.shell.plain_commands import plain_commands
from sayso.policy.shell.reading import concern_about
from sayso.policy.shell.tokenizer import read_plain
from sayso.policy.shell.word_values import Surroundings

_MOST_DOUBTS: Final = 20
_MOST_KEPT: Final = 2048
_MOST_KEPT_CHARACTERS: Final = 4096

# What a line is follows from its key alone, so that forgetting is always safe (POL-37).
_memo: dict[tuple[str, str | None, str | None, str], ShellLine] = {}


def analyse(text: str, facts: Facts) -> ShellLine:
    """What a command line runs; analysed once, and kept by its text, the home directory, its owner and the shell.

    Whatever stands in the way of knowing is among the `doubts` of the line, together with all
    commands that were found nevertheless. Never raises.
    """
    key = (text, facts.home, facts.user, facts.dialect)
    found = _memo.get(key)
    if found is None:
        found, lasting = _analyse(text, facts)
        # What could not be read may be readable the next time; a long line is kept by nobody.
        if lasting and len(text) <= _MOST_KEPT_CHARACTERS:
            if len(_memo) >= _MOST_KEPT:
                _memo.clear()
            _memo[key] = found
    return found


def forget() -> None:
    """Forget every line, as a process that has just started; for measuring."""
    _memo.clear()


def _analyse(text: str, facts: Facts) -> tuple[ShellLine, bool]:
    concern = concern_about(text)
    concerns = () if concern is None else (concern,)
    script = read_plain(text)
    if script is not None and len(text) <= _MOST_KEPT_CHARACTERS:
        commands = plain_commands(script, _around(facts, facts.home))
        if commands is not None:
            return ShellLine(text, commands, concerns), True
    line, lasting = walked(text, facts, script)
    return ShellLine(text, line.commands, (*concerns, *line.doubts)), lasting


def walked(text: str, facts: Facts, script: s.Script | None = None) -> tuple[ShellLine, bool]:
    """What walking through the line finds, and whether it will be found again another time.

    `script` is the line where it was read before.
    """
    finder = _walk(text, facts, facts.home, script)
    if "HOME" in finder.all_names:
        # The line gives itself another home: what `~` and `$HOME` are is not known.
        finder = _walk(text, facts, None, script)
    doubts = tuple(finder.doubts)[:_MOST_DOUBTS]
    return ShellLine(text, tuple(finder.commands), doubts), not finder.unread


def _walk(text: str, facts: Facts, home: str | None, script: s.Script | None) -> Finder:
    finder = Finder(facts, _around(facts, home))
    try:
        finder.run_text(text, None, START, script)
    except RecursionError:
        finder.unread += 1
        finder.doubts["it is nested too deep"] = None
    finder.finish()
    return finder


def _around(facts: Facts, home: str | None) -> Surroundings:
    return Surroundings(home, facts.dialect, None if home is None else facts.user)
