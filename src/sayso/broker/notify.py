"""From the outbox to the channels: every change of a request is shown wherever it was announced (CH-2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence, Set

import structlog

from sayso.broker.attention_words import ESCALATED, REMINDED, SNOOZE_OVER
from sayso.broker.ports import ALL
from sayso.broker.question_change import ABOUT_QUESTIONS, REQUESTED
from sayso.broker.reachability import whom_to_ask
from sayso.broker.world import World
from sayso.core.call import Owner
from sayso.core.moment import Moment
from sayso.people.asking import deciding
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, concerns
from sayso.questions.question import WHO_MAY_ANSWER, Question
from sayso.requests.approval import ApprovalRequest
from sayso.requests.event import EventKind, Notice

_log = structlog.get_logger("sayso.notify")

BATCH = 200
POLL_SECONDS = 5.0
GATHER_SECONDS = 0.02
"""How long changes are gathered before they are handed over together; people do not notice."""


class Outbox:
    """Reads the store's events in order and hands each to the channels; a failing channel decides nothing."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen = 0

    async def start(self) -> None:
        """Begin after the newest event and announce what waits already (after a restart, say)."""
        self._seen = await self._world.store.last_notice()
        for request in await self._world.store.pending():
            if request.waits:
                await self._announce_again(request)
        for question in await self._world.store.open_questions():
            await self._hand_over_question(question.question_id, REQUESTED)

    async def _announce_again(self, request: ApprovalRequest) -> None:
        try:
            await self._announce(request)
        except Exception as error:  # whatever a channel does, the request stays as it is
            _log.warning("a channel failed", request_id=request.request_id, error=str(error))

    async def run(self) -> None:
        """Hand over events until cancelled."""
        subscription = self._world.feed.subscribe(ALL)
        try:
            while True:
                try:
                    more = await self.drain()
                except (
                    Exception
                ) as error:  # the store may come back: what was not told is told then
                    _log.warning("events could not be read", error=str(error))
                    more = False
                if not more and await subscription.wait(POLL_SECONDS):
                    await self._world.clock.sleep(GATHER_SECONDS)
        finally:
            subscription.close()

    async def drain(self) -> bool:
        """Hand over the events there are; returns whether there may be more.

        A request that changed several times is handed over once, as it is now.
        """
        notices = await self._world.store.notices(self._seen, BATCH)
        told: dict[str, list[Notice]] = {}
        for event in notices:
            if event.request_id and event.kind is not EventKind.DELIVERY_CHANGED:
                told.setdefault(event.request_id, []).append(event)
        for request_id, found in told.items():
            await self._hand_over(request_id, found)
        if notices:
            self._seen = notices[-1].event_id  # only now: what could not be read is read again
        return len(notices) == BATCH

    async def _hand_over(self, request_id: str, notices: Sequence[Notice]) -> None:
        kinds = {notice.kind for notice in notices}
        if kinds & ABOUT_QUESTIONS:
            await self._hand_over_question(request_id, kinds)
            return
        request = await self._world.store.request(request_id)
        if request is None:
            return
        try:
            if EventKind.APPROVAL_REQUESTED in kinds:
                await self._announce(request)
            if kinds != {EventKind.APPROVAL_REQUESTED}:
                await self._world.notifier.update(request)
            if request.waits:
                await self._remind(request, notices)
        except Exception as error:  # whatever a channel does, the request stays as it is
            _log.warning("a channel failed", request_id=request_id, error=str(error))

    async def _hand_over_question(self, question_id: str, kinds: Set[EventKind]) -> None:
        question = await self._world.store.question(question_id)
        if question is None:
            return
        try:
            if kinds & REQUESTED:
                await self._announce_question(question)
            if kinds - REQUESTED:
                await self._world.notifier.update_question(question)
        except Exception as error:  # whatever a channel does, the question stays as it is
            _log.warning("a channel failed", request_id=question_id, error=str(error))

    async def _announce_question(self, question: Question) -> None:
        people, now = await self._world.store.directory(), self._world.clock.now()
        asked = Asked(question.owner, WHO_MAY_ANSWER, question.eligible)
        who = [people.people[name] for name in deciding(asked, people, now)]
        await self._world.notifier.announce_question(question, who)

    async def _announce(self, request: ApprovalRequest) -> None:
        await self._world.notifier.announce(request, await whom_to_ask(self._world, request))

    async def _remind(self, request: ApprovalRequest, notices: Sequence[Notice]) -> None:
        """Show it once more to those whom a reminder, a widening or the end of a "not now" concerns."""
        said = {notice.data.get("what"): notice for notice in notices}
        if ESCALATED in said:
            await self._announce(request)
        again = {notice.data.get("person_id") for notice in notices if _over(notice)}
        if REMINDED not in said and not again:
            return
        hidden = {snooze.person_id for snooze in request.attention.snoozes}
        people = [
            person
            for person in await whom_to_ask(self._world, request)
            if person.person_id in again or (REMINDED in said and person.person_id not in hidden)
        ]
        await self._world.notifier.remind(request, people)


def _over(notice: Notice) -> bool:
    return notice.data.get("what") == SNOOZE_OVER


def readable(
    events: Iterable[Notice], person_id: str, people: Directory, now: Moment
) -> list[Notice]:
    """Those of the events that a person may read."""
    return [
        event
        for event in events
        if not (event.request_id or event.user_id)
        or concerns(
            person_id,
            Owner(event.user_id, event.agent_id, event.session_id),
            event.eligible,
            people,
            now,
        )
    ]


async def cancelled(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    await asyncio.wait([task])
