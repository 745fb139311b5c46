"""A question as text for a terminal: whatever an agent or server wrote stands behind a bar of its own."""

from __future__ import annotations

from sayso.channels.display import Shown, one_line, plain
from sayso.channels.question_card import CardField, CardItem, QuestionCard
from sayso.questions.plan import WORDS
from sayso.questions.question import Kind

_HEADS = {
    Kind.CLARIFICATION: "asks you",
    Kind.PLAN: "has a plan",
    Kind.ELICITATION: "works with a server that wants to be told something",
}


def head(card: QuestionCard) -> str:
    """Who asks, and what all kinds show: the plan, or a server's message and URL."""
    said = [f"\n {_line(card.agent)} {_HEADS[card.kind]}\n"]
    if card.context_label is not None:
        said.append(f" from {_line(card.context_label)}\n")
    if card.server is not None:
        said.append(f" the server: {_line(card.server)}\n")
    if card.message is not None:
        said.append(barred(card.message))
    if card.plan is not None:
        said.append(barred(card.plan))
    if card.url is not None:
        said.append(f" It wants you to open, at the host {_line(card.url.host)}:\n")
        said.append(barred(card.url.text))
    return "".join(said)


def item_text(item: CardItem, place: int, count: int) -> str:
    """One question with its options, each with its number."""
    of = f" Question {place + 1} of {count}\n" if count > 1 else ""
    options = [f"   {n} {_line(option)}\n" for n, option in enumerate(item.options, 1)]
    return of + barred(item.question) + "".join(options)


def item_prompt(item: CardItem) -> str:
    """What stands before the answer."""
    if item.multi_select:
        return " Numbers or texts, with commas between them (Esc: not now): "
    return f" {'A number, or your own words' if item.options else 'Your answer'} (Esc: not now): "


def plan_choices() -> str:
    """The answers to a plan, each with its number."""
    return "".join(f"   {n} {words}\n" for n, words in enumerate(WORDS.values(), 1))


def field_text(field: CardField) -> str:
    """One field with its choices, each with its number."""
    wanted = "" if field.field.required else " (may be left empty)"
    said = [f" {_line(field.label)}{wanted}\n"]
    if field.description is not None:
        said.append(barred(field.description))
    said += [f"   {n} {_line(choice)}\n" for n, choice in enumerate(field.choices, 1)]
    return "".join(said)


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


def barred(text: Shown) -> str:
    """A text from outside, each line behind a bar, so that none can imitate what is ours."""
    return "".join(f"  │ {line}\n" for line in plain(text).split("\n"))


def _line(text: Shown) -> str:
    return plain(one_line(text))
