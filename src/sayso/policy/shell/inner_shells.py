"""What shells run, and programs that start one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import Inner, is_word, text_of, unknown
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.words import beginning, is_known
from sayso.policy.shell.wrapper_table import HALF_KNOWN_SHELLS, SHELLS

_TRACELESS = frozenset("celuvx")
_QUIET_SETTINGS = frozenset({"pipefail", "errexit", "nounset", "xtrace", "verbose"})


class ShellCall(Struct, frozen=True):
    """How a shell is called: its options, where its first operand stands, and a word that may be an option.

    Letters behind a `+` are capital ones here; `long` are its long options, `settings` those of `-o`.
    """

    letters: str
    settings: frozenset[str]
    long: frozenset[str]
    rest: int
    unclear: ShellWord | None = None


def read_shell(words: tuple[ShellWord, ...]) -> ShellCall:
    """The options of a shell."""
    position, letters = 1, ""
    settings, long = set[str](), set[str]()
    unclear: ShellWord | None = None
    while position < len(words):
        word = words[position]
        begins = beginning(word)
        if not is_known(word):
            if not begins or begins[0] in "-+" or word.splits:
                unclear = word
            break
        if begins in ("-", "--"):
            position += 1
            break
        if not begins.startswith(("-", "+")):
            break
        position += 1
        if begins.startswith("--"):
            long.add(begins)
            position += begins in ("--rcfile", "--init-file")
            continue
        letters += begins[1:] if begins[0] == "-" else begins[1:].upper()
        for _ in range(begins[1:].lower().count("o")):
            settings.add((words[position].value or "?") if position < len(words) else "?")
            position += 1
    return ShellCall(letters, frozenset(settings), frozenset(long), position, unclear)


def of_shell(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The text of `-c`."""
    call = read_shell(words)
    if call.unclear is not None:
        yield unknown(name, f"`{call.unclear.text}` may be an option")
        return
    if "c" not in call.letters or call.rest >= len(words):
        return
    text = words[call.rest]
    if not is_known(text):
        yield unknown(name, f"the text `{text.text}` is not known")
        return
    letters = set(call.letters)
    plain = letters - {"o"} <= _TRACELESS and call.settings <= _QUIET_SETTINGS
    transparent = plain and call.long <= {"--login", "--norc", "--noprofile", "--posix"}
    dialect = "posix" if "--posix" in call.long else SHELLS[name]
    yield Inner(text=text.value, transparent=transparent, dialect=dialect)
    if letters & set("OKk") or "--posix" in call.long or name in HALF_KNOWN_SHELLS:
        yield unknown(name, "it reads commands in a way of its own")


def of_other_shell(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The text of `-c` in a language that is not read here."""
    for position, word in enumerate(words[1:], start=2):
        begins = beginning(word)
        runs = begins.lower() in ("-c", "/c", "-command", "--command", "-encodedcommand", "/k")
        if runs or (name in ("csh", "tcsh", "fish") and re.match(r"-[a-zA-Z]*c", begins)):
            yield from (found for found in text_of(words[position:]) if found.text is not None)
            yield unknown(name, "its language is another than that of sh")
            return
        if not is_known(word):
            yield unknown(name, f"`{word.text}` may be an option")
            return


def of_trap(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The text that runs when a signal comes."""
    rest = words[2:] if is_word(words, 1, "--") else words[1:]
    if (
        not rest
        or is_word(rest, 0, "-")
        or (is_known(rest[0]) and rest[0].value in ("", "-p", "-l", "-P"))
    ):
        return
    if len(rest) == 1 and is_known(rest[0]):
        return  # a signal whose handler is taken away
    yield from text_of(rest[:1])


def of_su(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """`su` and `runuser`: options may follow the user, and further operands go to the shell."""
    known = syntax(
        "c/command= session-command= C/session-command= f/fast g/group= G/supp-group= l/login "
        "m/preserve-environment p/preserve-environment P/pty T/no-pty s/shell= w/whitelist-environment= "
        "u/user= h/help V/version"
    )
    name = base_name(words[0].value or "")
    position, operands, user = 1, 0, False
    while position < len(words):
        read = leading_options(words, position, known)
        if isinstance(read, str):
            yield unknown(name, read)
            return
        user = user or "user" in read.names
        for option in ("command", "session-command"):
            for value in read.values(option):
                yield from text_of((value,))
        position = read.rest
        if position < len(words):
            if user:
                yield Inner(words[position:])
                return
            operands += not is_word(words, position, "-")
            position += 1
    if operands > 1:
        yield unknown(name, "its operands are options or a script of a shell")


def of_script(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command whose output `script` keeps."""
    known = syntax(
        "a/append e/return f/flush force q/quiet F k p r d c/command= E/echo= I/log-in= O/log-out= "
        "B/log-io= T/log-timing= m/logging-format= o/output-limit= t/timing? h/help V/version"
    )
    position = 1
    operands = 0
    while position < len(words):
        read = leading_options(words, position, known)
        if isinstance(read, str):
            yield unknown("script", read)
            return
        for value in read.values("command"):
            yield from text_of((value,))
        if operands and read.rest < len(words):
            yield Inner(words[read.rest :])  # as BSD has it, or after `--`
            return
        operands += 1
        position = read.rest + 1
