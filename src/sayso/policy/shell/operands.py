"""What the words and redirections of one command touch: files, hosts, and what cannot be known (POL-36).

Nothing is looked up here: what is found is as written, to be made into targets by `command_targets.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from sayso.core.operation import Operation
from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.shell.little_languages import (
    Named,
    awk_touches_files,
    find_names,
    sed_names,
    tar_names,
)
from sayso.policy.shell.programs import PROGRAMS, Program, Use

MAX_PATH = 4096
UNKNOWN_PROGRAM = Program((), Use.ANY, None, {}, frozenset(), frozenset(), {})

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_KNOWN_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]+[/?#]")
_LIKE_A_PATH = re.compile(r"[./~]|[^=]*/")
_VERSION = re.compile(r"-?[0-9][0-9.]*$")
_CONNECTION = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/([^/]+)$")
_QUIET_FILES = re.compile(
    r"/dev/(?:null|stdin|stdout|stderr|tty|zero|full|random|urandom|fd/[0-9]+)$"
)
_PLAIN = {
    Use.READ: (Operation.READ,),
    Use.WRITE: (Operation.WRITE,),
    Use.INTO: (Operation.WRITE,),
    Use.ANY: (Operation.ANY,),
    Use.DELETE: (Operation.DELETE,),
    Use.MOVE: (Operation.READ, Operation.DELETE),
}


class Sort(StrEnum):
    """What sort of thing a word names."""

    PATH = "path"
    ADDRESS = "address"
    ANYTHING = "anything"


@dataclass(frozen=True, slots=True)
class Touched:
    """One thing that a command touches.

    `folders` are steps from the folder it runs in to the one that the word is relative to. `guessed`
    tells that the program is not known to take the word for a file. `walks` stands for all below a
    folder, `whole` for a removal with all below. `redirected` is a redirection that writes, `place` what tells the program where to
    work.
    """

    word: ShellWord
    operation: Operation
    sort: Sort = Sort.PATH
    guessed: bool = False
    walks: bool = False
    whole: bool = False
    redirected: bool = False
    place: bool = False
    folders: tuple[str | None, ...] = ()


def literal(text: str) -> ShellWord:
    """A word whose value is known."""
    return ShellWord(text, text, text)


def base_name(word: ShellWord) -> str | None:
    """The program's name without its folder; None where it is not known."""
    if word.value is None:
        return None
    return word.value.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def program_of(name: str | None) -> Program | None:
    """What is known of a program, also under a name with its version (`python3.12`)."""
    if name is None:
        return None
    return PROGRAMS.get(name) or PROGRAMS.get(_VERSION.sub("", name))


def touched(command: ShellCommand) -> Iterator[Touched]:
    """What a command touches, by its redirections, operands and the values of its options."""
    for redirection in command.redirections:
        yield from _redirection(redirection.operation, redirection.target)
    if not command.words:
        return
    name = base_name(command.words[0])
    program = program_of(name)
    if program is None:
        for word in command.words[1:]:
            yield from _guess(word)
        if _fed_by(command):
            yield _anything(Operation.ANY)
    elif not program.does("quiet"):
        yield from Reading(name or "", program, list(command.words[1:]), _fed_by(command)).all()


def _fed_by(command: ShellCommand) -> bool:
    """Whether a wrapper hands it files that stand nowhere in the line."""
    feeders = {"xargs", "gxargs", "find", "gfind", "fd", "fdfind", "parallel"}
    return any(_VERSION.sub("", wrapper) in feeders for wrapper in command.wrappers)


def _anything(operation: Operation, *, whole: bool = False) -> Touched:
    return Touched(ShellWord("(not known)", None), operation, Sort.ANYTHING, whole=whole)


def _redirection(operation: Operation, word: ShellWord) -> Iterator[Touched]:
    writes = operation is not Operation.READ
    if word.value is not None:
        if _QUIET_FILES.match(word.value):
            return
        found = _CONNECTION.match(word.value)
        if found is not None:
            yield Touched(literal(f"http://{found[1]}:{found[2]}"), operation, Sort.ADDRESS)
    yield Touched(word, operation, redirected=writes)


