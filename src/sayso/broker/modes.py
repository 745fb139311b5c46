"""The mode of a session: which one counts, and how people switch it (MODE-1 to MODE-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Actor
from sayso.broker.circumstances import under_now
from sayso.broker.world import World
from sayso.core.mode import Mode
from sayso.core.session import Session
from sayso.errors import CallInvalid, LostRace, NotEligible
from sayso.people.eligibility import may_configure
from sayso.people.token import DECIDING
from sayso.requests.event import EventKind, Notice


@dataclass(frozen=True, slots=True)
class ModeNow:
    """The mode that counts in a session, the one people switched it to, and why those may differ."""

    session_id: str
    mode: Mode
    switched_to: Mode | None
    run_context_id: str
    note: str | None = None


class Modes:
    """Looking at the mode of a session, and switching it; an agent's side can do neither for another's."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def of(self, actor: Actor, session_id: str) -> ModeNow:
        """The mode that counts now; for its people, and for the agent that opened it. Raises NotEligible."""
        session = await self._world.store.session(session_id)
        mine = session is not None and session.credential_id == actor.credential.credential_id
        if session is None or not (mine or _is_theirs(actor, session)):
            raise _not_theirs()
        return await mode_now(self._world, session)

    async def switch(self, actor: Actor, session_id: str, mode: Mode | None) -> ModeNow:
        """Switch a session's mode, None: to what is configured; it counts from the next call on.

        Only the session's user and admins do, with a credential that decides. Raises NotEligible, and
        CallInvalid for `bypass` without an active sandbox and for a sub-agent's session.
        """
        if mode is Mode.BYPASS and not self._world.sandbox.active:
            raise CallInvalid(
                "the mode `bypass` needs an active sandbox, and there is none here",
                "choose another mode, or see: sayso doctor",
            )
        while True:
            session = await self._world.store.session(session_id)
            if session is None or not _is_theirs(actor, session):
                raise _not_theirs()
            if session.parent:
                raise CallInvalid(
                    "a sub-agent runs in the mode of the session above it",
                    f"switch that one: {session.parent[0]}",
                )
            # what the agent's side chose at first is over with the first word of a person
            after = replace(session, mode=mode, agent_mode=None)
            now = self._world.clock.now()
            record = AuditRecord(
                RecordKind.CONFIGURATION,
                now,
                session_id=session.session_id,
                agent_id=session.agent_id,
                user_id=session.user_id,
                source=session.source,
                by=actor.person.name,
                channel=actor.channel,
                note=f"mode: {'as configured' if mode is None else mode.value}",
            )
            notice = Notice(EventKind.SETTINGS_CHANGED, now)
            try:
                await self._world.store.change_session(session, after, [record], [notice])
            except LostRace:
                continue
            self._world.feed.publish(["rules"])
            return await mode_now(self._world, after)


async def mode_now(world: World, session: Session) -> ModeNow:
    """The mode that counts in a session, with today's settings and run contexts."""
    rules = await world.rules.current(session.workspace, session.rules)
    now = await under_now(world.store, session, rules.in_force, world.sandbox)
    context = now.run_context.run_context_id
    return ModeNow(session.session_id, now.mode, session.mode, context, now.note)


def _is_theirs(actor: Actor, session: Session) -> bool:
    if actor.kind not in DECIDING:
        return False
    own = actor.person.person_id == session.user_id
    return own or may_configure(actor.person, actor.kind)


def _not_theirs() -> NotEligible:
    return NotEligible(
        "this is no session of yours", "its user switches its mode, or an admin; name one of yours"
    )
