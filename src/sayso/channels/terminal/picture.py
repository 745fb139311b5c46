"""The card drawn for a terminal: the order of every surface, in at most 80 columns (CH-1, CH-3).

What is long is cut to a number of rows, which says how much is hidden; drawn in full, nothing is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Row

from sayso.channels.card import Card
from sayso.channels.card_dialogue import CardSaid
from sayso.channels.display import Cut, Run, Shown, count_words, cut, one_line, show
from sayso.channels.result import countdown_words, seconds_words
from sayso.channels.terminal.rows import CUT_STYLE, fold, lines_of, warnings_of
from sayso.core.moment import Moment, seconds_between, to_rfc3339

MAX_WIDTH = 80
WORDS_ROWS = 20
"""How many rows of the agent's words, and of a sentence, are drawn before they are cut."""
TURN_ROWS = 6
"""How many rows of each text of the dialogue are."""


class Look(Enum):
    """How much a terminal can set apart: colours, bold and reverse without colours, or nothing."""

    COLOUR = "colour"
    MONOCHROME = "monochrome"
    PLAIN = "plain"


_SEVERITY = {"low": "bold green", "medium": "bold yellow", "high": "bold red"}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn card; `cut` says that some of it is hidden, `cut_what` that some of what will run is."""

    text: str
    cut: bool
    cut_what: bool


def draw(
    card: Card,
    now: Moment,
    *,
    width: int = MAX_WIDTH,
    diff_lines: int = 120,
    full: bool = False,
    look: Look = Look.COLOUR,
) -> Picture:
    """Draw a card; `diff_lines` bounds the rows of the arguments, and again those of the diff."""
    sheet = _Sheet(max(20, min(width, MAX_WIDTH)), full=full)
    _head(sheet, card, now)
    if card.result is None:
        sheet.heading("Why this asks")
        _why(sheet, card)
    sheet.heading("What will run" if card.waits else "What it was")
    _what(sheet, card, diff_lines)
    _led_here(sheet, card)
    _questions(sheet, card)
    sheet.add(Row())
    return Picture(sheet.printed(look), sheet.cut, sheet.cut_what)


def explain_text(card: Card, *, width: int = MAX_WIDTH, look: Look = Look.COLOUR) -> str:
    """The explanation of the card in full: each target, what matched, what would change it."""
    sheet = _Sheet(max(20, min(width, MAX_WIDTH)), full=True)
    sheet.heading("Explained")
    sheet.block(card.why.explain, "  ", WORDS_ROWS)
    sheet.warn([card.why.explain])
    sheet.add(Row())
    return sheet.printed(look)


def _head(sheet: _Sheet, card: Card, now: Moment) -> None:
    sheet.add(Row("─" * sheet.width, "dim"))
    look = _SEVERITY.get(card.severity, "bold")
    severity = Row().append(f" {card.severity.capitalize()}", look)
    gap = sheet.width - cell_len(severity.plain) - cell_len(card.code)
    if gap > 0:
        severity.append(" " * gap).append(card.code, "dim")
    sheet.add(severity)
    if gap <= 0:
        sheet.prose(show(card.code), " ", "dim")
    sheet.prose(one_line(card.action), " ", "bold")
    who: list[Shown] = [card.agent]
    if card.context_label is not None:
        who.append(card.context_label)
    elif card.source:
        who.append(show(card.source))
    if card.workspace is not None:
        who.append(card.workspace)
    asked = f"asked {seconds_words(seconds_between(card.created_at, now))} ago"
    if card.waits and card.expires_at is not None:
        asked += f", expires in {countdown_words(seconds_between(now, card.expires_at))}"
    if card.waits and card.caller == "gone":
        asked += ", nobody waits for it any more"
    line: list[Run] = []
    for part in who:
        line += [*one_line(part), *show(" · ")]
    sheet.prose((*line, *show(asked)), " ", "dim")
    if card.who.waiting:
        sheet.prose(show(card.who.waiting), " ", "dim")
    elif card.who.need > 1 or card.who.approver != "any":
        votes = f"{card.who.have} of {card.who.need} have approved; decides: {card.who.approver}"
        sheet.prose(show(votes), " ", "dim")
    if card.asking.nobody is not None:
        sheet.prose(show(f"{card.asking.nobody[0].upper()}{card.asking.nobody[1:]}"), " ", "yellow")
    if card.asking.escalated and card.waits:
        sheet.prose(show("Everybody who may decide has been asked by now"), " ", "dim")
    if card.who.out_of_reach is not None:
        sheet.prose(show(f"It cannot be approved: {card.who.out_of_reach}."), " ", "bold")
    if card.result is not None:
        sheet.prose(show(card.result), " ", "bold")
    _glass(sheet, card)
    sheet.warn([card.action, *who])


def _glass(sheet: _Sheet, card: Card) -> None:
    """Who ran it without its votes, and whether a second person has looked."""
    glass = card.asking.glass
    if glass is None:
        return
    sheet.prose((*show(f"{glass.by} broke the glass: "), *one_line(glass.why)), " ", "yellow")
    if glass.reviewed_by is None:
        words = f"A second person has to review it by {to_rfc3339(glass.review_by)}"
        sheet.prose(show(words), " ", "yellow")
    else:
        what = "justified" if glass.justified else "not justified"
        comment = () if glass.comment is None else (*show(": "), *one_line(glass.comment))
        sheet.prose((*show(f"{glass.reviewed_by} found it {what}"), *comment), " ", "dim")
    sheet.warn([glass.why, *([glass.comment] if glass.comment is not None else [])])


def _led_here(sheet: _Sheet, card: Card) -> None:
    """The dialogue and the agent's reasons, each line behind an edge, so that it is nothing but words."""
    if card.context is None and card.agent_words is None:
        return
    sheet.heading("What led here")
    if card.context is not None:
        sheet.prose(show("The dialogue, as the agent’s side tells it, not checked:"), "  ", "dim")
        _said(sheet, "the user’s last request", card.context.user_request)
        _said(sheet, card.context.summary_words, card.context.summary)
        for message in card.context.messages:
            _said(sheet, message.role or "", message)
    if card.agent_words is not None:
        sheet.prose(show("The agent’s words, not checked:"), "  ", "dim")
        sheet.block(card.agent_words, "  ▏ ", WORDS_ROWS, prose=True)
        sheet.warn([card.agent_words])


