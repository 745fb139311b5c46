"""What the words of a well-known program mean: options, their values and operands (POL-38).

Reading is generous: a word that may be an option and may be none is told of as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.shell_command import ShellWord
from sayso.policy.shell import git_options, program_options
from sayso.policy.shell.option_syntax import Syntax, Takes, syntax
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.words import after, beginning, is_known, may_be_option
from sayso.policy.shell.wrapper_table import (
    EXEC_ACTIONS,
    FD_ACTIONS,
    FD_PROGRAMS,
    FIND_PROGRAMS,
    WRAPPERS,
)

_NO_SYNTAX = Syntax({}, {})


class Grammar(Struct, frozen=True):
    """How the words of a program are read; `known` tells that its options are known well enough."""

    program: str
    syntax: Syntax = _NO_SYNTAX
    known: bool = False
    one_dash: bool = False
    ends: bool = False
    bundle: bool = False
    verbs: bool = False
    script: str | None = None
    operands: int | None = None
    verb: bool = False
    code: bool = False
    front: bool = False


class Option(Struct, frozen=True):
    """An option of a command: the name it goes by, as it is spelled, its value, and its place.

    `known` tells that it is in the table; `name` is else as written.
    """

    name: str
    spelling: str
    value: ShellWord | None
    place: int
    known: bool


class Operand(Struct, frozen=True):
    """A word that is no option; `maybe` tells that it may be the value of an option that is not known."""

    word: ShellWord
    place: int
    maybe: bool = False


class Reading(Struct, frozen=True):
    """The words of a command, taken apart; `loose` are the words of which it is not known what they are."""

    grammar: Grammar
    options: tuple[Option, ...]
    operands: tuple[Operand, ...]
    loose: tuple[Operand, ...]
    values: frozenset[int]


@lru_cache(maxsize=1)
def grammars() -> dict[str, Grammar]:
    """The programs whose options are known; of wrappers those that also reach further by themselves."""
    found = {
        program: Grammar(program, syntax(wrapper.options), True, wrapper.one_dash, ends=True)
        for program, wrapper in WRAPPERS.items()
        if syntax(wrapper.options).reaching
    }
    for program, line in program_options.table().items():
        words = line.split()
        marks = {word for word in words if word[0] in "@-" or word in _MARKS}
        text = " ".join(word for word in words if word not in marks)
        operands = [int(word[1:]) for word in marks if word[0] == "@"]
        script = "sed" if "sed" in marks else "awk" if "awk" in marks else None
        found[program] = Grammar(
            program,
            syntax(text),
            True,
            "-long" in marks,
            "ends" in marks,
            "bundle" in marks,
            "verbs" in marks,
            script,
            operands[0] if operands else None,
            code="code" in marks,
            front="front" in marks,
        )
    return found


_EXEC = frozenset(action[1:] for action in EXEC_ACTIONS) | FD_ACTIONS
_RUNNING_INNER = FIND_PROGRAMS | FD_PROGRAMS
"""Programs whose inner commands are found and judged for themselves (POL-32)."""

_MARKS = frozenset({"code", "ends", "front", "bundle", "sed", "awk", "verbs"})
GIT = Grammar("git", syntax(git_options.GLOBALS), True, ends=True)


@cache
def _git_verb(verb: str) -> Grammar:
    return Grammar(
        verb, syntax(git_options.VERBS.get(verb, "")), verb in git_options.VERBS, verb=True
    )


@lru_cache(maxsize=4096)
def read(words: tuple[ShellWord, ...]) -> Reading:
    """Take the words of a command apart; the first, its program, has to be known."""
    program = base_name(words[0].value or "").lower() if words else ""
    if program == "git":
        return _read_git(words)
    return _read(words, 1, grammars().get(program) or Grammar(program))


def _read_git(words: Sequence[ShellWord]) -> Reading:
    if len(words) > 1 and not _may_be_more(words[1]):  # most begin with their verb
        verb = Operand(words[1], 1)
        inner = _read(words, 2, _git_verb(words[1].value or ""))
        options = (*inner.options, *_meant(inner))
        return Reading(inner.grammar, options, (verb, *inner.operands), inner.loose, inner.values)
    return _read_git_options(words)


def _read_git_options(words: Sequence[ShellWord]) -> Reading:
    """The same where options of git itself may come before the verb."""
    outer = _read(words, 1, GIT)
    if outer.options:
        outer = replace(outer, options=tuple(_as_global(option) for option in outer.options))
    if not outer.operands or not is_known(outer.operands[0].word):
        return outer
    verb = outer.operands[0]
    if any(operand.place < verb.place for operand in outer.loose):
        return outer
    inner = _read(words, verb.place + 1, _git_verb(verb.word.value or ""))
    return Reading(
        inner.grammar,
        (*outer.options, *inner.options, *_meant(inner)),
        (verb, *inner.operands),
        inner.loose,
        outer.values | inner.values,
    )


def script_texts(reading: Reading) -> list[tuple[ShellWord, int]]:
    """The scripts among the words of sed or awk, each with its place."""
    texts = [
        (option.value, option.place)
        for option in reading.options
        if option.name in ("expression", "source") and option.value is not None
    ]
    given = {option.name for option in reading.options}
    if not given & {"expression", "source", "file", "exec"}:
        texts += [(operand.word, operand.place) for operand in reading.operands[:1]]
    return texts


_FORCED = {"D": "delete", "M": "move", "C": "copy"}
"""Options of `git branch` that mean another one together with `--force`."""


def _meant(reading: Reading) -> Iterator[Option]:
    """Options of a verb of git that other words of it mean."""
    if reading.grammar.program == "branch":
        given = {option.name: option for option in reading.options}
        for short, long in _FORCED.items():
            if short in given:
                yield from (replace(given[short], name=name) for name in (long, "force"))
            elif long in given and "force" in given:
                yield replace(given[long], name=short)
    elif reading.grammar.program == "push":
        for operand in reading.operands:
            sign = beginning(operand.word)[:1]
            if sign in ("+", ":"):
                name = "force" if sign == "+" else "delete"
                yield Option(name, f"--{name}", None, operand.place, True)


def _ends_exec(words: Sequence[ShellWord], place: int) -> bool:
    return words[place].value == "+" and words[place - 1].value == "{}"


def _as_global(option: Option) -> Option:
    return Option(f"git {option.name}", option.spelling, option.value, option.place, option.known)


def _read(words: Sequence[ShellWord], start: int, grammar: Grammar) -> Reading:
    """Take the words from `start` on apart; where none is an option, all are operands."""
    if not grammar.bundle and not any(map(_may_be_more, words[start:])):
        operands = tuple([Operand(word, place) for place, word in enumerate(words[start:], start)])
        return Reading(grammar, (), operands, (), frozenset())
    return _read_options(words, start, grammar)


def _may_be_more(word: ShellWord) -> bool:
    """Whether a word may be something else than one operand."""
    value = word.value
    return value is None or value[:1] == "-" or word.pattern is not None or word.splits


def _read_options(words: Sequence[ShellWord], start: int, grammar: Grammar) -> Reading:
    """The same, word by word."""
    options: list[Option] = []
    operands: list[Operand] = []
    loose: list[Operand] = []
    values = set[int]()
    position, dashes, maybe, inside = start, False, False, False
    while position < len(words):
        word = words[position]
        begins = beginning(word)
        place = position
        position += 1
        if inside:
            inside = not (is_known(word) and word.value == ";") and not _ends_exec(words, place)
            continue
        if dashes or (grammar.ends and operands):
            operands.append(Operand(word, place))
            if word.splits:
                loose.append(operands[-1])
            continue
        known = word.value is not None and word.pattern is None and not word.splits
        if known and begins == "--":
            dashes, maybe = True, False
            continue
        if not known and may_be_option(word) and not (begins.startswith("-") and not word.splits):
            loose.append(Operand(word, place))
            if not begins.startswith("-"):
                operands.append(Operand(word, place, maybe=True))
                maybe = False
                continue
        bundle = grammar.bundle and place == start and begins and not begins.startswith("-")
        if not bundle and (not begins.startswith("-") or begins == "-"):
            operands.append(Operand(word, place, maybe))
            maybe = False
            continue
        maybe = False
        found = list(_options(word, place, grammar, begins))
        for option, takes in found:
            value = option.value
            if takes is Takes.VALUE and value is None and position < len(words):
                value = words[position]
                values.add(position)
                if value.splits:
                    loose.append(Operand(value, position))
                position += 1
                option = Option(option.name, option.spelling, value, option.place, option.known)
            options.append(option)
            inside = option.name in _EXEC and grammar.program in _RUNNING_INNER
        if not found[-1][0].known and found[-1][0].value is None:
            maybe = True
    return Reading(grammar, tuple(options), tuple(operands), tuple(loose), frozenset(values))


def _options(
    word: ShellWord, place: int, grammar: Grammar, begins: str
) -> Iterator[tuple[Option, Takes]]:
    known = grammar.syntax
    if begins.startswith("--") or (grammar.one_dash and begins.startswith("-")):
        name, equals, _ = begins.lstrip("-").partition("=")
        value = after(word, begins.index("=") + 1) if equals else None
        entry = known.long.get(name) or (known.short.get(name) if grammar.one_dash else None)
        if entry is None and not grammar.one_dash and grammar.known and is_known(word):
            entry = known.find_long(name)
        if entry is None:
            yield Option(name, f"--{name}", value, place, False), Takes.NOTHING
        else:
            yield Option(entry[0], f"--{name}", value, place, True), entry[1]
        return
    if not grammar.known:
        yield Option(begins, begins, None, place, False), Takes.NOTHING
        return
    letters = begins[1:] if begins.startswith("-") else begins
    skipped = len(begins) - len(letters)
    if letters[:1].isdigit() and letters[0] not in known.short:
        yield Option(begins, begins, None, place, True), Takes.NOTHING
        return
    for number, letter in enumerate(letters, start=1):
        entry = known.short.get(letter)
        if entry is None:
            yield Option(letter, f"-{letter}", None, place, number < len(letters)), Takes.NOTHING
            continue
        if entry[1] is not Takes.NOTHING and begins.startswith("-"):
            glued = after(word, skipped + number)
            nothing = is_known(glued) and not glued.value
            yield Option(entry[0], f"-{letter}", None if nothing else glued, place, True), entry[1]
            return
        yield Option(entry[0], f"-{letter}", None, place, True), entry[1]
