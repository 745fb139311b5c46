"""The kill switch: anybody who decides may put a brake on, and nobody takes off another's but an admin (GATE-8)."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact_text
from sayso.broker.access import Access, Actor
from sayso.broker.world import World
from sayso.core.call import check_name
from sayso.core.freeze import Freeze
from sayso.errors import CallInvalid, NotEligible, NotFrozen
from sayso.people.eligibility import may_configure
from sayso.people.token import DECIDING
from sayso.requests.event import EventKind, Notice

MAX_REASON = 500
"""So many characters may say why; agents are told them with every call."""


class Freezing:
    """The brakes that are on; they count in every process from its next call on."""

    def __init__(self, world: World, access: Access) -> None:
        self._world = world
        self._access = access

    async def now(self, actor: Actor) -> Sequence[Freeze]:
        """The brakes that are on, oldest first; raises NotEligible for an agent's token."""
        _must_be_a_person(actor)
        return await self._world.store.freezes()

    def may_thaw(self, actor: Actor, freeze: Freeze) -> bool:
        """Whether this actor may take that brake off: it is their own, or they may configure."""
        own = freeze.person_id == actor.person.person_id
        return own or may_configure(actor.person, actor.kind)

    async def freeze(self, actor: Actor, agent_id: str | None, reason: str | None) -> bool:
        """Refuse every call of an agent and its sub-agents, or of every agent (None), from now on.

        What waits goes on waiting, and what runs already is not stopped. Returns False if this person's
        brake was on already: it stays as it was. Raises NotEligible for an agent's token, CallInvalid
        for a name that no agent can have or a reason that is too long.
        """
        _must_be_a_person(actor)
        if agent_id is not None:
            agent_id = check_name("agent's name", agent_id)
            if not agent_id.strip():
                raise CallInvalid("the agent's name is empty", "leave it out to freeze every agent")
        reason = None if reason is None else redact_text(" ".join(reason.split())) or None
        if reason is not None and len(reason) > MAX_REASON:
            raise CallInvalid(
                f"the reason is longer than {MAX_REASON} characters",
                "say it shorter; nothing froze",
            )
        now = self._world.clock.now()
        person = actor.person
        brake = Freeze(person.person_id, person.name, actor.channel, now, agent_id, reason)
        record = self._record(actor, f"frozen: {_whom(agent_id)}", agent_id, reason)
        put_on = await self._world.store.freeze(brake, [record], [self._notice()])
        if put_on:
            self._world.feed.publish(["rules"])
        return put_on

    async def thaw(self, actor: Actor, agent_id: str | None) -> int:
        """Take the brake on an agent, or the one on every agent (None), off again; how many they were.

        A person takes off their own; one who may configure everybody's. Raises NotFrozen if there is
        none, NotEligible if all of them are others'.
        """
        _must_be_a_person(actor)
        there = [f for f in await self._world.store.freezes() if f.agent_id == agent_id]
        if not there:
            raise NotFrozen(
                f"{_whom(agent_id)} is not frozen", "see what is: sayso inbox list, or sayso doctor"
            )
        if not any(self.may_thaw(actor, freeze) for freeze in there):
            names = ", ".join(freeze.by for freeze in there)
            raise NotEligible(f"it was frozen by {names}", "they can end it, or an admin can")
        whose = (
            None if may_configure(actor.person, actor.kind) else actor.person.person_id
        )  # an admin ends it whoever began it
        record = self._record(actor, f"thawed: {_whom(agent_id)}", agent_id, None)
        count = await self._world.store.thaw(agent_id, whose, [record], [self._notice()])
        if count:
            self._world.feed.publish(["rules"])
        return count

    def _record(
        self, actor: Actor, note: str, agent_id: str | None, reason: str | None
    ) -> AuditRecord:
        return AuditRecord(
            RecordKind.CONFIGURATION,
            self._world.clock.now(),
            agent_id=agent_id or "",
            by=actor.person.name,
            channel=actor.channel,
            comment=reason,
            note=note,
        )

    def _notice(self) -> Notice:
        return Notice(EventKind.SETTINGS_CHANGED, self._world.clock.now(), data={"what": "freezes"})


def freeze_words(freeze: Freeze) -> str:
    """A brake that is on, in a sentence for people."""
    why = f": {freeze.reason}" if freeze.reason else ""
    return f"{_whom(freeze.agent_id)} is frozen by {freeze.by}{why}"


def _whom(agent_id: str | None) -> str:
    return "every agent" if agent_id is None else f"the agent {agent_id}"


def _must_be_a_person(actor: Actor) -> None:
    if actor.kind not in DECIDING:
        raise NotEligible(
            "an agent's token can never freeze, thaw, or see what is frozen",
            "log in, or use an approver's token",
        )
