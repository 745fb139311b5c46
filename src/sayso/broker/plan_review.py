"""Plan review around the question: whether a session plans, how planning begins, what an approval switches."""

from __future__ import annotations

from dataclasses import replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact_text
from sayso.broker.access import Actor
from sayso.broker.modes import mode_now
from sayso.broker.questions import owner_of, why_nobody
from sayso.broker.world import World
from sayso.core.mode import Mode
from sayso.core.session import Session
from sayso.errors import LostRace, NotEligible
from sayso.people.eligibility import Asked, may_configure
from sayso.questions.plan import MODE_AFTER, PlanAnswer
from sayso.questions.question import WHO_MAY_ANSWER, Question
from sayso.requests.event import EventKind, Notice

NOT_LEFT = "plan review is not left to the agent here: the settings say so"
SUB_AGENT = "a sub-agent plans where the session above it does"
NO_REVIEWER = "no one can review a plan here; go on without planning"


async def enter_plan_mode(world: World, session_id: str, reason: str | None) -> str | None:
    """Have a session plan, as its agent wishes (Q-6): it only tightens. Why it may not, None if it plans now."""
    while True:
        session = await world.store.session(session_id)
        if session is None:
            raise NotEligible("this session does not exist", "open a session")
        refusal = await _why_not_plan(world, session)
        if refusal is not None:
            return refusal
        mode = (await mode_now(world, session)).mode
        if mode is Mode.PLAN:
            return None
        if mode is Mode.DONT_ASK:
            return NO_REVIEWER
        if session.mode is None:
            after = replace(session, agent_mode=Mode.PLAN)
        else:  # what people switched to counts first: this is stricter than it
            after = replace(session, mode=Mode.PLAN)
        why = "" if not reason else f": {redact_text(reason)[:500]}"
        record = _record(world, session, f"mode: plan, the agent's own choice{why}")
        try:
            await world.store.change_session(session, after, [record], [_told(world)])
        except LostRace:
            continue
        world.feed.publish(["rules"])
        return None


async def _why_not_plan(world: World, session: Session) -> str | None:
    if session.parent:
        return SUB_AGENT
    rules = await world.rules.current(session.workspace, session.rules)
    if rules.in_force.plan_review is not None:
        return NOT_LEFT
    asked = Asked(owner_of(session), WHO_MAY_ANSWER)
    return None if await why_nobody(world, session, asked) is None else NO_REVIEWER


async def switch_after(
    world: World, actor: Actor, question: Question, answer: PlanAnswer
) -> tuple[Session, Session] | None:
    """The session before and after an approval of its plan, which ends planning; None if nothing switches.

    Where people have switched it meanwhile their word stands. Raises NotEligible for somebody who may
    answer but not let all further edits pass: that is for the session's user and admins
    whose credential may configure.
    """
    mode = MODE_AFTER.get(answer)
    if mode is None:
        return None
    person = actor.person
    may = person.is_called(question.user_id) or may_configure(person, actor.kind)
    if mode is Mode.ACCEPT_EDITS and not may:
        raise NotEligible(
            "only the session's user or an admin lets file edits pass without asking",
            "answer: yes, carry it out",
        )
    session = await world.store.session(question.session_id)
    if session is None or (await mode_now(world, session)).mode is not Mode.PLAN:
        return None
    return session, replace(session, mode=mode, agent_mode=None)


def switched_record(world: World, actor: Actor, after: Session) -> AuditRecord:
    """The record that an approval switched the mode."""
    words = "as configured" if after.mode is None else after.mode.value
    record = _record(world, after, f"mode: {words}, with the plan's approval")
    return replace(record, by=actor.person.name, channel=actor.channel)


def _record(world: World, session: Session, note: str) -> AuditRecord:
    return AuditRecord(
        RecordKind.CONFIGURATION,
        world.clock.now(),
        session_id=session.session_id,
        agent_id=session.agent_id,
        user_id=session.user_id,
        source=session.source,
        note=note,
    )


def _told(world: World) -> Notice:
    return Notice(EventKind.SETTINGS_CHANGED, world.clock.now())
