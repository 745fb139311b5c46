"""The verdict on a call after whoever may be asked before a person has been asked (gate.md, step 8).

`decide` says that a person would be asked, hooks and the reviewer are asked, and `decide` says it again with
their word and everything else as it is by then: the session may have been stopped in the meantime, the mode
switched, a rule changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from sayso.audit.record import RecordKind
from sayso.broker.consultant import Consultation, Heard
from sayso.broker.one_reading import reading_once
from sayso.broker.ports import Page, StoredCall
from sayso.broker.world import World, decide_call, decided
from sayso.core.advice import HOOKS_SECONDS, REVIEW_SECONDS
from sayso.core.call import ToolCall
from sayso.core.dialogue import Dialogue
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.session import Session
from sayso.gate.asked_call import descriptor_of
from sayso.gate.opinion import FROM_HOOKS, FROM_THE_REVIEWER, Opinion
from sayso.gate.opinions import Voice, voices
from sayso.gate.verdict import Verdict
from sayso.requests.approval import ApprovalRequest

_OPINIONS = FROM_HOOKS | FROM_THE_REVIEWER

LATE = "nobody was asked before a person: the time for that was over"

LOOK_BACK = 20
"""So many audit entries of a call are looked through for what was said of it."""


AT_ONCE = 8
"""So many calls of one batch are asked about at once."""


@dataclass(frozen=True, slots=True)
class Advised:
    """A verdict, the session as it is now, and for the audit log who was asked and how it went.

    `world` reads the rules that it was decided with. `dialogue` is what led to the call, with a summary
    where one was wanted and could be had (REV-4).
    """

    verdict: Verdict
    world: World
    session: Session
    dialogue: Dialogue | None
    notes: tuple[str, ...] = ()


async def decide_with_advice(
    world: World,
    session: Session,
    call: ToolCall,
    dialogue: Dialogue | None,
    heard: Heard | None = None,
    *,
    once: World,
) -> Advised:
    """Decide a call that is submitted, asking hooks and the reviewer where a person would be asked.

    It may take minutes (core/advice.py), in which nothing is held and nothing has been written. `heard` is
    what was heard of the call already. `once` reads the rules that were read for the call so far; after
    somebody was waited for they are read anew.
    """
    if heard is None:
        verdict, heard = await _heard(once, session, call, dialogue)
        if heard is None and not _lacks_summary(world, verdict, dialogue):
            return Advised(verdict, once, session, dialogue)
    opinion, notes = (None, ()) if heard is None else (heard.opinion, heard.notes)
    verdict, once, session = await _again(world, session, call, opinion)
    if world.consultant is not None and dialogue and _lacks_summary(world, verdict, dialogue):
        dialogue, more = await world.consultant.summarised(call, dialogue)
        verdict, once, session = await _again(world, session, call, opinion)
        notes = (*notes, *more)
    return Advised(verdict, once, session, dialogue, notes)


async def _again(
    world: World, session: Session, call: ToolCall, opinion: Opinion | None
) -> tuple[Verdict, World, Session]:
    """The verdict as of now, of the session as it is now: it may have been stopped meanwhile."""
    session = await world.store.session(session.session_id) or session
    once = reading_once(world)
    return await decide_call(once, session, call, opinion=opinion), once, session


def _lacks_summary(world: World, verdict: Verdict, dialogue: Dialogue | None) -> bool:
    """Whether a person will be asked who should see a summary, and there is none."""
    if world.consultant is None or dialogue is None or dialogue.summary is not None:
        return False
    policy = verdict.policy
    return verdict.effect is Effect.ASK and policy is not None and policy.approval.context.summary


async def heard_of_all(
    world: World, session: Session, calls: Sequence[tuple[ToolCall, Dialogue | None]]
) -> list[Heard | None]:
    """What is heard of the calls of a batch, asked about at once and not one after another.

    All of it together takes no longer than it may for one call: for what is not answered by then, a
    person is asked. None for a call of which nobody is asked, and for one that was made before.
    """
    places = asyncio.Semaphore(AT_ONCE)

    async def of(call: ToolCall, dialogue: Dialogue | None) -> Heard | None:
        known = call.external_id is not None and await world.store.by_external_id(
            call.owner, call.external_id
        )
        if known:
            return None
        async with places:
            return (await _heard(world, session, call, dialogue))[1]

    if world.consultant is None:
        return [None] * len(calls)
    tasks = [asyncio.ensure_future(of(*call)) for call in calls]
    try:
        await asyncio.wait(tasks, timeout=HOOKS_SECONDS + REVIEW_SECONDS)
    finally:
        late = [task for task in tasks if not task.done()]
        for task in late:
            task.cancel()
    return [Heard(None, (LATE,)) if task in late else task.result() for task in tasks]


async def _heard(
    world: World, session: Session, call: ToolCall, dialogue: Dialogue | None
) -> tuple[Verdict, Heard | None]:
    """The verdict so far, and what those say of it who may be asked; None if there is nobody."""
    verdict, context = await decided(world, session, call)
    asked = voices(call, verdict, context, world.clock.now())
    if not asked or world.consultant is None or verdict.policy is None:
        return verdict, None
    rules = await world.rules.current(session.workspace, session.rules)
    tool = descriptor_of(call, rules)
    about = Consultation(
        call,
        verdict.digest,
        verdict.policy,
        None if tool is None else tool.kind.value,
        dialogue,
        hooks=Voice.HOOKS in asked,
        reviewer=Voice.REVIEWER in asked,
    )
    return verdict, await world.consultant.heard(about)


async def opinion_before(world: World, stored: StoredCall) -> Opinion | None:
    """What was heard of a call when it was submitted, which its id stands for; None where nothing decided it so."""
    if stored.reason not in _OPINIONS:
        return None
    said = ""
    for entry in await world.store.audit_page(Page(limit=LOOK_BACK, call_id=stored.call_id)):
        record = orjson.loads(entry.body)
        if record["kind"] == RecordKind.VERDICT.value and record.get("reason") == stored.reason:
            said = record.get("comment", "")
    return Opinion(Reason(stored.reason), stored.digest, said)


def opinion_in(request: ApprovalRequest) -> Opinion | None:
    """What was heard of a call that takes of a budget besides, and so is claimed; None for any other."""
    said = request.resolution
    if said is None or said.reason not in _OPINIONS:
        return None
    return Opinion(said.reason, request.digest)
