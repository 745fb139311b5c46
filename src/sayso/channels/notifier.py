"""The channels as the broker sees them: it hands a change over and goes on; nothing here decides.

Each pair of channel and request has its own delivery, which always shows the newest state, in
order, and tries again after a failure. A channel that keeps failing is given up for that request,
which stays as it is (CH-11).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import structlog

from sayso.channels.card import CHANNEL_CAPPED, Card
from sayso.channels.channel import Channel, Decide, fitted
from sayso.channels.question_delivery import QuestionDeliveries, QuestionPicture
from sayso.people.person import Person
from sayso.questions.question import Question
from sayso.requests.approval import ApprovalRequest
from sayso.requests.lifecycle import FINAL

_log = structlog.get_logger("sayso.channels")

Picture = Callable[[ApprovalRequest], Awaitable[Card]]
"""Makes the card of a request as it is now, for the person whom the channels reach."""

Confirm = Callable[[str, str, str, Sequence[str]], Awaitable[object]]
"""Notes that a card was delivered: request id, digest, channel, the ids of the people it reached."""

RETRY_SECONDS = (1.0, 5.0, 30.0, 120.0)
DELIVERY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Delivered:
    """How a delivery stands: `problem` is why it failed last, None if the newest state is shown."""

    channel: str
    version: int
    attempts: int
    problem: str | None


class Channels:
    """The broker's Notifier over any number of channels."""

    def __init__(
        self,
        channels: Sequence[Channel],
        picture: Picture,
        *,
        confirm: Confirm | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        retry_seconds: Sequence[float] = RETRY_SECONDS,
        question_picture: QuestionPicture | None = None,
    ) -> None:
        self._channels = tuple(channels)
        self._picture = picture
        self._confirm = confirm
        self._sleep = sleep
        self._retry_seconds = tuple(retry_seconds)
        self._deliveries: dict[tuple[str, str], _Delivery] = {}
        self._questions = QuestionDeliveries(self._channels, question_picture)

    @property
    def can_ask(self) -> bool:
        """Whether a person could be asked through any channel."""
        return any(_can_ask(channel) for channel in self._channels)

    def ways(self, person: Person) -> tuple[str, ...]:
        """The channels through which this person could be told now."""
        return tuple(c.name for c in self._channels if _can_ask(c) and _reaches(c, person))

    async def announce(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show a new request on every channel that reaches one of the asked; returns before it is shown."""
        for channel in self._channels:
            key = (channel.name, request.request_id)
            told = [person.person_id for person in asked if _reaches(channel, person)]
            known = self._deliveries.get(key)
            if known is None and told and request.waits and _can_ask(channel):
                known = self._deliveries[key] = _Delivery(
                    channel, self._picture, self._sleep, self._retry_seconds, self._confirm
                )
            if known is not None:
                known.want(request, told)

    async def remind(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show a request once more wherever it reaches these people; returns before it is shown."""
        for channel in self._channels:
            known = self._deliveries.get((channel.name, request.request_id))
            if known is not None and any(_reaches(channel, person) for person in asked):
                known.again(request)

    async def update(self, request: ApprovalRequest) -> None:
        """Show wherever it was announced that a request has changed; returns before it is shown."""
        for channel in self._channels:
            delivery = self._deliveries.get((channel.name, request.request_id))
            if delivery is not None:
                delivery.want(request)
        self._forget()

    async def announce_question(self, question: Question, asked: Collection[Person]) -> None:
        """Show a new question on every channel that reaches one of these people."""
        reach = [
            channel
            for channel in self._channels
            if _can_ask(channel) and any(_reaches(channel, person) for person in asked)
        ]
        await self._questions.announce(question, reach)

    async def update_question(self, question: Question) -> None:
        """Show wherever it was announced that a question has changed."""
        await self._questions.update(question)

    def deliveries(self, request_id: str) -> tuple[Delivered, ...]:
        """How the deliveries of a request stand, one for each channel it was given to."""
        return tuple(
            delivery.delivered
            for (_, known), delivery in self._deliveries.items()
            if known == request_id
        )

    async def check(self) -> dict[str, str | None]:
        """Check every channel: its name and what is wrong with it, None if it works."""
        found: dict[str, str | None] = {}
        for channel in self._channels:
            try:
                await asyncio.wait_for(channel.check(), DELIVERY_SECONDS)
                found[channel.name] = None
            except Exception as error:  # a broken channel is an answer here
                found[channel.name] = _words(error)
        return found

    async def listen(self, decide: Callable[[str], Decide]) -> None:
        """Take votes from every channel until cancelled; `decide` is asked for once by each name.

        A channel that fails is logged and listened to again after a while.
        """
        async with asyncio.TaskGroup() as group:
            for channel in self._channels:
                group.create_task(self._listen(channel, decide(channel.name)))

    async def settled(self) -> None:
        """Wait until nothing is left to deliver now, failures that are tried again included."""
        while tasks := [d.task for d in self._deliveries.values() if d.task is not None]:
            await asyncio.wait(tasks)
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Stop delivering and close the channels."""
        for delivery in self._deliveries.values():
            await delivery.stop()
        self._deliveries.clear()
        for channel in self._channels:
            try:
                await channel.close()
            except Exception as error:  # the others are still to be closed
                _log.warning("a channel failed to close", channel=channel.name, error=str(error))

    async def _listen(self, channel: Channel, decide: Decide) -> None:
        failures = 0
        while True:
            try:
                await channel.listen(decide)
                return
            except Exception as error:  # whatever a channel does, the others go on
                _log.warning("a channel stopped listening", channel=channel.name, error=str(error))
                delays = self._retry_seconds or (0.0,)
                await self._sleep(delays[min(failures, len(delays) - 1)])
                failures += 1

    def _forget(self) -> None:
        """Drop what is finished, so that a long life does not fill the memory."""
        over = [key for key, delivery in self._deliveries.items() if delivery.is_over]
        for key in over:
            del self._deliveries[key]


class _Delivery:
    """Keeps one request's card on one channel up to date; `want` says what to show next."""

    def __init__(
        self,
        channel: Channel,
        picture: Picture,
        sleep: Callable[[float], Awaitable[None]],
        retry_seconds: tuple[float, ...],
        confirm: Confirm | None,
    ) -> None:
        self._confirm = confirm
        self._unconfirmed: set[str] = set()
        self._shown_digest = ""
        self._confirmed: set[str] = set()
        self._again = False
        self._channel = channel
        self._picture = picture
        self._sleep = sleep
        self._retry_seconds = retry_seconds
        self._wanted: ApprovalRequest | None = None
        self._shown_version = 0
        self._tried = False
        self._announced = False
        self._attempts = 0
        self._problem: str | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def delivered(self) -> Delivered:
        """How it stands."""
        return Delivered(self._channel.name, self._shown_version, self._attempts, self._problem)

    @property
    def is_over(self) -> bool:
        """Whether the last state there can be is shown, or nobody ever saw the first."""
        wanted = self._wanted
        return self.task is None and wanted is not None and wanted.status in FINAL

    def want(self, request: ApprovalRequest, told: Iterable[str] = ()) -> None:
        """Show this state, unless a newer one is wanted already; `told` are the people it reaches."""
        self._unconfirmed |= set(told) - self._confirmed
        if self._wanted is None or request.version > self._wanted.version:
            self._wanted = request
            self._start()
        elif self._unconfirmed:
            self._start()

    def again(self, request: ApprovalRequest) -> None:
        """Show it once more, as a reminder."""
        self._again = True
        self.want(request)
        self._start()

    def _start(self) -> None:
        if self.task is None:
            self.task = asyncio.create_task(self._run(), name=f"sayso-{self._channel.name}")

    async def stop(self) -> None:
        """Stop delivering."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def _run(self) -> None:
        try:
            while self._wanted is not None:
                if self._wanted.version > self._shown_version:
                    await self._show(self._wanted.version)
                elif self._again:
                    self._again = False
                    await self._remind(self._wanted)
                else:
                    break
            await self._confirm_delivery()
        finally:
            self.task = None

    async def _show(self, version: int) -> None:
        """Show the newest state, trying again for a while; then give this version up."""
        for delay in (*self._retry_seconds, None):
            assert self._wanted is not None
            request = self._wanted
            try:
                await asyncio.wait_for(self._hand_over(request), DELIVERY_SECONDS)
            except Exception as error:  # a failing channel decides nothing and stops nobody
                self._attempts += 1
                self._problem = _words(error)
                _log.warning(
                    "a channel failed",
                    channel=self._channel.name,
                    request_id=request.request_id,
                    attempts=self._attempts,
                    error=self._problem,
                )
                if delay is not None:
                    await self._sleep(delay)
            else:
                self._problem = None
                self._shown_version = request.version
                return
        self._shown_version = max(version, self._wanted.version if self._wanted else version)

    async def _remind(self, request: ApprovalRequest) -> None:
        """Show it once more; a reminder that fails is not tried again."""
        if not (self._announced and request.waits):
            return
        try:
            await asyncio.wait_for(
                self._channel.remind(await self._card(request)), DELIVERY_SECONDS
            )
        except Exception as error:  # a failing channel decides nothing and stops nobody
            _log.warning(
                "a channel failed to remind",
                channel=self._channel.name,
                request_id=request.request_id,
                error=_words(error),
            )

    async def _confirm_delivery(self) -> None:
        """Say whom the card has reached, where the channel can tell."""
        request, told = self._wanted, sorted(self._unconfirmed)
        if (
            self._confirm is None
            or request is None
            or not told
            or not (self._announced and self._channel.confirms and request.waits)
        ):
            return
        self._unconfirmed.clear()
        try:
            await self._confirm(request.request_id, self._shown_digest, self._channel.name, told)
        except Exception as error:  # a delivery that is not noted counts as none
            _log.warning("a delivery was not noted", error=_words(error))
        else:
            self._confirmed.update(told)

    async def _card(self, request: ApprovalRequest) -> Card:
        card = fitted(await self._picture(request), self._channel.fidelity)
        if card.may_approve and not request.policy.may_approve_through(self._channel.name):
            card = replace(card, approve_refused=CHANNEL_CAPPED)
        return card

    async def _hand_over(self, request: ApprovalRequest) -> None:
        if not self._tried and not request.waits:
            return  # nobody saw it while it waited, so there is nothing to correct
        card = await self._card(request)
        if self._announced or not request.waits:
            await self._channel.update(card)  # also where announcing failed: it may have been shown
        else:
            self._tried = True
            await self._channel.announce(card)
            self._announced = True
        self._shown_digest = card.digest


def _can_ask(channel: Channel) -> bool:
    try:
        return channel.can_ask
    except Exception as error:  # a channel that cannot say so cannot ask
        _log.warning("a channel failed", channel=channel.name, error=str(error))
        return False


def _reaches(channel: Channel, person: Person) -> bool:
    try:
        return channel.reaches(person)
    except Exception as error:  # a channel that cannot say so reaches nobody
        _log.warning("a channel failed", channel=channel.name, error=str(error))
        return False


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
