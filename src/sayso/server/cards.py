"""Cards as the API writes them: the neutral picture of a request, for the one who looks at it.

A card is written once for everybody who sees the same, and a large one off the event loop: whatever
an agent puts into a call, looking at it slows nobody else down.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import TypeAlias, cast

import msgspec
import orjson

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.insight import ByRule
from sayso.broker.reachability import Reachable, who_is_reachable
from sayso.broker.remembering import Answered
from sayso.broker.review import why_not
from sayso.channels.card import card_of
from sayso.channels.card_asking import Viewed
from sayso.channels.display import show, shown_json
from sayso.channels.viewing import rules_unavailable, viewed_by
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest
from sayso.requests.deadline import is_over
from sayso.server.card_documents import ByRuleShown, Card
from sayso.server.documents import Shown

LARGE = 16 * 1024
"""From so many bytes of call on, a card is written in a thread."""

KEPT = 32 * 1024 * 1024
"""So many bytes of written cards are kept, those looked at last."""

_Key: TypeAlias = tuple[str, int, str | None, bool, bool, str, int, tuple[bool, ...], Viewed]


def text_shown(text: str) -> Shown:
    """A text with nothing hidden in it."""
    return cast("Shown", shown_json(show(text)))


def by_rule_shown(found: ByRule) -> ByRuleShown:
    """A call that policy alone decided, with nothing hidden in its texts."""

    return ByRuleShown(
        at=found.at,
        call_id=found.call_id,
        agent=text_shown(found.agent),
        tool=text_shown(found.tool),
        targets=[text_shown(target) for target in found.targets],
        effect="allow" if found.effect == "allow" else "deny",
        reason=found.reason,
        rule=text_shown(found.rule),
    )


class Cards:
    """Makes cards; whether an actor may decide, and whether anything can be approved now, is asked anew."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._written: OrderedDict[_Key, bytes] = OrderedDict()
        self._size = 0
        self._being_written: dict[_Key, asyncio.Future[bytes]] = {}

    async def of(self, actor: Actor, request: ApprovalRequest) -> Card:
        """The card of one request."""
        reachable = await who_is_reachable(self._broker.world)
        return await self._of(actor, request, reachable)

    async def answered(self, actor: Actor, answered: Answered) -> Card:
        """The card of a request that was answered, with what is remembered of the answer."""
        card = await self.of(actor, answered.request)
        if not answered.saved and answered.problem is None:
            return card
        # The card stands there as it was written: what is said besides is put into it.
        document = msgspec.json.decode(cast("msgspec.Raw", card))
        document["remembered"] = {
            "saved": [text_shown(words) for words in answered.saved],
            "problem": None if answered.problem is None else text_shown(answered.problem),
        }
        return cast("Card", document)

    async def of_all(self, actor: Actor, requests: Iterable[ApprovalRequest]) -> list[Card]:
        """The cards of several requests, in their order."""
        reachable = await who_is_reachable(self._broker.world)
        return [await self._of(actor, request, reachable) for request in requests]

    async def _of(self, actor: Actor, request: ApprovalRequest, reachable: Reachable) -> Card:
        unavailable = await rules_unavailable(self._broker.world, request)
        return await self._card(actor, request, unavailable, reachable)

    async def _card(
        self, actor: Actor, request: ApprovalRequest, unavailable: bool, reachable: Reachable
    ) -> Card:
        world = self._broker.world
        now, people = world.clock.now(), reachable.people
        refusal = why_not(actor, request, people, now)
        # who stands in for whom changes with the time, and with it how the votes count
        standing_in = tuple(link.holds(now) for link in people.stand_ins)
        key = (
            request.request_id,
            request.version,
            refusal,
            unavailable,
            is_over(request, now),
            actor.channel,
            people.version,
            standing_in,
            viewed_by(world, request, refusal, actor.person.person_id, reachable),
        )
        found = self._written.get(key)
        if found is not None:
            self._written.move_to_end(key)
        else:
            found = await self._write(key, request, people, now)
        # The declared shape of what is written already: it goes into the answer as it is.
        return cast("Card", msgspec.Raw(found))

    async def _write(
        self, key: _Key, request: ApprovalRequest, people: Directory, now: Moment
    ) -> bytes:
        if _weight(request) < LARGE:
            written = _written(key, request, people, now)
            self._keep(key, written)
            return written
        writing = self._being_written.get(key)
        if writing is None:
            writing = asyncio.ensure_future(asyncio.to_thread(_written, key, request, people, now))
            self._being_written[key] = writing
            writing.add_done_callback(lambda done: self._done(key, done))
        return await asyncio.shield(writing)

    def _done(self, key: _Key, writing: asyncio.Future[bytes]) -> None:
        del self._being_written[key]
        if not writing.cancelled() and writing.exception() is None:
            self._keep(key, writing.result())

    def _keep(self, key: _Key, written: bytes) -> None:
        self._size += len(written) - len(self._written.pop(key, b""))
        self._written[key] = written
        while self._size > KEPT:
            _, oldest = self._written.popitem(last=False)
            self._size -= len(oldest)


def _written(key: _Key, request: ApprovalRequest, people: Directory, now: Moment) -> bytes:
    refusal, unavailable, channel, viewed = key[2], key[3], key[5], key[8]
    card = card_of(
        request,
        refusal=refusal,
        now=now,
        rules_unavailable=unavailable,
        channel=channel,
        people=people,
        viewed=viewed,
    )
    return msgspec.json.encode(card.to_json())


def _weight(request: ApprovalRequest) -> int:
    """About how many bytes there are to show."""
    call = request.call
    return (
        len(orjson.dumps(dict(call.arguments)))
        + len(call.detail or "")
        + len(call.diff or "")
        + len(request.why.explain)
    )