def _part(word: ShellWord, start: int) -> ShellWord:
    """The word from a position of its value on."""
    value = None if word.value is None else word.value[start:]
    return ShellWord(word.text, value, word.start[start:], None, word.splits)


def _known(word: ShellWord) -> str:
    return word.start if word.value is None else word.value


class Reading:
    """Reads the words of one command by what is known of its program."""

    def __init__(self, name: str, program: Program, words: list[ShellWord], fed: bool) -> None:
        self._name = name
        self._program = program
        self._words = words
        self._fed = fed
        self._given: set[str] = set()
        self._replaced = False
        self._folders: tuple[str | None, ...] = ()
        self._operands: list[ShellWord] = []
        self._values: list[tuple[Use, ShellWord]] = []

    def all(self) -> Iterator[Touched]:
        """Everything that the words touch."""
        self._split()
        if self._program.does("sub") and self._operands:
            first, *self._words = self._operands
            self._operands = []
            known = None if first.value is None else PROGRAMS.get(f"{self._name}-{first.value}")
            self._program = known or UNKNOWN_PROGRAM
            if known is not None:
                self._split()
        for found in self._found():
            yield found
            if self._folders and found.sort is Sort.PATH and not found.place:
                yield replace(found, folders=(*self._folders, *found.folders))

    def _found(self) -> Iterator[Touched]:
        for use, word in self._values:
            if use is Use.INTO:
                yield from self._into(word, self._operands)
            else:
                yield from self._use(use, word)
        if self._program is UNKNOWN_PROGRAM:
            for word in self._words:
                yield from _guess(word)
        else:
            yield from self._by_place()

    def _split(self) -> None:
        """Tell options, their values and operands apart."""
        words, program = self._words, self._program
        place, ended = 0, False
        if program.fixed[:1] in ((Use.TAR,), (Use.FIND,)):
            self._operands = list(words)
            return
        while place < len(words):
            word = words[place]
            place += 1
            text = _known(word)
            if ended or len(text) < 2 or text[0] != "-":
                self._operands.append(word)
                if program.does("sub"):
                    self._operands += words[place:]
                    return
                ended = ended or program.does("ends")
            elif word.value == "--":
                ended = True
            else:
                place = self._option(word, text, place)

    def _option(self, word: ShellWord, text: str, place: int) -> int:
        """Take an option and, where it has one, its value; the place of the next word."""
        name, equals, _ = text.partition("=")
        long = self._long(name)
        if text.startswith("--") or long in self._program.options:
            self._give(long)
            use = self._program.options.get(long)
            if equals:
                self._value(use or self._default(), _part(word, len(name) + 1))
            elif word.value is None:
                self._value(Use.ANY, word)
            elif use is not None and long not in self._program.glued:
                return self._next(use, place)
            return place
        for offset, letter in enumerate(text[1:], 1):
            option = f"-{letter}"
            self._give(option)
            use = self._program.options.get(option)
            if use is None:
                continue
            if offset + 1 < len(text) or word.value is None:
                self._value(use, _part(word, offset + 1))
            elif option not in self._program.glued:
                return self._next(use, place)
            return place
        if word.value is None:
            self._value(Use.ANY, word)
        elif "/" in text:
            self._value(Use.ANY, _part(word, 2))
        return place

    def _long(self, name: str) -> str:
        """The option that an abbreviation stands for, where only one sort of value can be meant."""
        options = self._program.options
        if name in options or not name.startswith("--"):
            return name
        fitting = [option for option in options if option.startswith(name)]
        return fitting[0] if len({options[option] for option in fitting}) == 1 else name

    def _give(self, option: str) -> None:
        self._given.add(option)
        self._replaced = self._replaced or option in self._program.instead

    def _next(self, use: Use, place: int) -> int:
        if place < len(self._words):
            self._value(use, self._words[place])
        return place + 1

    def _value(self, use: Use, word: ShellWord) -> None:
        if use is Use.PLACE:
            self._folders += (word.value,)
        self._values.append((use, word))

    def _default(self) -> Use:
        """What the value of an option is taken for that is not known to have one."""
        return Use.NAME if self._program.rest in (Use.TEXT, Use.NAME) else Use.ANY

    def _by_place(self) -> Iterator[Touched]:
        program, operands = self._program, list(self._operands)
        fixed = () if self._replaced else program.fixed
        if fixed and fixed[0] is Use.TAR:
            yield from self._named(tar_names([word.value for word in operands]))
            return
        if fixed and fixed[0] is Use.FIND:
            yield from self._named(find_names([word.value for word in operands]))
            return
        if fixed and fixed[0] is Use.SCRIPT and not operands:
            yield _anything(Operation.ANY)
        if program.rest is Use.SOCKET:
            yield from _sockets(operands)
            return
        uncertain = False
        for number, word in enumerate(operands):
            last = number == len(operands) - 1
            if number < len(fixed):
                use = fixed[number]
                if uncertain or word.pattern is not None:
                    # What comes before may be any number of words, so that this may be any of them.
                    yield from self._use(program.rest, word)
                yield from self._use(use, word)
            elif last and number > len(fixed) and program.last is not None and not self._replaced:
                if program.last is Use.INTO:
                    yield from self._into(word, operands[len(fixed) : -1])
                else:
                    yield from self._use(program.last, word)
            else:
                yield from self._use(program.rest, word)
            uncertain = uncertain or word.splits or word.pattern is not None
        if len(operands) <= len(fixed) and self._walks(program.rest):
            yield from self._use(program.rest, literal("."))
        if self._fed and program.rest not in (Use.TEXT, Use.NAME):
            yield from self._use(program.rest, ShellWord("(not known)", None))

    def _walks(self, use: Use) -> bool:
        reads = use in (Use.READ, Use.REVISION)
        return reads and self._program.does("walks", self._given)

    def _use(self, use: Use, word: ShellWord) -> Iterator[Touched]:
        """What a program touches by using a word like this."""
        value = word.value
        if use in (Use.PLACE, Use.SETUP):
            sort = Sort.ANYTHING if value is None else Sort.PATH
            yield Touched(word, Operation.READ, sort, place=True)
        elif value is None and use not in (Use.TEXT, Use.NAME):
            yield from self._dynamic(use, word)
        elif value is None or use is Use.TEXT or value in ("", "-"):
            if use is Use.SCRIPT and value == "-":
                yield _anything(Operation.ANY)
        elif use in _PLAIN:
            yield from self._plain(use, word)
        elif use is Use.SCRIPT:
            yield Touched(word, Operation.READ)
        elif use is Use.NAME:
            yield from _by_look(word)
        elif use is Use.URL:
            yield from _address(word, bare=True)
            if self._program.does("saves", self._given) and "://" in value:
                saved = value.split("://", 1)[1].split("?")[0].split("#")[0].rpartition("/")[2]
                if saved:
                    yield Touched(literal(saved), Operation.WRITE, guessed=True)
        else:
            yield from self._inside(use, word, value)

    def _inside(self, use: Use, word: ShellWord, value: str) -> Iterator[Touched]:
        """What a word touches that is more than a name."""
        if use is Use.CODE or (use is Use.AWK and awk_touches_files(value)):
            yield _anything(Operation.ANY)
        elif use is Use.SED:
            yield from self._named(sed_names(value))
        elif use is Use.DATA:
            if value.startswith("@"):
                yield from self._use(Use.READ, _part(word, 1))
        elif use is Use.FORM:
            found = re.match(r"[^=@]*(?:=[@<]?|@)", value)
            if found is not None and found[0][-1] in "@<":
                for name in re.split(r"[;,]", value[found.end() :]):
                    yield from self._use(Use.READ, literal(name))
        elif use is Use.PAIR:
            key, _, _ = value.partition("=")
            which = {"if": Use.READ, "of": Use.WRITE}.get(key)
            if which is not None:
                yield from self._use(which, _part(word, len(key) + 1))
        elif use is Use.MOUNT:
            yield from _mounts(value)
        elif use in (Use.REMOTE, Use.REMOTE_INTO):
            if ":" in value.partition("/")[0]:
                yield from _by_look(word)
            else:
                yield from self._use(Use.READ if use is Use.REMOTE else Use.WRITE, word)
        elif use is Use.REVISION:
            yield from self._plain(Use.READ, word)
            _, colon, rest = value.partition(":")
            if colon and rest:
                yield Touched(literal(rest), Operation.READ, guessed=True)
        elif use is Use.CONNECT:
            yield from _connections(value)

    def _plain(self, use: Use, word: ShellWord) -> Iterator[Touched]:
        value = word.value or ""
        if _QUIET_FILES.match(value) or _is_substitution(word):
            return
        if _ADDRESS.match(value):
            yield from _address(word, bare=False)
            return
        whole = self._program.does("wipes", self._given)
        walks = whole or self._program.does("walks", self._given)
        for operation in _PLAIN[use]:
            if operation is Operation.READ and self._program.does("writes", self._given):
                operation = Operation.ANY
            yield Touched(word, operation, walks=walks, whole=whole)

    def _into(self, word: ShellWord, sources: list[ShellWord]) -> Iterator[Touched]:
        """A destination: itself, and what would lie in it if it is a folder."""
        yield from self._use(Use.WRITE, word)
        value = word.value
        if value is None:
            return
        last = value.rstrip("/").rpartition("/")[2]
        is_folder = value.endswith("/") or last in (".", "..", "~") or len(sources) > 1
        if not is_folder and "." in last.lstrip("."):
            return  # it has an ending, as files do
        for source in sources:
            name = (source.value or "").rstrip("/").rpartition("/")[2]
            if name not in ("", ".", ".."):
                yield Touched(literal(f"{value.rstrip('/')}/{name}"), Operation.WRITE, guessed=True)

    def _dynamic(self, use: Use, word: ShellWord) -> Iterator[Touched]:
        """What a word may touch that is not known before the line runs."""
        if _is_substitution(word):
            return
        if use in (Use.DATA, Use.FORM):
            if word.start and word.start[0] not in "@":
                return
        if use is Use.URL or _ADDRESS.match(word.start):
            yield from _address(word, bare=use is Use.URL)
            return
        operations = _PLAIN.get(use, (Operation.ANY,))
        whole = self._program.does("wipes", self._given)
        for operation in operations:
            if operation is Operation.DELETE and not whole:
                operation = Operation.ANY
            yield Touched(word, operation, Sort.ANYTHING, whole=whole)

    def _named(self, names: list[Named] | None) -> Iterator[Touched]:
        """What a little language names; None where it is not known."""
        if names is None:
            yield _anything(Operation.ANY)
            return
        patterns = {word.value: word.pattern for word in self._operands if word.pattern}
        for name in names:
            sort = Sort.PATH if name.path is not None else Sort.ANYTHING
            word = ShellWord(name.path or "(not known)", name.path, name.path or "", patterns.get(name.path))
            if name.path is not None and _QUIET_FILES.match(name.path):
                continue
            yield Touched(
                word,
                name.operation,
                sort,
                walks=name.walks,
                whole=name.walks and name.operation is Operation.DELETE,
                folders=name.folders,
            )


