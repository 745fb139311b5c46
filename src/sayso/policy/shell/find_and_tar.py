"""The files that the words of `find` and `tar` name, each a little language of its own (POL-36)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sayso.core.operation import Operation

_FIND_READS = frozenset({"-newer", "-anewer", "-cnewer", "-samefile", "-files0-from"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_TAR_VALUES = "fCTXbgKNVIFHL"
_TAR_LONG = {
    "--file": "f", "--directory": "C", "--files-from": "T", "--exclude-from": "X", "--create": "c",
    "--extract": "x", "--get": "x", "--list": "t", "--append": "r", "--update": "u",
    "--concatenate": "A", "--catenate": "A", "--delete": "r", "--diff": "d", "--compare": "d",
    "--listed-incremental": "g", "--newer": "N", "--label": "V", "--use-compress-program": "I",
    "--exclude": "b", "--transform": "b", "--strip-components": "b", "--owner": "b", "--group": "b",
    "--mode": "b", "--mtime": "b", "--format": "b", "--to-command": "b",
}  # fmt: skip


class Named(Struct, frozen=True):
    """A file that one of these words names; `path` None = not known."""

    path: str | None
    operation: Operation
    walks: bool = False
    folders: tuple[str | None, ...] = ()


def find_names(words: Sequence[str | None]) -> list[Named]:
    """The starting points of `find` and the files its tests read and write."""
    starts: list[str | None] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word is not None and (word in ("-H", "-L", "-P") or word.startswith("-O")):
            place += 1
        elif word == "-D":
            place += 2
        elif word is not None and word[:1] in ("-", "(", ")", "!", ","):
            break
        else:
            starts.append(word)
            place += 1
    tests = words[place:]
    found: list[Named] = []
    for test, value in zip(tests, [*tests[1:], None], strict=False):
        if test is None:
            continue
        if test in _FIND_READS or test.startswith("-newer"):
            found.append(Named(value, Operation.READ))
        elif test in _FIND_WRITES:
            found.append(Named(value, Operation.WRITE))
    narrowed = len(tests) > 1
    operation = Operation.READ
    if "-delete" in tests:
        # With a test it takes away some of what lies below, without one all of it.
        operation = Operation.ANY if narrowed else Operation.DELETE
    walks = operation is not Operation.READ
    return found + [Named(start, operation, walks) for start in starts or ["."]]


def tar_names(words: Sequence[str | None]) -> list[Named]:
    """The archive, and what is packed into it or where it is unpacked."""
    modes: set[str] = set()
    folders: tuple[str | None, ...] = ()
    archive: list[str | None] = []
    found: list[Named] = []
    members: list[tuple[str | None, tuple[str | None, ...]]] = []
    rest = list(words)
    waiting = ""
    ended = False

    def value_of(letter: str, value: str | None) -> None:
        nonlocal folders
        if letter == "f":
            archive.append(value)
        elif letter == "C":
            folders += (value,)
            found.append(Named(value, Operation.READ))
        elif letter in "TX":
            found.append(Named(value, Operation.READ))
        elif letter == "g":
            found.append(Named(value, Operation.WRITE))

    for number, word in enumerate(rest):
        if waiting:
            value_of(waiting[0], word)
            waiting = waiting[1:]
        elif word is None:
            members.append((None, folders))
        elif ended:
            members.append((word, folders))
        elif word == "--":
            ended = True
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            fitting = {letter for long, letter in _TAR_LONG.items() if long.startswith(name)}
            letter = _TAR_LONG.get(name) or (fitting.pop() if len(fitting) == 1 else "")
            if letter and letter in _TAR_VALUES and not equals:
                waiting = letter
            elif letter and letter in _TAR_VALUES:
                value_of(letter, value)
            elif letter:
                modes.add(letter)
        elif word.startswith("-") and len(word) > 1:
            for offset, letter in enumerate(word[1:], 1):
                if letter not in _TAR_VALUES:
                    modes.add(letter)
                elif word[offset + 1 :]:
                    value_of(letter, word[offset + 1 :])
                    break
                else:
                    waiting = letter
        elif number == 0:
            modes.update(letter for letter in word if letter not in _TAR_VALUES)
            waiting = "".join(letter for letter in word if letter in _TAR_VALUES)
        else:
            members.append((word, folders))
    packs = bool(modes & set("cruA"))
    operation = Operation.WRITE if packs else Operation.READ
    found += [Named(name, operation) for name in archive if name != "-"]
    if packs:
        found += [Named(name, Operation.READ, True, where) for name, where in members]
    elif "x" in modes:
        found.append(Named(".", Operation.WRITE, True, folders))
        found += [Named(name, Operation.WRITE, False, where) for name, where in members if name]
    return found
