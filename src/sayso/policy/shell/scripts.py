"""What the scripts of sed and awk do beyond editing text: the programs they run and the files they write."""

from __future__ import annotations

import re
from collections.abc import Iterator

UNREAD = "a script that cannot be read"
RUNS = "a script that runs a program"
WRITES = "a script that writes a file"

_STREAMS = frozenset({"/dev/stdout", "/dev/stderr"})
_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)")
_AWK_WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.]*")
_OPERAND_END = frozenset(')]$"')


class _Unread(Exception):
    """The script is not one that is understood here."""


def sed_reaches(script: str) -> frozenset[str]:
    """What a sed script does beyond editing: runs a program (`e`, `s///e`), writes a file (`w`, `s///w`)."""
    found = set[str]()
    readings = []
    for brackets in (
        True,
        False,
    ):  # whether `/` in a bracket ends an expression differs between seds
        try:
            readings.append(frozenset(_sed(script, brackets=brackets)))
        except (_Unread, IndexError):
            if brackets:
                return frozenset({UNREAD})
    for reading in readings:
        found |= reading
    return frozenset(found)


def _sed(script: str, *, brackets: bool) -> Iterator[str]:
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
        if command in "aicRr":
            position = (
                _text_end(script, position) if command in "aic" else _line_end(script, position)
            )
        elif command in ":btTv":
            while position < len(script) and script[position] not in ";\n}":
                position += 1
        elif command in "qQlL":
            while position < len(script) and script[position] in " \t0123456789":
                position += 1
        elif command in "wW":
            end = _line_end(script, position)
            if script[position:end].strip() not in _STREAMS:
                yield WRITES
            position = end
        elif command == "e":
            yield RUNS
            position = _line_end(script, position)
        elif command == "y":
            position = _delimited(script, _delimited(script, position, False) - 1, False)
        elif command == "s":
            position = _delimited(script, position, brackets)
            position = _delimited(script, position - 1, False)
            while position < len(script) and script[position] not in " \t\n;}#":
                flag = script[position]
                position += 1
                if flag == "e":
                    yield RUNS
                elif flag == "w":
                    end = _line_end(script, position)
                    if script[position:end].strip() not in _STREAMS:
                        yield WRITES
                    position = end
                elif flag not in "gpPiImM0123456789":
                    raise _Unread
        else:
            raise _Unread


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


def awk_reaches(program: str) -> frozenset[str]:
    """What an awk program does beyond reading and printing: runs a program, writes a file."""
    try:
        return frozenset(_awk(program))
    except (_Unread, IndexError):
        return frozenset({UNREAD})


def _awk(program: str) -> Iterator[str]:
    position, depth, printing = 0, 0, -1
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
            position = _quoted(program, position, '"')
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
                yield RUNS
        elif character == "@":
            yield UNREAD  # a call through a variable, or a file that is included
            position += 1
        elif character == "|":
            if program[position + 1 : position + 2] != "|":
                yield RUNS
                position += 1
            else:
                position += 2
            before = "|"
        elif character == ">" and printing == depth and program[position + 1 : position + 2] != "=":
            position += 2 if program[position + 1 : position + 2] == ">" else 1
            target = re.match(r'\s*"([^"\\]*)"', program[position:])
            if target is None or target[1] not in _STREAMS:
                yield WRITES
            before = ">"
        else:
            depth += (character in "([") - (character in ")]")
            if character in ";\n{}":
                printing = -1
            before = character
            position += 1


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
