"""What the API takes and answers about the kill switch."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.core.freeze import Freeze
from sayso.core.moment import to_rfc3339
from sayso.server.bodies import Body
from sayso.server.card_documents import FreezeShown, Frozen
from sayso.server.cards import text_shown


class FreezeBody(Body):
    """Whom to freeze, every agent unless one is named, and why; both are shown to people and to the agent."""

    agent_id: Annotated[str, Meta(max_length=256, examples=["coder"])] | None = None
    reason: Annotated[str, Meta(max_length=500, examples=["the deploy is broken"])] | None = None


async def frozen_now(broker: Broker, actor: Actor) -> Frozen:
    """The brakes that are on, as this person is shown them."""
    found = await broker.freezing.now(actor)
    return Frozen(freezes=[_shown(broker, actor, freeze) for freeze in found])


def _shown(broker: Broker, actor: Actor, freeze: Freeze) -> FreezeShown:
    return FreezeShown(
        agent_id=freeze.agent_id,
        agent=None if freeze.agent_id is None else text_shown(freeze.agent_id),
        by=text_shown(freeze.by),
        channel=freeze.channel,
        at=to_rfc3339(freeze.at),
        reason=None if freeze.reason is None else text_shown(freeze.reason),
        may_thaw=broker.freezing.may_thaw(actor, freeze),
    )
