"""Answering questions, by a route or over the socket, and their documents."""

from __future__ import annotations

import msgspec

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.question_card import question_card
from sayso.questions.question import Question
from sayso.server.question_bodies import ClarificationBody, ElicitationBody, PlanBody
from sayso.server.question_documents import Clarification, Elicitation, PlanReview


async def answer_clarification(
    broker: Broker, actor: Actor, request_id: str, data: ClarificationBody
) -> Clarification:
    """Answer the question whose turn it is, or all that are open."""
    answered = await broker.questions.answer(
        actor,
        request_id,
        answer=data.answer,
        selected=data.selected,
        answers=data.answers,
        version=data.version,
    )
    return await clarification(broker, actor, answered)


async def answer_elicitation(
    broker: Broker, actor: Actor, request_id: str, data: ElicitationBody
) -> Elicitation:
    """Accept with the form's content, decline or cancel."""
    questions = broker.questions
    match data.action:
        case "accept":
            found = await questions.accept(actor, request_id, data.content)
        case "decline":
            found = await questions.decline(actor, request_id)
        case "cancel":
            found = await questions.cancel(actor, request_id)
    return await elicitation(broker, actor, found)


async def answer_plan(broker: Broker, actor: Actor, request_id: str, data: PlanBody) -> PlanReview:
    """Approve a plan, which ends planning, or say what to change."""
    found = await broker.questions.answer_plan(actor, request_id, data.answer, data.feedback)
    return await plan_review(broker, actor, found)


async def clarification(broker: Broker, actor: Actor, question: Question) -> Clarification:
    """A clarification as the API writes it, for the one who looks."""
    return msgspec.convert(await _card(broker, actor, question), Clarification)


async def elicitation(broker: Broker, actor: Actor, question: Question) -> Elicitation:
    """An elicitation as the API writes it, for the one who looks."""
    return msgspec.convert(await _card(broker, actor, question), Elicitation)


async def plan_review(broker: Broker, actor: Actor, question: Question) -> PlanReview:
    """A plan as the API writes it, for the one who looks."""
    return msgspec.convert(await _card(broker, actor, question), PlanReview)


async def _card(broker: Broker, actor: Actor, question: Question) -> dict[str, object]:
    return question_card(question, await broker.questions.why_not(actor, question)).to_json()
