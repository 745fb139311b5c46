"""What the scripts of sed and awk do beyond editing text: what they run, and the files they read and write.

A rule that allows the program does not mean what reaches further (POL-39); the files are targets (POL-36).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from sayso.core.plain_members import plain_members


@plain_members
class Deed(StrEnum):
    """What a script does besides, in the words that a reader of a verdict sees."""

    READS = "a script that reads a file"
    WRITES = "a script that writes a file"
    RUNS = "a script that runs a program"
    UNREAD = "a script that cannot be read"


class Effect(Struct, frozen=True):
    """One thing that a script does besides.

    `file` is the one it reads or writes, `text` the command line that it has a shell run, with a variable
    for what is known only then; None = not known.
    """

    deed: Deed
    file: str | None = None
    text: str | None = None


_STREAMS = frozenset({"/dev/stdout", "/dev/stderr"})
_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)")
_AWK_WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.]*")
_AWK_READING = frozenset({"getline", "ARGV", "ARGC", "ARGIND"})
"""Words by which a program reads files that its operands need not name."""

_VARIABLE = "$_"
"""What stands for a part of a command line that is known only when it runs."""

_SED_REFERENCE = re.compile(r"(?<!\\)&|\\[0-9]")
_SED_WHOLE = re.compile(r"\^?\.\*\$?")
_AWK_TEXT = re.compile(r'\s*"((?:[^"\\\n]|\\.)*)"[ \t]*')
_AWK_ESCAPE = re.compile(r"\\(.)")
_OPERAND_END = frozenset(')]$"')


class _Unread(Exception):
    """The script is not one that is understood here."""


def sed_effects(script: str) -> frozenset[Effect]:
    """What a sed script does beyond editing: runs (`e`, `s///e`), reads (`r`), writes (`w`, `s///w`)."""
    found = set[Effect]()
    # Whether `/` in a bracket ends an expression differs between seds.
    for brackets in (True, False):
        try:
            found.update(list(_sed(script, brackets=brackets)))
        except (_Unread, IndexError):
            if brackets:
                return frozenset({Effect(Deed.UNREAD)})
    return frozenset(found)


def _sed(script: str, *, brackets: bool) -> Iterator[Effect]:
    position = 0
    while position < len(script):
        character = script[position]
        if character in " \t\n;{}":
            position += 1
            continue
        if character == "#":
            position = _line_end(script, position)
            continue
        position = _addresses(script, position, brackets=brackets)
        while position < len(script) and script[position] in " \t!":
            position += 1
        if position >= len(script):
            raise _Unread
        command = script[position]
        position += 1
        if command in "{}=dDgGhHnNpPxFz":
            continue
        if command in "aic":
            position = _text_end(script, position)
        elif command in ":btTv":
            while position < len(script) and script[position] not in ";\n}":
                position += 1
        elif command in "qQlL":
            while position < len(script) and script[position] in " \t0123456789":
                position += 1
        elif command in "rRwW":
            end = _line_end(script, position)
            deed = Deed.READS if command in "rR" else Deed.WRITES
            yield from _file_effect(deed, script[position:end])
            position = end
        elif command == "e":
            end = _line_end(script, position)
            yield Effect(Deed.RUNS, text=script[position:end].strip() or None)
            position = end
        elif command == "y":
            position = _delimited(script, _delimited(script, position, False) - 1, False)
        elif command == "s":
            start = position + 1
            middle = _delimited(script, position, brackets)
            position = _delimited(script, middle - 1, False)
            replaced, by = script[start : middle - 1], script[middle : position - 1]
            while position < len(script) and script[position] not in " \t\n;}#":
                flag = script[position]
                position += 1
                if flag == "e":
                    yield from _evaluated(replaced, by)
                elif flag == "w":
                    end = _line_end(script, position)
                    yield from _file_effect(Deed.WRITES, script[position:end])
                    position = end
                elif flag not in "gpPiImM0123456789":
                    raise _Unread
        else:
            raise _Unread


def _evaluated(replaced: str, by: str) -> Iterator[Effect]:
    """What `s///e` runs: the whole line in which something was replaced, which the input makes up."""
    text = _SED_REFERENCE.sub(_VARIABLE, by)
    yield Effect(Deed.RUNS, text=re.sub(r"\\(.)", r"\1", text).strip() or None)
    if not _SED_WHOLE.fullmatch(replaced):
        yield Effect(Deed.RUNS)


def _file_effect(deed: Deed, named: str) -> Iterator[Effect]:
    name = named.strip(" \t")
    if name not in _STREAMS:
        yield Effect(deed, name or None)


def _addresses(script: str, position: int, *, brackets: bool) -> int:
    for _ in range(2):
        found = _ADDRESS.match(script, position)
        if found is not None:
            position = found.end()
        else:
            while script[position : position + 1] in (" ", "\t"):
                position += 1
            if script[position : position + 1] == "/":
                position = _delimited(script, position, brackets)
            elif script[position : position + 1] == "\\":
                position = _delimited(script, position + 1, brackets)
            while script[position : position + 1] in ("I", "M"):
                position += 1
        rest = position
        while script[rest : rest + 1] in (" ", "\t"):
            rest += 1
        if script[rest : rest + 1] != ",":
            break
        position = rest + 1
    return position


def _delimited(script: str, position: int, brackets: bool) -> int:
    """Past the part that begins with its delimiter at `position`, and past the delimiter that ends it."""
    delimiter = script[position]
    if delimiter in "\n\\":
        raise _Unread
    position += 1
    while script[position] != delimiter:
        if script[position] == "\\":
            position += 1
        elif script[position] == "[" and brackets and delimiter != "[":
            end = position + 1
            end += script[end] == "^"
            end = script.find("]", end + 1)
            # An unclosed bracket is an ordinary character to some and an error to others.
            position = end if end > 0 and "\n" not in script[position:end] else position
        position += 1
    return position + 1


def _line_end(script: str, position: int) -> int:
    end = script.find("\n", position)
    return len(script) if end < 0 else end


def _text_end(script: str, position: int) -> int:
    """The end of the text that `a`, `i` or `c` adds: a line that does not end in a backslash."""
    position = _line_end(script, position)
    while position < len(script) and script[position - 1] == "\\":
        position = _line_end(script, position + 1)
    return position


def awk_effects(program: str) -> frozenset[Effect]:
    """What an awk program does beyond editing its input: runs a program, reads or writes another file."""
    try:
        return frozenset(_awk(program))
    except (_Unread, IndexError):
        return frozenset({Effect(Deed.UNREAD)})


def _awk(program: str) -> Iterator[Effect]:
    position, depth, printing = 0, 0, -1
    last: str | None = None  # the text that was quoted last
    before = ""  # the last sign or word that counts, to tell a division from an expression
    while position < len(program):
        character = program[position]
        if character in " \t\r":
            position += 1
        elif character == "\\" and program[position + 1 : position + 2] == "\n":
            position += 2
        elif character == "#":
            position = _line_end(program, position)
        elif character == '"':
            start, position = position, _quoted(program, position, '"')
            alone = not _ends_operand(before)
            last = _awk_text(program[start + 1 : position - 1], whole=True) if alone else None
            before = '"'
        elif character == "/" and not _ends_operand(before):
            position = _quoted(program, position, "/")
            before = '"'
        elif (word := _AWK_WORD.match(program, position)) is not None:
            before = word[0]
            position = word.end()
            if before in ("print", "printf"):
                printing = depth
            elif before == "system":
                yield Effect(Deed.RUNS, text=_awk_command(program, position, call=True))
            elif before in _AWK_READING:
                yield Effect(Deed.READS)
        elif character == "@":
            yield Effect(Deed.UNREAD)  # a call through a variable, or a file that is included
            position += 1
        elif character == "|":
            if program[position + 1 : position + 2] != "|":
                position += 2 if program[position + 1 : position + 2] == "&" else 1
                if _AWK_READS.match(program, position):
                    yield Effect(Deed.RUNS, text=last if before == '"' else None)
                else:
                    yield Effect(Deed.RUNS, text=_awk_command(program, position, call=False))
            else:
                position += 2
            before = "|"
        elif character == ">" and printing == depth and program[position + 1 : position + 2] != "=":
            position += 2 if program[position + 1 : position + 2] == ">" else 1
            target = re.match(r'\s*"([^"\\]*)"', program[position:])
            if target is None or target[1] not in _STREAMS:
                yield Effect(Deed.WRITES)
            before = ">"
        else:
            depth += (character in "([") - (character in ")]")
            if character in ";\n{}":
                printing = -1
            before = character
            position += 1


_AWK_READS = re.compile(r"\s*getline\b")


def _awk_command(program: str, position: int, *, call: bool) -> str | None:
    """The command line that stands at a place in the program, with a variable for what is not quoted."""
    if call:
        opened = re.compile(r"\s*\(").match(program, position)
        if opened is None:
            return None
        position = opened.end()
    found = _AWK_TEXT.match(program, position)
    if found is None:
        return None
    follows = program[found.end() : found.end() + 1]
    return _awk_text(found[1], whole=follows in (("", ")") if call else ("", ";", "}", "\n", "#")))


def _awk_text(text: str, *, whole: bool) -> str:
    known = _AWK_ESCAPE.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)
    return known if whole else f"{known}{_VARIABLE}"


def _ends_operand(before: str) -> bool:
    if before in ("print", "printf", "return", "in", "case", "getline"):
        return False
    return before[:1].isalnum() or before[:1] == "_" or before in _OPERAND_END


def _quoted(program: str, position: int, mark: str) -> int:
    position += 1
    bracket = False
    while program[position] != mark or bracket:
        if program[position] == "\n":
            raise _Unread
        if mark == "/":
            bracket = (bracket or program[position] == "[") and program[position] != "]"
        position += 2 if program[position] == "\\" else 1
    return position + 1
