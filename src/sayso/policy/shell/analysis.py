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

_OWN_VALUES: Final = frozenset({"HOME", "PWD", "IFS"})
_MOST_DOUBTS: Final = 20
_MOST_KEPT: Final = 2048
_MOST_KEPT_CHARACTERS: Final = 4096

# What a line is follows from its key alone, so that forgetting is always safe (POL-37).
_memo: dict[tuple[str, str | None, str | None, str, str | None], ShellLine] = {}


def analyse(text: str, facts: Facts, workspace: str | None = None) -> ShellLine:
    """What a command line runs; analysed once, and kept by its text, the home directory, its owner and the shell.

    `workspace` is the absolute path of the folder that the line runs in, None where it is not known; what
    is kept depends on it only where the line asks for it.

    Whatever stands in the way of knowing is among the `doubts` of the line, together with all
    commands that were found nevertheless. Never raises.
    """
    if workspace is not None and (facts.windows or "PWD" not in text):
        workspace = None
    key = (text, facts.home, facts.user, facts.dialect, workspace)
    found = _memo.get(key)
    if found is None:
        found, lasting = _analyse(text, facts, workspace)
        # What could not be read may be readable the next time; a long line is kept by nobody.
        if lasting and len(text) <= _MOST_KEPT_CHARACTERS:
            if len(_memo) >= _MOST_KEPT:
                _memo.clear()
            _memo[key] = found
    return found


def forget() -> None:
    """Forget every line, as a process that has just started; for measuring."""
    _memo.clear()


def _analyse(text: str, facts: Facts, workspace: str | None) -> tuple[ShellLine, bool]:
    concern = concern_about(text)
    concerns = () if concern is None else (concern,)
    script = read_plain(text)
    if script is not None and len(text) <= _MOST_KEPT_CHARACTERS:
        commands = plain_commands(script, _around(facts, facts.home))
        if commands is not None:
            return ShellLine(text, commands, concerns), True
    line, lasting = walked(text, facts, script, workspace)
    return ShellLine(text, line.commands, (*concerns, *line.doubts)), lasting


def walked(
    text: str,
    facts: Facts,
    script: s.Script | None = None,
    workspace: str | None = None,
) -> tuple[ShellLine, bool]:
    """What walking through the line finds, and whether it will be found again another time.

    `script` is the line where it was read before.
    """
    finder = _walk(text, facts, facts.home, script, workspace)
    if finder.unsettled or not _OWN_VALUES.isdisjoint(finder.all_names):
        # The line gives itself another home or folder: what `~`, `$HOME` and `$PWD` are is not known. With
        # another `IFS` no word without quotes is what it seems. And what is computed, or trapped, may give
        # the variable of a loop another value, or have the shell go elsewhere.
        home = None if "HOME" in finder.all_names else facts.home
        plain = not finder.unsettled and "IFS" not in finder.all_names
        finder = _walk(text, facts, home, script, plain=plain)
    doubts = tuple(finder.doubts)[:_MOST_DOUBTS]
    return ShellLine(text, tuple(finder.commands), doubts), not finder.unread


def _walk(
    text: str,
    facts: Facts,
    home: str | None,
    script: s.Script | None,
    workspace: str | None = None,
    *,
    plain: bool = True,
) -> Finder:
    finder = Finder(facts, _around(facts, home), workspace, plain=plain)
    try:
        finder.run_text(text, None, START, script)
    except RecursionError:
        finder.unread += 1
        finder.doubts["it is nested too deep"] = None
    finder.finish()
    return finder


def _around(facts: Facts, home: str | None) -> Surroundings:
    return Surroundings(home, facts.dialect, None if home is None else facts.user)
