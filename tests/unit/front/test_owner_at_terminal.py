"""The owner at the terminal of an embedded gate: no vote before the passphrase was right (REQ-62)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.session import CallDraft
from sayso.errors import CallInvalid, NotAuthenticated, RateLimited
from sayso.front.assembly import open_broker
from sayso.front.owner_at_terminal import OwnerAtTerminal
from sayso.requests.approval import Status, Vote

PASSPHRASE = "correct horse battery"


@pytest.mark.spec("REQ-62")
async def test_votes_count_once_it_is_unlocked_and_until_it_is_locked(home: Path) -> None:
    async with open_broker() as broker:
        store, now = broker.world.store, broker.world.clock.now
        agent = await broker.access.embedded_agent("tested")
        gate = broker.gate((await broker.open_session(agent)).session_id)
        first, second = [await gate.submit(CallDraft("send", {"n": n})) for n in (1, 2)]
        owner = OwnerAtTerminal(lambda: broker)
        vote = owner.decide("terminal")
        request = await store.request(first.call_id)
        assert request is not None
        card = await owner.picture(request)
        assert (card.may_approve, card.request_id) == (True, first.call_id)

        assert not await owner.chosen()
        with pytest.raises(NotAuthenticated, match="the terminal is not unlocked"):
            await vote(first.call_id, Vote.APPROVE, first.digest, None)
        with pytest.raises(CallInvalid, match="shorter than 8"):
            await owner.choose("short")
        await owner.choose(PASSPHRASE)
        await vote(first.call_id, Vote.APPROVE, first.digest, None)

        other = OwnerAtTerminal(lambda: broker)
        assert await other.chosen()
        assert not await other.unlock("wrong horse battery")
        with pytest.raises(NotAuthenticated):
            await other.decide("terminal")(second.call_id, Vote.REJECT, second.digest, None)
        for _ in range(4):
            assert not await other.unlock("wrong horse battery")
        with pytest.raises(RateLimited):
            await other.unlock(PASSPHRASE)

        await owner.lock()
        await owner.lock()
        with pytest.raises(NotAuthenticated):
            await vote(second.call_id, Vote.APPROVE, second.digest, None)
        assert [r.status for r in await store.recent(5)] == [Status.APPROVED]
        live = [c.agent_id for c in await store.credentials() if c.live(now())]
        assert live == ["tested"]
