"""The card of a request as it stands now, whoever looks at it and on whatever surface."""

from __future__ import annotations

from sayso.broker.reachability import Reachable, who_is_reachable
from sayso.broker.world import World
from sayso.channels.card import Card, card_of
from sayso.channels.card_asking import Viewed
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest
from sayso.requests.deadline import is_over
from sayso.requests.emergency import may_break_glass, may_review_glass
from sayso.requests.quorum import asked_of


async def card_now(
    world: World,
    request: ApprovalRequest,
    refusal: str | None,
    person_id: str | None = None,
    people: Directory | None = None,
) -> Card:
    """The card for a viewer; `refusal` says why they may not decide, None if they may."""
    return card_of(
        request,
        refusal=refusal,
        now=world.clock.now(),
        rules_unavailable=await rules_unavailable(world, request),
        people=people if people is not None else await world.store.directory(),
        viewed=viewed_by(world, request, refusal, person_id, await who_is_reachable(world)),
    )


def viewed_by(
    world: World,
    request: ApprovalRequest,
    refusal: str | None,
    person_id: str | None,
    reachable: Reachable,
) -> Viewed:
    """What is the viewer's own on the card; `person_id` None is somebody who is not known."""
    now = world.clock.now()
    reach = reachable.of(asked_of(request), now)
    if person_id is None:
        return Viewed(nobody=reach.words)
    may = refusal is None
    breaking = may_break_glass(request, person_id, reachable.people, now)
    reviewing = may_review_glass(request, person_id, reachable.people, now)
    return Viewed(
        nobody=reach.words,
        snoozed_until=request.attention.snoozed_until(person_id),
        may_break_glass=may and not is_over(request, now) and breaking is None,
        may_review_glass=may and reviewing is None,
    )


async def rules_unavailable(world: World, request: ApprovalRequest) -> bool:
    """Whether nothing can be approved now where the call was made (POL-23)."""
    return (await world.rules.current(request.call.workspace)).unavailable is not None
