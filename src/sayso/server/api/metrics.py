"""Counts for Prometheus."""

from __future__ import annotations

from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example

from sayso.server.auth import Who
from sayso.server.injected import TheBroker
from sayso.server.metrics import MEDIA_TYPE, exposition
from sayso.server.routes import route

_TEXT = ResponseSpec(
    data_container=str,
    generate_examples=False,
    description="The text that Prometheus reads.",
    media_type=MEDIA_TYPE,
    examples=[
        Example(summary="a count", value='sayso_checks_total{effect="ask",reason="rule-ask"} 3.0\n')
    ],
)


@get(
    "/metrics",
    operation_id="metrics",
    tags=["operations"],
    media_type=MEDIA_TYPE,
    **route(Who.ANY_CREDENTIAL, more_responses={200: _TEXT}),
)
async def read_metrics(broker: TheBroker) -> Response[bytes]:
    """What this server has decided since it began, in the words of Prometheus.

    Any credential may read it, so that the one a scraper keeps need not be able to decide; it names no
    tool, person or agent, and holds nothing of a call.
    """
    pending = await broker.world.store.pending_count()
    return Response(exposition(broker.world.meter, pending), media_type=MEDIA_TYPE)
