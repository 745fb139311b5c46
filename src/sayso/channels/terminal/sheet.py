"""Rows of a terminal as they are gathered: each text behind its edge, what is odd in it said below."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from enum import Enum

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Row

from sayso.channels.display import Cut, Shown, cut, show
from sayso.channels.terminal.rows import CUT_STYLE, fold, lines_of, warnings_of

MAX_WIDTH = 80
WORDS_ROWS = 20
"""How many rows of the agent's words, and of a sentence, are drawn before they are cut."""


class Look(Enum):
    """How much a terminal can set apart: colours, bold and reverse without colours, or nothing."""

    COLOUR = "colour"
    MONOCHROME = "monochrome"
    PLAIN = "plain"


class Sheet:
    """Rows being gathered, which knows whether something had to be hidden."""

    def __init__(self, width: int, *, full: bool) -> None:
        self.width = width
        self.full = full
        self.cut = False
        self.cut_what = False
        self._rows: list[Row] = []
        self._warned: set[str] = set()

    def add(self, row: Row) -> None:
        """Add a row as it is."""
        self._rows.append(row)

    def heading(self, words: str) -> None:
        """Add a heading, with an empty row before it."""
        self.add(Row())
        self.add(Row(f" {words}", "bold dim"))

    def hide(self, words: str, *, what: bool = False) -> None:
        """Note that something is hidden, and say so; `what`: of what will run."""
        self.cut = True
        self.cut_what = self.cut_what or what
        self.prose(show(words), "  ", CUT_STYLE)

    def prose(self, shown: Shown, edge: str, style: str = "") -> None:
        """Add a text that breaks between words, at most `WORDS_ROWS` rows of it."""
        self.block(shown, edge, WORDS_ROWS, style=style, prose=True)

    def _wrapped(self, line: Shown, room: int, style: str) -> Iterable[Row]:
        (row,) = fold(line, 10**9, style)
        rows = row.wrap(_console(room, Look.PLAIN), room)
        for part in rows:
            part.rstrip()
        return rows

    def block(
        self,
        shown: Shown,
        edge: str,
        limit: int,
        *,
        style: str = "",
        style_of: Callable[[str], str] | None = None,
        what: bool = False,
        prose: bool = False,
        again: str | None = None,
    ) -> int:
        """Add a text with its edge before each row; returns how many rows it took.

        A row that goes on from the one before has a broken edge, so that lines can be told apart.
        `prose` breaks rows between words, where a space may go. `again` is another edge for those rows.
        """
        room = self.width - cell_len(edge)
        if not self.full:
            limit = max(limit, 1)
            shown = cut(shown, limit * room, lines=limit)
            if any(isinstance(run, Cut) for run in shown):
                self.cut = True
                self.cut_what = self.cut_what or what
        if again is None:
            again = edge.replace("│", "┆").replace("▏", "┆")
        room = min(room, self.width - cell_len(again))
        taken = 0
        for line in lines_of(shown):
            first = line[0] if line else None
            begins = getattr(first, "text", "")
            look = style if style_of is None else style_of(begins)
            rows = self._wrapped(line, room, look) if prose else fold(line, room, look)
            for number, row in enumerate(rows):
                self.add(Row().append(again if number else edge, "dim").append_text(row))
                taken += 1
        return taken

    def warn(self, texts: Iterable[Shown]) -> None:
        """Say what is odd in these texts, and was not said on this sheet before."""
        found = [row for row in warnings_of(texts) if row.plain not in self._warned]
        self._warned.update(row.plain for row in found)
        for row in found[:WORDS_ROWS] if not self.full else found:
            if not self.full:
                row.truncate(10 * self.width, overflow="ellipsis")
            room = self.width - 4
            for number, part in enumerate(row.wrap(_console(room, Look.PLAIN), room)):
                self.add(Row().append("    " if number else "  ! ", "yellow").append_text(part))
        if len(found) > WORDS_ROWS and not self.full:
            self.hide(f"… {len(found) - WORDS_ROWS:,} more kinds of odd characters")

    def printed(self, look: Look) -> str:
        """All rows as text for a terminal."""
        console = _console(self.width, look)
        for row in self._rows:
            console.print(row, no_wrap=True, overflow="ignore", crop=False)
        output = console.file
        assert isinstance(output, io.StringIO)
        return output.getvalue()


def _console(width: int, look: Look) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system=None if look is Look.PLAIN else "standard",
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        no_color=look is not Look.COLOUR,
    )
