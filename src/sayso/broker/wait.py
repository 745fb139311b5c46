"""Waiting for a decision: a place in the feed and a poll; no thread, no connection (REQ-20)."""

from __future__ import annotations

from sayso.broker.advising import opinion_before
from sayso.broker.change import change_of, write
from sayso.broker.ports import Standing
from sayso.broker.submit import own_request, rejoin
from sayso.broker.world import World, decide_call, standing_of_request, standing_of_verdict
from sayso.core.moment import Moment, plus, seconds_between
from sayso.errors import LostRace, RequestClosed, RequestNotFound
from sayso.requests.approval import ApprovalRequest, Caller, Status
from sayso.requests.deadline import CALLER_SECONDS, due
from sayso.requests.lifecycle import OPEN, CallerLeft
from sayso.requests.nudges import QuestionTold

POLL_SECONDS = 30.0
"""A waiter looks again after so long even if it hears nothing.

It is the last resort: every store looks for events it was not told of itself, for all who wait together
and within 5 s (ST-3), since ten thousand callers that each look that often leave no time for anything else.
"""

BEAT_SECONDS = CALLER_SECONDS / 3


class Presence:
    """Which calls somebody in this process waits for, so that they can be shown as present in one write."""

    def __init__(self) -> None:
        self._waiting: dict[str, int] = {}

    def enter(self, call_id: str) -> None:
        """Somebody starts to wait for a call."""
        self._waiting[call_id] = self._waiting.get(call_id, 0) + 1

    def exit(self, call_id: str) -> None:
        """Somebody stops waiting for a call."""
        left = self._waiting[call_id] - 1
        if left:
            self._waiting[call_id] = left
        else:
            del self._waiting[call_id]

    async def beat(self, world: World) -> None:
        """Note in the store that all of them still wait."""
        if self._waiting:
            await world.store.touch(list(self._waiting), world.clock.now())


async def wait(
    world: World, presence: Presence, session_id: str, call_id: str, timeout: float
) -> Standing:
    """How the call stands once it is neither pending nor running, or after `timeout` seconds."""
    end = plus(world.clock.now(), timeout)
    subscription = world.feed.subscribe(call_id)
    presence.enter(call_id)
    try:
        arriving = True
        while True:
            request = await own_request(world, session_id, call_id)
            if request is None:
                return await _without_request(world, session_id, call_id)
            now = world.clock.now()
            if arriving:
                arriving = False
                if timeout > 0 and request.caller is Caller.GONE:
                    request = await rejoin(world, request)  # it was only thought to have gone
                elif seconds_between(request.caller_seen, now) >= BEAT_SECONDS:
                    await world.store.touch([request.request_id], now)
            if timeout > 0 and await _is_asked(world, request, now):
                return standing_of_request(request)
            left = seconds_between(now, end)
            asked_again = request.request_id != call_id
            if request.status not in (Status.PENDING, Status.RUNNING) or asked_again or left <= 0:
                return standing_of_request(request)
            # what is due already is ended by the sweeper within moments
            over = due(request, now) is not None
            del (
                request
            )  # it is read again then: ten thousand that wait do not hold ten thousand of them
            await subscription.wait(min(left, 0.2 if over else POLL_SECONDS))
    finally:
        presence.exit(call_id)
        subscription.close()


async def _is_asked(world: World, request: ApprovalRequest, now: Moment) -> bool:
    """Whether a person asked back and no caller has been told yet; from now on one has.

    So a caller that knows nothing of questions is not woken by the same one again and again.
    """
    question = request.attention.open_question
    if not request.waits or question is None or question.told_at is not None:
        return False
    try:
        told = QuestionTold(question.question_id, now)
        await write(world, change_of(request, told, now))
    except (LostRace, RequestClosed):
        return False  # it is looked at again at once: whoever changed it has told of it
    return True


async def _without_request(world: World, session_id: str, call_id: str) -> Standing:
    found = await world.store.call(call_id)
    session = await world.store.session(session_id)
    if found is None or session is None:
        raise RequestNotFound(f"no call has the id `{call_id[:64]}`")
    heard = await opinion_before(world, found[0])
    verdict = await decide_call(world, session, found[1], opinion=heard)
    return standing_of_verdict(call_id, verdict)


async def leave(world: World, session_id: str, call_id: str) -> None:
    """Say that nobody waits for the call any more; the request stays as it is (GATE-3)."""
    while True:
        request = await own_request(world, session_id, call_id)
        if request is None or request.status not in OPEN or request.caller is Caller.GONE:
            return  # saying it again changes nothing, and must not stand in a reviewer's way
        try:
            await write(world, change_of(request, CallerLeft(), world.clock.now()))
            return
        except LostRace:
            continue
