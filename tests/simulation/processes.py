"""Processes that can die between any two effects, on one store that survives them.

An effect is a write of the store, a notice in the feed, a word to a channel, or a run of the tool.
When a process dies, its tasks are thrown away and whatever they still try to do is not done: also
what clean-up code would do. Reads are no effects: to die before one is to die before the next effect.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from typing import Any

from sayso.broker.broker import Broker
from sayso.broker.ports import Claim, Standing, Subscription
from sayso.broker.run import run
from sayso.broker.session_gate import SessionGate
from sayso.broker.world import World
from sayso.core.moment import Moment, plus
from sayso.core.session import CallDraft
from sayso.errors import StoreUnavailable
from sayso.people.person import Person
from sayso.policy.facts import NOTHING_KNOWN
from sayso.requests.approval import ApprovalRequest
from tests.fakes.virtual_time import VirtualLoop
from tests.fakes.world import FakeClock, FakeIds, FakeRules

EFFECTS = frozenset(
    {
        "submit", "record", "apply", "lift_sticky", "touch", "open_session", "stop_session",
        "put_rule", "delete_rule", "seed_rules", "put_credential", "revoke_credential",
    }
)  # fmt: skip

BEFORE, AFTER = "before", "after"


class Crash(BaseException):
    """The process has died. Not an Exception: no code that handles errors may handle this."""


class Fate:
    """Says at which effects a process dies; counts the effects and keeps their names.

    A death stands at the number of an effect, or at the so manyth effect of a name: `("execute", 2)`.
    """

    def __init__(self, deaths: Mapping[int | tuple[str, int], str] | None = None) -> None:
        self.deaths = dict(deaths or {})
        self.died_at: list[str] = []
        self.names: list[str] = []
        self.armed = False

    def next(self, name: str) -> str | None:
        """Whether the process dies before or after this effect."""
        if not self.armed:
            return None
        self.names.append(name)
        number, of_that_name = len(self.names) - 1, self.names.count(name)
        fate = self.deaths.get(number) or self.deaths.get((name, of_that_name))
        if fate is not None:
            self.died_at.append(f"{fate} {name}")
        return fate


class ProcessClock(FakeClock):
    """The time as one process sees it: the machine's clock is set forward and back, and it never goes back."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._began = place.clock._began
        self._place = place
        self._last = super().now()

    def now(self) -> Moment:
        self._last = max(self._last, plus(super().now(), self._place.set_forward))
        return self._last


class Place:
    """What outlives every process: the store, the time, the rules, and what the tool did."""

    def __init__(
        self,
        open_store: Callable[[], Any],
        fate: Fate,
        rules: FakeRules,
        chance: random.Random,
        *,
        stores_of_their_own: bool = False,
    ) -> None:
        self.open_store = open_store
        self.stores_of_their_own = stores_of_their_own
        self.fate = fate
        self.rules = rules
        self.chance = chance
        self.clock = FakeClock()
        self.ids = FakeIds(chance.randrange(2**32))
        self.processes: list[Process] = []
        self.executed: list[tuple[str, Mapping[str, Any]]] = []
        self.at_execution: Callable[[str, Mapping[str, Any]], Awaitable[None]] | None = None
        self.lossy = False
        self.set_forward = 0.0
        self.furthest = 0.0
        self.store_is_down = False
        self.hesitant = False

    def start(self) -> Process:
        """Start another process."""
        process = Process(self)
        self.processes.append(process)
        return process

    @property
    def alive(self) -> list[Process]:
        """The processes that have not died."""
        return [process for process in self.processes if not process.dead]

    def set_clock(self, seconds: float) -> None:
        """Set the machine's clock so many seconds forward, or back, for every process."""
        self.set_forward += seconds
        self.furthest = max(self.furthest, self.set_forward)

    async def hesitate(self) -> None:
        """A moment in which others may go first."""
        if self.hesitant:
            await asyncio.sleep(self.chance.choice((0, 0, 0, 0.001, 0.003, 0.02)))


