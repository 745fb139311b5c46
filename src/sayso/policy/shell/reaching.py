"""By which of its words a program reaches further than its name says (POL-39).

It runs another program, loads code, or writes a file: by an option, an operand, or the text of a script. A
rule that allows the program with a wildcard does not mean those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.shell_command import ShellWord
from sayso.policy.shell import git_options, program_options
from sayso.policy.shell.options import GIT, Reading, grammars, read, script_texts
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.running_words import RUNNING_OPERANDS
from sayso.policy.shell.scripts import Deed, awk_effects, sed_effects
from sayso.policy.shell.words import beginning, is_known, may_be_option
from sayso.policy.shell.wrapper_table import OTHER_SHELLS, SHELLS, WRAPPERS

UNSURE = "a word that may be an option"
OUTPUT = "an operand that is written"

_HARMLESS_SSH = re.compile(
    r"\s*(?:BatchMode|StrictHostKeyChecking|ConnectTimeout|ConnectionAttempts|LogLevel|ServerAlive\w+|User|"
    r"Port|HostName|IdentityFile|IdentitiesOnly|PasswordAuthentication|PubkeyAuthentication|"
    r"PreferredAuthentications|Compression|AddressFamily|TCPKeepAlive|RequestTTY|CheckHostIP|"
    r"HostKeyAlgorithms|KexAlgorithms|Ciphers|MACs|NumberOfPasswordPrompts|ForwardAgent|ForwardX11|"
    r"KbdInteractiveAuthentication|UpdateHostKeys|VisualHostKey|ExitOnForwardFailure)(?:[\s=]|$)",
    re.IGNORECASE,
)
_HARMLESS_GIT = re.compile(
    r"(?:color\.[\w.]+|column\.\w+|advice\.\w+|user\.(?:name|email)|(?:commit|tag)\.gpgsign|i18n\.\w+|"
    r"core\.(?:quotepath|abbrev|autocrlf|safecrlf|ignorecase|precomposeunicode|longpaths|pager=(?:cat)?\Z)|"
    r"diff\.(?:renames|renamelimit|algorithm|noprefix|mnemonicprefix|colormoved|context|interhunkcontext)|"
    r"log\.(?:date|decorate|follow|abbrevcommit|showroot)|(?:branch|tag)\.sort|versionsort\.\w+|"
    r"status\.\w+|merge\.(?:conflictstyle|ff|renames)|pull\.(?:ff|rebase)|fetch\.prune|push\.default|"
    r"rebase\.(?:autostash|autosquash)|init\.defaultbranch|gc\.auto|protocol\.version)(?:=|\Z)",
    re.IGNORECASE,
)
_PSQL = re.compile(
    r"(?!.*\\(?!(?:d\w*|l|x|timing|conninfo)\b))(?!.*\bcopy\b)", re.IGNORECASE | re.DOTALL
)
_MYSQL = re.compile(
    r"(?!.*\\)(?!.*\b(?:system|source|tee|pager|edit|outfile|dumpfile)\b)",
    re.IGNORECASE | re.DOTALL,
)
_NOWHERE = re.compile(r"(?:/dev/(?:null|stdout|stderr)|-)\Z")
_SAFE_VALUES = {
    ("git", "c"): _HARMLESS_GIT,
    ("curl", "output"): _NOWHERE,
    ("curl", "dump-header"): _NOWHERE,
    ("curl", "stderr"): _NOWHERE,
    ("wget", "output-document"): _NOWHERE,
    ("wget", "output-file"): _NOWHERE,
    ("psql", "command"): _PSQL,
    ("mysql", "execute"): _MYSQL,
    ("mariadb", "execute"): _MYSQL,
    ("go", "ldflags"): re.compile(r"(?!.*-(?:ext|linkmode|o\b|tmpdir))", re.DOTALL),
    ("pytest", "p"): re.compile(r"no:"),
    ("eslint", "format"): re.compile(r"\w+\Z"),
    ("prettier", "config"): re.compile(r"(?!.*[cm]?[jt]sx?\Z)"),
    ("pandoc", "to"): re.compile(r"(?!.*\.lua\Z)"),
    ("ssh", "o"): _HARMLESS_SSH,
    ("scp", "o"): _HARMLESS_SSH,
    ("sftp", "o"): _HARMLESS_SSH,
    ("curl", "write-out"): re.compile(r"(?!@)(?!.*%output)", re.DOTALL),
    ("git", "C"): re.compile(r"(?!/|~)(?!(?:.*/)?\.\.(?:/|\Z))", re.DOTALL),
    ("tar", "checkpoint-action"): re.compile(r"(?:dot|echo|bell|ttyout|sleep|wait|totals)\b"),
}
"""Values with which an option does not reach further, by program and option."""

_NO_TRANSPORT = re.compile(r"(?!(?:ext|fd)::)")
_NO_PLUS = re.compile(r"(?!\+)")
_NO_TOOL = re.compile(r"(?!(?:\.?SHELL\w*|MAKE\w*|CC|CXX|CPP|LD|AR|AS|FC|PATH)[:+?!]*=)")
_NO_LIST = re.compile(r"(?!@)")
_SAFE_OPERANDS = {
    "clone": _NO_TRANSPORT,
    "fetch": _NO_TRANSPORT,
    "pull": _NO_TRANSPORT,
    "push": _NO_TRANSPORT,
    "ls-remote": _NO_TRANSPORT,
    "remote": _NO_TRANSPORT,
    "submodule": _NO_TRANSPORT,
    "gcc": _NO_LIST,
    "g++": _NO_LIST,
    "cc": _NO_LIST,
    "c++": _NO_LIST,
    "clang": _NO_LIST,
    "clang++": _NO_LIST,
    "date": re.compile(r"\+"),
    "socat": re.compile(
        r"(?!.*(?:exec|system|shell)\b)(?!(?:open|gopen|creat|create|pipe|fifo)\b)",
        re.IGNORECASE | re.DOTALL,
    ),
    "less": _NO_PLUS,
    "more": _NO_PLUS,
    "vim": _NO_PLUS,
    "vi": _NO_PLUS,
    "nvim": _NO_PLUS,
    "view": _NO_PLUS,
    "ed": re.compile(r"(?!!)"),
    "sqlite3": re.compile(
        r"(?!\s*\.(?!(?:tables|schema|fullschema|indexes|indices|databases|mode|headers?|width|show|stats|"
        r"timer|nullvalue|separator|dump)\b))"
        r"(?!.*(?:load_extension|writefile|edit)\s*\()(?!.*\b(?:attach|into\s+['\"/:?])\b)",
        re.IGNORECASE | re.DOTALL,
    ),
    "make": _NO_TOOL,
    "gmake": _NO_TOOL,
}
"""What an operand has to be like so that nothing is run by it, by program or verb of git."""

_BY_OPERANDS = frozenset({"git"}) | frozenset(RUNNING_OPERANDS)

_LOOKED_INTO = frozenset({*git_options.RUNNING_VERBS, *git_options.RUNNING_WORDS, *_SAFE_OPERANDS})
"""Verbs of git of which some operands run or write something."""

_READING_CONFIG = frozenset(
    {"get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool"}
)


class Reach(Struct, frozen=True):
    """By what a command reaches further, in a name that all spellings share, and the place of the word."""

    name: str
    place: int


@lru_cache(maxsize=4096)
def reaches(words: tuple[ShellWord, ...]) -> frozenset[Reach]:
    """By which words a command runs another program or writes a file.

    Empty where nothing of the kind is known of its program.
    """
    program = base_name(words[0].value or "").lower() if words and is_known(words[0]) else ""
    if program != "git":
        if program not in grammars():
            return _NOTHING
        if program in _by_options_alone() and not any(map(may_be_option, words[1:])):
            return _NOTHING
    return frozenset(_reaches(read(words), program))


_NOTHING: frozenset[Reach] = frozenset()


@lru_cache(maxsize=1)
def _by_options_alone() -> frozenset[str]:
    """The programs that reach further by no operand, whatever it is."""
    return frozenset(
        program
        for program, grammar in grammars().items()
        if grammar.operands is None and grammar.script is None and not grammar.bundle
    ).difference(_BY_OPERANDS, _SAFE_OPERANDS)


def _reaches(reading: Reading, program: str) -> Iterator[Reach]:
    known = reading.grammar.syntax
    if reading.grammar.front and reading.operands:
        first = reading.operands[0].place
        reading = replace(
            reading,
            options=tuple(option for option in reading.options if option.place < first),
            loose=tuple(operand for operand in reading.loose if operand.place <= first),
        )
    for option in reading.options:
        name = option.name.removeprefix("git ")
        which = GIT.syntax if option.name is not name else known
        safe = _SAFE_VALUES.get((reading.grammar.program if which is known else "git", name))
        if safe is not None:
            value = option.value
            if value is None or not is_known(value) or not safe.match(value.value or ""):
                yield Reach(option.name, option.place)
        elif name in which.reaching:
            yield Reach(option.name, option.place)
        elif not option.known and option.spelling.startswith("--"):
            for spelling, (full, _) in which.long.items():
                if full in which.reaching and spelling.startswith(option.spelling[2:]):
                    yield Reach(full, option.place)
    yield from _operand_reaches(reading, program)
    if _is_verb_without(reading):
        return
    for operand in reading.loose:
        if (
            known.reaching
            or program in _BY_OPERANDS
            or (reading.grammar.operands and operand.word.splits)
        ):
            yield Reach(UNSURE, operand.place)


def _is_verb_without(reading: Reading) -> bool:
    """Whether the words come after a verb of git that has no option that reaches further."""
    grammar = reading.grammar
    return grammar.verb and not grammar.syntax.reaching and grammar.program not in _LOOKED_INTO


def _operand_reaches(reading: Reading, program: str) -> Iterator[Reach]:
    grammar = reading.grammar
    if grammar.operands is not None:
        for operand in reading.operands[grammar.operands :]:
            yield Reach(OUTPUT, operand.place)
    if program == "git" and reading.operands:
        yield from _git_reaches(reading)
    yield from _running_operands(reading, program)
    if program == "zip":
        yield from _tests_by_another(reading)
    safe = _SAFE_OPERANDS.get(grammar.program)
    for operand in reading.operands if safe is not None else ():
        text = operand.word.value if is_known(operand.word) else beginning(operand.word)
        if not text and not is_known(operand.word):
            yield Reach(UNSURE, operand.place)
        elif safe is not None and not safe.match(text or ""):
            yield Reach("an operand that runs", operand.place)
    if grammar.script is not None:
        yield from _script_reaches(reading)


def _running_operands(reading: Reading, program: str) -> Iterator[Reach]:
    """The first operands by which something is run; what may be an option's value is passed over."""
    operands = reading.operands
    first = 0
    for start in range(len(operands)):
        for running in RUNNING_OPERANDS.get(program, ()):
            given = operands[start : start + len(running)]
            if len(given) == len(running) and all(
                word == "*" or not is_known(operand.word) or operand.word.value == word
                for word, operand in zip(running, given, strict=True)
            ):
                yield Reach(f"{program} {' '.join(running)}", given[0].place)
                first += 1
        if first or not operands[start].maybe:
            return


