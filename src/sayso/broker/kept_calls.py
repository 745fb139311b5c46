"""For how long the full arguments of calls are kept, and who may delete them before (AUD-1a)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Access, Actor
from sayso.broker.ports.kept_calls import Which
from sayso.broker.world import World
from sayso.core.moment import plus, to_rfc3339
from sayso.errors import RequestNotFound

FORGET_AT_ONCE = 50
"""Of so many calls the full arguments are deleted at once: others write in between."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Of how many calls the full arguments were deleted, and how many keep theirs: they are not over."""

    deleted: int
    kept: int


async def forget_old(world: World) -> int:
    """Delete the full arguments of some calls that have been kept for long enough; returns of how many."""
    if world.keep_calls is None:
        return 0
    before = plus(world.clock.now(), -world.keep_calls)
    return await world.store.forget(Which(before=before), FORGET_AT_ONCE)


async def forget_calls(world: World, access: Access, actor: Actor, which: Which) -> Forgotten:
    """Delete the full arguments of these calls, but for those that are not over; an admin's to do.

    The record of it is written before. Raises NotEligible, and RequestNotFound for one call that is
    not known.
    """
    access.must_configure(actor)
    if which.call_id is not None and await world.store.call(which.call_id) is None:
        raise RequestNotFound(
            f"no call has the id `{which.call_id[:64]}`", "look for it: sayso audit list"
        )
    record = AuditRecord(
        RecordKind.CONFIGURATION,
        world.clock.now(),
        call_id=which.call_id or "",
        session_id=which.session_id or "",
        by=actor.person.name,
        channel=actor.channel,
        note=f"full arguments are deleted: {_words(which)}",
    )
    await world.store.record([record])
    deleted = 0
    while True:
        count = await world.store.forget(which, FORGET_AT_ONCE)
        deleted += count
        if not count:
            return Forgotten(deleted, await world.store.kept(which))


def _words(which: Which) -> str:
    if which.before is not None:
        return f"calls submitted up to {to_rfc3339(which.before)}"
    return "one call" if which.call_id is not None else "the calls of one session"