def _said(sheet: _Sheet, who: str, said: CardSaid | None) -> None:
    if said is None:
        return
    sheet.prose(one_line(show(who)), "  ", "cyan")
    sheet.block(said.content, "  ▏ ", TURN_ROWS, prose=True)
    if said.cut:
        sheet.prose(show("… it went on; only its beginning was kept"), "  ", CUT_STYLE)
    sheet.warn([said.content])


def _questions(sheet: _Sheet, card: Card) -> None:
    """What people asked back, and the agent's words on it."""
    if not card.asking.questions:
        return
    sheet.heading("Asked back")
    for question in card.asking.questions:
        sheet.prose((*show(f"{question.by}: "), *one_line(question.text)), "  ")
        if question.answer is not None:
            sheet.prose(show("The agent’s words, not checked:"), "  ", "dim")
            sheet.block(question.answer, "  ▏ ", WORDS_ROWS, prose=True)
            sheet.warn([question.text, question.answer])
        else:
            open_ = question.answered_at is None
            said = "no answer yet" if open_ else "the agent’s side cannot answer"
            sheet.prose(show(said), "  ", "dim")
            sheet.warn([question.text])


def _why(sheet: _Sheet, card: Card) -> None:
    if card.changed:
        sheet.prose(show("It was approved before, and that no longer counts:"), "  ", "bold")
        for change in card.changed:
            sheet.block(one_line(change.text), "  ≠ ", WORDS_ROWS, prose=True)
    sheet.prose(one_line(card.why.sentence), "  ")
    targets = card.what.targets
    if len(targets) > 1:
        for target in targets if sheet.full else targets[:WORDS_ROWS]:
            words = (*show(f"{target.kind} "), *one_line(target.text), *show(f": {target.effect}"))
            edge, style = ("  ▸ ", "bold") if target.decides else ("    ", "dim")
            sheet.block(words, edge, 3, style=style)
        if len(targets) > WORDS_ROWS and not sheet.full:
            sheet.hide(f"… {count_words(len(targets) - WORDS_ROWS, 'more target')} hidden")
    sheet.warn([card.why.sentence, *(change.text for change in card.changed)])
    sheet.warn([*(target.text for target in targets)])