def _tests_by_another(reading: Reading) -> Iterator[Reach]:
    """`-TT` of zip, an option of two letters that runs a program."""
    places = [option.place for option in reading.options if option.name == "T"]
    for place in set(places):
        if places.count(place) > 1:
            yield Reach("TT", place)


def _git_reaches(reading: Reading) -> Iterator[Reach]:
    verb = reading.operands[0]
    name = verb.word.value or ""
    if name in git_options.RUNNING_VERBS:
        yield Reach(f"git {name}", verb.place)
    running = git_options.RUNNING_WORDS.get(name)
    if running is not None and len(reading.operands) > 1:
        first = reading.operands[1]
        if not is_known(first.word) or first.word.value in running:
            yield Reach(f"git {name}", first.place)
    if name == "config" and len(reading.operands) > 2:
        names = {option.name for option in reading.options}
        if not names & _READING_CONFIG and reading.operands[1].word.value not in ("get", "list"):
            yield Reach("git config", verb.place)


def _script_reaches(reading: Reading) -> Iterator[Reach]:
    effects = sed_effects if reading.grammar.script == "sed" else awk_effects
    for text, place in script_texts(reading):
        if not is_known(text):
            yield Reach(Deed.UNREAD, place)
        else:
            deeds = {effect.deed for effect in effects(text.value or "")}
            yield from (Reach(deed, place) for deed in deeds if deed is not Deed.READS)


def is_option_safe(program: str) -> bool:
    """Whether an allow for the program with any words is held back from the options that reach further."""
    grammar = grammars().get(program)
    if grammar is not None:
        return not grammar.code
    return program == "git" or program in WRAPPERS


def is_known_program(program: str) -> bool:
    """Whether the program is known to be none that runs the words after it, unseen."""
    return program in _names()


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    listed = program_options.known_names() | {"git"} | OTHER_SHELLS
    return listed | grammars().keys() | WRAPPERS.keys() | SHELLS.keys()
