"""Programs that are run by an option of another one: its pager, its filter, its remote shell.

An allow with a wildcard does not mean such an option (POL-39), and one that names it means what it runs. So
only denies and asks are tried on these commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import Inner, unknown
from sayso.policy.shell.options import read, script_texts
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.scripts import Deed, awk_effects, sed_effects
from sayso.policy.shell.words import beginning, is_known, literal
from sayso.policy.shell.wrapper_table import OTHER_SHELLS, SHELLS

_RUN: dict[str, frozenset[str]] = {
    name: frozenset(options.split())
    for names, options in (
        (
            "tar gtar bsdtar",
            "to-command use-compress-program info-script new-volume-script rsh-command",
        ),
        ("rg ripgrep", "pre hostname-bin"),
        ("sort gsort", "compress-program"),
        ("man gman", "pager html preprocessor"),
        ("rsync", "rsh rsync-path"),
        ("split", "filter"),
        ("fzf", "preview"),
        ("nc netcat ncat", "exec sh-exec"),
        ("zip", "unzip-command"),
        ("sdiff diff3", "diff-program"),
        ("install ginstall", "strip-program"),
        ("bat batcat ag ack delta", "pager"),
        ("scp sftp", "S"),
        ("mysql mariadb", "pager"),
        ("svn", "diff-cmd diff3-cmd editor-cmd merge-cmd"),
        ("go", "exec toolexec vettool"),
        (
            "git",
            (
                "upload-pack receive-pack exec extcmd open-files-in-pager sendmail-cmd setup env-filter "
                "tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter"
            ),
        ),
        ("npm pnpm yarn", "script-shell shell editor viewer browser git"),
        ("wget", "use-askpass"),
        ("nano pico", "speller"),
        ("helm", "post-renderer"),
    )
    for name in names.split()
}
"""Options whose value is a program or a command, by program."""

_WITHIN: dict[str, tuple[frozenset[str], re.Pattern[str]]] = {
    name: (frozenset(options.split()), re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for names, options, pattern in (
        ("tar gtar bsdtar", "checkpoint-action", r"exec=(.*)"),
        ("ssh scp sftp", "o", r"\s*(?:Proxy|Local|Remote|KnownHosts)Command[\s=]+(.*)"),
        ("vim vi nvim view ex gvim", "cmd", r":*\s*!(.*)"),
        ("psql", "command", r"\\!(.*)"),
        ("gdb", "ex eval-command", r"\s*(?:shell|!)\s*(.*)"),
        ("lldb", "one-line o", r"\s*(?:platform\s+)?shell\s+(.*)"),
        ("mysql mariadb", "execute", r"\s*(?:system|\\!)\s+(.*)"),
        ("sqlite3", "cmd", r"\s*\.(?:shell|system)\s+(.*)"),
        ("make gmake", "eval", r".*\$\(shell\s+(.*)\)"),
    )
    for name in names.split()
}
"""Options whose value holds a command, and where in it."""

_OPERANDS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.DOTALL)
    for names, pattern in (
        ("less more", r"\+!(.*)"),
        ("vim vi nvim view ex gvim", r"\+:*!(.*)"),
        ("sqlite3", r"\s*\.(?:shell|system)\s+(.*)"),
        ("socat", r"(?i:exec|system|shell):(.*?)(?:,[a-z0-9-]+(?:=[^,]*)?)*\Z"),
        ("make gmake", r"(?:\.?SHELL|CC|CXX|CPP|LD|AR|AS|FC|MAKE)[:+?!]*=(.*)"),
    )
    for name in names.split()
}
"""Operands that hold a command."""


_BUNDLED = frozenset({"tar", "gtar", "bsdtar"})
"""Programs whose first word is a cluster of options without a dash."""


def by_options(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The commands that the options, operands and scripts of a well-known program have it run."""
    if name in _SCRIPTS:
        yield from _by_script(name, words)
        return
    if name == "zip":
        yield from _by_test(words)
    run, within, operands = _RUN.get(name), _WITHIN.get(name), _OPERANDS.get(name)
    if run is None and within is None and operands is None:
        return
    quick = run is not None and operands is None and name not in _BUNDLED
    if quick and not any(w.text[:1] in "-\"'\\$" for w in words[1:]):
        return
    reading = read(words)
    for option in reading.options:
        value = option.value
        if value is None:
            continue
        runs = run is not None and option.name in run
        if runs and not is_known(value):
            yield unknown(name, f"`{value.text}` names it, and is known only when the line runs")
        if not is_known(value) or not value.value:
            continue
        if runs:
            yield Inner(text=value.value, elsewhere=True)
        elif within is not None and option.name in within[0]:
            found = within[1].match(value.value)
            if found is not None and found[1].strip():
                yield Inner(text=found[1], elsewhere=True)
    for operand in reading.operands if operands is not None else ():
        if operands is None or not is_known(operand.word):
            continue
        found = operands.match(operand.word.value or "")
        if found is not None and found[1].strip():
            yield Inner(text=found[1], elsewhere=True)


_SCRIPTS = {
    **dict.fromkeys(("sed", "gsed", "ssed"), (sed_effects, re.compile("e"))),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk", "original-awk"),
        (awk_effects, re.compile(r"\||\bsystem\b")),
    ),
}
"""What the scripts of a program do, and a sign without which they run nothing."""

RUNNING_BY_OPTIONS = frozenset({*_RUN, *_WITHIN, *_OPERANDS, *_SCRIPTS, "zip"})
"""All programs that `by_options` knows something of; others are not even asked about."""


def _by_script(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What a script of sed or awk has a shell run."""
    effects_of, sign = _SCRIPTS[name]
    if not any(sign.search(word.value or "") for word in words[1:]):
        return
    for word, _ in script_texts(read(words)):
        for effect in sorted(effects_of(word.value or ""), key=str) if is_known(word) else ():
            if effect.deed is not Deed.RUNS:
                continue
            text = None if effect.text is None else effect.text.strip()
            if text is None or text.startswith("$"):
                yield unknown(name, "its script puts it together")
            elif base_name(text) in SHELLS or base_name(text) in OTHER_SHELLS:
                yield unknown(name, f"its script writes for `{text}` to read")
            elif text:
                yield Inner(text=text, covered=True)


def _by_test(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The program by which `zip -TT` tests what it wrote."""
    for place, word in enumerate(words[1:], 1):
        begins = beginning(word)
        at = begins.find("TT") if begins[:1] == "-" != begins[1:2] else -1
        if at < 0 or not is_known(word):
            continue
        glued = begins[at + 2 :]
        value = literal(glued) if glued else words[place + 1] if place + 1 < len(words) else None
        if value is not None and is_known(value) and value.value:
            yield Inner(text=value.value, covered=True)
        elif value is not None:
            yield unknown("zip", f"`{value.text}` names it, and is known only when the line runs")
