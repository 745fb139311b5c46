"""What the words and redirections of one command touch: files, hosts, and what cannot be known (POL-36).

Nothing is looked up here: what is found is as written, to be made into targets by `command_targets.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from sayso.core.operation import Operation
from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.shell.arguments import Arguments
from sayso.policy.shell.find_and_tar import Named, find_names, tar_names
from sayso.policy.shell.program_name import base_name, trusted_name
from sayso.policy.shell.programs import PROGRAMS, Program, Use, program_of
from sayso.policy.shell.scripts import Deed, Effect, awk_effects, sed_effects
from sayso.policy.shell.touched import (
    NOT_KNOWN,
    Sort,
    Touched,
    address,
    anything,
    by_look,
    connections,
    guess,
    guessed_path,
    is_address,
    is_quiet,
    is_substitution,
    mounts,
    redirected,
    sockets,
)
from sayso.policy.shell.words import after, literal
from sayso.policy.shell.wrapper_table import CONTAINER_PROGRAMS, SHELLS
from sayso.policy.shell.wrappers import runs_its_words

_MANY_COLONS = 16
"""A word with more parts between colons is not looked through."""

_SQL_TOUCHES = re.compile(
    r"(?:^|[\s;])[\\.](?!(?:tables|schema|indexes|databases|mode|headers?|d[a-z]*\+?|l\+?|x|timing|conninfo)\b)|"
    r"\b(?:readfile|writefile|fsdir|zipfile|edit|load_extension|load_file|pg_\w+|lo_\w+|attach|into|copy|"
    r"load|infile|outfile|import|source|system|create|vacuum)\b",
    re.IGNORECASE,
)
"""What may touch files beside the database: commands of its shell, functions, statements."""

_PLAIN = {
    Use.READ: (Operation.READ,),
    Use.WRITE: (Operation.WRITE,),
    Use.INTO: (Operation.WRITE,),
    Use.ANY: (Operation.ANY,),
    Use.DELETE: (Operation.DELETE,),
    Use.MOVE: (Operation.READ, Operation.DELETE),
}


ELSEWHERE = CONTAINER_PROGRAMS | {"docker-compose", "kubectl", "oc", "ssh"}
"""Programs that run a command where other files are: its paths are not those of this machine."""


def name_of(command: ShellCommand) -> str | None:
    """The base name of a command's program in small letters; None where it is not known."""
    if not command.words or command.words[0].value is None:
        return None
    return base_name(command.words[0].value).lower()


def touched(command: ShellCommand) -> Iterator[Touched]:
    """What a command touches, by its redirections, operands and the values of its options."""
    for redirection in command.redirections:
        yield from redirected(redirection)
    if not command.words or (command.wrappers and not ELSEWHERE.isdisjoint(command.wrappers)):
        return
    called = command.words[0]
    if called.value is not None and "/" in called.value and trusted_name(called.value) is None:
        yield Touched(called, Operation.READ)  # it is read to be run
    name = name_of(command)
    program = None if name is None else PROGRAMS.get(name) or program_of(name)
    if program is None:
        # The words of a program that runs another one are those of the other.
        for word in () if runs_its_words(command.words) else command.words[1:]:
            yield from guess(word)
    elif not (program.marks and program.does("quiet")):
        if program.rest is Use.ANY and name not in SHELLS and runs_its_words(command.words):
            program = replace(program, rest=Use.TEXT)
        piped = command.piped and program.does("pipes")
        yield from _read(name or "", program, list(command.words[1:]), piped=piped)
        made = program.marks.get("makes", frozenset())
        if made and not any(
            found.operation is not Operation.READ for found in command.redirections
        ):
            yield from (Touched(literal(file), Operation.WRITE, guessed=True) for file in made)


def _read(
    name: str, program: Program, words: list[ShellWord], *, piped: bool = False
) -> Iterator[Touched]:
    reading = _Reading(program, words, piped=piped)
    folders = reading.folders
    found = reading.all()
    if reading.sub and reading.operands:
        first, *rest = reading.operands
        known = None if first.value is None else PROGRAMS.get(f"{name}-{first.value}")
        below = (
            chain.from_iterable(map(guess, rest)) if known is None else _Reading(known, rest).all()
        )
        found = chain(reading.of_options(), below)
    for thing in found:
        yield thing
        if folders and thing.sort is Sort.PATH and not thing.place:
            yield replace(thing, folders=(*folders, *thing.folders))


