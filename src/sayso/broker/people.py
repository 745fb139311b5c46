"""Managing people, roles and stand-ins: by admins, live, every change recorded (REQ-60, REQ-61, REQ-66)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Access, Actor
from sayso.broker.world import World
from sayso.core.deciders import Quorum
from sayso.core.moment import Moment
from sayso.errors import LostRace, NotEligible
from sayso.people import changes
from sayso.people.directory import Directory
from sayso.people.eligibility import may_configure
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.token import DECIDING, CredentialKind
from sayso.people.what_changed import what_changed
from sayso.requests.event import EventKind, Notice


class People:
    """Who there is, as admins change it; what they change counts at once, in every process."""

    def __init__(self, world: World, access: Access) -> None:
        self._world = world
        self._access = access

    async def directory(self, actor: Actor) -> Directory:
        """Everybody there is; raises NotEligible unless the actor is an admin."""
        if actor.kind not in DECIDING or not actor.person.admin:
            raise NotEligible("only an admin may list the people", "ask an admin")
        return await self._world.store.directory()

    async def add(
        self,
        actor: Actor,
        name: str,
        *,
        admin: bool = False,
        operator: bool = False,
        agents: Iterable[str] | None = None,
        identities: Iterable[str] = (),
    ) -> tuple[Person, str]:
        """Add somebody; returns them, and the code with which they choose their passphrase once."""
        agents, identities = None if agents is None else tuple(agents), tuple(identities)
        _, after = await self._change(
            actor,
            lambda there: changes.add_person(
                there, name, admin=admin, operator=operator, agents=agents, identities=identities
            ),
        )
        person = changes.the_person(after, name)
        return person, await self._access.issue_enrolment(actor, person.person_id)

    async def change(self, actor: Actor, name: str, **what: Any) -> Person:
        """Change somebody's rights or identities, or whether they are enabled; see changes.change_person."""
        before, after = await self._change(
            actor, lambda there: changes.change_person(there, name, **what)
        )
        return after.people[changes.the_person(before, name).person_id]

    async def remove(self, actor: Actor, name: str) -> None:
        """Remove somebody for good, with every credential, membership and stand-in."""
        await self._change(actor, lambda there: changes.remove_person(there, name))

    async def new_code(self, actor: Actor, name: str) -> str:
        """A code with which somebody chooses a new passphrase once; the old one counts until then."""
        self._access.must_configure(actor)
        person = changes.the_person(await self._world.store.directory(), name)
        return await self._access.issue_enrolment(actor, person.person_id)

    async def add_role(
        self, actor: Actor, name: str, quorum: Quorum = 1, members: Iterable[str] = ()
    ) -> Role:
        """Add a role."""
        members = tuple(members)
        _, after = await self._change(
            actor, lambda there: changes.add_role(there, name, quorum, members)
        )
        return changes.the_role(after, name)

    async def change_role(self, actor: Actor, name: str, **what: Any) -> Role:
        """Change a role's quorum, or whether it is enabled."""
        _, after = await self._change(actor, lambda there: changes.change_role(there, name, **what))
        return changes.the_role(after, name)

    async def remove_role(self, actor: Actor, name: str) -> None:
        """Remove a role."""
        await self._change(actor, lambda there: changes.remove_role(there, name))

    async def add_member(self, actor: Actor, role: str, member: str) -> Role:
        """Make somebody, whom any of their identities names, a member of a role."""
        _, after = await self._change(actor, lambda there: changes.add_member(there, role, member))
        return changes.the_role(after, role)

    async def remove_member(self, actor: Actor, role: str, member: str) -> Role:
        """Take somebody out of a role."""
        _, after = await self._change(
            actor, lambda there: changes.remove_member(there, role, member)
        )
        return changes.the_role(after, role)

    async def stand_in(
        self, actor: Actor, absent: str, substitute: str, since: Moment | None, until: Moment
    ) -> Directory:
        """Let somebody stand in for the actor, or, by an admin's word, for anybody."""
        now = self._world.clock.now()
        since = now if since is None else since
        _, after = await self._change(
            actor,
            lambda there: changes.add_stand_in(there, absent, substitute, since, until, now),
            of=absent,
        )
        return after

    async def end_stand_in(
        self, actor: Actor, absent: str, substitute: str | None = None
    ) -> Directory:
        """Let nobody, or not this one, stand in for somebody any more."""
        _, after = await self._change(
            actor,
            lambda there: changes.remove_stand_in(there, absent, substitute),
            of=absent,
        )
        return after

    async def _change(
        self,
        actor: Actor,
        change: Callable[[Directory], Directory],
        *,
        of: str | None = None,
    ) -> tuple[Directory, Directory]:
        """Make a change on the directory as it is stored, and record all that it changes.

        `of` is who may do it for themselves. Gives the directory as it was and as it is now; what
        changes nothing is neither written nor recorded.
        """
        while True:
            before = await self._world.store.directory()
            self._must_change(actor, before, of)
            after = change(before)
            note = what_changed(before, after)
            if not note:
                return before, before
            now = self._world.clock.now()
            record = AuditRecord(
                RecordKind.CONFIGURATION,
                now,
                by=actor.person.name,
                channel=actor.channel,
                note=note,
            )
            try:
                await self._world.store.change_people(
                    before, after, now, [record], [Notice(EventKind.SETTINGS_CHANGED, now)]
                )
            except LostRace:
                continue
            self._world.feed.publish(["people"])
            return before, after

    def _must_change(self, actor: Actor, there: Directory, of: str | None) -> None:
        person = there.somebody(actor.person.person_id)
        if person is not None and may_configure(person, actor.kind):
            return
        mine = person is not None and of is not None
        mine = mine and changes.the_person(there, of or "").person_id == actor.person.person_id
        if not mine or actor.kind is not CredentialKind.SESSION:
            raise NotEligible(
                "only an admin may change people, roles and stand-ins of others",
                "log in with an admin's passphrase, or use an admin's token",
            )
