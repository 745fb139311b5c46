"""Submitting a call: the verdict, and where it asks, the durable request before anybody is told of it (REQ-1)."""

from __future__ import annotations

from dataclasses import replace

from sayso.audit.redacted_call import Redaction
from sayso.broker.advising import decide_with_advice, opinion_before
from sayso.broker.change import change_of, notice, write
from sayso.broker.consultant import Heard
from sayso.broker.led_here import kept_of
from sayso.broker.offering import Offered, offered
from sayso.broker.one_reading import reading_once
from sayso.broker.ports import NewCall, Standing, StoredCall
from sayso.broker.preconditions import preconditions
from sayso.broker.reachability import escalates_at_once
from sayso.broker.records import verdict_record
from sayso.broker.world import (
    World,
    decide_call,
    recorded,
    standing_of_request,
    standing_of_verdict,
)
from sayso.core.budget import Booking
from sayso.core.call import ToolCall, digest_of
from sayso.core.dialogue import Dialogue, read_dialogue
from sayso.core.effect import Effect
from sayso.core.freeze import freeze_on
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.core.session import CallDraft, Session, bind
from sayso.errors import (
    ExternalIdReused,
    LostRace,
    NotEligible,
    RequestNotFound,
    TooManyWait,
)
from sayso.gate.explain import explain, why_sentence
from sayso.gate.verdict import Verdict
from sayso.people.counting import out_of_reach, settled
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, eligible_people
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.spending import bookings
from sayso.requests.approval import (
    LAPSE_SECONDS,
    ApprovalRequest,
    Caller,
    Resolution,
    Status,
    Why,
)
from sayso.requests.deadline import UNREACHABLE_SECONDS, due
from sayso.requests.event import EventKind, Notice
from sayso.requests.grant import OF_THIS_CALL
from sayso.requests.lifecycle import (
    OPEN,
    Approved,
    CallerJoined,
    CallerLeft,
    Expired,
    Lapsed,
    LeaseOver,
    apply,
)
from sayso.requests.precondition import Changed, Precondition
from sayso.requests.sentence import action_sentence, message_text, on_one_line


async def submit(
    world: World, session: Session, draft: CallDraft, heard: Heard | None = None
) -> Standing:
    """Decide a call and, where it asks, make its request or join the one it repeats (REQ-31).

    `heard` is what hooks and the reviewer said of it already; without it they are asked.
    Raises CallInvalid for a call that cannot be accepted, ExternalIdReused if its external id came
    with other arguments before.
    """
    now = world.clock.now()
    dialogue = read_dialogue(draft.context)
    once = reading_once(world)
    call = await bound(once, session, draft, now)
    digest = digest_of(call)
    if call.external_id is not None:
        earlier = await world.store.by_external_id(call.owner, call.external_id)
        if earlier is not None:
            return await repeat(world, session, call, digest, earlier)
    joined = await _join_twin(world, session, call, digest)
    if joined is not None:
        return standing_of_request(joined)
    advised = await decide_with_advice(world, session, call, dialogue, heard, once=once)
    verdict, session, dialogue = advised.verdict, advised.session, advised.dialogue
    once = advised.world
    now = world.clock.now()  # hooks and the reviewer may have taken their time
    frozen: tuple[Precondition, ...] | None = None
    remember = Offered()
    people = Directory()
    if verdict.effect is Effect.ASK:
        frozen = await preconditions(once, session, call, verdict)
        remember = await offered(once, session, call, verdict)
        people = await world.store.directory()
    new = new_call(
        call,
        verdict,
        people,
        now,
        frozen=frozen,
        remember=remember,
        dialogue=dialogue,
        notes=advised.notes,
        lapse_after=world.lapse_after,
        at_most=world.pending_limit,
    )
    new = await widened(world, new)
    try:
        earlier = await world.store.submit(new)
    except TooManyWait:  # counted in the write, so that many at once are not one too many
        said = verdict.opinion
        verdict = await decide_call(world, session, call, opinion=said, flooded=True)
        new = new_call(call, verdict, people, now, notes=advised.notes)
        earlier = await world.store.submit(new)
    if earlier is not None:
        return await repeat(world, session, call, digest, earlier)
    world.meter.count(new.records)
    if new.request is None:
        return standing_of_verdict(call.call_id, verdict)
    world.feed.publish([call.call_id])
    return standing_of_request(new.request)


def booked_by(verdict: Verdict, call: ToolCall) -> tuple[Booking, ...]:
    """What a call takes of the budgets of rules that allow parts of it; nothing, if this very call was approved.

    What was granted for the rest of it, or lifts it for a time, takes no budget away from these parts.
    """
    if verdict.effect is not Effect.ALLOW or verdict.reason in OF_THIS_CALL:
        return ()
    if verdict.policy is None:
        return ()
    return bookings(call, verdict.policy)


