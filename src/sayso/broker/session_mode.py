"""The mode that counts in a session now, read anew with today's settings and run contexts (MODE-2)."""

from __future__ import annotations

from sayso.broker.world import World
from sayso.core.in_force import mode_in_force
from sayso.core.mode import Mode
from sayso.core.session import Session


async def mode_of(world: World, session: Session) -> Mode:
    """The mode that counts; for a sub-agent that of the first session above it."""
    above = await world.store.session(session.parent[0]) if session.parent else None
    top = above or session
    in_force = (await world.rules.current(session.workspace, session.rules)).in_force
    context = in_force.run_context(top.run_context)
    of_context = None if context is None else context.mode
    return mode_in_force(top.mode, top.agent_mode, of_context, in_force.mode)