def _is_substitution(word: ShellWord) -> bool:
    """Whether it is the output or input of another command, which is a descriptor and no file."""
    return word.value is None and word.text[:2] in ("<(", ">(") and word.text.endswith(")")


def _guess(word: ShellWord) -> Iterator[Touched]:
    """What a program that is not known may touch by one of its words."""
    value = word.value
    if value is None:
        if _is_substitution(word):
            return
        if _KNOWN_HOST.match(word.start):
            yield from _address(word, bare=False)
        else:
            yield Touched(word, Operation.ANY, Sort.ANYTHING, guessed=True)
        return
    if value.startswith("-"):
        _, equals, _ = value.partition("=")
        if equals:
            yield from _guess(_part(word, value.index("=") + 1))
        elif not value.startswith("--") and len(value) > 2:
            yield from _guessed_path(value[2:], None)
        return
    if _ADDRESS.match(value):
        yield from _address(word, bare=False)
        return
    yield from _guessed_path(value, word.pattern)
    if value.startswith("@"):
        yield from _guessed_path(value[1:], None)
    elif "=" in value:
        yield from _guess(_part(word, value.index("=") + 1))


def _guessed_path(value: str, pattern: str | None) -> Iterator[Touched]:
    if 0 < len(value) <= MAX_PATH and "\n" not in value and not _QUIET_FILES.match(value):
        yield Touched(ShellWord(value, value, value, pattern), Operation.ANY, guessed=True)