async def decide_only(world: World, session: Session, draft: CallDraft) -> Standing:
    """The verdict on a call that is not submitted; recorded, and nobody is asked (GATE-1)."""
    now = world.clock.now()
    once = reading_once(world)
    call = await bound(once, session, draft, now)
    verdict = await decide_call(once, session, call)
    await recorded(world, verdict_record(call, verdict, now))
    return standing_of_verdict(call.call_id, verdict)


async def bound(world: World, session: Session, draft: CallDraft, now: Moment) -> ToolCall:
    """The draft as a call of the session; a tool whose side names no definition has the last one seen."""
    call = bind(draft, session, world.ids.new_id(now))
    if call.server is None or call.definition is not None:
        return call
    known = (await world.rules.current(session.workspace, session.rules)).definitions_of(call)
    return call if known is None else replace(call, definition=known.current)


def new_call(
    call: ToolCall,
    verdict: Verdict,
    people: Directory,
    now: Moment,
    *,
    previous: str | None = None,
    frozen: tuple[Precondition, ...] | None = None,
    changed: tuple[Changed, ...] = (),
    remember: Offered | None = None,
    dialogue: Dialogue | None = None,
    notes: tuple[str, ...] = (),
    lapse_after: float = LAPSE_SECONDS,
    at_most: int | None = None,
    title: str | None = None,
) -> NewCall:
    """What a submitted call writes: itself, its verdict's record and, where it asks, its request.

    `people` are those of today. `previous`, `frozen` (its preconditions), `changed` and what can be remembered are
    those of the request; of the `dialogue` it keeps what its policy has shown.
    `notes` tell who was asked before a person; `lapse_after` is for how many seconds an approval waits to be
    claimed, and `at_most` how many of its session may wait. With a `title`, its sentence,
    nothing runs after it (Q-4).
    """
    request = None
    if booked_by(verdict, call):
        # It takes of a budget: claimed like what people approved, and booked in that write (REQ-37).
        said = Resolution(verdict.reason, now, comment="within the budget of a rule")
        about = request_about(call, verdict, people, now, previous)
        request = apply(replace(about, lapse_after=lapse_after), Approved(said))
    elif verdict.effect is Effect.ASK:
        asked = request_about(call, verdict, people, now, previous)
        request = replace(
            asked,
            preconditions=frozen,
            changed=changed,
            keys=() if remember is None else remember.keys,
            tool_category=None if remember is None else remember.tool_category,
            once_only=remember is not None and remember.once_only,
            context=kept_of(call, dialogue, asked.policy.context),
            lapse_after=lapse_after,
            action=asked.action if title is None else title,
            no_claim=title is not None,
        )
    notices: tuple[Notice, ...] = ()
    if request is not None and request.waits:
        notices = (
            notice(
                EventKind.APPROVAL_REQUESTED,
                request,
                now,
                tool_name=call.written_name,
                severity=request.policy.severity.word,
                action=Redaction(call).text(request.action),
                external_id=call.external_id,
            ),
        )
    return NewCall(
        call=call,
        digest=verdict.digest,
        effect=verdict.effect.word,
        reason=verdict.reason.value,
        request=request,
        records=(verdict_record(call, verdict, now, notes),),
        notices=notices,
        at=now,
        at_most=at_most,
    )


async def widened(world: World, new: NewCall) -> NewCall:
    """The new call, asked of everybody at once where those who are asked first cannot be reached."""
    request = new.request
    if request is None or not await escalates_at_once(world, request):
        return new
    attention = replace(request.attention, escalated_at=request.created_at)
    return replace(new, request=replace(request, attention=attention))


async def own_request(world: World, session_id: str, call_id: str) -> ApprovalRequest | None:
    """The request of a call of this session, or None if the call needed nobody.

    A call that was asked again stands for its newest request. Raises RequestNotFound for an unknown
    id, NotEligible for another session's call.
    """
    while True:
        request = await world.store.request(call_id)
        if request is not None and request.status is not Status.SUPERSEDED:
            _must_be_own(request.call, session_id)
            return request
        found = await world.store.call(call_id)
        if found is None:
            raise RequestNotFound(f"no call has the id `{call_id[:64]}`")
        stored, call = found
        _must_be_own(call, session_id)
        if stored.superseded_by is None:
            return request
        call_id = stored.superseded_by


def _must_be_own(call: ToolCall, session_id: str) -> None:
    if call.session_id != session_id:
        raise NotEligible("this call belongs to another session")


