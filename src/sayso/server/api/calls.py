"""The calls of agents: made, awaited, claimed and reported."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from sayso.broker import ports
from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from sayso.server.auth import Who
from sayso.server.call_bodies import (
    AnswerBody,
    BatchCallBody,
    CallBody,
    ClaimBody,
    DialogueBody,
    OutcomeBody,
    RenewBody,
)
from sayso.server.config import MAX_CALL_BODY
from sayso.server.documents import ClaimAnswer, ClaimTaken, Standing
from sayso.server.injected import Asked, TheBroker, TheBuckets, TheClosing
from sayso.server.live.polling import while_present
from sayso.server.routes import route

MAX_WAIT = 55.0


@post(
    "/calls",
    status_code=200,
    operation_id="submitCall",
    tags=["calls"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 409, 429, body=True),
)
async def submit_call(
    request: Asked,
    data: JSONBody[CallBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> Standing:
    """Make a call: the verdict, and where it asks, the request that people now see.

    With an `external_id` this is idempotent; the same id with another call is refused with 409.
    """
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, data.session_id)
    return standing(await gate.submit(draft_of(data, data.context)))


@post(
    "/calls/decide",
    status_code=200,
    operation_id="decideCall",
    tags=["calls"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 429, body=True),
)
async def decide_call(
    request: Asked,
    data: JSONBody[CallBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> Standing:
    """The verdict alone; nobody is asked, and nothing waits."""
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, data.session_id)
    return standing(await gate.decide(draft_of(data, data.context)))


@get(
    "/calls/{call_id:str}/wait",
    operation_id="waitForCall",
    tags=["calls"],
    **route(Who.AGENT, 404),
)
async def wait_for_call(
    request: Asked,
    call_id: FromPath[str],
    broker: TheBroker,
    closing: TheClosing,
    timeout: Annotated[
        float, QueryParameter(ge=0, le=MAX_WAIT, description="how long to wait, in seconds")
    ] = 30.0,
) -> Standing:
    """Wait until the call is neither pending nor running, or the time is over; shows the caller as present."""
    gate = await broker.gate_of_call(request.user, call_id)
    waited = await while_present(request, closing, gate.wait(call_id, timeout))
    return standing(waited if waited is not None else await gate.wait(call_id, 0))


@post(
    "/calls/{call_id:str}/answer",
    status_code=204,
    operation_id="answerQuestion",
    tags=["calls"],
    **route(Who.AGENT, 404, 409, 429, body=True),
)
async def answer_question(
    request: Asked,
    call_id: FromPath[str],
    data: JSONBody[AnswerBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> None:
    """Answer what a person asked back while the call waits; it decides nothing."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_of_call(request.user, call_id)
    await gate.answer(call_id, data.question_id, data.text)


@post(
    "/calls/{call_id:str}/leave",
    status_code=204,
    operation_id="leaveCall",
    tags=["calls"],
    **route(Who.AGENT, 404, 429),
)
async def leave_call(
    request: Asked, call_id: FromPath[str], broker: TheBroker, buckets: TheBuckets
) -> None:
    """Say that nobody waits for the call any more; the request stays."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_of_call(request.user, call_id)
    await gate.leave(call_id)


@post(
    "/calls/{call_id:str}/claim",
    status_code=200,
    operation_id="claimCall",
    tags=["calls"],
    **route(Who.AGENT, 404, 409, body=True),
)
async def claim_call(
    request: Asked,
    call_id: FromPath[str],
    data: JSONBody[ClaimBody],
    broker: TheBroker,
) -> ClaimAnswer:
    """Take the single-use right to run the approved call, or learn how it stands instead."""
    gate = await broker.gate_of_call(request.user, call_id)
    taken = await gate.claim(call_id, data.digest, data.audience)
    if isinstance(taken, ports.Claim):
        claim = msgspec.convert(taken, ClaimTaken, from_attributes=True)
        return ClaimAnswer(claim=claim, standing=None)
    return ClaimAnswer(claim=None, standing=standing(taken))


@post(
    "/calls/{call_id:str}/renew",
    status_code=204,
    operation_id="renewClaim",
    tags=["calls"],
    **route(Who.AGENT, 404, 409, body=True),
)
async def renew_claim(
    request: Asked,
    call_id: FromPath[str],
    data: JSONBody[RenewBody],
    broker: TheBroker,
) -> None:
    """Say that the call still runs; 409 if the claim is lost."""
    gate = await broker.gate_of_call(request.user, call_id)
    await gate.renew(ports.Claim(call_id, data.token, data.lease_seconds))


@post(
    "/calls/{call_id:str}/outcome",
    status_code=204,
    operation_id="reportOutcome",
    tags=["calls"],
    **route(Who.ANY_CREDENTIAL, 403, 404, 409, body=True),
)
async def report_outcome(
    request: Asked,
    call_id: FromPath[str],
    data: JSONBody[OutcomeBody],
    broker: TheBroker,
) -> None:
    """Record what came of the run; from a person it settles an outcome that is unknown."""
    actor = request.user
    if actor.kind is CredentialKind.AGENT:
        gate = await broker.gate_of_call(actor, call_id)
        await gate.finish(call_id, data.token, data.ok, data.summary, data.seconds)
    else:
        await broker.settle(actor, call_id, ok=data.ok, summary=data.summary)


def standing(found: ports.Standing) -> Standing:
    """A standing as the API writes it."""
    return msgspec.convert(found, Standing, from_attributes=True)


def draft_of(data: CallBody | BatchCallBody, context: DialogueBody | None) -> CallDraft:
    """What a body says of a call, with the dialogue that it came from."""
    return CallDraft(
        tool=data.tool,
        arguments=data.arguments,
        server=data.server,
        external_id=data.external_id,
        detail=data.detail,
        diff=data.diff,
        definition=data.definition,
        context=None if context is None else msgspec.to_builtins(context),
    )
