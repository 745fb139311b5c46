"""What a shell's own commands do to the shell: variables that they set, and what cannot be known after them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.variables import names_in
from sayso.policy.shell.words import after, beginning, is_known

NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)

SPECIAL_BUILTINS: Final = names_in(
    ": . break continue eval exec exit export readonly return set shift source times trap unset"
)
"""Commands before which an assignment outlives the command where the shell is a POSIX one."""

DECLARING: Final = names_in("export declare typeset local readonly")
"""Commands whose operands are assignments."""


class SetVariable(Struct, frozen=True):
    """A variable gets a value, None where that is not known; `number` tells that it can only be a number."""

    name: str
    value: str | None = None
    exported: bool = False
    number: bool = False


class Evaluated(Struct, frozen=True):
    """A text is computed as arithmetic, and the variables that it names with it."""

    text: str


class Doubt(Struct, frozen=True):
    """What the line does from here on cannot be known, and why."""

    why: str


class ExportAll(Struct, frozen=True):
    """Every variable that is set from here on is exported."""


class Unsettled(Struct, frozen=True):
    """What variables hold, or where the shell is, may from here on be other than the line shows."""


Change: TypeAlias = SetVariable | Evaluated | Doubt | ExportAll | Unsettled
Words: TypeAlias = Sequence[ShellWord]


def changes(name: str, words: Words) -> Iterator[Change]:
    """What a command of the shell itself changes; nothing for any other command."""
    read = _BUILTINS.get(name)
    if read is not None:
        yield from read(words)


def _named(word: ShellWord, command: str, value: str | None = None) -> Iterator[Change]:
    """The variable that a word names; a subscript in it would be computed, and so would run things."""
    name = word.value
    if name is None or not is_known(word):
        yield Doubt(f"which variable `{command}` sets is not known")
    elif NAME.fullmatch(name):
        yield SetVariable(name, value)
    elif "[" in name:
        yield Doubt(f"`{command}` computes the subscript in `{name}`")


def _options(words: Words, with_value: str) -> tuple[dict[str, ShellWord | None], list[ShellWord]]:
    """The options of a builtin with their values, and its operands."""
    found: dict[str, ShellWord | None] = {}
    position = 1
    while position < len(words):
        text = beginning(words[position])
        if text == "--":
            position += 1
            break
        if not text.startswith("-") or text == "-":
            break
        position += 1
        for place, letter in enumerate(text[1:], start=2):
            if letter not in with_value:
                found[letter] = None
                continue
            word = words[position - 1]
            if text[place:]:
                found[letter] = after(word, place)
            elif position < len(words):
                found[letter] = words[position]
                position += 1
            break
    return found, list(words[position:])


def _read(words: Words) -> Iterator[Change]:
    options, operands = _options(words, "adinNptu")
    array = options.get("a")
    for word in [*([array] if array else []), *operands]:
        yield from _named(word, "read")


def _mapfile(words: Words) -> Iterator[Change]:
    options, operands = _options(words, "dnOsuCc")
    if "C" in options:
        yield Doubt("`mapfile -C` runs a command for every few lines")
    for word in operands:
        yield from _named(word, "mapfile")


def _printf(words: Words) -> Iterator[Change]:
    options, _ = _options(words, "v")
    variable = options.get("v")
    if variable is not None:
        yield from _named(variable, "printf")
    elif len(words) > 1 and not is_known(words[1]) and words[1].start in {"", "-", "-v"}:
        # It may be `-v` and the name of a variable.
        yield Doubt("whether `printf` sets a variable is not known")


def _getopts(words: Words) -> Iterator[Change]:
    if len(words) > 2:
        yield from _named(words[2], "getopts")
    yield SetVariable("OPTARG")


def _wait(words: Words) -> Iterator[Change]:
    variable = _options(words, "p")[0].get("p")
    if variable is not None:
        yield from _named(variable, "wait")


def _unset(words: Words) -> Iterator[Change]:
    for word in _options(words, "")[1]:
        yield from _named(word, "unset", "")


def _declare(words: Words) -> Iterator[Change]:
    command = words[0].value or "declare"
    exported = command == "export"
    integer = False
    for word in words[1:]:
        text = beginning(word)
        if text.startswith(("-", "+")) and is_known(word):
            if "n" in text and text[0] == "-" and command not in {"export", "readonly"}:
                yield Doubt(f"`{command} -n` makes a name stand for another")
            exported = exported or ("x" in text and text[0] == "-" and command != "readonly")
            integer = integer or ("i" in text and text[0] == "-")
            if _REMAKING & set(text):
                yield Unsettled()
            continue
        name, equals, start = text.partition("=")
        if not NAME.fullmatch(name.removesuffix("+")) or not (equals or is_known(word)):
            if word.value is None:
                yield Doubt(f"which variable `{command}` sets is not known")
            elif "[" in name:
                yield Doubt(f"`{command}` computes the subscript in `{name}`")
            continue
        value = None
        if word.value is not None:
            value = start if equals else ""
        if word.splits and word.value is None:
            yield Doubt(f"which variables `{command}` sets is not known")
        yield SetVariable(name.removesuffix("+"), value, exported)
        if integer:
            yield Evaluated(name.removesuffix("+"))


_REMAKING: Final = frozenset("iluc")
"""Letters with which a variable holds what a value comes to, or the value in other letters."""


def _let(words: Words) -> Iterator[Change]:
    for word in words[1:]:
        if word.value is None:
            yield Doubt("`let` computes what is not known")
        else:
            yield Evaluated(word.value)


def _test(words: Words) -> Iterator[Change]:
    for position, word in enumerate(words[1:-1], start=1):
        operand = words[position + 1]
        known = operand.value if is_known(operand) else None
        if word.value in {"-v", "-R"} and (known is None or "[" in known):
            yield Doubt(f"`{words[0].text} {word.value}` computes a subscript")
        elif word.splits and known is not None and "[" in known:
            # It may become the operator, and then its operand is a name with a subscript.
            yield Doubt(f"`{words[0].text}` may compute the subscript in `{known}`")


def _set(words: Words) -> Iterator[Change]:
    position = 1
    while position < len(words):
        word = words[position]
        position += 1
        text = beginning(word)
        if not is_known(word):
            if not text.startswith(("-", "+")) and text:
                return
            yield Doubt("which options `set` changes is not known")
            return
        if text in {"--", "-"} or not text.startswith(("-", "+")):
            return
        letters = text[1:]
        if "o" in letters and position < len(words):
            setting = words[position].value or ""
            position += 1
            if setting == "allexport" and text[0] == "-":
                yield ExportAll()
            elif setting == "physical":
                yield Unsettled()
            elif setting not in _QUIET_SETTINGS:
                yield Doubt(f"`set -o {setting}` changes how lines are read")
        if "a" in letters and text[0] == "-":
            yield ExportAll()
        if "P" in letters:
            yield Unsettled()  # `PWD` is where links lead, then
        if not set(letters) <= _QUIET_LETTERS:
            yield Doubt(f"`set {text}` changes how lines are read")


_QUIET_LETTERS: Final = frozenset("abeefhmntuvxBCETPo")
_QUIET_SETTINGS: Final = names_in(
    "errexit nounset pipefail xtrace verbose noglob noclobber errtrace functrace monitor notify "
    "hashall braceexpand nolog noexec physical ignoreeof emacs vi interactive-comments"
)


def _shopt(words: Words) -> Iterator[Change]:
    options, _ = _options(words, "")
    if {"s", "u"} & set(options) or any(not is_known(word) for word in words[1:]):
        yield Doubt("`shopt` changes how lines are read")


def _hash(words: Words) -> Iterator[Change]:
    if any(beginning(word).startswith("-") and "p" in beginning(word) for word in words[1:]):
        yield Doubt("`hash -p` gives a name to another program")
    elif any(not beginning(word) for word in words[1:]):
        yield Doubt("what `hash` does is not known")


def _enable(words: Words) -> Iterator[Change]:
    if any(not is_known(w) or set(w.value or "") & set("fd") for w in words[1:2]):
        yield Doubt("`enable` loads a command from a file")


def _alias(words: Words) -> Iterator[Change]:
    if any("=" in beginning(word) or not is_known(word) for word in words[1:]):
        yield Doubt("`alias` gives a name to other words")


def _source(words: Words) -> Iterator[Change]:
    if len(words) > 1:
        yield Doubt(f"what `{words[1].text}` holds is run by this shell")


def _jobs(words: Words) -> Iterator[Change]:
    if any(beginning(word).startswith("-x") or not is_known(word) for word in words[1:2]):
        yield Doubt("`jobs -x` runs a command")


def _trap(words: Words) -> Iterator[Change]:
    if len(words) > 1 and not is_known(words[1]):
        yield Doubt("what `trap` will run is not known")
    elif len(words) > 1:
        yield Unsettled()  # it may run between any two commands


def _always(why: str) -> Callable[[Words], Iterator[Change]]:
    def read(words: Words) -> Iterator[Change]:
        if len(words) > 1:
            yield Doubt(why)

    return read


_BUILTINS: Final[Mapping[str, Callable[[Words], Iterator[Change]]]] = {
    ".": _source,
    "[": _test,
    "alias": _alias,
    "bind": _always("`bind` may run commands"),
    "compgen": _always("`compgen` may run commands"),
    "complete": _always("`complete` may run commands"),
    "declare": _declare,
    "enable": _enable,
    "export": _declare,
    "fc": _always("`fc` runs earlier commands"),
    "getopts": _getopts,
    "hash": _hash,
    "jobs": _jobs,
    "let": _let,
    "local": _declare,
    "mapfile": _mapfile,
    "printf": _printf,
    "read": _read,
    "readarray": _mapfile,
    "readonly": _declare,
    "set": _set,
    "shopt": _shopt,
    "source": _source,
    "test": _test,
    "trap": _trap,
    "typeset": _declare,
    "unset": _unset,
    "wait": _wait,
}

CHANGING: Final = frozenset(_BUILTINS) | {"cd", "pushd", "popd", "chdir", "exit"}
"""Commands of the shell after which something in it is, or may be, another than before."""
