"""What people do with a request besides voting: "not now", "why?", the broken glass (REQ-68)."""

from __future__ import annotations

from litestar import post
from litestar.params import FromPath, JSONBody

from sayso.server.auth import Who
from sayso.server.bodies import AskBackBody, BreakGlassBody, ReviewGlassBody, ShownBody, SnoozeBody
from sayso.server.card_documents import Card
from sayso.server.injected import Asked, TheBroker, TheCards
from sayso.server.routes import route


@post(
    "/inbox/{request_id:str}/shown",
    status_code=204,
    operation_id="cardShown",
    tags=["inbox"],
    **route(Who.PERSON, 404, body=True),
)
async def card_shown(
    request: Asked, request_id: FromPath[str], data: JSONBody[ShownBody], broker: TheBroker
) -> None:
    """Say that you have this content of the card before your eyes, which is a delivery to you."""
    await broker.attention.shown(request.user, request_id, data.digest)


@post(
    "/inbox/{request_id:str}/snooze",
    status_code=200,
    operation_id="snooze",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def snooze(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[SnoozeBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """Not now: hide it from yourself for a while, and be reminded then. It expires as before."""
    changed = await broker.attention.snooze(request.user, request_id, data.seconds)
    return await cards.of(request.user, changed)


@post(
    "/inbox/{request_id:str}/ask-back",
    status_code=200,
    operation_id="askBack",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def ask_back(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[AskBackBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """Ask the agent something; its answer stands on the card as its own words."""
    changed = await broker.attention.ask_back(request.user, request_id, data.question)
    return await cards.of(request.user, changed)


@post(
    "/inbox/{request_id:str}/break-glass",
    status_code=200,
    operation_id="breakGlass",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def break_glass(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[BreakGlassBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """Let it run now without the votes it lacks, where the policy permits it; a second person reviews it."""
    changed = await broker.attention.break_glass(
        request.user, request_id, digest=data.digest, why=data.why
    )
    return await cards.of(request.user, changed)


@post(
    "/inbox/{request_id:str}/break-glass/review",
    status_code=200,
    operation_id="reviewGlass",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def review_glass(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[ReviewGlassBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """Say as the second person whether it was right to run it; until then no glass is broken again."""
    changed = await broker.attention.review_glass(
        request.user, request_id, justified=data.justified, comment=data.note
    )
    return await cards.of(request.user, changed)
