"""The audit log for those who may read it: pages, what it adds up to, and whether anybody changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from sayso.audit.chain import Entry, Verification, verify
from sayso.audit.statistics import Statistics
from sayso.broker.access import Actor
from sayso.broker.insight import added_up
from sayso.broker.ports import Page
from sayso.broker.world import World
from sayso.core.moment import Moment
from sayso.errors import NotEligible
from sayso.people.token import DECIDING

AUDIT_BATCH = 500


class AuditLog:
    """What admins may read of the log, because it speaks of everybody."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def page(self, actor: Actor, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first; raises NotEligible for whoever is no admin, as all of these do."""
        self.must_read(actor)
        return await self._world.store.audit_page(page)

    async def statistics(
        self, actor: Actor, since: Moment | None = None, until: Moment | None = None
    ) -> Statistics:
        """What the log of a time adds up to, of the last 30 days unless told."""
        self.must_read(actor)
        return await added_up(self._world.store, self._world.clock.now(), since, until)

    async def verify(self, actor: Actor) -> Verification:
        """Check the whole hash chain, a part at a time and off the event loop."""
        self.must_read(actor)
        loop = asyncio.get_running_loop()

        def entries() -> Iterator[Entry]:
            after = 0
            while True:
                reading = self._world.store.audit_chain(after, AUDIT_BATCH)
                batch = asyncio.run_coroutine_threadsafe(reading, loop).result()
                yield from batch
                if len(batch) < AUDIT_BATCH:
                    return
                after = batch[-1].seq

        return await asyncio.to_thread(verify, entries())

    def must_read(self, actor: Actor) -> None:
        """Raises NotEligible unless this is an admin with a person's credential."""
        if actor.kind not in DECIDING:
            raise NotEligible(
                "an agent's token can never see or decide what people decide",
                "log in, or use an approver's token",
            )
        if not actor.person.admin:
            raise NotEligible("only an admin may read the audit log", "ask an admin")