def _by_look(word: ShellWord) -> Iterator[Touched]:
    """A word that names a file or an address only where it is written like one."""
    value = word.value or ""
    for start in {0, value.find("=") + 1}:
        part = value[start:]
        if _ADDRESS.match(part):
            yield from _address(_part(word, start), bare=False)
        elif _LIKE_A_PATH.match(part):
            yield from _guessed_path(part, word.pattern if start == 0 else None)


def _address(word: ShellWord, *, bare: bool) -> Iterator[Touched]:
    """An address; where the word is not known as a whole its host may be."""
    value = word.value
    if value is None:
        known = _KNOWN_HOST.match(word.start)
        if known is None:
            yield Touched(word, Operation.READ, Sort.ADDRESS)
            return
        value = known[0]
    if value[:5].lower() == "file:":
        yield Touched(literal(value), Operation.READ)
        return
    if "://" not in value and bare:
        value = f"http://{value}"
    if " " in value and not bare:
        return
    yield Touched(literal(value), Operation.READ, Sort.ADDRESS, guessed=not bare)


def _sockets(operands: list[ShellWord]) -> Iterator[Touched]:
    for host, port in zip(operands, operands[1:], strict=False):
        if host.value is None or port.value is None:
            yield Touched(ShellWord(host.text, None), Operation.ANY, Sort.ADDRESS)
        elif port.value.isdigit():
            yield Touched(
                literal(f"http://{host.value}:{port.value}"), Operation.ANY, Sort.ADDRESS
            )


