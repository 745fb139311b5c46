"""The embedded gate as one session sees it: the GatePort over the broker's use-cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker import batches
from sayso.broker import claim as claiming
from sayso.broker import questions as asking
from sayso.broker.access import Actor
from sayso.broker.asking_approval import ask_approval
from sayso.broker.attention import answering
from sayso.broker.circumstances import bound, under_now
from sayso.broker.plan_review import enter_plan_mode
from sayso.broker.ports import BatchMade, Claim, QuestionStanding, Standing, Unfinished
from sayso.broker.resume import unfinished
from sayso.broker.submit import decide_only, submit
from sayso.broker.sweep import cancel_session
from sayso.broker.wait import Presence, leave, wait
from sayso.broker.world import World
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft, Session
from sayso.errors import LostRace, NotEligible
from sayso.people.token import DECIDING
from sayso.policy.visibility import visible
from sayso.questions.question import QuestionDraft
from sayso.questions.todo import Task


class SessionGate:
    """One session's gate; the session was opened with an agent's credential and cannot be changed."""

    def __init__(self, world: World, presence: Presence, session_id: str) -> None:
        self._world = world
        self._presence = presence
        self.session_id = session_id

    async def decide(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await decide_only(self._world, await self._session(), draft)

    async def submit(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return await submit(self._world, await self._session(), draft)

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """See GatePort."""
        return await wait(self._world, self._presence, self.session_id, call_id, timeout)

    async def answer(self, call_id: str, question_id: str, text: str | None) -> None:
        """See GatePort."""
        await answering(self._world, self.session_id, call_id, question_id, text)

    async def leave(self, call_id: str) -> None:
        """See GatePort."""
        await leave(self._world, self.session_id, call_id)

    async def claim(
        self, call_id: str, digest: str, audience: str | None = None
    ) -> Claim | Standing:
        """See GatePort."""
        session = await self._session()
        return await claiming.claim(self._world, session, call_id, digest, audience)

    async def unfinished(self) -> Sequence[Unfinished]:
        """See GatePort."""
        return await unfinished(self._world, await self._session())

    async def submit_batch(self, name: str, drafts: Sequence[CallDraft]) -> BatchMade:
        """See GatePort."""
        return await batches.submit_batch(self._world, await self._session(), name, drafts)

    async def take_turn(self, batch_id: str) -> str | None:
        """See GatePort."""
        return await batches.take_turn(self._world, self.session_id, batch_id)

    async def end_turn(self, batch_id: str, token: str) -> None:
        """See GatePort."""
        await batches.end_turn(self._world, self.session_id, batch_id, token)

    async def renew(self, claim: Claim) -> None:
        """See GatePort."""
        await claiming.renew(self._world, self.session_id, claim)

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        """See GatePort."""
        await claiming.finish(
            self._world,
            self.session_id,
            call_id,
            token,
            ok=ok,
            summary=summary,
            seconds=seconds,
        )

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        """See GatePort."""
        session, _ = await bound(self._world.store, await self._session())
        await self._world.store.observe_tools(tools, self._world.clock.now())
        rules = await self._world.rules.current(session.workspace, session.rules)
        now = await under_now(self._world.store, session, rules.in_force, self._world.sandbox)
        group = now.run_context.security_group
        return [t for t in tools if visible(t.name, rules, server=t.server, group=group)]

    async def ask(self, draft: QuestionDraft) -> QuestionStanding:
        """See AskingPort."""
        session, _ = await bound(self._world.store, await self._session())
        return await asking.ask(self._world, session, draft)

    async def wait_for_answer(self, question_id: str, timeout: float) -> QuestionStanding:
        """See AskingPort."""
        return await asking.wait_for_answer(self._world, self.session_id, question_id, timeout)

    async def done_with(self, question_id: str) -> None:
        """See AskingPort."""
        await asking.done_with(self._world, self.session_id, question_id)

    async def ask_approval(self, draft: CallDraft, timeout: float | None) -> Standing:
        """See AskingPort."""
        return await ask_approval(self._world, await self._session(), draft, timeout)

    async def enter_plan_mode(self, reason: str | None) -> str | None:
        """See AskingPort."""
        return await enter_plan_mode(self._world, self.session_id, reason)

    async def set_tasks(self, tasks: Sequence[Task]) -> None:
        """See AskingPort."""
        await asking.set_tasks(self._world, await self._session(), tasks)

    async def stop(self) -> None:
        """See GatePort."""
        await stop_session(self._world, await self._session())

    async def host_started(self) -> None:
        """Say that the program which runs the agent has started anew: bypasses end with it (REQ-54)."""
        while True:
            session = await self._session()
            start = self._world.ids.new_id(self._world.clock.now())
            try:
                after = replace(session, host_start=start)
                await self._world.store.change_session(session, after, (), ())
                return
            except LostRace:
                continue

    async def _session(self) -> Session:
        session = await self._world.store.session(self.session_id)
        if session is None:
            raise NotEligible("this session does not exist", "open a session")
        return session


async def stop_session(
    world: World, session: Session, *, by: str | None = None, channel: str | None = None
) -> None:
    """Stop a session and those below it, and cancel what waits in them; later calls of them are refused.

    `by` is the person who stopped it, None if its own agent did.
    """
    await _stop(world, session, by=by, channel=channel)
    for below in await _asking_below(world, session):
        await _stop(world, below, by=by, channel=channel)


async def _stop(world: World, session: Session, *, by: str | None, channel: str | None) -> None:
    now = world.clock.now()
    record = AuditRecord(
        RecordKind.CONFIGURATION,
        now,
        session_id=session.session_id,
        agent_id=session.agent_id,
        user_id=session.user_id,
        source=session.source,
        by=by,
        channel=channel,
        note="session stopped",
    )
    await world.store.stop_session(session.session_id, now, [record])
    await cancel_session(world, session.session_id)
    await asking.cancel_questions(world, session.session_id)


async def _asking_below(world: World, session: Session) -> Sequence[Session]:
    """The sessions below one in which something waits for people; the calls of others are refused anyway."""
    ids = [request.call.session_id for request in await world.store.pending()]
    ids += [question.session_id for question in await world.store.open_questions()]
    found = [await world.store.session(one) for one in dict.fromkeys(ids)]
    return [one for one in found if one is not None and session.session_id in one.parent]


async def stop_session_by(world: World, actor: Actor, session_id: str) -> None:
    """Stop a session for its own agent, or for the person it belongs to; raises NotEligible for others."""
    session = await world.store.session(session_id)
    mine = session is not None and session.credential_id == actor.credential.credential_id
    person = actor.kind in DECIDING
    if session is None or not (mine or (person and actor.person.person_id == session.user_id)):
        raise NotEligible("this session is not yours")
    by = actor.person.name if person else None
    await stop_session(world, session, by=by, channel=actor.channel)
