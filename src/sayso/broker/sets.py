"""Approving the calls of a batch as one exact, ordered set; a deviation stops it (REQ-36).

A call that policy denied stops it like one that people rejected. One that policy allowed when the batch
was made is in the list, and so in its digest, but on no card: no approval is needed for it, so neither
whether nor how it ran holds up the others. In the same way a call that rules alone allow by the time it
is claimed waits for no turn (broker/claim.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.broker.access import Actor
from sayso.broker.batches import digest_of_set, members
from sayso.broker.review import change_by_vote, must_be_visible, review
from sayso.broker.world import World
from sayso.core.code_words import code_of
from sayso.core.effect import Effect
from sayso.errors import DigestMismatch, RequestClosed, RequestNotFound
from sayso.requests.approval import ApprovalRequest, Status, Vote
from sayso.requests.batch import Batch
from sayso.requests.precondition import Changed, ChangeKind


@dataclass(frozen=True, slots=True)
class CallSet:
    """The calls of a batch that people see as one: its digest is over all calls, in their order.

    `requests` are those that people decide; what policy alone decided has none.
    """

    batch_id: str
    session_id: str
    digest: str
    requests: tuple[ApprovalRequest, ...]

    @property
    def code(self) -> str:
        """The four-word code of the whole set."""
        return code_of(self.digest)

    @property
    def waits(self) -> bool:
        """Whether people may still decide something of it."""
        return any(request.waits for request in self.requests)


async def visible_set(world: World, actor: Actor, batch_id: str) -> CallSet:
    """The set of a batch, if this actor may see each of its requests."""
    batch = await world.store.batch(batch_id)
    if batch is None:
        raise RequestNotFound(f"no batch has the id `{batch_id[:64]}`", "look at the inbox")
    found = await members(world, batch)
    asked = [request for request in found if request is not None]
    requests = tuple([one for one in asked if not await _within_budget(world, one)])
    people = await world.store.directory()
    for request in requests:
        must_be_visible(world, actor, request, people)
    digest = await digest_of_set(world, batch, found)
    return CallSet(batch_id, batch.session_id, digest, requests)


async def review_set(
    world: World,
    actor: Actor,
    batch_id: str,
    vote: Vote,
    *,
    digest: str | None,
    comment: str | None = None,
) -> CallSet:
    """Vote on everything of the set that waits, one after the other, and return it as it stands then.

    An approve has to carry the digest of the whole set. Each call keeps a request of its own: what
    somebody else decided in the meantime stays decided. Raises what a review raises, before any vote
    is recorded where that is known by then: a set is not decided in part by who may decide a part.
    """
    found = await visible_set(world, actor, batch_id)
    if vote is Vote.APPROVE and digest != found.digest:
        raise DigestMismatch(
            "the digest is not the one of these calls in this order",
            "look at the set again and decide on that",
        )
    if not found.waits:
        raise RequestClosed("nothing of this set waits any more", status=Status.APPROVED.value)
    votes = [
        (request, request.digest if vote is Vote.APPROVE else None)
        for request in found.requests
        if request.waits
    ]
    set_digest = found.digest if vote is Vote.APPROVE else None
    people = await world.store.directory()
    for request, shown in votes:  # all of them first: who is refused here has decided nothing
        await change_by_vote(
            world,
            actor,
            request,
            people,
            vote,
            digest=shown,
            comment=comment,
            set_digest=set_digest,
        )
    for request, shown in votes:
        await review(
            world,
            actor,
            request.request_id,
            vote,
            digest=shown,
            comment=comment,
            set_digest=set_digest,
        )
    return await visible_set(world, actor, batch_id)


async def set_stands(world: World, request: ApprovalRequest) -> tuple[bool, list[Changed]]:
    """Whether it is this call's turn in the set it was approved in, and what has stopped the set, if anything.

    A call that was approved by itself is always in its turn.
    """
    given = [
        review.set_digest
        for review in request.votes
        if review.vote is Vote.APPROVE and review.digest == request.digest
    ]
    digest = next((one for one in given if one is not None), None)
    if digest is None:
        return True, []
    batch = (
        None if request.call.batch_id is None else await world.store.batch(request.call.batch_id)
    )
    if batch is None or request.request_id not in batch.call_ids:
        return False, [_stopped("it is not in the set that was approved")]
    found = await members(world, batch)
    if await digest_of_set(world, batch, found) != digest:
        return False, [_stopped("the calls of the set it was approved in are others now")]
    return await _in_turn(world, batch, found, request)


async def _in_turn(
    world: World, batch: Batch, found: Sequence[ApprovalRequest | None], request: ApprovalRequest
) -> tuple[bool, list[Changed]]:
    for number, (call_id, earlier) in enumerate(zip(batch.call_ids, found, strict=True), 1):
        if earlier is None:
            if await _denied(world, call_id):
                words = f"call {number} of the set it was approved in was denied by policy"
                return False, [_stopped(words)]
            continue
        if earlier.status is Status.DONE:
            continue
        if earlier.request_id == request.request_id:
            return True, []
        if earlier.status not in _STOPPED and await _within_budget(world, earlier):
            continue
        if earlier.status in (Status.PENDING, Status.APPROVED, Status.RUNNING):
            return False, []
        words = f"call {number} of the set it was approved in ended as {earlier.status.value}"
        return False, [_stopped(words)]
    return True, []


async def _denied(world: World, call_id: str) -> bool:
    """Whether a call that needed nobody was refused, and not allowed."""
    found = await world.store.call(call_id)
    return found is None or found[0].effect != Effect.ALLOW.word


_STOPPED = (Status.SUPERSEDED, Status.REFUSED, Status.CANCELLED)
"""How a call within a budget ends that rules no longer allow."""


async def _within_budget(world: World, request: ApprovalRequest) -> bool:
    """Whether rules alone let the call run: its request is there to book it, and asked nobody (REQ-37)."""
    found = await world.store.call(request.request_id)
    return found is not None and found[0].effect == Effect.ALLOW.word


def _stopped(words: str) -> Changed:
    return Changed(ChangeKind.SET, words)