class _Reading(Arguments):
    """Reads the words of one command by what is known of its program."""

    __slots__ = ("piped",)

    def __init__(self, program: Program, words: list[ShellWord], *, piped: bool = False) -> None:
        super().__init__(program, words)
        self.piped = piped

    def all(self) -> Iterator[Touched]:
        """Everything that the words touch."""
        if self.values:
            yield from self.of_options()
        yield from self._by_place()

    def of_options(self) -> Iterator[Touched]:
        """What the values of options touch."""
        for use, word in self.values:
            if use is Use.INTO:
                yield from self._into(word, self.operands)
            else:
                yield from self._use(use, word)

    def _by_place(self) -> Iterator[Touched]:
        program, operands = self.program, self.operands
        fixed = () if self.replaced else program.fixed
        if fixed and fixed[0] is Use.TAR:
            yield from self._named(tar_names([word.value for word in operands]))
            return
        if fixed and fixed[0] is Use.FIND:
            yield from self._named(find_names([word.value for word in operands]))
            return
        script = bool(fixed) and fixed[0] is Use.SCRIPT
        silent = script and not operands and not program.does("tells", self.given)
        if silent or (program.marks and program.does("anything")):
            yield anything()
        if program.rest is Use.SOCKET:
            yield from sockets(operands)
            return
        for file in () if operands else program.marks.get("unnamed", ()):
            yield Touched(literal(file), Operation.WRITE, guessed=True)
        uncertain = False
        for number, word in enumerate(operands):
            last = number == len(operands) - 1
            if number < len(fixed):
                use = fixed[number]
                if uncertain or word.splits or word.pattern is not None:
                    # What comes before may be any number of words, so that this may be any of them.
                    yield from self._use(program.rest, word)
                yield from self._use(use, word)
            elif last and number > len(fixed) and program.last is not None and not self.replaced:
                if program.last is Use.INTO:
                    yield from self._into(word, operands[len(fixed) : -1])
                else:
                    yield from self._use(program.last, word)
            else:
                yield from self._use(program.rest, word)
            uncertain = uncertain or word.splits or word.pattern is not None
        if len(operands) <= len(fixed) and self._walks(program.rest) and not self._takes_pipe():
            yield from self._use(program.rest, literal("."))

    def _takes_pipe(self) -> bool:
        lists = self.given & {"--files", "--type-list", "-f", "--file"}
        return self.piped and not lists

    def _walks(self, use: Use) -> bool:
        reads = use in (Use.READ, Use.REVISION)
        return reads and self.program.does("walks", self.given)

    def _use(self, use: Use, word: ShellWord) -> Iterable[Touched]:
        """What a program touches by using a word like this."""
        value = word.value
        if use is Use.TEXT:
            return ()
        if use is Use.PLACE or use is Use.SETUP:
            sort = Sort.ANYTHING if value is None else Sort.PATH
            return (Touched(word, Operation.READ, sort, place=True),)
        if value is None:
            return () if use is Use.NAME else self._dynamic(use, word)
        if value in ("", "-"):
            return (anything(),) if value and use is Use.SCRIPT else ()
        if use in _PLAIN:
            return self._plain(use, word)
        if use is Use.SCRIPT:
            return (Touched(word, Operation.READ),)
        if use is Use.NAME:
            return by_look(word)
        if use is Use.URL:
            return self._url(word, value)
        return self._inside(use, word, value)

    def _url(self, word: ShellWord, value: str) -> Iterator[Touched]:
        """An address, and the file that is named like it."""
        yield from address(word, bare=True)
        if self.program.does("saves", self.given) and "://" in value:
            saved = value.split("://", 1)[1].split("?")[0].split("#")[0].rpartition("/")[2]
            if saved:
                yield Touched(literal(saved), Operation.WRITE, guessed=True)

    def _inside(self, use: Use, word: ShellWord, value: str) -> Iterator[Touched]:
        """What a word touches that is more than a name."""
        if use is Use.CODE:
            yield anything()
        elif use is Use.SQL:
            if _SQL_TOUCHES.search(value):
                yield anything()
        elif use in (Use.SED, Use.AWK):
            yield from self._by_script(sed_effects(value) if use is Use.SED else awk_effects(value))
        elif use is Use.DATA:
            if value.startswith("@"):
                yield from self._use(Use.READ, after(word, 1))
        elif use is Use.FORM:
            found = re.match(r"[^=@]*(?:=[@<]?|@)", value)
            if found is not None and found[0][-1] in "@<":
                for name in re.split(r"[;,]", value[found.end() :]):
                    yield from self._use(Use.READ, literal(name))
        elif use is Use.PAIR:
            key, _, _ = value.partition("=")
            which = {"if": Use.READ, "of": Use.WRITE}.get(key)
            if which is not None:
                yield from self._use(which, after(word, len(key) + 1))
        elif use is Use.MOUNT:
            yield from mounts(value)
        elif use in (Use.REMOTE, Use.REMOTE_INTO):
            if ":" in value.partition("/")[0]:
                yield from by_look(word)
            else:
                yield from self._use(Use.READ if use is Use.REMOTE else Use.WRITE, word)
        elif use is Use.REVISION:
            yield from self._plain(Use.READ, word)
            # `revision:file`, `:stage:file`, `:function:file`: a name may have colons of its own too.
            parts = value.split(":")
            if len(parts) > _MANY_COLONS:
                yield anything()
                return
            for place in range(1, len(parts)):
                if rest := ":".join(parts[place:]):
                    yield Touched(literal(rest), Operation.READ, guessed=True)
        elif use is Use.CONNECT:
            yield from connections(value)

    def _plain(self, use: Use, word: ShellWord) -> Iterator[Touched]:
        value = word.value or ""
        if is_quiet(value):
            return
        if "://" in value and is_address(value):
            yield from address(word, bare=False)
            return
        if "=" in value or value[:1] == "@":
            yield from self._named_in(use, value)
        program, given = self.program, self.given
        whole = walks = writes = False
        if program.marks:
            whole, writes = program.does("wipes", given), program.does("writes", given)
            walks = whole or program.does("walks", given)
        for operation in _PLAIN[use]:
            if writes and operation is Operation.READ:
                operation = Operation.ANY
            yield Touched(word, operation, guessed=use is Use.ANY, walks=walks, whole=whole)

    def _named_in(self, use: Use, value: str) -> Iterator[Touched]:
        """A file named behind `key=`, `key=@` or `@`, as many programs have it."""
        _, equals, rest = value.rpartition("=")
        if equals and rest[:1] == "@":
            yield from guessed_path(rest[1:], None)
        elif use is Use.ANY and (equals or value[:1] == "@"):
            yield from guessed_path(rest if equals else value[1:], None)

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
        if is_substitution(word):
            return
        if use in (Use.DATA, Use.FORM) and word.start[:1] not in ("", "@"):
            return
        if use is Use.URL or is_address(word.start):
            yield from address(word, bare=use is Use.URL)
            return
        operations = _PLAIN.get(use, (Operation.ANY,))
        whole = self.program.does("wipes", self.given)
        for operation in operations:
            if operation is Operation.DELETE and not whole:
                operation = Operation.ANY
            yield Touched(word, operation, Sort.ANYTHING, whole=whole)

    def _by_script(self, effects: frozenset[Effect]) -> Iterator[Touched]:
        """What a script reads and writes; anything where it runs programs or names no file."""
        if any(effect.file is None for effect in effects):
            yield anything()
        for effect in sorted(effects, key=str):
            if effect.file is not None:
                reads = effect.deed is Deed.READS
                named = Named(effect.file, Operation.READ if reads else Operation.WRITE)
                yield from self._named([named])

    def _named(self, names: list[Named]) -> Iterator[Touched]:
        """What a little language names."""
        patterns = {word.value: word.pattern for word in self.operands if word.pattern}
        for name in names:
            sort = Sort.PATH if name.path is not None else Sort.ANYTHING
            word = ShellWord(
                name.path or NOT_KNOWN, name.path, name.path or "", patterns.get(name.path)
            )
            if name.path is not None and is_quiet(name.path):
                continue
            yield Touched(
                word,
                name.operation,
                sort,
                walks=name.walks,
                whole=name.walks and name.operation is Operation.DELETE,
                folders=name.folders,
            )
