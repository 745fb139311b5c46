"""The conversation about one question: what is typed on the terminal becomes its answer (Q-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from sayso.channels.display import safe
from sayso.channels.question_card import CardField, QuestionCard
from sayso.channels.terminal.prompt import Prompt
from sayso.channels.terminal.question_picture import (
    PLAIN_PAPER,
    Paper,
    default_of,
    field_prompt,
    field_text,
    head,
    item_prompt,
    item_text,
    plan_choices,
)
from sayso.channels.terminal.unlocking import Lock
from sayso.errors import AnswerInvalid, RequestClosed, RequestNotFound, SaysoError
from sayso.questions.form import value_of
from sayso.questions.plan import PlanAnswer, plan_answer
from sayso.questions.question import Kind

LATER = " It still waits: answer it on the page, or here after a restart."


class Answers(Protocol):
    """Hands answers in, in the name of whoever unlocked the terminal; raises the errors of answering."""

    async def typed(self, request_id: str, text: str, version: int) -> QuestionCard:
        """Answer the question whose turn it is; how it stands then."""

    async def plan(self, request_id: str, answer: str, feedback: str | None) -> None:
        """Answer a plan."""

    async def accept(self, request_id: str, content: Mapping[str, Any] | None) -> None:
        """Accept what a server asks."""

    async def decline(self, request_id: str) -> None:
        """Decline what a server asks."""


class QuestionDialogue:
    """One question on the screen until it is answered, here or elsewhere."""

    def __init__(
        self,
        card: QuestionCard,
        prompt: Prompt,
        lock: Lock,
        answers: Answers,
        paper: Paper = PLAIN_PAPER,
    ) -> None:
        self._card = card
        self._prompt = prompt
        self._lock = lock
        self._answers = answers
        self._paper = paper
        self._handing_in = False
        self._over = asyncio.Event()

    @property
    def request_id(self) -> str:
        """The question that is on the screen."""
        return self._card.request_id

    def update(self, card: QuestionCard) -> None:
        """Take the newest state; the dialogue is over once the question no longer waits."""
        if not card.waits and not self._handing_in:
            self._over.set()

    async def resolved(self) -> None:
        """Wait until the question was resolved elsewhere."""
        await self._over.wait()

    async def run(self) -> None:
        """Show the question and take the answer; Esc leaves it for later."""
        if self._card.refused is not None:
            return
        await self._prompt.show(head(self._card, self._paper))
        answered = False
        try:
            match self._card.kind:
                case Kind.CLARIFICATION:
                    answered = await self._clarification()
                case Kind.PLAN:
                    answered = await self._plan()
                case Kind.ELICITATION:
                    answered = await self._elicitation()
        except (RequestClosed, RequestNotFound) as error:
            await self._prompt.say(f" {error.message}.")
            return
        await self._prompt.say(" Answered." if answered else LATER)

    async def _clarification(self) -> bool:
        while (place := self._card.next_item) is not None:
            item = self._card.items[place]
            text = item_text(item, place, len(self._card.items), self._paper)
            await self._prompt.say(text.rstrip("\n"))
            typed = await self._prompt.line(item_prompt(item))
            if typed is None or not await self._unlocked():
                return False
            try:
                self._handing_in = True
                self._card = await self._answers.typed(self.request_id, typed, self._card.version)
            except (RequestClosed, RequestNotFound):
                raise
            except SaysoError as error:
                await self._tell(error)
                if not isinstance(error, AnswerInvalid):
                    return False
            finally:
                self._handing_in = False
        return True

    async def _plan(self) -> bool:
        await self._prompt.say(plan_choices().rstrip("\n"))
        while True:
            text = await self._prompt.line(" A number, or what is to be changed (Esc: not now): ")
            if text is None:
                return False
            try:
                word, feedback = plan_answer(text)
                if word is PlanAnswer.KEEP_PLANNING and feedback is None:
                    said = await self._prompt.line(" What is to be changed? (Enter: no words) ")
                    feedback = (said or "").strip() or None
                return await self._hand_in(self._answers.plan, word.value, feedback)
            except AnswerInvalid as error:
                await self._tell(error)

    async def _elicitation(self) -> bool:
        ask = "opened it" if self._card.url is not None else "fill it in"
        await self._prompt.say(f" a {ask}   d decline   Esc not now")
        while True:
            key = await self._prompt.key()
            if key == "d":
                return await self._hand_in(self._answers.decline)
            if key == "a":
                break
            if key == "escape":
                return False
        while True:
            content = None if self._card.url is not None else await self._fields()
            if content is None and self._card.url is None:
                return False
            try:
                return await self._hand_in(self._answers.accept, content)
            except AnswerInvalid as error:
                await self._tell(error)
                if self._card.url is not None:
                    return False

    async def _fields(self) -> dict[str, Any] | None:
        """The values of all fields as they were typed; None if the person goes back."""
        content: dict[str, Any] = {}
        for field in self._card.fields or ():
            await self._prompt.say(field_text(field, self._paper).rstrip("\n"))
            while True:
                text = await self._prompt.line(field_prompt(field), hidden=field.field.secret)
                if text is None:
                    return None
                if not text and self._left_empty(field, content):
                    break
                try:
                    content[field.field.name] = value_of(field.field, text)
                    break
                except AnswerInvalid as error:
                    await self._tell(error)
        return content

    @staticmethod
    def _left_empty(field: CardField, content: dict[str, Any]) -> bool:
        """Whether a field may stay as it is: with the default that was shown, or without a value."""
        if default_of(field) is not None:
            content[field.field.name] = field.field.default
            return True
        return not field.field.required

    async def _hand_in(self, act: Any, *what: Any) -> bool:
        """Hand an answer in; AnswerInvalid and what closes the dialogue is raised, the rest is told."""
        if not await self._unlocked():
            return False
        self._handing_in = True
        try:
            await act(self.request_id, *what)
        except (AnswerInvalid, RequestClosed, RequestNotFound):
            raise
        except SaysoError as error:
            await self._tell(error)
            return False
        finally:
            self._handing_in = False
        return True

    async def _unlocked(self) -> bool:
        return await self._lock.opened(self._hidden_line, self._say)

    async def _tell(self, error: SaysoError) -> None:
        hint = "" if error.hint is None else f": {error.hint}"
        await self._prompt.say(f" {safe(error.message)}{safe(hint)}.")

    async def _hidden_line(self, question: str) -> str | None:
        return await self._prompt.line(f" {question}", hidden=True)

    async def _say(self, text: str) -> None:
        await self._prompt.say(f" {text}")
