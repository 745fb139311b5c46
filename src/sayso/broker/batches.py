"""Batches: the calls of one turn, made together, and the turn continued once (REQ-33)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.advising import heard_of_all
from sayso.broker.ports import BatchMade, StoredCall
from sayso.broker.submit import bound, must_repeat, own_request, repeat, submit
from sayso.broker.wait import leave
from sayso.broker.world import World
from sayso.core.call import ToolCall, check_name, digest_of
from sayso.core.dialogue import read_dialogue
from sayso.core.moment import plus
from sayso.core.session import CallDraft, Session
from sayso.errors import CallInvalid, LostRace, NotEligible, RequestNotFound
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.batch import (
    TURN_SECONDS,
    Batch,
    batch_id_of,
    ended,
    set_digest,
    taken,
)

MAX_BATCH = 100
"""The most calls of one turn."""

_OPEN = (Status.PENDING, Status.APPROVED, Status.RUNNING, Status.UNKNOWN)


async def submit_batch(
    world: World, session: Session, name: str, drafts: Sequence[CallDraft]
) -> BatchMade:
    """Make the calls of one turn, in their order, each with a request of its own where it asks.

    `name` is the host's name for the turn, unique in its session: who tries again with it, and with the
    calls' external ids, gets the calls that were made. Raises CallInvalid or ExternalIdReused, and then
    none of the calls was made.
    """
    if not 0 < len(drafts) <= MAX_BATCH:
        raise CallInvalid(f"a batch has 1 to {MAX_BATCH} calls", "make several batches")
    name = check_name("name of the batch", name)
    batch_id = batch_id_of(session.session_id, name)
    # Two that are alike are two calls, and each is the same call when the host tries again.
    named = [
        replace(draft, batch_id=batch_id, external_id=draft.external_id or f"{batch_id}:{number}")
        for number, draft in enumerate(drafts)
    ]
    calls = await _checked(world, session, named)
    earlier = await world.store.batch(batch_id)
    if earlier is not None:
        made = await _made_before(world, name, earlier, calls)
        again = [
            await repeat(world, session, *call, one) for call, one in zip(calls, made, strict=True)
        ]
        return BatchMade(batch_id, tuple(again))
    said = [read_dialogue(draft.context) for draft in named]
    asked = [(call, dialogue) for (call, _), dialogue in zip(calls, said, strict=True)]
    heard = await heard_of_all(world, session, asked)
    standings = [
        await submit(world, session, draft, one) for draft, one in zip(named, heard, strict=True)
    ]
    call_ids = tuple(standing.call_id for standing in standings)
    batch = Batch(batch_id, session.session_id, call_ids, world.clock.now())
    if (await world.store.add_batch(batch)).call_ids != call_ids:
        # The host has made two turns of one name at once; nobody will ever wait for the calls of this one.
        for call_id in call_ids:
            await leave(world, session.session_id, call_id)
        raise _other_calls(name)
    return BatchMade(batch_id, tuple(standings))


async def _checked(
    world: World, session: Session, drafts: Sequence[CallDraft]
) -> list[tuple[ToolCall, str]]:
    """The drafts as calls with their digests, if all of them can be made; nothing is written.

    One that is refused in the middle would leave people with the requests of those before it, in a batch
    that its host never got.
    """
    now = world.clock.now()
    calls = []
    seen = set()
    for draft in drafts:
        call = await bound(world, session, draft, now)
        if call.external_id in seen:
            raise CallInvalid(
                f"two calls of the batch have the external id `{call.external_id}`",
                "give each call an id of its own",
            )
        seen.add(call.external_id)
        digest = digest_of(call)
        known = await world.store.by_external_id(call.owner, str(call.external_id))
        if known is not None:
            must_repeat(call, digest, known)
        calls.append((call, digest))
    return calls


async def _made_before(
    world: World, name: str, batch: Batch, calls: Sequence[tuple[ToolCall, str]]
) -> list[StoredCall]:
    """What was made of the calls under that name; raises CallInvalid if they were others."""
    if len(batch.call_ids) != len(calls):
        raise _other_calls(name)
    made = []
    for call_id, (call, digest) in zip(batch.call_ids, calls, strict=True):
        found = await world.store.call(call_id)
        if found is None or found[0].digest != digest:
            raise _other_calls(name)
        # One that took the place of a call whose caller had gone has that call's ids.
        if found[1].batch_id == batch.batch_id and found[1].external_id != call.external_id:
            raise _other_calls(name)
        made.append(found[0])
    return made


def _other_calls(name: str) -> CallInvalid:
    return CallInvalid(f"the batch `{name}` came before with other calls", "give it another name")


async def take_turn(world: World, session_id: str, batch_id: str) -> str | None:
    """The right to continue the turn, as a token; None while a call is open, or if others have it.

    It lasts `TURN_SECONDS`: whoever takes it says so again, or ends it, before they are over.
    """
    while True:
        batch = await _own(world, session_id, batch_id)
        now = world.clock.now()
        if not batch.free(now):
            return None
        for call_id in batch.call_ids:
            request = await own_request(world, session_id, call_id)
            if request is not None and request.status in _OPEN:
                return None
        token = world.ids.secret().hex()
        try:
            await world.store.change_batch(taken(batch, token, plus(now, TURN_SECONDS)))
        except LostRace:
            continue
        return token


async def end_turn(world: World, session_id: str, batch_id: str, token: str) -> None:
    """Say that the turn was continued; raises ClaimLost if the right to it is another's by now."""
    while True:
        batch = await _own(world, session_id, batch_id)
        try:
            await world.store.change_batch(ended(batch, token, world.clock.now()))
        except LostRace:
            continue
        return


async def members(world: World, batch: Batch) -> list[ApprovalRequest | None]:
    """The request of each call of the batch, as it was made; None for one that needed nobody."""
    return [await world.store.request(call_id) for call_id in batch.call_ids]


async def digest_of_set(world: World, batch: Batch, found: Sequence[ApprovalRequest | None]) -> str:
    """The digest of the batch as the ordered set of its calls; `found` are its members as they were read.

    They are the caller's own, and not read here once more: what is shown, or looked at, is what the
    digest is of, whoever edits one of them meanwhile.
    """
    digests = []
    for call_id, request in zip(batch.call_ids, found, strict=True):
        if request is None:
            policy_alone = await world.store.call(call_id)
            assert policy_alone is not None, "a batch is kept after its calls"
            digests.append(policy_alone[0].digest)
        else:
            digests.append(request.digest)
    return set_digest(digests)


async def _own(world: World, session_id: str, batch_id: str) -> Batch:
    batch = await world.store.batch(batch_id)
    if batch is None:
        raise RequestNotFound(f"no batch has the id `{batch_id[:64]}`", "make the batch first")
    if batch.session_id != session_id:
        raise NotEligible("this batch belongs to another session")
    return batch
