"""What waits for people, and deciding it."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody, PathParameter

from sayso.broker.access import Actor
from sayso.broker.attention_words import overdue_words
from sayso.broker.broker import Broker
from sayso.broker.remembering import Wish
from sayso.questions.question import Kind
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.standing_grant import Extent, Remember
from sayso.server.answering import clarification, elicitation, plan_review
from sayso.server.auth import Who
from sayso.server.bodies import ResolveBody
from sayso.server.card_documents import ByRuleShown, Card, Inbox
from sayso.server.cards import Cards, by_rule_shown, text_shown
from sayso.server.freeze_documents import frozen_now
from sayso.server.injected import Asked, TheBroker, TheCards
from sayso.server.routes import route

_RECENT = 5


@get("/inbox", operation_id="inbox", tags=["inbox"], **route(Who.PERSON))
async def read_inbox(
    request: Asked,
    broker: TheBroker,
    cards: TheCards,
    agent: FromQuery[str | None] = None,
    session: FromQuery[str | None] = None,
    severity: FromQuery[Literal["low", "medium", "high"] | None] = None,
) -> Inbox:
    """Everything that waits for you, oldest first, and the last five that were decided."""
    actor = request.user

    def wanted(found: ApprovalRequest) -> bool:
        return (
            (agent is None or found.call.agent_id == agent)
            and (session is None or found.call.session_id == session)
            and (severity is None or found.policy.severity.word == severity)
        )

    unreviewed = await broker.attention.unreviewed(actor)
    now, person_id = broker.world.clock.now(), actor.person.person_id
    waiting: list[ApprovalRequest] = []
    snoozed: list[ApprovalRequest] = []
    for found in (*unreviewed, *await broker.inbox(actor)):
        if wanted(found):
            until = found.attention.snoozed_until(person_id) if found.waits else None
            (waiting if until is None or until <= now else snoozed).append(found)
    overdue = sum(found.glass is not None and found.glass.overdue(now) for found in unreviewed)
    problems = [*broker.world.rules.problems(), *([overdue_words(overdue)] if overdue else [])]
    asked = [
        found
        for found in await broker.questions.waiting(actor)
        if (agent is None or found.agent_id == agent)
        and (session is None or found.session_id == session)
        and severity is None
    ]
    recent = [found for found in await broker.recent(actor, _RECENT) if wanted(found)]
    return Inbox(
        total=len(waiting) + len(asked),
        approvals=await cards.of_all(actor, waiting),
        clarifications=[
            await clarification(broker, actor, one)
            for one in asked
            if one.kind is Kind.CLARIFICATION
        ],
        elicitations=[
            await elicitation(broker, actor, one) for one in asked if one.kind is Kind.ELICITATION
        ],
        plans=[await plan_review(broker, actor, one) for one in asked if one.kind is Kind.PLAN],
        snoozed=await cards.of_all(actor, snoozed),
        recent=await cards.of_all(actor, recent),
        problems=[text_shown(problem) for problem in problems],
        freezes=(await frozen_now(broker, actor)).freezes,
    )


@get("/inbox/by-rule", operation_id="byRule", tags=["inbox"], **route(Who.PERSON))
async def read_by_rule(request: Asked, broker: TheBroker) -> list[ByRuleShown]:
    """The last five calls that policy alone allowed or denied, newest first."""
    return [by_rule_shown(found) for found in await broker.decided_by_rule(request.user, _RECENT)]


@get("/approval/pending", operation_id="pending", tags=["inbox"], **route(Who.PERSON))
async def read_pending(
    request: Asked,
    broker: TheBroker,
    cards: TheCards,
) -> list[Card]:
    """The approvals that wait for you, oldest first."""
    return await cards.of_all(request.user, await broker.inbox(request.user))


@get(
    "/inbox/approvals/{request_id:str}",
    operation_id="approval",
    tags=["inbox"],
    **route(Who.PERSON, 404),
)
async def read_card(
    request: Asked,
    request_id: FromPath[str],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """One approval, whether it still waits or not."""
    return await cards.of(request.user, await broker.request(request.user, request_id))


@post(
    "/inbox/approvals/{request_id:str}/resolve",
    status_code=200,
    operation_id="resolveApproval",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[ResolveBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """Approve or reject; an approve says by its digest what was shown."""
    return await _resolve(request.user, request_id, data, broker, cards)


@post(
    "/tools/{tool_call_id:str}/resolve",
    status_code=200,
    operation_id="resolveToolCall",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve_tool_call(
    request: Asked,
    tool_call_id: FromPath[str],
    data: JSONBody[ResolveBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """The same by the call's id, from any client, live or after a restart."""
    return await _resolve(request.user, tool_call_id, data, broker, cards)


@delete(
    "/sticky/{request_id:str}",
    status_code=204,
    operation_id="liftSticky",
    tags=["inbox"],
    **route(Who.PERSON, 404),
)
async def lift_sticky(
    request: Asked,
    request_id: Annotated[str, PathParameter(description="the request that was rejected")],
    broker: TheBroker,
) -> None:
    """Let a rejection stick no longer, so that the same call is asked about again."""
    await broker.lift_sticky(request.user, request_id)


async def _resolve(
    actor: Actor, request_id: str, data: ResolveBody, broker: Broker, cards: Cards
) -> Card:
    scope = None if data.bypass_scope is None else Extent(data.bypass_scope)
    answered = await broker.answer(
        actor,
        request_id,
        Vote(data.action),
        digest=data.digest,
        comment=data.note,
        arguments=data.arguments,
        wish=Wish(Remember(data.remember), data.bypass_secs, scope),
    )
    return await cards.answered(actor, answered)
