"""Questions on the command line: found by their id or its beginning, shown as on every surface."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.display import one_line, plain, show
from sayso.channels.question_card import QuestionCard, question_card
from sayso.channels.terminal.question_picture import (
    answer_text,
    field_text,
    head,
    item_text,
    plan_choices,
)
from sayso.cli.cards import MIN_BEGINNING, age, short_ids
from sayso.cli.table import table
from sayso.core.moment import Moment, seconds_between
from sayso.errors import RequestNotFound
from sayso.questions.question import Kind, Question


async def question_beginning(broker: Broker, question_id: str) -> Question | None:
    """The question with exactly that id, or of those that wait the one whose id begins so; None if there is none.

    Raises RequestNotFound for a beginning that several share.
    """
    exact = await broker.world.store.question(question_id)
    if exact is not None or len(question_id) < MIN_BEGINNING:
        return exact
    found = [
        question
        for question in await broker.world.store.open_questions()
        if question.question_id.startswith(question_id)
    ]
    if len(found) > 1:
        raise RequestNotFound(
            f"several questions begin with `{question_id[:64]}`",
            f"write more of it: {found[0].question_id}",
        )
    return found[0] if found else None


async def find_question(broker: Broker, actor: Actor, question_id: str) -> Question:
    """The question with that id or beginning, if the actor may see it; raises RequestNotFound, NotEligible."""
    found = await question_beginning(broker, question_id)
    if found is None:
        raise RequestNotFound(
            f"no question has the id `{question_id[:64]}`", "see: sayso inbox list"
        )
    return await broker.questions.question(actor, found.question_id)


async def card_of_question(broker: Broker, question: Question, actor: Actor | None) -> QuestionCard:
    """The card of a question for this actor; without one nothing can be answered."""
    if actor is None:
        return question_card(question, "log in to answer")
    return question_card(question, await broker.questions.why_not(actor, question))


def question_text(card: QuestionCard) -> str:
    """A question in full."""
    said = [head(card).lstrip("\n")]
    said += [item_text(item, n, len(card.items)) for n, item in enumerate(card.items)]
    if card.kind is Kind.PLAN:
        said.append(plan_choices())
    said += [field_text(field) for field in card.fields or ()]
    for item in card.items:
        if item.answer is not None:
            said.append(answer_text(item.answer))
    if card.ending is not None:
        said.append(f" {card.status}, by {card.ending['by'] or 'sayso'}\n")
    return "".join(said).rstrip("\n")


def question_table(questions: Sequence[Question], now: Moment) -> str:
    """The questions one a line: id, kind, how long it has waited, and its beginning."""
    short = short_ids([question.question_id for question in questions])
    rows = [
        (
            short[question.question_id],
            question.kind.value,
            age(seconds_between(question.created_at, now)),
            plain(one_line(show(question.title))),
        )
        for question in questions
    ]
    return table(("id", "kind", "waits", "question"), rows)
