"""From a command line to every simple command that it can run, and what cannot be known of it."""

from __future__ import annotations

from typing import Final

from sayso.core.shell_command import ShellLine
from sayso.policy.facts import Facts
from sayso.policy.shell.finding import Finder
from sayso.policy.shell.places import START
from sayso.policy.shell.reading import concern_about
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
    finder = _walk(text, facts, facts.home)
    if "HOME" in finder.all_names:
        # The line gives itself another home: what `~` and `$HOME` are is not known.
        finder = _walk(text, facts, None)
    concern = concern_about(text)
    doubts = tuple(finder.doubts)[:_MOST_DOUBTS]
    if concern is not None:
        doubts = (concern, *doubts)
    return ShellLine(text, tuple(finder.commands), doubts), not finder.unread


def _walk(text: str, facts: Facts, home: str | None) -> Finder:
    user = None if home is None else facts.user
    finder = Finder(facts, Surroundings(home, facts.dialect, user))
    try:
        finder.run_text(text, None, START)
    except RecursionError:
        finder.unread += 1
        finder.doubts["it is nested too deep"] = None
    finder.finish()
    return finder
