"""Claiming, running, reporting: an approved call has one runner and is decided again (REQ-30, REQ-34)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from sayso.audit.record import RecordKind
from sayso.audit.redact import redact_text
from sayso.broker.advising import opinion_in
from sayso.broker.change import change_of, write
from sayso.broker.offering import offered
from sayso.broker.one_reading import reading_once
from sayso.broker.ports import Claim, Standing
from sayso.broker.preconditions import (
    changes_since,
    checkable,
    in_words,
    preconditions,
    why_not_enough,
)
from sayso.broker.receipts import receipt_for
from sayso.broker.records import call_record, verdict_record
from sayso.broker.sets import set_stands
from sayso.broker.submit import booked_by, new_call, own_request, widened
from sayso.broker.world import (
    World,
    decide_call,
    recorded,
    standing_of_request,
)
from sayso.core.budget import Booking
from sayso.core.effect import Effect
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.core.session import Session
from sayso.errors import ClaimLost, DigestMismatch, LostRace, NotEligible, RequestNotFound
from sayso.gate.explain import verdict_message
from sayso.gate.verdict import Verdict
from sayso.requests.approval import ApprovalRequest, Lease, Outcome, Resolution, Status
from sayso.requests.deadline import LEASE_SECONDS, due
from sayso.requests.grant import OF_THIS_CALL, grant_of
from sayso.requests.lifecycle import (
    Claimed,
    Finished,
    Lapsed,
    Refused,
    Renewed,
    Superseded,
)
from sayso.requests.precondition import Changed

MAX_SUMMARY = 2000

ASKED_AGAIN = frozenset({Reason.STICKY_DENY, Reason.NO_APPROVER, Reason.NOBODY_REACHABLE})
"""What refuses a new call and not one that was asked about already: no rule and no veto is against it."""


async def claim(
    world: World, session: Session, call_id: str, digest: str, audience: str | None = None
) -> Claim | Standing:
    """Take the single-use right to run an approved call, or say how it stands instead.

    The call is decided again with the grant of its approval and today's rules. With an `audience` the
    claim carries a receipt for it (REQ-38). Raises
    DigestMismatch if the caller means other arguments, NotEligible for another session's call,
    ArgumentsWithheld where the call is not here as it was approved.
    """
    while True:
        request = await own_request(world, session.session_id, call_id)
        if request is None:
            raise RequestNotFound("this call needs no claim: policy decided it")
        if digest != request.digest:
            raise DigestMismatch(
                "the digest is not the one that was approved", "run exactly the approved call"
            )
        now = world.clock.now()
        if request.status is not Status.APPROVED:
            return standing_of_request(request)
        try:
            over = due(request, now)
            if isinstance(over, Lapsed):  # whether or not any sweeper has run
                return standing_of_request(await write(world, change_of(request, over, now)))
            # read first: it may only be older than the verdict
            people = await world.store.directory()
            grant = grant_of(request)
            grants = () if grant is None else (grant,)
            heard = opinion_in(request)
            once = reading_once(world)
            verdict = await decide_call(
                once, session, request.call, grants, people=people, opinion=heard
            )
            changed: list[Changed] = []
            if verdict.effect is Effect.ALLOW:
                # What rules alone allow by now needs no approval, so nothing has to be as it was, and
                # it waits for no turn: the agent could make it anew, in no set, and run it.
                if verdict.reason in OF_THIS_CALL:
                    changed = await changes_since(once, session, request, verdict)
                    in_turn, stopped = await set_stands(world, request)
                    changed += stopped
                    if not in_turn and not changed:  # the calls before it in its set are not done
                        return standing_of_request(request)
                if not changed:
                    version = people.version
                    booked = () if grant is not None else booked_by(verdict, request.call)
                    return await _take(world, session, request, version, now, audience, booked)
            if verdict.reason is Reason.FROZEN:
                return await _frozen(world, request, verdict, now)
            if verdict.effect is Effect.DENY:
                return await _refuse(world, request, verdict, now)
            if verdict.reason is Reason.RULES_UNAVAILABLE:
                return standing_of_request(request)  # approved until rules load or it lapses
            changed = changed or await why_not_enough(world, request, verdict)
            return await _ask_again(once, session, request, verdict, now, changed)
        except LostRace:
            continue


async def renew(world: World, session_id: str, held: Claim) -> None:
    """Say that the call still runs; raises ClaimLost if the lease has gone to `unknown`."""
    while True:
        request = await _running(world, session_id, held.call_id)
        now = world.clock.now()
        renewed = Renewed(held.token, plus(now, held.lease_seconds))
        try:
            await write(world, change_of(request, renewed, now))
            return
        except LostRace:
            continue


async def finish(
    world: World,
    session_id: str,
    call_id: str,
    token: str | None,
    *,
    ok: bool,
    summary: str,
    seconds: float | None,
) -> None:
    """Record what came of the run: of a claimed call by its token, of an allowed call without one.

    Raises ClaimLost if the token is not the running claim's; the late word is audited all the same.
    """
    summary = redact_text(summary[:MAX_SUMMARY])
    if token is None:
        await _finish_allowed(world, session_id, call_id, ok=ok, summary=summary)
        return
    while True:
        now = world.clock.now()
        try:
            request = await _running(world, session_id, call_id)
            finished = Finished(token, Outcome(ok, summary, now, seconds))
            await write(world, change_of(request, finished, now))
            return
        except ClaimLost:
            await _audit_late(world, session_id, call_id, ok=ok, summary=summary, now=now)
            raise
        except LostRace:
            continue


async def _take(
    world: World,
    session: Session,
    request: ApprovalRequest,
    people_version: int,
    now: Moment,
    audience: str | None,
    booked: tuple[Booking, ...],
) -> Claim:
    receipt = None if audience is None else receipt_for(world, request, audience, now)
    token = world.ids.secret().hex()
    lease = Lease(token, plus(now, LEASE_SECONDS), session.credential_id)
    claimed = change_of(request, Claimed(lease), now, people_version=people_version)
    await write(world, replace(claimed, bookings=booked))
    holds = () if request.preconditions is None else checkable(world, request.preconditions)
    arguments = None if request.edited is None else request.call.arguments
    return Claim(request.request_id, token, LEASE_SECONDS, holds, arguments, receipt)


async def _frozen(
    world: World, request: ApprovalRequest, verdict: Verdict, now: Moment
) -> Standing:
    """Not now: the approval stays, for as long as it would have (GATE-8)."""
    await recorded(world, verdict_record(request.call, verdict, now))
    return replace(
        standing_of_request(request),
        effect=verdict.effect.word,
        reason=verdict.reason.value,
        message=verdict_message(verdict),
    )


async def _refuse(
    world: World, request: ApprovalRequest, verdict: Verdict, now: Moment
) -> Standing:
    """What is denied by now is refused, whoever approved it."""
    reason = verdict.reason if verdict.reason in ASKED_AGAIN else Reason.DENY_ON_RESOLVE
    resolution = Resolution(reason, now, comment=verdict_message(verdict))
    return standing_of_request(await write(world, change_of(request, Refused(resolution), now)))


async def _ask_again(
    world: World,
    session: Session,
    request: ApprovalRequest,
    verdict: Verdict,
    now: Moment,
    changed: Sequence[Changed],
) -> Standing:
    """The approval no longer counts: close it and make the request that asks again, in one write."""
    # What its runner knows is the call as the agent made it: that is asked about, not an edit of it.
    call = request.call if request.edited is None else request.edited.original
    # The external id stays with the call that is asked again, which names this one.
    fresh = replace(call, call_id=world.ids.new_id(now), external_id=None)
    known = (await world.rules.current(session.workspace, session.rules)).definitions_of(call)
    if call.server is not None and known is not None and known.current is not None:
        fresh = replace(fresh, definition=known.current)  # it is asked about as the tool is now
    asking = await decide_call(world, session, fresh)
    if asking.reason is Reason.FROZEN:  # a moment ago
        return await _frozen(world, request, asking, now)
    if asking.effect is Effect.DENY and asking.reason not in ASKED_AGAIN:
        return await _refuse(world, request, asking, now)  # only its edit may still run, say
    if asking.effect is not Effect.ASK:  # nothing asks about it any more but what has changed
        said = verdict if asking.policy is None else asking
        asking = structs.replace(said, effect=Effect.ASK, digest=asking.digest)
    if asking.reason is not Reason.BUDGET_SPENT:
        asking = structs.replace(asking, reason=Reason.NEEDS_FRESH_APPROVAL)
    follow_up = await widened(
        world,
        new_call(
            fresh,
            asking,
            await world.store.directory(),
            now,
            previous=request.request_id,
            frozen=await preconditions(world, session, fresh, asking),
            changed=tuple(changed),
            remember=await offered(world, session, fresh, asking),
            dialogue=request.context,
            lapse_after=world.lapse_after,
        ),
    )
    assert follow_up.request is not None, "an ask makes a request"
    resolution = Resolution(Reason.NEEDS_FRESH_APPROVAL, now, comment=in_words(changed))
    await write(world, change_of(request, Superseded(resolution), now, follow_up=follow_up))
    return standing_of_request(follow_up.request)


async def _running(world: World, session_id: str, call_id: str) -> ApprovalRequest:
    request = await own_request(world, session_id, call_id)
    if request is None or request.status is not Status.RUNNING:
        raise ClaimLost(
            "this call is not running",
            "if its outcome is unknown, a person has to say what came of it",
        )
    return request


async def _finish_allowed(
    world: World, session_id: str, call_id: str, *, ok: bool, summary: str
) -> None:
    found = await world.store.call(call_id)
    if found is None:
        raise RequestNotFound(f"no call has the id `{call_id[:64]}`")
    stored, call = found
    if call.session_id != session_id:
        raise NotEligible("this call belongs to another session")
    if stored.effect != Effect.ALLOW.word:
        raise ClaimLost(
            "this call was not allowed to run by policy", "report with the claim's token"
        )
    record = call_record(
        RecordKind.OUTCOME,
        call,
        stored.digest,
        world.clock.now(),
        reason=Status.DONE.value if ok else Status.FAILED.value,
        outcome=summary,
    )
    await world.store.record([record])


async def _audit_late(
    world: World, session_id: str, call_id: str, *, ok: bool, summary: str, now: Moment
) -> None:
    found = await world.store.call(call_id)
    if found is None or found[1].session_id != session_id:
        return
    stored, call = found
    record = call_record(
        RecordKind.OUTCOME,
        call,
        stored.digest,
        now,
        reason=Status.UNKNOWN.value,
        outcome=f"reported too late as {'done' if ok else 'failed'}: {summary}",
    )
    await world.store.record([record])
