"""The syntax of a command line as both readers give it: a small tree of frozen values (POL-30)."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

MAX_DEPTH: Final = 64
"""Commands within commands that are looked at (POL-40)."""


class Bare(Struct, frozen=True):
    """Characters outside quotes, none of them escaped: `~`, braces and glob signs still count."""

    text: str


class Quoted(Struct, frozen=True):
    """Characters that mean themselves."""

    text: str


class Double(Struct, frozen=True):
    """What stands in double quotes."""

    pieces: tuple[Piece, ...]


class Parameter(Struct, frozen=True):
    """`$name` or `${name…}`; `form` is empty for these two, else the operator (`:-`, `@P`, `!`, `[`).

    `words` are the words inside it, `sums` what the shell computes for it: subscripts, offsets.
    """

    name: str
    form: str = ""
    words: tuple[Word, ...] = ()
    sums: tuple[Sum, ...] = ()
    many: bool = False


class Substitution(Struct, frozen=True):
    """A command or process substitution (`process`)."""

    body: Statements
    process: bool = False


class Arithmetic(Struct, frozen=True):
    """`$((…))`."""

    sum: Sum


class Unclear(Struct, frozen=True):
    """A piece whose value is not known although it runs nothing; `why` is None, or a reason to doubt."""

    why: str | None = None


Piece: TypeAlias = Bare | Quoted | Double | Parameter | Substitution | Arithmetic | Unclear


class Word(Struct, frozen=True):
    """A word; one that plainly means its characters has `literal` and no pieces."""

    text: str
    literal: str | None
    pieces: tuple[Piece, ...] = ()


class Sum(Struct, frozen=True):
    """An arithmetic expression: its operands, in order, and the names that it gives a number."""

    operands: tuple[Word, ...]
    assigned: tuple[str, ...] = ()


class Assign(Struct, frozen=True):
    """`name=value`; `items` are the words of an array, `naked` tells that there is no `=`."""

    text: str
    name: str
    value: Word | None = None
    items: tuple[Word, ...] | None = None
    sums: tuple[Sum, ...] = ()
    append: bool = False
    naked: bool = False


class Redirect(Struct, frozen=True):
    """A redirection; `descriptor` is the number or `{name}` before it, `body` that of a heredoc."""

    text: str
    sign: str
    target: Word
    descriptor: str = ""
    body: Word | None = None


class Simple(Struct, frozen=True):
    """A simple command."""

    words: tuple[Word, ...]
    assigns: tuple[Assign, ...] = ()


class Declare(Struct, frozen=True):
    """`export`, `declare` and the like, whose operands may be assignments."""

    variant: str
    operands: tuple[Word | Assign, ...]


class Chain(Struct, frozen=True):
    """Statements joined by `&&` and `||`: one sign fewer than parts."""

    parts: tuple[Statement, ...]
    signs: tuple[str, ...]


class Pipeline(Struct, frozen=True):
    """Statements joined by `|` or `|&`."""

    parts: tuple[Statement, ...]


class Group(Struct, frozen=True):
    """`{ …; }`, or `( … )` where `subshell`."""

    body: Statements
    subshell: bool = False


class If(Struct, frozen=True):
    """`if`; an `elif` is an `If` in `otherwise`."""

    condition: Statements
    then: Statements
    otherwise: Statements


class While(Struct, frozen=True):
    """`while`, or `until`."""

    condition: Statements
    body: Statements
    until: bool = False


class For(Struct, frozen=True):
    """`for` or `select` over words; without `words` it goes over the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Statements


class Count(Struct, frozen=True):
    """`for ((…; …; …))`."""

    sums: tuple[Sum, ...]
    body: Statements


class Case(Struct, frozen=True):
    """`case`; each arm is its patterns and its body."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], Statements], ...]


class Check(Struct, frozen=True):
    """`[[ … ]]`: every comparison in it as its operator and its operands, and all its words as written."""

    words: tuple[Word, ...]
    comparisons: tuple[tuple[str, tuple[Word, ...]], ...]


class Compute(Struct, frozen=True):
    """`(( … ))`, or `let` where `let`."""

    sums: tuple[Sum, ...]
    words: tuple[Word, ...] = ()
    let: bool = False


class Function(Struct, frozen=True):
    """The definition of a function."""

    name: str
    body: Statement


class Coprocess(Struct, frozen=True):
    """`coproc`."""

    name: Word | None
    body: Statement


class Timed(Struct, frozen=True):
    """`time` before a pipeline."""

    body: Statement | None
    posix: bool = False


class Strange(Struct, frozen=True):
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


class Statement(Struct, frozen=True):
    """A command with its redirections; `text` is its part of the line."""

    text: str
    command: Command | None
    redirects: tuple[Redirect, ...] = ()
    negated: bool = False
    background: bool = False


Statements: TypeAlias = tuple[Statement, ...]


class Script(Struct, frozen=True):
    """A whole line, and which of the constructs in it other shells than bash read in another way."""

    body: Statements
    bashisms: tuple[str, ...] = ()