def must_repeat(call: ToolCall, digest: str, earlier: StoredCall) -> None:
    """Raise ExternalIdReused unless the call is the one that its external id stands for."""
    if earlier.digest != digest:
        raise ExternalIdReused(
            f"the external id `{call.external_id}` came before with other arguments",
            "give each call an id of its own",
        )


async def repeat(
    world: World, session: Session, call: ToolCall, digest: str, earlier: StoredCall
) -> Standing:
    """What stands for a call that was made before; raises ExternalIdReused if it had other arguments."""
    must_repeat(call, digest, earlier)
    request = await own_request(world, session.session_id, earlier.call_id)
    if request is not None:
        return standing_of_request(await rejoin(world, request))
    # Policy alone decided it then. Today's rules may only be stricter: the id stands for that verdict.
    heard = await opinion_before(world, earlier)
    verdict = await decide_call(world, session, call, opinion=heard)
    if earlier.effect == Effect.ALLOW.word and verdict.effect is Effect.ASK:
        verdict = Verdict(Effect.DENY, verdict.reason, digest, verdict.policy)
    elif earlier.effect != Effect.ALLOW.word and verdict.effect is not Effect.DENY:
        verdict = Verdict(Effect.DENY, Reason(earlier.reason), digest)
    await recorded(world, verdict_record(call, verdict, world.clock.now()))
    return standing_of_verdict(earlier.call_id, verdict)


async def _join_twin(
    world: World, session: Session, call: ToolCall, digest: str
) -> ApprovalRequest | None:
    """Join an identical call whose caller has gone; two calls that both wait are two calls.

    A frozen one joins nothing: it is refused at once, and what waits stays as it is (GATE-8).
    """
    twins = await world.store.open_twins(call.owner, digest)
    if twins:
        rules = await world.rules.current(session.workspace, session.rules)
        if freeze_on(call, rules.in_force.freezes) is not None:
            return None
    for twin in twins:
        # nothing would run after an approval of what is no call
        joined = None if twin.no_claim else await _join(world, twin)
        if joined is not None:
            return joined
    return None


async def rejoin(world: World, request: ApprovalRequest) -> ApprovalRequest:
    """The request with its caller shown as waiting, where it still can wait for something."""
    return await _join(world, request) or await world.store.request(request.request_id) or request


async def _join(world: World, request: ApprovalRequest) -> ApprovalRequest | None:
    """Take the place of a caller that has gone; None if it has not, or there is nothing to wait for."""
    found: ApprovalRequest | None = request
    while found is not None and found.status in OPEN and not found.ended_approved:
        now = world.clock.now()
        # what time has brought counts, whether or not any sweeper has run
        event = due(found, now)
        if isinstance(event, Expired | Lapsed | LeaseOver):
            return None
        if found.caller is not Caller.GONE and not isinstance(event, CallerLeft):
            return None
        try:
            return await write(world, change_of(found, CallerJoined(now), now))
        except LostRace:
            found = await world.store.request(found.request_id)
    return None


def request_about(
    call: ToolCall, verdict: Verdict, people: Directory, now: Moment, previous: str | None = None
) -> ApprovalRequest:
    """The request that asks about a call on which policy said this."""
    policy = verdict.policy
    assert policy is not None, "an ask always comes from policy"
    approval = settled(policy.approval, people)
    asked = Asked(call.owner, approval)
    wait = approval.wait_seconds
    if approval.timeout is None and verdict.wait is not None:
        wait = verdict.wait
    if wait is None and out_of_reach(asked, people) is not None:
        wait = UNREACHABLE_SECONDS
    return ApprovalRequest(
        call=call,
        digest=verdict.digest,
        policy=approval,
        why=Why(
            reason=verdict.reason,
            sentence=_sentence(verdict, policy),
            rule=None if policy.rule is None else policy.rule.to_json(),
            targets=tuple(
                {
                    **outcome.target.to_json(),
                    "effect": outcome.effect.word,
                    "decides": outcome.target is policy.target,
                }
                for outcome in policy.targets
            ),
            must_ask=policy.must_ask,
            doubtful=policy.doubtful,
            explain=explain(verdict),
            message=message_text(call, approval),
        ),
        action=action_sentence(call, approval, [outcome.target for outcome in policy.targets]),
        created_at=now,
        expires_at=None if wait is None else plus(now, wait),
        eligible=eligible_people(asked, people),
        caller_seen=now,
        previous=previous,
    )


def _sentence(verdict: Verdict, policy: PolicyOutcome) -> str:
    """Why it is asked, for the card; and why nobody else has decided it, where somebody was to."""
    sentence, opinion = why_sentence(policy), verdict.opinion
    if opinion is None or opinion.reason is not Reason.AUTO_ERROR:
        return sentence
    return on_one_line(f"{sentence} It was not reviewed automatically: {opinion.said}.")
