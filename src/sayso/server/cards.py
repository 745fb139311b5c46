"""Cards as the API writes them: the neutral picture of a request, for the one who looks at it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.insight import ByRule
from sayso.channels.card import card_of
from sayso.channels.display import show, shown_json
from sayso.requests.approval import ApprovalRequest
from sayso.server.documents import ByRuleShown, Card, Shown


def by_rule_shown(found: ByRule) -> ByRuleShown:
    """A call that policy alone decided, with nothing hidden in its texts."""

    def shown(text: str) -> Shown:
        return cast("Shown", shown_json(show(text)))

    return ByRuleShown(
        at=found.at,
        call_id=found.call_id,
        agent=shown(found.agent),
        tool=shown(found.tool),
        targets=[shown(target) for target in found.targets],
        effect="allow" if found.effect == "allow" else "deny",
        reason=found.reason,
        rule=shown(found.rule),
    )


class Cards:
    """Makes cards; whether an actor may decide, and whether anything can be approved now, is asked anew."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def of(self, actor: Actor, request: ApprovalRequest) -> Card:
        """The card of one request."""
        return self._card(actor, request, await self._unavailable())

    async def of_all(self, actor: Actor, requests: Iterable[ApprovalRequest]) -> list[Card]:
        """The cards of several requests, in their order."""
        unavailable = await self._unavailable()
        return [self._card(actor, request, unavailable) for request in requests]

    def _card(self, actor: Actor, request: ApprovalRequest, unavailable: bool) -> Card:
        refusal = self._broker.why_not(actor, request)
        card = card_of(
            request,
            may_decide=refusal is None,
            reason=refusal,
            now=self._broker.world.clock.now(),
            rules_unavailable=unavailable,
        )
        # The document is the declared shape of what the card is already: nothing is copied.
        return cast("Card", card.to_json())

    async def _unavailable(self) -> bool:
        """Whether nothing can be approved now."""
        return (await self._broker.world.rules.current()).unavailable is not None
