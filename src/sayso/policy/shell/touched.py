"""One thing that a command touches, and what words name by their look alone (POL-36)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from sayso.core.operation import Operation
from sayso.core.plain_members import plain_members
from sayso.core.shell_command import Redirection, ShellWord
from sayso.policy.shell.words import after, literal

MAX_PATH = 4096
"""No longer path can be opened."""

NOT_KNOWN = "(not known)"

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_KNOWN_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]+[/?#]")
_HOST_AND_PORT = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])?:[0-9]{1,5}(?:[/?#]|$)"
)
_LIKE_A_PATH = re.compile(r"[./~]|[^=]*/")
_CONNECTION = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/([^/]+)$")
_QUIET_FILES = re.compile(
    r"/dev/(?:null|stdin|stdout|stderr|tty|zero|full|random|urandom|fd/[0-9]+)$"
)


@plain_members
class Sort(StrEnum):
    """What sort of thing a word names."""

    PATH = "path"
    ADDRESS = "address"
    ANYTHING = "anything"


class Touched(Struct, frozen=True):
    """One thing that a command touches.

    `folders` are steps from the folder it runs in to the one that the word is relative to. `guessed`
    tells that the program is not known to take the word for a file. `walks` stands for all below a
    folder, `whole` for a removal with all below. `redirected` is a redirection that writes, `place` what
    tells the program where to work.
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


def anything() -> Touched:
    """Any file, and nothing is known of what is done to it."""
    return Touched(ShellWord(NOT_KNOWN, None), Operation.ANY, Sort.ANYTHING)


def redirected(redirection: Redirection) -> Iterator[Touched]:
    """The file of a redirection, and the host that bash connects to for some names."""
    operation, word = redirection.operation, redirection.target
    writes = operation is not Operation.READ
    if word.value is not None:
        if is_quiet(word.value):
            return
        found = _CONNECTION.match(word.value)
        if found is not None:
            yield Touched(literal(f"http://{found[1]}:{found[2]}"), operation, Sort.ADDRESS)
    yield Touched(word, operation, redirected=writes)


def is_quiet(path: str) -> bool:
    """Whether nothing is read or written there that stays: the null device, the terminal, descriptors."""
    return path[:5] == "/dev/" and _QUIET_FILES.match(path) is not None


def is_address(text: str) -> bool:
    """Whether the text begins like a URL."""
    return _ADDRESS.match(text) is not None


def is_substitution(word: ShellWord) -> bool:
    """Whether it is the output or input of another command, which is a descriptor and no file."""
    return word.value is None and word.text[:2] in ("<(", ">(") and word.text.endswith(")")


def guess(word: ShellWord) -> Iterator[Touched]:
    """What a program that is not known may touch by one of its words."""
    value = word.value
    if value is None:
        if is_substitution(word):
            return
        if _KNOWN_HOST.match(word.start):
            yield from address(word, bare=False)
        else:
            yield Touched(word, Operation.ANY, Sort.ANYTHING, guessed=True)
        return
    if value.startswith("-"):
        _, equals, _ = value.partition("=")
        if equals:
            yield from guess(after(word, value.index("=") + 1))
        elif not value.startswith("--") and len(value) > 2:
            yield from guessed_path(value[2:], None)
        return
    if is_address(value):
        yield from address(word, bare=False)
        return
    yield from _host_and_port(value)
    yield from guessed_path(value, word.pattern)
    if value.startswith("@"):
        yield from guessed_path(value[1:], None)
    elif "=" in value:
        yield from guess(after(word, value.index("=") + 1))


def guessed_path(value: str, pattern: str | None) -> Iterator[Touched]:
    """A text that a program may take for a path."""
    if 0 < len(value) <= MAX_PATH and "\n" not in value and not is_quiet(value):
        yield Touched(ShellWord(value, value, value, pattern), Operation.ANY, guessed=True)


def _host_and_port(text: str) -> Iterator[Touched]:
    """An address without a scheme; some programs mean this machine by a port alone."""
    if _HOST_AND_PORT.match(text):
        full = f"http://localhost{text}" if text.startswith(":") else f"http://{text}"
        yield Touched(literal(full), Operation.ANY, Sort.ADDRESS, guessed=True)


def by_look(word: ShellWord) -> Iterator[Touched]:
    """A word that names a file or an address only where it is written like one."""
    value = word.value or ""
    for start in {0, value.find("=") + 1}:
        part = value[start:]
        if is_address(part):
            yield from address(after(word, start), bare=False)
            continue
        yield from _host_and_port(part)
        if _LIKE_A_PATH.match(part):
            yield from guessed_path(part, word.pattern if start == 0 else None)


def address(word: ShellWord, *, bare: bool) -> Iterator[Touched]:
    """An address; where the word is not known as a whole its host may be."""
    value = word.value
    if value is None:
        known = _KNOWN_HOST.match(word.start)
        if known is None and "file:".startswith(word.start[:5].lower()):
            # It may be the address of a file.
            yield Touched(ShellWord(word.text, None), Operation.READ, Sort.ANYTHING)
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


def sockets(operands: list[ShellWord]) -> Iterator[Touched]:
    """Hosts that stand before their port."""
    for host, port in pairwise(operands):
        if host.value is None or port.value is None:
            yield Touched(ShellWord(host.text, None), Operation.ANY, Sort.ADDRESS)
        elif port.value.isdigit():
            name = f"[{host.value}]" if ":" in host.value else host.value
            yield Touched(literal(f"http://{name}:{port.value}"), Operation.ANY, Sort.ADDRESS)


def connections(value: str) -> Iterator[Touched]:
    """`h:p:host:port` and `h:p:address` of curl, `TCP:host:port` and `OPEN:file` of socat."""
    parts = re.split(r":(?![^\[]*\])", value.partition(",")[0])
    if len(parts) == 1 and parts[0].startswith(("/", ".")):
        yield Touched(literal(parts[0]), Operation.ANY)
    for host, port in pairwise(parts):
        if host and port.isdigit():
            yield Touched(literal(f"http://{host}:{port}"), Operation.ANY, Sort.ADDRESS)
    if len(parts) == 3 and parts[1].isdigit():
        yield Touched(literal(f"http://{parts[2]}:{parts[1]}"), Operation.ANY, Sort.ADDRESS)
    if len(parts) == 2 and not parts[1].isdigit():
        yield from guessed_path(parts[1], None)


def mounts(value: str) -> Iterator[Touched]:
    """The folder of this machine that a container is given."""
    fields = dict(field.partition("=")[::2] for field in value.split(","))
    sources = [fields[key] for key in ("source", "src") if key in fields]
    if not sources and "=" not in value.partition(":")[0]:
        sources = [value.partition(":")[0]]
    for source in sources:
        if _LIKE_A_PATH.match(source):
            yield Touched(literal(source), Operation.ANY, walks=True)
