"""What time and changed rules bring, found and written by any replica, once (REQ-22, POL-23)."""

from __future__ import annotations

from dataclasses import replace

from sayso.broker.change import change_of, write
from sayso.broker.kept_calls import forget_old
from sayso.broker.questions import end_questions
from sayso.broker.world import World, decide_call
from sayso.core.effect import Effect
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.errors import ArgumentsWithheld, LostRace, RequestClosed
from sayso.gate.explain import verdict_message
from sayso.people.asking import deciding
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest, Resolution, Status
from sayso.requests.deadline import CALLER_SECONDS, UNREACHABLE_SECONDS, due, is_over, nudge
from sayso.requests.lifecycle import Approved, CallerLeft, Cancelled, Event, Limited, Refused
from sayso.requests.quorum import asked_of, out_of_reach_of

TAKE_SECONDS = 30.0
"""For how long a replica takes the timers it acts on; if it dies, another one takes them then."""

TAKE_AT_ONCE = 200


async def sweep(world: World, *, rules_changed: bool = True, people_changed: bool = True) -> int:
    """Apply everything that is due by now; returns how many requests changed.

    `rules_changed` False leaves out what only other rules could change, `people_changed` what only
    other people could.
    """
    changed = await _bring_what_is_due(world)
    now = world.clock.now()
    if people_changed:
        changed += await _limit(world, await world.store.directory(), now)
    for request in await world.store.unseen(plus(now, -CALLER_SECONDS)):
        event = due(request, now)
        if isinstance(event, CallerLeft):
            changed += await _write(world, request, event, now)
    changed += await end_questions(world)
    for session_id in await world.store.stopped_sessions():
        # whoever stopped it died before it had cancelled everything, or a call slipped in between
        changed += await cancel_session(world, session_id)
    if rules_changed:
        changed += await _decide_again(world, now)
    await forget_old(world)  # last: nothing that is due waits for it
    return changed


async def _limit(world: World, people: Directory, now: Moment) -> int:
    """What nobody can decide any more waits for a limited time, so that it has an end (REQ-12)."""
    changed = 0
    for request in await world.store.pending():
        endless = request.status is Status.PENDING and request.expires_at is None
        if endless and out_of_reach_of(request, people) is not None:
            until = plus(now, UNREACHABLE_SECONDS)
            changed += await _write(world, request, Limited(until), now)
    return changed


async def _bring_what_is_due(world: World) -> int:
    """Take the timers that have run out and act on them; what another replica has taken is its own."""
    changed = 0
    while True:
        now = world.clock.now()
        taken = await world.store.take_due(now, plus(now, TAKE_SECONDS), TAKE_AT_ONCE)
        for request in taken:
            changed += await _bring(world, request, now)
        if len(taken) < TAKE_AT_ONCE:
            return changed


async def _bring(world: World, request: ApprovalRequest, now: Moment) -> int:
    """Apply what time has brought to one request, one event after the other; returns how many were."""
    out_of_reach, eligible, version = None, frozenset[str](), None
    if request.waits and is_over(request, now):
        people = await world.store.directory()
        version = people.version
        out_of_reach = out_of_reach_of(request, people)
        eligible = frozenset(deciding(asked_of(request), people, now))
    count = 0
    while True:
        event = due(request, now, out_of_reach, eligible) or nudge(request, now)
        if event is None:
            return count
        try:
            change = change_of(request, event, now, people_version=version)
            request = await write(world, change)
        except ArgumentsWithheld:
            return count  # time cannot approve what nobody can see whole; it goes on waiting
        except (RequestClosed, LostRace):
            return count  # somebody else changed it, which set its timer anew
        count += 1


async def cancel_session(world: World, session_id: str) -> int:
    """Cancel everything of a session that waits (REQ-21); returns how many requests that were."""
    count = 0
    while True:
        now = world.clock.now()
        waiting = [
            request
            for request in await world.store.of_session(session_id)
            if request.status in (Status.PENDING, Status.APPROVED) and not request.ended_approved
        ]
        if not waiting:
            return count
        for request in waiting:
            event = Cancelled(Resolution(Reason.CANCELLED, now))
            count += await _write(world, request, event, now)


async def _decide_again(world: World, now: Moment) -> int:
    """Requests that were made while rules could not be loaded are decided again once they can be."""
    stuck = [
        request
        for request in await world.store.pending()
        if request.status is Status.PENDING
        and request.why.reason is Reason.RULES_UNAVAILABLE
        and request.withheld is None
    ]
    changed = 0
    for request in stuck:
        session = await world.store.session(request.call.session_id)
        if session is None:
            continue
        if (await world.rules.current(session.workspace, session.rules)).unavailable:
            continue
        verdict = await decide_call(world, session, request.call)
        if verdict.reason is Reason.FROZEN:
            continue  # what waits goes on waiting; thawing changes the rules' version, and it is looked at again
        resolution = Resolution(verdict.reason, now, comment=verdict_message(verdict))
        if verdict.effect is Effect.DENY:
            changed += await _write(world, request, Refused(resolution), now)
        elif verdict.effect is Effect.ALLOW and not request.no_claim:  # that one a person approves
            changed += await _write(
                world, request, Approved(replace(resolution, comment=None)), now
            )
    return changed


async def _write(world: World, request: ApprovalRequest, event: Event, now: Moment) -> bool:
    try:
        await write(world, change_of(request, event, now))
    except (RequestClosed, LostRace):
        return False
    return True
