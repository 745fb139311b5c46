"""Whom a request can reach: who may decide, who of them is asked now, and through which channels (REQ-67)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from sayso.core.asking import Unreachable
from sayso.core.moment import Moment
from sayso.people.asking import asked_now, deciding
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.people.person import Person
from sayso.people.token import DECIDING
from sayso.requests.approval import ApprovalRequest
from sayso.requests.quorum import asked_of

if TYPE_CHECKING:
    from sayso.broker.world import World

_log = structlog.get_logger("sayso.broker")

WEB = "web"
"""The channel that reaches whoever can log in, and nobody else."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How many people may decide, and how many of them could be told through any channel now."""

    eligible: int
    reachable: int

    @property
    def nobody(self) -> bool:
        """Whether nobody can answer."""
        return self.reachable == 0

    @property
    def words(self) -> str | None:
        """What people are told of it; None where everything is in order."""
        if not self.nobody:
            return None
        if self.eligible == 0:
            return "nobody can answer: nobody may decide this"
        return f"nobody can answer: 0 of {self.eligible} reachable"


@dataclass(frozen=True, slots=True)
class Reachable:
    """Who there is, and who of them could be told through any channel, at one moment."""

    people: Directory
    ids: frozenset[str]

    def of(self, asked: Asked, now: Moment) -> Reach:
        """How what is asked can reach the people who may decide it, stand-ins among them."""
        eligible = deciding(asked, self.people, now)
        return Reach(len(eligible), sum(person_id in self.ids for person_id in eligible))

    @property
    def everybody(self) -> Reach:
        """How many of all people could be told."""
        there = [person for person in self.people.people.values() if person.counts]
        return Reach(len(there), len(self.ids))


async def eligible_ids(world: World, request: ApprovalRequest) -> frozenset[str]:
    """The ids of the people who may decide the request now."""
    people = await world.store.directory()
    return frozenset(deciding(asked_of(request), people, world.clock.now()))


async def whom_to_ask(world: World, request: ApprovalRequest) -> tuple[Person, ...]:
    """The people who are asked about the request now."""
    people = await world.store.directory()
    escalated = request.attention.escalated_at is not None
    return asked_now(asked_of(request), people, world.clock.now(), escalated=escalated)


async def who_is_reachable(world: World) -> Reachable:
    """Who could be told through any channel now."""
    people = await world.store.directory()
    return Reachable(people, await _reachable(world, people.people.values()))


async def reach_of(world: World, asked: Asked) -> Reach:
    """How what is asked can reach people now."""
    return (await who_is_reachable(world)).of(asked, world.clock.now())


async def escalates_at_once(world: World, request: ApprovalRequest) -> bool:
    """Whether nobody of those who are asked first can be reached, and the policy widens then."""
    policy = request.policy
    if policy.escalate is None or policy.unreachable is not Unreachable.ESCALATE:
        return False
    return not await _reachable(world, await whom_to_ask(world, request))


async def warn_if_nobody(world: World) -> None:
    """Say in the log that nobody can answer, if that is so (REQ-67).

    Where nobody is asked at all, each refusal says so itself (`no-approver`).
    """
    if not world.notifier.can_ask:
        return
    reach = (await who_is_reachable(world)).everybody
    if reach.nobody:
        _log.warning("nobody can answer", people=reach.eligible, reachable=0)


async def _reachable(world: World, people: Iterable[Person]) -> frozenset[str]:
    ways = {
        person.person_id: set(world.notifier.ways(person)) for person in people if person.counts
    }
    if any(WEB in found for found in ways.values()):
        able = await _can_log_in(world, ways)
        for person_id, found in ways.items():
            if person_id not in able:
                found.discard(WEB)
    return frozenset(person_id for person_id, found in ways.items() if found)


async def _can_log_in(world: World, people: Iterable[str]) -> frozenset[str]:
    """Who has a passphrase, or a credential that decides and is live."""
    now = world.clock.now()
    found = {
        credential.person_id
        for credential in await world.store.credentials()
        if credential.kind in DECIDING and credential.live(now)
    }
    for person_id in people:
        if person_id not in found and await world.store.passphrase_hash(person_id) is not None:
            found.add(person_id)
    return frozenset(found)
