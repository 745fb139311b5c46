"""Answering questions, from the people's side: with a credential of their own, once (Q-1, Q-5, Q-8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.plan_review import switch_after, switched_record
from sayso.broker.question_change import question_change, write_question
from sayso.broker.questions import PRESENT_SECONDS, owner_of
from sayso.broker.sealed_answer import seal
from sayso.broker.world import World
from sayso.core.moment import Moment, seconds_between
from sayso.errors import (
    AnswerInvalid,
    LostRace,
    NotEligible,
    NotNow,
    RequestClosed,
    RequestNotFound,
)
from sayso.people.eligibility import Asked, may_review, may_see
from sayso.people.token import DECIDING
from sayso.questions.clarification import Reply, reply_of, typed
from sayso.questions.form import fill
from sayso.questions.lifecycle import Answered, Cancelled, Declined, Event, Replied, closed, is_over
from sayso.questions.plan import PlanAnswer, plan_answer
from sayso.questions.question import WHO_MAY_ANSWER, Ending, Kind, Question
from sayso.questions.todo import Task
from sayso.requests.event import EventKind, Notice

Answers = Sequence[str | Sequence[str]]
"""Answers to several questions: text, or the options that were selected."""


class Questions:
    """What people do with questions; raises NotEligible for an agent's token, always."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def waiting(self, actor: Actor) -> Sequence[Question]:
        """The questions that wait and this actor may see, oldest first."""
        _must_be_a_person(actor)
        people, now = await self._world.store.directory(), self._world.clock.now()
        who = actor.person.person_id
        return [
            question
            for question in await self._world.store.open_questions()
            if may_see(who, _asked(question), people, now)
        ]

    async def question(self, actor: Actor, question_id: str, kind: Kind | None = None) -> Question:
        """One question; raises RequestNotFound (also where it is of another kind) or NotEligible."""
        _must_be_a_person(actor)
        question = await self._world.store.question(question_id)
        if question is None or (kind is not None and question.kind is not kind):
            raise RequestNotFound(f"no {kind or 'question'} has the id `{question_id[:64]}`")
        people, now = await self._world.store.directory(), self._world.clock.now()
        if not may_see(actor.person.person_id, _asked(question), people, now):
            raise NotEligible("this question is not yours to see")
        return question

    async def tasks(self, actor: Actor, session_id: str) -> Sequence[Task]:
        """The task list of a session; raises RequestNotFound, or NotEligible if it is not theirs to see."""
        _must_be_a_person(actor)
        session = await self._world.store.session(session_id)
        if session is None:
            raise RequestNotFound(f"no session has the id `{session_id[:64]}`")
        people, now = await self._world.store.directory(), self._world.clock.now()
        asked = Asked(owner_of(session), WHO_MAY_ANSWER)
        if not may_see(actor.person.person_id, asked, people, now):
            raise NotEligible("this session is not yours to see")
        return await self._world.store.tasks(session_id)

    async def why_not(self, actor: Actor, question: Question) -> str | None:
        """Why this actor may not answer the question; None if they may."""
        people, now = await self._world.store.directory(), self._world.clock.now()
        return may_review(actor.person.person_id, actor.kind, _asked(question), people, now)

    async def answer(
        self,
        actor: Actor,
        question_id: str,
        *,
        answer: str | None = None,
        selected: Sequence[str] | None = None,
        answers: Answers | None = None,
        version: int | None = None,
    ) -> Question:
        """Answer a clarification: the question whose turn it is, or with `answers` all that are open.

        `version` is that of the question which was looked at; one of several is answered only with it.
        Raises AnswerInvalid, RequestClosed, LostRace if it has changed meanwhile.
        """

        def event(question: Question, ending: Ending) -> Event:
            return _answered(question, ending, answer, selected, answers, version)

        return await self._resolve(actor, question_id, Kind.CLARIFICATION, event, version)

    async def answer_typed(
        self, actor: Actor, question_id: str, text: str, version: int
    ) -> Question:
        """Answer the question whose turn it is with what somebody typed: numbers stand for options."""

        def event(question: Question, ending: Ending) -> Event:
            item = question.next_item
            if item is None:
                raise closed(question)
            return _with(question, ending, [typed(item, text)])

        return await self._resolve(actor, question_id, Kind.CLARIFICATION, event, version)

    async def answer_plan(
        self, actor: Actor, question_id: str, answer: str, feedback: str | None = None
    ) -> Question:
        """Approve a plan, or say what to change; an approval switches the session's mode."""
        word, said = plan_answer(answer, feedback)

        def event(_: Question, ending: Ending) -> Event:
            return Answered(replace(ending, comment=said), plan_answer=word)

        return await self._resolve(actor, question_id, Kind.PLAN, event, None, word)

    async def accept(
        self, actor: Actor, question_id: str, content: Mapping[str, Any] | None
    ) -> Question:
        """Fill in a form, or agree to a URL; raises AnswerInvalid, NotNow for a secret that nobody waits for."""

        def event(question: Question, ending: Ending) -> Event:
            if question.form is None:
                if content:
                    raise AnswerInvalid("a URL is opened or not: it takes no content")
                return Answered(ending)
            filled = fill(question.form, {} if content is None else content)
            if question.answer_key is None:
                return Answered(ending, content=filled)
            if seconds_between(question.caller_seen, ending.at) > PRESENT_SECONDS:
                raise NotNow(
                    "whoever asked does not wait now, and a secret is never kept",
                    "answer it again once it waits: nothing of your answer was kept",
                )
            return Answered(
                ending, sealed=seal(filled, question.answer_key, self._world.ids.secret())
            )

        return await self._resolve(actor, question_id, Kind.ELICITATION, event, None)

    async def decline(self, actor: Actor, question_id: str) -> Question:
        """Refuse to fill in a form or to open a URL."""
        return await self._resolve(
            actor, question_id, Kind.ELICITATION, lambda _, ending: Declined(ending), None
        )

    async def cancel(self, actor: Actor, question_id: str) -> Question:
        """Put an elicitation away without a choice."""
        return await self._resolve(
            actor, question_id, Kind.ELICITATION, lambda _, ending: Cancelled(ending), None
        )

    async def _resolve(
        self,
        actor: Actor,
        question_id: str,
        kind: Kind,
        event: Callable[[Question, Ending], Event],
        version: int | None,
        word: PlanAnswer | None = None,
    ) -> Question:
        world = self._world
        while True:
            question = await self.question(actor, question_id, kind)
            now = world.clock.now()
            _must_wait(question, now)
            refusal = await self.why_not(actor, question)
            if refusal is not None:
                raise NotEligible(refusal)
            if version is not None and version != question.version:
                raise _changed(question)
            ending = Ending(now, actor.person.name, actor.person.person_id, actor.channel)
            change = question_change(question, event(question, ending), now, actor.credential)
            if word is not None:
                switch = await switch_after(world, actor, question, word)
                if switch is not None:
                    record = switched_record(world, actor, switch[1])
                    told = Notice(EventKind.SETTINGS_CHANGED, now)
                    change = replace(
                        change,
                        switch=switch,
                        records=(*change.records, record),
                        notices=(*change.notices, told),
                    )
            try:
                return await write_question(world, change)
            except LostRace:
                continue  # look again: it was closed, or answered in part


