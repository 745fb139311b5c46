"""The mode that counts in a session now, read anew with today's settings and run contexts (MODE-2)."""

from __future__ import annotations

from sayso.broker.circumstances import under_now
from sayso.broker.world import World
from sayso.core.mode import Mode
from sayso.core.session import Session


async def mode_of(world: World, session: Session) -> Mode:
    """The mode that counts; for a sub-agent that of the first session above it."""
    in_force = (await world.rules.current(session.workspace, session.rules)).in_force
    return (await under_now(world.store, session, in_force, world.sandbox)).mode
