"""The syntax of a command line as both readers give it: a small tree of frozen values (POL-30)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Bare:
    """Characters outside quotes, none of them escaped: `~`, braces and glob signs still count."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """Characters that mean themselves."""

    text: str


@dataclass(frozen=True, slots=True)
class Double:
    """What stands in double quotes."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name…}`; `form` is empty for these two, else the operator (`:-`, `@P`, `!`, `[`).

    `words` are the words inside it, `sums` what the shell computes for it: subscripts, offsets.
    """

    name: str
    form: str = ""
    words: tuple[Word, ...] = ()
    sums: tuple[Sum, ...] = ()
    many: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """A command or process substitution (`process`)."""

    body: Statements
    process: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((…))`."""

    sum: Sum


@dataclass(frozen=True, slots=True)
class Unclear:
    """A piece whose value is not known although it runs nothing; `why` is None, or a reason to doubt."""

    why: str | None = None


Piece: TypeAlias = Bare | Quoted | Double | Parameter | Substitution | Arithmetic | Unclear


@dataclass(frozen=True, slots=True)
class Word:
    """A word; one that plainly means its characters has `literal` and no pieces."""

    text: str
    literal: str | None
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Sum:
    """An arithmetic expression: its operands, in order, and the names that it gives a number."""

    operands: tuple[Word, ...]
    assigned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    """`name=value`; `items` are the words of an array, `naked` tells that there is no `=`."""

    text: str
    name: str
    value: Word | None = None
    items: tuple[Word, ...] | None = None
    sums: tuple[Sum, ...] = ()
    append: bool = False
    naked: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection; `descriptor` is the number or `{name}` before it, `body` that of a heredoc."""

    text: str
    sign: str
    target: Word
    descriptor: str = ""
    body: Word | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command."""

    words: tuple[Word, ...]
    assigns: tuple[Assign, ...] = ()


@dataclass(frozen=True, slots=True)
class Declare:
    """`export`, `declare` and the like, whose operands may be assignments."""

    variant: str
    operands: tuple[Word | Assign, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Statements joined by `&&` and `||`: one sign fewer than parts."""

    parts: tuple[Statement, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Statements joined by `|` or `|&`."""

    parts: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ …; }`, or `( … )` where `subshell`."""

    body: Statements
    subshell: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """`if`; an `elif` is an `If` in `otherwise`."""

    condition: Statements
    then: Statements
    otherwise: Statements


@dataclass(frozen=True, slots=True)
class While:
    """`while`, or `until`."""

    condition: Statements
    body: Statements
    until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`for` or `select` over words; without `words` it goes over the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Statements


@dataclass(frozen=True, slots=True)
class Count:
    """`for ((…; …; …))`."""

    sums: tuple[Sum, ...]
    body: Statements


@dataclass(frozen=True, slots=True)
class Case:
    """`case`; each arm is its patterns and its body."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], Statements], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """`[[ … ]]`: every comparison in it as its operator and its operands, and all its words as written."""

    words: tuple[Word, ...]
    comparisons: tuple[tuple[str, tuple[Word, ...]], ...]


@dataclass(frozen=True, slots=True)
class Compute:
    """`(( … ))`, or `let` where `let`."""

    sums: tuple[Sum, ...]
    words: tuple[Word, ...] = ()
    let: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """The definition of a function."""

    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class Coprocess:
    """`coproc`."""

    name: Word | None
    body: Statement


@dataclass(frozen=True, slots=True)
class Timed:
    """`time` before a pipeline."""

    body: Statement | None
    posix: bool = False


@dataclass(frozen=True, slots=True)
class Strange:
    """A construct that is not known here."""

    kind: str


Command: TypeAlias = (
    Simple
    | Declare
    | Chain
    | Pipeline
    | Group
    | If
    | While
    | For
    | Count
    | Case
    | Check
    | Compute
    | Function
    | Coprocess
    | Timed
    | Strange
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A command with its redirections; `text` is its part of the line."""

    text: str
    command: Command | None
    redirects: tuple[Redirect, ...] = ()
    negated: bool = False
    background: bool = False


Statements: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole line, and which of the constructs in it other shells than bash read in another way."""

    body: Statements
    bashisms: tuple[str, ...] = ()
