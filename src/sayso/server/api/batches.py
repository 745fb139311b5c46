"""Batches: the calls of one turn, what a session left open, and sets that people approve as one."""

from __future__ import annotations

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody

from sayso.broker.sets import CallSet
from sayso.errors import CallInvalid
from sayso.requests.approval import Vote
from sayso.server.api.calls import draft_of, standing
from sayso.server.auth import Who
from sayso.server.batch_documents import (
    BatchMade,
    CallTold,
    SetShown,
    TurnAnswer,
    Unfinished,
    UnfinishedCall,
)
from sayso.server.bodies import SetBody
from sayso.server.call_bodies import BatchBody, TurnBody
from sayso.server.cards import Cards
from sayso.server.config import MAX_CALL_BODY
from sayso.server.injected import Asked, TheBroker, TheBuckets, TheCards
from sayso.server.routes import route


@post(
    "/batches",
    status_code=200,
    operation_id="submitBatch",
    tags=["calls"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 409, 429, body=True),
)
async def submit_batch(
    request: Asked, data: JSONBody[BatchBody], broker: TheBroker, buckets: TheBuckets
) -> BatchMade:
    """Make the calls of one turn, in their order, each with a request of its own where it asks."""
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, data.session_id)
    made = await gate.submit_batch(
        data.name, [draft_of(call, call.context or data.context) for call in data.calls]
    )
    return BatchMade(
        batch_id=made.batch_id, standings=[standing(found) for found in made.standings]
    )


@post(
    "/sessions/{session_id:str}/batches/{batch_id:str}/turn",
    status_code=200,
    operation_id="continueTurn",
    tags=["calls"],
    **route(Who.AGENT, 404, 409, 429, body=True),
)
async def continue_turn(
    request: Asked,
    session_id: FromPath[str],
    batch_id: FromPath[str],
    data: JSONBody[TurnBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> TurnAnswer:
    """Take the right to continue a turn once all its calls are settled, or say that it was continued."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_for(request.user, session_id)
    if data.act == "take":
        return TurnAnswer(token=await gate.take_turn(batch_id))
    if data.token is None:
        raise CallInvalid("ending a turn needs its token", "send the token that `take` gave")
    await gate.end_turn(batch_id, data.token)
    return TurnAnswer(token=None)


@post(
    "/sessions/{session_id:str}/unfinished",
    status_code=200,
    operation_id="unfinishedCalls",
    tags=["sessions"],
    **route(Who.AGENT, 429),
)
async def read_unfinished(
    request: Asked, session_id: FromPath[str], broker: TheBroker, buckets: TheBuckets
) -> Unfinished:
    """What the session left open, decided again: for a client that has returned."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_for(request.user, session_id)
    return Unfinished(
        calls=[
            UnfinishedCall(
                call=msgspec.convert(found.draft, CallTold, from_attributes=True),
                standing=standing(found.standing),
                pre_approved=found.pre_approved,
            )
            for found in await gate.unfinished()
        ]
    )


@get("/inbox/sets/{batch_id:str}", operation_id="callSet", tags=["inbox"], **route(Who.PERSON, 404))
async def read_set(
    request: Asked, batch_id: FromPath[str], broker: TheBroker, cards: TheCards
) -> SetShown:
    """The calls of a batch as one ordered set; each of them can also be decided by itself."""
    found = await broker.call_set(request.user, batch_id)
    return await _shown(request, cards, found)


@post(
    "/inbox/sets/{batch_id:str}/resolve",
    status_code=200,
    operation_id="resolveSet",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve_set(
    request: Asked,
    batch_id: FromPath[str],
    data: JSONBody[SetBody],
    broker: TheBroker,
    cards: TheCards,
) -> SetShown:
    """Approve or reject everything of the set that waits; an approve carries the digest of the whole set."""
    found = await broker.review_set(
        request.user, batch_id, Vote(data.action), digest=data.digest, comment=data.note
    )
    return await _shown(request, cards, found)


async def _shown(request: Asked, cards: Cards, found: CallSet) -> SetShown:
    return SetShown(
        batch_id=found.batch_id,
        digest=found.digest,
        code=found.code,
        waits=found.waits,
        cards=await cards.of_all(request.user, found.requests),
    )