def _connections(value: str) -> Iterator[Touched]:
    """`h:p:host:port` and `h:p:address` of curl, `TCP:host:port` and `OPEN:file` of socat."""
    parts = re.split(r":(?![^\[]*\])", value.partition(",")[0])
    if len(parts) == 1 and parts[0].startswith(("/", ".")):
        yield Touched(literal(parts[0]), Operation.ANY)
    for host, port in zip(parts, parts[1:], strict=False):
        if host and port.isdigit():
            yield Touched(literal(f"http://{host}:{port}"), Operation.ANY, Sort.ADDRESS)
    if len(parts) == 3 and parts[1].isdigit():
        yield Touched(literal(f"http://{parts[2]}:{parts[1]}"), Operation.ANY, Sort.ADDRESS)
    if len(parts) == 2 and not parts[1].isdigit():
        yield from _guessed_path(parts[1], None)


def _mounts(value: str) -> Iterator[Touched]:
    fields = dict(field.partition("=")[::2] for field in value.split(","))
    sources = [fields[key] for key in ("source", "src") if key in fields]
    if not sources and "=" not in value.partition(":")[0]:
        sources = [value.partition(":")[0]]
    for source in sources:
        if _LIKE_A_PATH.match(source):
            yield Touched(literal(source), Operation.ANY, walks=True)
