"""The stream of events."""

from __future__ import annotations

import re
from typing import Annotated

from litestar import get
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import HeaderParameter

from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker, TheCards, TheClosing, TheTogether
from sayso.server.live.events import Events
from sayso.server.live.sse import MEDIA_TYPE, EventStream
from sayso.server.routes import route

_STREAM = ResponseSpec(
    data_container=str,
    generate_examples=False,
    description="A stream of server-sent events; it ends when the client goes.",
    media_type=MEDIA_TYPE,
    examples=[
        Example(
            summary="a decision",
            value="id: 7\nevent: approval_resolved\n"
            'data: {"id": 7, "event": "approval_resolved", "version": 2, "request_id": "…"}\n\n',
        )
    ],
)


@get(
    "/events",
    operation_id="events",
    tags=["inbox"],
    media_type=MEDIA_TYPE,
    **route(Who.PERSON, more_responses={200: _STREAM}),
)
async def events(
    request: Asked,
    broker: TheBroker,
    cards: TheCards,
    together: TheTogether,
    closing: TheClosing,
    last_event_id: Annotated[
        str | None,
        HeaderParameter(
            name="Last-Event-ID", max_length=32, description="the last `id:` that was read"
        ),
    ] = None,
) -> EventStream:
    """The events that you may read, as they happen.

    `id:` is the event's number, `event:` its kind, `data:` JSON. With `Last-Event-ID` it goes on where it
    broke off; an event `reload` says that too much was missed, so that everything is to be read anew.
    """
    # A number that is none is one of another log: it leads to a reload.
    text = last_event_id
    after = None if not text else int(text) if re.fullmatch(r"\d{1,18}", text) else 2**62
    return EventStream(Events(broker, cards, together, request.user, request.auth), after, closing)
