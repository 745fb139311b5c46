"""The kill switch: what is frozen, freezing and thawing (GATE-8)."""

from __future__ import annotations

from litestar import delete, get, post
from litestar.params import FromQuery, JSONBody

from sayso.server.auth import Who
from sayso.server.card_documents import Frozen
from sayso.server.freeze_documents import FreezeBody, frozen_now
from sayso.server.injected import Asked, TheBroker
from sayso.server.routes import route


@get("/freeze", operation_id="frozen", tags=["freeze"], **route(Who.PERSON))
async def read_freeze(request: Asked, broker: TheBroker) -> Frozen:
    """What is frozen now, by whom and why."""
    return await frozen_now(broker, request.user)


@post(
    "/freeze",
    status_code=200,
    operation_id="freeze",
    tags=["freeze"],
    **route(Who.PERSON, body=True),
)
async def freeze(request: Asked, data: JSONBody[FreezeBody], broker: TheBroker) -> Frozen:
    """Refuse every call of every agent, or of one, from now on; what waits goes on waiting."""
    await broker.freezing.freeze(request.user, data.agent_id, data.reason)
    return await frozen_now(broker, request.user)


@delete("/freeze", status_code=200, operation_id="thaw", tags=["freeze"], **route(Who.PERSON, 409))
async def thaw(request: Asked, broker: TheBroker, agent: FromQuery[str | None] = None) -> Frozen:
    """End what you froze, for every agent or for the one that is named; an admin ends anybody's."""
    await broker.freezing.thaw(request.user, agent)
    return await frozen_now(broker, request.user)
