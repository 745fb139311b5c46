"""Shown text as rows of a terminal: marks as boxes, warnings underlined, nothing lost at a fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text as Row

from sayso.channels.display import Cut, Mark, Shown, Text

MARK_STYLE = "bold red reverse"
WARN_STYLE = "yellow underline"
CUT_STYLE = "bold yellow"
TAB = 8


def lines_of(shown: Shown) -> Iterator[Shown]:
    """The lines of a shown text, without their ends; what says that it was cut stands alone."""
    line: list[Text | Mark | Cut] = []
    for run in shown:
        if isinstance(run, Cut):
            yield tuple(line)
            line = [run]
            continue
        if not isinstance(run, Text):
            line.append(run)
            continue
        for number, piece in enumerate(run.text.split("\n")):
            if number:
                yield tuple(line)
                line = []
            if piece:
                line.append(Text(piece, run.warn))
    yield tuple(line)


def fold(line: Shown, width: int, style: str = "") -> list[Row]:
    """One line as rows at most so wide, each character kept; spaces at its end are underlined."""
    rows = _Rows(width)
    for run in line:
        match run:
            case Mark(code):
                rows.put(f"[{code}]", MARK_STYLE, len(code) + 2)
            case Cut():
                for char in f"… {run.words}":
                    rows.put(char, CUT_STYLE, cell_len(char))
            case Text(text, warn):
                look = style if warn is None else f"{style} {WARN_STYLE}".strip()
                for part in text if text.isascii() else _clusters(text):
                    size = TAB - rows.used % TAB if part == "\t" else cell_len(part)
                    rows.put(" " * size if part == "\t" else part, look, size)
    return rows.finished()


class _Rows:
    """Rows as they fill up; neighbours of one style are kept as one piece."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._rows: list[list[tuple[list[str], str]]] = [[]]
        self.used = 0

    def put(self, piece: str, look: str, size: int) -> None:
        if self.used and self.used + size > self._width:
            self._rows.append([])
            self.used = 0
        row = self._rows[-1]
        if row and row[-1][1] == look:
            row[-1][0].append(piece)
        else:
            row.append(([piece], look))
        self.used += size

    def finished(self) -> list[Row]:
        rows = [Row.assemble(*(("".join(p), look) for p, look in row)) for row in self._rows]
        last = rows[-1]
        ends = len(last.plain) - len(last.plain.rstrip(" "))
        if ends:
            last.stylize("underline dim", len(last.plain) - ends)
        return rows


def warnings_of(shown: Iterable[Shown]) -> list[Row]:
    """Each thing that is odd in these texts, once: the hidden characters by name, the look-alikes."""
    said: dict[str, Row] = {}
    for run in (run for text in shown for run in text):
        if isinstance(run, Mark):
            line = Row().append(f"[{run.code}]", MARK_STYLE).append(f" is {run.name}")
            said.setdefault(line.plain, line)
        elif isinstance(run, Text) and run.warn is not None:
            line = Row().append(run.text, WARN_STYLE).append(f" {run.warn}")
            said.setdefault(line.plain, line)
    return list(said.values())


def _clusters(text: str) -> Iterator[str]:
    """The characters of a text, each with the combining marks that sit on it."""
    piece = ""
    for char in text:
        if piece and (char == "\t" or piece == "\t" or cell_len(char) > 0):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece
