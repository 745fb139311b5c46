"""The card drawn for a terminal: the order of every surface, in at most 80 columns (CH-1, CH-3).

What is long is cut to a number of rows, which says how much is hidden; drawn in full, nothing is.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text as Row

from sayso.channels.card import Card
from sayso.channels.card_dialogue import CardSaid
from sayso.channels.display import Run, Shown, count_words, one_line, show
from sayso.channels.result import countdown_words, seconds_words
from sayso.channels.terminal.rows import CUT_STYLE
from sayso.channels.terminal.sheet import MAX_WIDTH, WORDS_ROWS, Look, Sheet
from sayso.core.moment import Moment, seconds_between, to_rfc3339

TURN_ROWS = 6
"""How many rows of each text of the dialogue are."""

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
    sheet = Sheet(max(20, min(width, MAX_WIDTH)), full=full)
    _head(sheet, card, now)
    if card.result is None:
        sheet.heading("Why this asks")
        _why(sheet, card)
    if not card.runs:
        sheet.heading("What the agent wants you to agree to; nothing runs by it")
    else:
        sheet.heading("What will run" if card.waits else "What it was")
    _what(sheet, card, diff_lines)
    _led_here(sheet, card)
    _questions(sheet, card)
    sheet.add(Row())
    return Picture(sheet.printed(look), sheet.cut, sheet.cut_what)


def explain_text(card: Card, *, width: int = MAX_WIDTH, look: Look = Look.COLOUR) -> str:
    """The explanation of the card in full: each target, what matched, what would change it."""
    sheet = Sheet(max(20, min(width, MAX_WIDTH)), full=True)
    sheet.heading("Explained")
    sheet.block(card.why.explain, "  ", WORDS_ROWS)
    sheet.warn([card.why.explain])
    sheet.add(Row())
    return sheet.printed(look)


def _head(sheet: Sheet, card: Card, now: Moment) -> None:
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


def _glass(sheet: Sheet, card: Card) -> None:
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


def _led_here(sheet: Sheet, card: Card) -> None:
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


def _said(sheet: Sheet, who: str, said: CardSaid | None) -> None:
    if said is None:
        return
    sheet.prose(one_line(show(who)), "  ", "cyan")
    sheet.block(said.content, "  ▏ ", TURN_ROWS, prose=True)
    if said.cut:
        sheet.prose(show("… it went on; only its beginning was kept"), "  ", CUT_STYLE)
    sheet.warn([said.content])


def _questions(sheet: Sheet, card: Card) -> None:
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


def _why(sheet: Sheet, card: Card) -> None:
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


def _what(sheet: Sheet, card: Card, diff_lines: int) -> None:
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
