"""`sayso answer ID [ANSWER …]`: answer what an agent or a server asks."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.question_card import CardField, QuestionCard
from sayso.channels.terminal.question_picture import field_text
from sayso.cli.acting import (
    AsJson,
    PassphraseStdin,
    TokenStdin,
    acting,
    must_have_terminal,
    read_hidden,
    read_shown,
)
from sayso.cli.exit_codes import ExitCode
from sayso.cli.questions import card_of_question, find_question, question_text
from sayso.errors import AnswerInvalid
from sayso.questions.form import value_of
from sayso.questions.question import Kind, Question

app = App(name="answer", help_format="plaintext")

Flag = Parameter(negative="", show_default=False)


@app.default
def answer(
    request_id: str,
    /,
    *answers: str,
    decline: Annotated[bool, Flag] = False,
    cancel: Annotated[bool, Flag] = False,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Answer a question, a plan or a form that waits.

    A question takes one answer for each part that is open, in turn: the number
    or text of an option, several with commas between them where several can be
    chosen, or your own words. A plan takes 1 (carry it out), 2 (and accept its
    file edits), 3 (keep planning), or what is to be changed. A form is filled in
    on the terminal, where secrets are not shown.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    answers
        The answer, or one for each question that is open.
    decline
        Decline a form or a URL.
    cancel
        Put a form or a URL away without a choice.
    """
    return asyncio.run(
        _answer(request_id, answers, decline, cancel, passphrase_stdin, token_stdin, as_json)
    )


async def _answer(
    request_id: str,
    answers: tuple[str, ...],
    decline: bool,
    cancel: bool,
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        question = await find_question(broker, actor, request_id)
        if decline or cancel:
            act = broker.questions.decline if decline else broker.questions.cancel
            question = await act(actor, question.question_id)
        else:
            question = await _resolve(broker, actor, question, answers)
        card = await card_of_question(broker, question, actor)
    print(json.dumps(card.to_json(), indent=2) if as_json else f"{card.status}: {_short(card)}")
    return ExitCode.OK


async def _resolve(
    broker: Broker, actor: Actor, question: Question, answers: tuple[str, ...]
) -> Question:
    card = await card_of_question(broker, question, actor)
    match question.kind:
        case Kind.CLARIFICATION:
            left = len(question.items) - len(question.replies)
            if question.waits and len(answers) != left:
                raise AnswerInvalid(
                    f"{left} answers are wanted, {len(answers)} came",
                    f"look at it: sayso inbox show {question.question_id}",
                )
            for text in answers:
                question = await broker.questions.answer_typed(
                    actor, question.question_id, text, question.version
                )
            return question
        case Kind.PLAN:
            return await broker.questions.answer_plan(
                actor, question.question_id, " ".join(answers)
            )
        case Kind.ELICITATION:
            if answers:
                raise AnswerInvalid(
                    "a form is not answered on the command line, where others may read it",
                    "leave the answers out: it is filled in on the terminal",
                )
            content: dict[str, Any] | None = None
            if question.waits:
                must_have_terminal("a form is filled in on a terminal")
                print(question_text(card), file=sys.stderr)
                if card.url is None:
                    content = _fields(card)
                else:
                    _must_be_opened()
            return await broker.questions.accept(actor, question.question_id, content)


def _must_be_opened() -> None:
    if read_shown("Have you opened it? Type yes: ").lower() not in ("y", "yes"):
        raise AnswerInvalid("it was not answered", "open it first, or use --decline")


def _fields(card: QuestionCard) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for field in card.fields or ():
        print(field_text(field).rstrip("\n"), file=sys.stderr)
        value = _value(field)
        if value is not None:
            content[field.field.name] = value
    return content


def _value(field: CardField) -> Any:
    """What is typed into a field; what is left empty is its default, or nothing."""
    while True:
        text = read_hidden(" (not shown): ") if field.field.secret else read_shown(" : ")
        if not text and (field.field.default is not None or not field.field.required):
            return field.field.default
        try:
            return value_of(field.field, text)
        except AnswerInvalid as error:
            print(f" {error.message}.", file=sys.stderr)


def _short(card: QuestionCard) -> str:
    return f"{card.kind.value} {card.request_id}"