def _what(sheet: _Sheet, card: Card, diff_lines: int) -> None:
    pair = card.tool if card.server is None else (*card.server, *show(": "), *card.tool)
    sheet.block((*show("tool "), *one_line(pair)), "  ", WORDS_ROWS)
    sheet.warn([pair])
    if card.edited is not None:
        said = (*show("edited by "), *one_line(card.edited.by), *show("; the agent asked for:"))
        sheet.block(said, "  ", WORDS_ROWS, style="bold yellow", prose=True)
        for argument in card.edited.arguments:
            asked = (*one_line(argument.name), *show(": "), *one_line(argument.value))
            sheet.block(asked, "  ┊ ", WORDS_ROWS, style="dim")
            sheet.warn([argument.name, argument.value])
        sheet.prose(show("and this is what will run:"), "  ", "bold yellow")
    left = diff_lines
    arguments = card.what.arguments
    for number, argument in enumerate(arguments):
        if left <= 0 and not sheet.full:
            more = len(arguments) - number
            sheet.hide(f"… {count_words(more, 'more argument')} hidden", what=True)
            break
        sheet.block(one_line(argument.name), "  ", WORDS_ROWS, style="cyan", what=True)
        if argument.value:
            left -= sheet.block(argument.value, "  │ ", left, what=True)
        else:
            sheet.add(Row("  │ an empty text", "dim italic"))
        left -= 1
        sheet.warn([argument.name, argument.value])
    if card.what.diff is not None:
        sheet.prose(show("the change, as the calling program describes it"), "  ", "cyan")
        sheet.block(card.what.diff, "  │ ", diff_lines, style_of=_diff_style, what=True)
        sheet.warn([card.what.diff])
    note = card.what.note
    if sheet.cut_what:
        note = note.removesuffix(", nothing cut.") + ", not all of them shown: f shows all."
    sheet.prose(show(note), "  ", "dim")


def _diff_style(plain: str) -> str:
    return _DIFF.get(plain[:1], "")


class _Sheet:
    """Rows being gathered, which knows whether something had to be hidden."""

    def __init__(self, width: int, *, full: bool) -> None:
        self.width = width
        self.full = full
        self.cut = False
        self.cut_what = False
        self._rows: list[Row] = []
        self._warned: set[str] = set()

    def add(self, row: Row) -> None:
        self._rows.append(row)

    def heading(self, words: str) -> None:
        self.add(Row())
        self.add(Row(f" {words}", "bold dim"))

    def hide(self, words: str, *, what: bool = False) -> None:
        self.cut = True
        self.cut_what = self.cut_what or what
        self.prose(show(words), "  ", CUT_STYLE)

    def prose(self, shown: Shown, edge: str, style: str = "") -> None:
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
    ) -> int:
        """Add a text with its edge before each row; returns how many rows it took.

        A row that goes on from the one before has a broken edge, so that lines can be told apart.
        `prose` breaks rows between words, where a space may go.
        """
        room = self.width - cell_len(edge)
        if not self.full:
            limit = max(limit, 1)
            shown = cut(shown, limit * room, lines=limit)
            if any(isinstance(run, Cut) for run in shown):
                self.cut = True
                self.cut_what = self.cut_what or what
        again = edge.replace("│", "┆").replace("▏", "┆")
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