def _answered(
    question: Question,
    ending: Ending,
    answer: str | None,
    selected: Sequence[str] | None,
    answers: Answers | None,
    version: int | None,
) -> Event:
    left = question.items[len(question.replies) :]
    if answers is None:
        if len(question.items) > 1 and version is None:
            raise AnswerInvalid(
                "one answer to several questions does not say which it is for",
                "send `answers` to all that are open, or the `version` that you looked at",
            )
        return _with(question, ending, [reply_of(left[0], answer, selected)])
    if answer is not None or selected is not None:
        raise AnswerInvalid("`answers` came with another answer", "send one of them")
    if len(answers) != len(left):
        raise AnswerInvalid(f"{len(left)} answers are wanted, {len(answers)} came")
    replies = [
        reply_of(item, one, None) if isinstance(one, str) else reply_of(item, None, one)
        for item, one in zip(left, answers, strict=True)
    ]
    return _with(question, ending, replies)


def _with(question: Question, ending: Ending, replies: Sequence[Reply]) -> Event:
    """The event of these replies: the last of several questions ends it."""
    if len(question.replies) + len(replies) < len(question.items):
        return Replied(replies[0], ending.by, ending.channel)
    return Answered(ending, replies=tuple(replies))


def _must_wait(question: Question, now: Moment) -> None:
    if not question.waits:
        raise closed(question)
    if is_over(question, now):  # whether or not any sweeper has run (REQ-22)
        raise RequestClosed(
            "already resolved by sayso: expired", "nothing was changed", status="expired"
        )


def _changed(question: Question) -> LostRace:
    return LostRace(
        f"the question `{question.question_id}` has changed in the meantime",
        "read it again and answer what it is now",
    )


def _asked(question: Question) -> Asked:
    return Asked(question.owner, WHO_MAY_ANSWER, question.eligible)


def _must_be_a_person(actor: Actor) -> None:
    if actor.kind not in DECIDING:
        raise NotEligible(
            "an agent's token can never see or decide what people decide",
            "log in, or use an approver's token",
        )
