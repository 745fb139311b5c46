"""Listing what is remembered, taking it back, and carrying it from one installation to another (REQ-51, REQ-53)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact_text
from sayso.broker.access import Actor
from sayso.broker.ports import Given
from sayso.broker.world import World
from sayso.errors import GrantNotFound, NotEligible
from sayso.people.token import DECIDING
from sayso.requests.approvals_file import read_approvals, write_approvals
from sayso.requests.event import EventKind, Notice
from sayso.requests.key import Key, KeyKind
from sayso.requests.standing_grant import Bypass, KeyGrant


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: what counts now, and in words what was left out and why."""

    grants: tuple[KeyGrant, ...]
    left_out: tuple[str, ...]


class KeptGrants:
    """Grants, vetoes and bypasses as people manage them: a person their own, an admin all.

    A person's own are those for their calls, and those they gave.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    async def grants(self, actor: Actor, *, vetoes: bool | None = None) -> Sequence[KeyGrant]:
        """The grants (`vetoes` False), the vetoes (True) or both, newest first; raises NotEligible."""
        _must_be_a_person(actor)
        found = await self._world.store.grants()
        return [
            grant
            for grant in found
            if vetoes in (None, grant.veto) and _may_manage(actor, grant.user_id, grant.giver)
        ]

    async def bypasses(self, actor: Actor) -> Sequence[Bypass]:
        """The bypasses that still last, newest first; raises NotEligible."""
        _must_be_a_person(actor)
        now = self._world.clock.now()
        found = []
        for bypass in await self._world.store.bypasses():
            if _may_manage(actor, bypass.user_id, bypass.giver) and bypass.lasts(now):
                session = await self._world.store.session(bypass.session_id)
                if session is not None and session.host_start == bypass.host_start:
                    found.append(bypass)
        return found

    async def revoke(self, actor: Actor, grant_id: str, *, veto: bool | None = None) -> KeyGrant:
        """Take a grant or veto back; raises GrantNotFound, also for one that is not theirs."""
        for grant in await self.grants(actor, vetoes=veto):
            if grant.grant_id == grant_id:
                await self._forget(actor, [grant])
                return grant
        raise _not_found(grant_id)

    async def revoke_bypass(self, actor: Actor, bypass_id: str) -> Bypass:
        """Take a bypass back; raises GrantNotFound, also for one that is not theirs."""
        for bypass in await self.bypasses(actor):
            if bypass.bypass_id == bypass_id:
                record = self._record(
                    actor, f"bypass taken back: {bypass.scope.label}", bypass.user_id
                )
                said = [replace(record, session_id=bypass.session_id)]
                await self._world.store.forget_bypasses([bypass_id], said, [self._changed()])
                self._world.feed.publish(["rules"])
                return bypass
        raise _not_found(bypass_id)

    async def clear(
        self, actor: Actor, *, vetoes: bool | None = None, user_id: str | None = None
    ) -> Sequence[KeyGrant]:
        """Take all grants, vetoes or both back, of one user if named; else one's own, of an admin all."""
        found = [
            grant
            for grant in await self.grants(actor, vetoes=vetoes)
            if user_id in (None, grant.user_id)
        ]
        await self._forget(actor, found)
        return found

    async def clear_bypasses(self, actor: Actor, *, user_id: str | None = None) -> Sequence[Bypass]:
        """Take every bypass back that this actor may, or those in the sessions of one user if named."""
        found = [
            bypass for bypass in await self.bypasses(actor) if user_id in (None, bypass.user_id)
        ]
        for bypass in found:
            await self.revoke_bypass(actor, bypass.bypass_id)
        return found

    async def export(self, actor: Actor, user_id: str | None = None) -> str:
        """The text of `approvals.json` with the grants for a user's calls, one's own if none is named."""
        wanted = actor.person.person_id if user_id is None else user_id
        found = await self.grants(actor, vetoes=False)
        return write_approvals(grant for grant in found if grant.user_id == wanted)

    async def import_(self, actor: Actor, raw: bytes, user_id: str | None = None) -> Imported:
        """Take over the grants of a file for one's own calls, of an admin for anybody's.

        Whoever imports them is their giver. What holds a secret, what is granted already, what a veto is on
        and what would not be bound to the definition of a server's tool is left out.
        Raises NotEligible, ApprovalsInvalid.
        """
        _must_be_a_person(actor)
        person = actor.person
        wanted = person.person_id if user_id is None else user_id
        if wanted != person.person_id and not person.admin:
            raise NotEligible(
                "only an admin gives grants for the calls of others", "leave --user out"
            )
        now = self._world.clock.now()
        there = [g for g in await self._world.store.grants(wanted) if g.veto or not g.session_id]
        vetoed = {g.key for g in there if g.veto}
        granted = {g.key for g in there if not g.veto}
        definitions = await self._approved_definitions()
        grants: list[KeyGrant] = []
        left_out: list[str] = []
        for approval in read_approvals(raw):
            label = approval.key.label
            if redact_text(approval.key.text) != approval.key.text:
                left_out.append(f"{redact_text(label)}: it holds a secret")
            elif approval.key in vetoed:
                left_out.append(f"{label}: there is a veto on it")
            elif approval.key in granted:  # that one may be bound to a definition, this one is not
                left_out.append(f"{label}: it is granted already")
            elif approval.key.of_server and approval.key not in definitions:
                left_out.append(f"{label}: no definition of this tool is approved here")
            else:
                new_id = self._world.ids.new_id(now)
                added = min(approval.added, now)
                bound = definitions.get(approval.key)
                by, name = person.person_id, person.name
                made = KeyGrant(new_id, approval.key, wanted, None, by, name, added)
                grants.append(replace(made, definition=bound))
        if grants:
            records = tuple(
                self._record(actor, f"grant imported: {g.key.label}", wanted) for g in grants
            )
            given = Given(
                actor.credential, now, tuple(grants), records=records, notices=(self._changed(),)
            )
            await self._world.store.remember(given)
            self._world.feed.publish(["rules"])
        return Imported(tuple(grants), tuple(left_out))

    async def _approved_definitions(self) -> dict[Key, str]:
        """The definition that each server's tool has now, where people approved it as that (POL-46)."""
        return {
            Key(KeyKind.MCP, (known.server, known.tool)): known.current
            for known in await self._world.store.definitions()
            if known.current is not None and known.current in known.approved
        }

    async def _forget(self, actor: Actor, grants: Sequence[KeyGrant]) -> None:
        if not grants:
            return
        records = [
            self._record(
                actor, f"{'veto' if g.veto else 'grant'} taken back: {g.key.label}", g.user_id
            )
            for g in grants
        ]
        ids = [grant.grant_id for grant in grants]
        await self._world.store.forget_grants(ids, records, [self._changed()])
        self._world.feed.publish(["rules"])

    def _record(self, actor: Actor, words: str, user_id: str) -> AuditRecord:
        return AuditRecord(
            RecordKind.CONFIGURATION,
            self._world.clock.now(),
            user_id=user_id,
            by=actor.person.name,
            channel=actor.channel,
            note=redact_text(words),
        )

    def _changed(self) -> Notice:
        return Notice(EventKind.SETTINGS_CHANGED, self._world.clock.now())


def _may_manage(actor: Actor, user_id: str, giver: str) -> bool:
    person = actor.person
    return person.admin or person.is_called(user_id) or person.person_id == giver


def _must_be_a_person(actor: Actor) -> None:
    if actor.kind not in DECIDING:
        raise NotEligible(
            "an agent's token can never see or change what people had remembered",
            "log in, or use an approver's token",
        )


def _not_found(name: str) -> GrantNotFound:
    return GrantNotFound(
        f"nothing that is remembered has the id `{name[:64]}`", "see: sayso grants list"
    )
