"""A question as text for a terminal: whatever an agent or server wrote stands behind a bar of its own.

It is folded as cards are, each row with an edge, and what is odd in it is said below it; nothing is cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sayso.channels.display import Shown, one_line, show
from sayso.channels.question_card import CardField, CardItem, CardUrl, QuestionCard
from sayso.channels.terminal.sheet import MAX_WIDTH, WORDS_ROWS, Look, Sheet
from sayso.questions.form import MAX_LABEL
from sayso.questions.plan import WORDS
from sayso.questions.question import Kind

_HEADS = {
    Kind.CLARIFICATION: "asks you",
    Kind.PLAN: "has a plan",
    Kind.ELICITATION: "works with a server that wants to be told something",
}
_GOES_ON = "  ┆ "
_LARGEST = 10**300


@dataclass(frozen=True, slots=True)
class Paper:
    """What is drawn on: a terminal's width in columns, and how much it can set apart."""

    width: int = MAX_WIDTH
    look: Look = Look.PLAIN


PLAIN_PAPER = Paper()


def head(card: QuestionCard, paper: Paper = PLAIN_PAPER) -> str:
    """Who asks, and what all kinds show: the plan, or a server's message and URL."""
    sheet = _sheet(paper)
    _line(sheet, "", card.agent, f" {_HEADS[card.kind]}")
    if card.context_label is not None:
        _line(sheet, "from ", card.context_label)
    if card.server is not None:
        _line(sheet, "the server, as the agent’s side names it: ", card.server)
    sheet.warn(text for text in (card.agent, card.context_label, card.server) if text is not None)
    for text in (card.message, card.plan):
        if text is not None:
            _barred(sheet, text)
    if card.url is not None:
        _url(sheet, card.url)
    return f"\n{sheet.printed(paper.look)}"


def item_text(item: CardItem, place: int, count: int, paper: Paper = PLAIN_PAPER) -> str:
    """One question with its options, each with its number."""
    sheet = _sheet(paper)
    if count > 1:
        sheet.prose(show(f"Question {place + 1} of {count}"), " ")
    _barred(sheet, item.question)
    _numbered(sheet, item.options)
    return sheet.printed(paper.look)


def item_prompt(item: CardItem) -> str:
    """What stands before the answer."""
    if item.multi_select:
        return " Numbers or texts, with commas between them (Esc: not now): "
    return f" {'A number, or your own words' if item.options else 'Your answer'} (Esc: not now): "


def plan_choices() -> str:
    """The answers to a plan, each with its number."""
    return "".join(f"   {n} {words}\n" for n, words in enumerate(WORDS.values(), 1))


def answer_text(answer: Shown, paper: Paper = PLAIN_PAPER) -> str:
    """What was answered."""
    sheet = _sheet(paper)
    _line(sheet, "answered: ", answer)
    sheet.warn([answer])
    return sheet.printed(paper.look)


def field_text(field: CardField, paper: Paper = PLAIN_PAPER) -> str:
    """One field with its choices, each with its number, and what is sent where nothing is typed."""
    sheet = _sheet(paper)
    default = default_of(field)
    free = not field.field.required and default is None
    _line(sheet, "", field.label, " (may be left empty)" if free else "")
    sheet.warn([field.label])
    if field.description is not None:
        _barred(sheet, field.description)
    _numbered(sheet, field.choices)
    if default is not None:
        sheet.prose(show("Left empty, this is sent:"), " ")
        _barred(sheet, default)
    return sheet.printed(paper.look)


def default_of(field: CardField) -> Shown | None:
    """What Enter alone sends, as it is shown; None for nothing, as where it fits no value of the field."""
    default = field.field.default
    named = {
        choice.value: (*show(f"{number} "), *one_line(label))
        for number, (choice, label) in enumerate(
            zip(field.field.choices, field.choices, strict=True), 1
        )
    }
    match field.field.kind:
        case "boolean" if isinstance(default, bool):
            return show("yes" if default else "no")
        case "integer" | "number" if isinstance(default, int | float) and not isinstance(
            default, bool
        ):
            return show(str(default)) if abs(default) < _LARGEST else None
        case "array" if isinstance(default, list) and default:
            if not all(isinstance(one, str) and one in named for one in default):
                return None
            lines = [named[one] for one in default]
            return tuple(run for line in lines for run in (*line, *show("\n")))[:-1]
        case "string" if isinstance(default, str) and default:
            if named:
                return named.get(default)
            return show(default) if len(default) <= MAX_LABEL else None
    return None


def field_prompt(field: CardField) -> str:
    """What stands before the value of a field."""
    match field.field.kind:
        case "boolean":
            said = "yes or no"
        case "array":
            said = "numbers, with commas between them"
        case "integer":
            said = "a whole number"
        case "number":
            said = "a number"
        case _:
            said = "a number from the list" if field.choices else "text"
    hidden = ", not shown as you type" if field.field.secret else ""
    return f" {said}{hidden} (Esc: not now): "


def _sheet(paper: Paper) -> Sheet:
    return Sheet(max(20, min(paper.width, MAX_WIDTH)), full=True)


def _line(sheet: Sheet, before: str, text: Shown, after: str = "") -> None:
    """A line of ours with a text from outside in it; where it goes on, it has an edge."""
    line = (*show(before), *one_line(text), *show(after))
    sheet.block(line, " ", WORDS_ROWS, prose=True, again=_GOES_ON)


def _barred(sheet: Sheet, text: Shown) -> None:
    """A text from outside, each row behind a bar, so that none can imitate what is ours."""
    sheet.block(text, "  │ ", WORDS_ROWS, prose=True)
    sheet.warn([text])


def _numbered(sheet: Sheet, choices: Iterable[Shown]) -> None:
    """Each choice with its number; only a number begins a row, so that no text can imitate a choice."""
    choices = tuple(choices)
    for number, choice in enumerate(choices, 1):
        edge = f"   {number} "
        sheet.block(one_line(choice), edge, WORDS_ROWS, again=f"{' ' * (len(edge) - 2)}┆ ")
    sheet.warn(choices)


def _url(sheet: Sheet, url: CardUrl) -> None:
    _line(sheet, "It wants you to open, at the host ", url.host, ":")
    sheet.block(one_line(url.text), "  │ ", WORDS_ROWS)
    if url.doubt is not None:
        doubt = show(f"this is no plain address: {url.doubt}")
        sheet.block(doubt, "  ! ", WORDS_ROWS, style="yellow", prose=True, again="    ")
    sheet.warn([url.host, url.text])
