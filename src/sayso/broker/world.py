"""The ports in one bundle, and the few words every use-case needs: decide a call, say how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sayso.audit.record import AuditRecord
from sayso.broker.circumstances import bound, may_lift, readable_and_writable, under, without_paths
from sayso.broker.consultant import Consultant
from sayso.broker.meter import Meter
from sayso.broker.ports import AskedBack, Clock, Feed, Ids, Notifier, RuleSource, Standing, Store
from sayso.broker.ports.sandbox import NO_SANDBOX, Sandbox
from sayso.broker.ports.world import SecretKey
from sayso.broker.reachability import reach_of
from sayso.core.asking import Unreachable
from sayso.core.call import ToolCall
from sayso.core.code_words import code_of
from sayso.core.effect import Effect
from sayso.core.freeze import freeze_on
from sayso.core.mode import Mode
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.core.session import Session
from sayso.core.target import TargetKind
from sayso.core.withheld import must_be_whole
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.explain import request_message, verdict_message
from sayso.gate.opinion import Opinion
from sayso.gate.verdict import Verdict
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.spending import budgeted
from sayso.requests.approval import LAPSE_SECONDS, ApprovalRequest, Status
from sayso.requests.grant import STICKY_SECONDS, Grant, StickyRejection, allowed_as
from sayso.requests.precondition import NO_FILES, Files
from sayso.requests.standing_grant import Remembered

KEEP_CALLS_SECONDS = 30 * 86_400.0
"""For how long the full arguments of a call are kept unless set otherwise (AUD-1a)."""

PENDING_LIMIT = 200
"""So many requests of one session may wait at once unless set otherwise (GATE-9)."""

_BY_PATHS = frozenset({TargetKind.PATH, TargetKind.COMMAND})
"""The targets that readable and writable paths can lift."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside that the broker touches.

    `keep_calls` is for how many seconds the full arguments of a call are kept, None for ever (AUD-1a).
    `lapse_after` is for how many seconds an approval waits to be claimed (GATE-3), and
    `pending_limit` how many requests of one session may wait at once (GATE-9).
    `consultant` asks hooks and the reviewer; None asks nobody before a person.
    """

    store: Store
    feed: Feed
    clock: Clock
    ids: Ids
    rules: RuleSource
    facts: Facts
    notifier: Notifier
    files: Files = NO_FILES
    receipt_key: SecretKey | None = None
    keep_calls: float | None = KEEP_CALLS_SECONDS
    lapse_after: float = LAPSE_SECONDS
    pending_limit: int = PENDING_LIMIT
    consultant: Consultant | None = None
    sandbox: Sandbox = NO_SANDBOX
    meter: Meter = field(default_factory=Meter)


async def decide_call(
    world: World,
    session: Session,
    call: ToolCall,
    grants: Sequence[Grant] = (),
    trying: Remembered | None = None,
    *,
    people: Directory | None = None,
    opinion: Opinion | None = None,
    thawed: bool = False,
    flooded: bool = False,
) -> Verdict:
    """The gate's verdict on a call with today's rules, session, people and what was answered (GATE-5).

    With `trying`, the verdict if that alone had been answered before; with an `opinion`, the one after
    that was heard of the call. `people` are those of a moment ago, from somebody who has read them and whose
    write holds only with them; `thawed` is as if nothing were frozen, for what people decide meanwhile and
    can only run later, `flooded` where too much of the session waits already. Raises ArgumentsWithheld for a
    call that is not whole: nothing can be said of it.
    """
    verdict, _ = await decided(
        world,
        session,
        call,
        grants,
        trying,
        people=people,
        opinion=opinion,
        thawed=thawed,
        flooded=flooded,
    )
    return verdict


async def decided(
    world: World,
    session: Session,
    call: ToolCall,
    grants: Sequence[Grant] = (),
    trying: Remembered | None = None,
    *,
    people: Directory | None = None,
    opinion: Opinion | None = None,
    thawed: bool = False,
    flooded: bool = False,
) -> tuple[Verdict, Context]:
    """The verdict of `decide_call`, and the context that it was found in."""
    must_be_whole(call.withheld)
    now = world.clock.now()
    session, top = await bound(world.store, session)
    rules = await world.rules.current(session.workspace, session.rules)
    if grants and people is None:
        people = await world.store.directory()
    now_under = under(top, rules.in_force, world.sandbox)
    there = without_paths(now_under, call, rules.in_force, world.sandbox)
    if now_under.mode is Mode.PLAN:  # it holds back allows too; else paths concern only what asks
        there = _with_paths(world, there, session)
        if call.server in rules.in_force.trusted_servers:
            there = replace(there, marked_read_only=await _is_marked_read_only(world, call))
    context = Context(
        group=now_under.run_context.security_group,
        stopped=session.stopped_at is not None or now_under.gone,
        can_ask=world.notifier.can_ask,
        people=people or Directory(),
        frozen=None if thawed else freeze_on(call, rules.in_force.freezes),
        flooded=flooded,
        circumstances=there,
    )
    verdict = decide(call, rules, grants, context, world.facts, now)
    if rules.has_budgets and verdict.policy is not None:
        spent = await spent_of(world, verdict.policy, now)
        if spent:
            context = replace(context, spent=spent)
            verdict = decide(call, rules, grants, context, world.facts, now)
    if verdict.policy is None or verdict.policy.effect is not Effect.ASK:
        return verdict, context
    # only what asks can be lifted or meet an earlier answer, so only that pays for looking things up
    if now_under.mode is not Mode.PLAN and _touches_paths(verdict.policy):
        there = _with_paths(world, there, session)
    there = _with_voices(world, call, there)
    kept = await _remembered(world, session, call) if trying is None else trying
    if people is None and (kept or may_lift(there)):  # whose giver has to be somebody who could
        people = await world.store.directory()
    more = replace(
        context,
        # what is tried has to lift the call by itself
        circumstances=there if trying is None else Circumstances(),
        opinion=opinion if trying is None else None,
        people=people or Directory(),
        remembered=kept,
    )
    if trying is not None:
        return decide(call, rules, (), more, world.facts, now), more
    if verdict.effect is Effect.ASK and await _nobody_and_refuses(world, call, verdict):
        more = replace(more, nobody_reachable=True)
    if verdict.grant_request_id is None:
        since = plus(now, -STICKY_SECONDS)
        rejected = await world.store.last_rejection(call.owner, verdict.digest, since)
        if rejected is not None and rejected.resolution is not None:
            more = replace(more, sticky=StickyRejection(rejected.request_id, rejected.resolution))
    return decide(call, rules, grants, more, world.facts, now), more


def _with_voices(world: World, call: ToolCall, there: Circumstances) -> Circumstances:
    """The circumstances, saying who there is to be asked before a person; the same where there is nobody."""
    consultant = world.consultant
    if consultant is None or not call.attended:
        return there
    hooks, reviewer = consultant.has_hooks(call), there.mode is Mode.AUTO
    if not (hooks or reviewer):
        return there
    allow = consultant.may_allow(call)
    return replace(there, hooks=hooks, reviewer=reviewer, may_allow=allow)


def _touches_paths(policy: PolicyOutcome) -> bool:
    """Whether a path that may be read or written could lift any of it: to look that up asks the file system."""
    return any(one.target.kind in _BY_PATHS for one in policy.targets)


def _with_paths(world: World, there: Circumstances, session: Session) -> Circumstances:
    readable, writable = readable_and_writable(there.run_context, session.workspace, world.facts)
    return replace(there, readable=readable, writable=writable)


async def _is_marked_read_only(world: World, call: ToolCall) -> bool:
    """Whether the tool, as the call knows it, says of itself that it only reads."""
    tool = await world.store.tool(call.server, call.tool)
    if tool is None or tool.definition != call.definition:
        return False
    return tool.annotations.get("readOnlyHint") is True


async def _nobody_and_refuses(world: World, call: ToolCall, verdict: Verdict) -> bool:
    """Whether nobody can be reached, where the policy refuses then: only there it is looked up."""
    policy = verdict.policy
    if policy is None or policy.approval.unreachable is not Unreachable.REFUSE:
        return False
    return (await reach_of(world, Asked(call.owner, policy.approval))).nobody


async def spent_of(world: World, policy: PolicyOutcome, now: Moment) -> dict[str, float]:
    """How much is spent of each budget that concerns a call, by the id of its rule."""
    spent = {}
    for rule in budgeted(policy):
        if rule.budget is not None:
            since = plus(now, -rule.budget.per)
            spent[rule.id] = await world.store.spent(rule.id, since)
    return spent


async def _remembered(world: World, session: Session, call: ToolCall) -> Remembered:
    """What people had remembered that may concern a call; where nobody attends only the vetoes count."""
    grants, bypasses = await world.store.remembered(call.user_id, call.session_id)
    return Remembered(tuple(grants), tuple(bypasses), session.host_start)


def standing_of_verdict(call_id: str, verdict: Verdict) -> Standing:
    """How a call stands that needs no person (or has not been submitted)."""
    earlier = verdict.earlier
    return Standing(
        call_id=call_id,
        digest=verdict.digest,
        code=code_of(verdict.digest),
        effect=verdict.effect.word,
        reason=verdict.reason.value,
        message=verdict_message(verdict),
        by=None if earlier is None else earlier.by,
        comment=None if earlier is None else earlier.comment,
        verdict=verdict.to_json(),
    )


_REFUSED = (
    Status.REJECTED,
    Status.EXPIRED,
    Status.CANCELLED,
    Status.REFUSED,
    Status.LAPSED,
    Status.SUPERSEDED,
)


def standing_of_request(request: ApprovalRequest) -> Standing:
    """How a call stands that a person was asked about."""
    resolution, outcome = request.resolution, request.outcome
    # the redacted form is nothing that could run: whoever claims it is told so
    edited = None if request.edited is None or request.withheld else request.call.arguments
    if request.status is Status.PENDING:
        effect, reason = Effect.ASK, request.why.reason
    elif request.status in _REFUSED:
        effect = Effect.DENY
        reason = resolution.reason if resolution is not None else Reason.ERROR
    else:
        effect, reason = Effect.ALLOW, allowed_as(request)
    return Standing(
        call_id=request.request_id,
        digest=request.digest,
        code=code_of(request.digest),
        effect=effect.word,
        reason=reason.value,
        message=request_message(request),
        status=request.status.value,
        by=None if resolution is None else resolution.by,
        comment=None if resolution is None else resolution.comment,
        summary=None if outcome is None else outcome.summary,
        arguments=edited,
        edited_by=None if request.edited is None else request.edited.by,
        question=_question(request),
    )


def _question(request: ApprovalRequest) -> AskedBack | None:
    asked = request.attention.open_question if request.waits else None
    return None if asked is None else AskedBack(asked.question_id, asked.person_name, asked.text)


async def recorded(world: World, record: AuditRecord) -> None:
    """Write a verdict that changes nothing else, and count it."""
    await world.store.record([record])
    world.meter.count([record])
