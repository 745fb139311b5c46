"""Whether the process lives, and whether it can do its work."""

from __future__ import annotations

from litestar import get

from sayso.server.auth import Who
from sayso.server.documents import Health
from sayso.server.injected import TheBroker
from sayso.server.routes import route


@get("/healthz", operation_id="healthz", tags=["operations"], **route(Who.EVERYBODY))
async def healthz() -> Health:
    """The process lives."""
    return Health(status="ok")


@get("/readyz", operation_id="readyz", tags=["operations"], **route(Who.EVERYBODY))
async def readyz(broker: TheBroker) -> Health:
    """The store answers; 503 if it does not."""
    await broker.world.store.last_notice()
    return Health(status="ok")
