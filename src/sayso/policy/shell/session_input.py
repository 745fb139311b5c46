"""Programs that read commands of their own from their input, some of which are run by a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.core.shell_command import ShellWord
from sayso.policy.shell import syntax as s
from sayso.policy.shell.options import read

_RUNS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for names, pattern in (
        ("sqlite3", r"^\s*\.(?:sh[el]*|sy[stem]*)\s+(?P<a>.*)|^\s*\.\w+\s[^\n|]*\|(?P<b>.*)"),
        ("psql", r"\\!\s*(?P<a>.*)|\\(?:o|g|gx|w)\s*\|(?P<b>.*)"),
        ("mysql mariadb", r"^\s*(?:system|pager)\s+(?P<a>.*)|\\[!P]\s*(?P<b>.*)"),
        ("ed red", r"^[\d,.$;+\s-]*[rwe]?\s*!(?P<a>.*)"),
        ("ex", r"^\s*:?[\d,.$;%+\s-]*(?:r|read|w|write)?\s*!(?P<a>.*)"),
        ("sftp ftp lftp", r"^\s*!(?P<a>.*)"),
        ("gdb", r"^\s*(?:shell\b|!)\s*(?P<a>.*)"),
    )
    for name in names.split()
}
"""What in the input of a program is run by a shell."""

_INSTEAD = frozenset({"command", "execute", "file", "batch"})
"""Options with which they do not read it."""

_HANDS_ON_FILES = frozenset(
    {
        "cat",
        "zcat",
        "bzcat",
        "xzcat",
        "gunzip",
        "gzip",
        "pg_dump",
        "pg_dumpall",
        "pg_restore",
        "mysqldump",
    }
    | {"sqlite3", "psql", "mysql", "mariadb", "head", "tail"}
)
"""Programs whose output is as much known as a file that is named: commands in it were not made for this."""


def reads_commands(name: str, words: tuple[ShellWord, ...]) -> bool:
    """Whether a program reads commands of its own from its input, as it is called."""
    if name not in _RUNS:
        return False
    reading = read(words)
    if any(option.name in _INSTEAD for option in reading.options):
        return False
    return name != "sqlite3" or len(reading.operands) < 2


def run_by_input(name: str, text: str) -> Iterator[str]:
    """The command lines that such a program has a shell run when it reads this text."""
    for found in _RUNS[name].finditer(text):
        yield next(filter(None, found.groups()), "")


def hands_on_files(statement: s.Statement) -> bool:
    """Whether a part of a pipeline writes what lies in files or databases, and nothing from elsewhere."""
    command = statement.command
    if not isinstance(command, s.Simple) or not command.words:
        return False
    return command.words[0].literal in _HANDS_ON_FILES
