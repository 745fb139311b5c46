"""The card of a request as it stands now, whoever looks at it and on whatever surface."""

from __future__ import annotations

from sayso.broker.world import World
from sayso.channels.card import Card, card_of
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest


async def card_now(
    world: World, request: ApprovalRequest, refusal: str | None, people: Directory | None = None
) -> Card:
    """The card for a viewer; `refusal` says why they may not decide, None if they may."""
    return card_of(
        request,
        refusal=refusal,
        now=world.clock.now(),
        rules_unavailable=await rules_unavailable(world, request),
        people=people if people is not None else await world.store.directory(),
    )


async def rules_unavailable(world: World, request: ApprovalRequest) -> bool:
    """Whether nothing can be approved now where the call was made (POL-23)."""
    return (await world.rules.current(request.call.workspace)).unavailable is not None