class Process:
    """One process with a broker of its own."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.dead = False
        self.store = place.open_store()
        self.tasks: list[asyncio.Task[Any]] = []
        self.announced: list[str] = []
        world = World(
            Door(self),  # type: ignore[arg-type]
            Post(self),
            ProcessClock(place),
            place.ids,
            place.rules,
            NOTHING_KNOWN,
            self,
            keep_calls=None,  # no schedule takes so long
        )
        self.broker = Broker(world)

    # ── life and death ──

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Do something in this process."""
        task = asyncio.ensure_future(work)
        self.tasks.append(task)
        return task

    def die(self) -> None:
        """Be gone, with everything that was going on."""
        if self.dead:
            return
        self.dead = True
        here = asyncio.current_task()
        for task in (*self.tasks, *self.broker._tasks):
            if task is not here:
                task.cancel()
        if self.place.stores_of_their_own:
            asyncio.get_running_loop().call_soon(self.store.close)

    def living(self) -> None:
        """Nothing more happens in a process that is gone."""
        if self.dead:
            raise Crash

    async def effect(self, name: str, act: Callable[[], Awaitable[Any]]) -> Any:
        """Do something that others can notice, or die before or after it."""
        self.living()
        await self.place.hesitate()
        self.living()
        fate = self.place.fate.next(name)
        if fate == BEFORE:
            self.die()
            raise Crash
        result = await act()
        if fate == AFTER:
            self.die()
        self.living()
        return result

    # ── channels, as the broker sees them ──

    can_ask = True

    def ways(self, person: Person) -> tuple[str, ...]:
        """Everybody is reached."""
        return ("test",)

    async def remind(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show it once more."""
        await self.effect("remind", lambda: asyncio.sleep(0))

    async def announce(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show a new request."""

        async def show() -> None:
            self.announced.append(request.request_id)

        await self.effect("announce", show)
        names = [person.person_id for person in asked]
        await self.effect(
            "deliver",
            lambda: self.broker.attention.delivered(
                request.request_id, request.digest, "test", names
            ),
        )

    async def announce_question(self, question: object, asked: object) -> None:
        """Nothing is asked here but approvals."""

    async def update_question(self, question: object) -> None:
        """Nothing is asked here but approvals."""

    async def update(self, request: ApprovalRequest) -> None:
        """Show a change."""
        await self.effect("update", lambda: asyncio.sleep(0))

    # ── an agent's side ──

    async def run(self, session_id: str, draft: CallDraft, lasting: float = 0.0) -> str:
        """Authorize and run a call as every host does."""
        gate = Tracing(self.broker.gate(session_id))

        async def execute(arguments: Mapping[str, Any]) -> str:
            return await self.execute(gate.running, arguments, lasting)

        return await run(gate, draft, execute)

    async def execute(self, call_id: str, arguments: Mapping[str, Any], lasting: float) -> str:
        """The tool: whatever it does is done at once, then it takes its time."""

        async def act() -> None:
            if self.place.at_execution is not None:
                await self.place.at_execution(call_id, arguments)
            self.place.executed.append((call_id, arguments))

        await self.effect("execute", act)
        await asyncio.sleep(lasting)
        self.living()
        return "sent"


class Tracing:
    """A session's gate that remembers which call may run now."""

    def __init__(self, gate: SessionGate) -> None:
        self._gate = gate
        self.running = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gate, name)

    async def submit(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        standing = await self._gate.submit(draft)
        self.running = standing.call_id
        return standing

    async def claim(self, call_id: str, digest: str) -> Claim | Standing:
        """See GatePort."""
        taken = await self._gate.claim(call_id, digest)
        if isinstance(taken, Claim):
            self.running = taken.call_id
        return taken


class Door:
    """The store as one process sees it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def __getattr__(self, name: str) -> Any:
        process = self._process
        method = getattr(process.store, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            async def act() -> Any:
                if process.place.store_is_down:  # what raises has changed nothing
                    raise StoreUnavailable("the database restarts", "try again in a moment")
                with _elsewhere():
                    return await method(*arguments, **named)

            if name in EFFECTS:
                return await process.effect(f"store.{name}", act)
            process.living()
            await process.place.hesitate()
            process.living()
            result = await act()
            process.living()
            return result

        return call


class Post:
    """The feed as one process sees it: notices are lost, doubled and late where the place is lossy."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def publish(self, topics: Iterable[str]) -> None:
        """See Feed."""
        process, topics = self._process, list(topics)
        process.living()
        fate = process.place.fate.next("publish")
        if fate == BEFORE:
            process.die()
            raise Crash
        chance = process.place.chance
        luck = chance.random() if process.place.lossy else 1.0
        feed = process.store.feed
        if luck < 0.2:
            pass
        elif luck < 0.4:
            feed.publish(topics)
            feed.publish(topics)
        elif luck < 0.6:
            asyncio.get_running_loop().call_later(chance.random() * 8, feed.publish, topics)
        else:
            feed.publish(topics)
        if fate == AFTER:
            process.die()
            raise Crash

    def subscribe(self, topic: str) -> Subscription:
        """See Feed."""
        self._process.living()
        return self._process.store.feed.subscribe(topic)  # type: ignore[no-any-return]


def _elsewhere() -> contextlib.AbstractContextManager[None]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.elsewhere()


def ignore_the_dead(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An exception handler for loops: what a dead process leaves behind is nobody's."""
    if not isinstance(context.get("exception"), Crash):
        loop.default_exception_handler(context)
