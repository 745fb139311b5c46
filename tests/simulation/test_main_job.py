"""The main job, with a crash at each single effect in turn: submit, approve, claim, run, finish.

One effect after another is the one at which the process dies, once before it happens and once after
it happened and before anybody heard of it. Then another process starts on the same store, the agent
tries again as frameworks do, and the person decides what waits. Whatever was cut off: the call has
run at most once, and what is not known to have run is told to people and never run again.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sayso.audit.chain import verify
from sayso.core.session import CallDraft
from sayso.errors import CallAlreadyRan, CallRejected, RequestClosed
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from sayso.store.memory import MemoryStore
from sayso.store.sqlite import open_sqlite
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import FakeRules, make_actor, rule
from tests.simulation.processes import AFTER, BEFORE, Crash, Fate, Place, Process, ignore_the_dead

DRAFT = CallDraft("send_mail", {"to": "alice@example.com"}, external_id="e1")


class Story:
    """One telling of the main job, and what came of it."""

    def __init__(self, place: Place, store: Any) -> None:
        self.place = place
        self.store = store
        self.reports: list[object] = []

    async def tell(self) -> None:
        """From the submit to the end, through whatever happens."""
        asyncio.get_running_loop().set_exception_handler(ignore_the_dead)
        place = self.place
        now = place.clock.now()
        person = await make_actor(self.store, place.ids, now, CredentialKind.SESSION)
        agent = await make_actor(self.store, place.ids, now, CredentialKind.AGENT, agent_id="coder")
        session = await place.start().broker.open_session(agent)
        place.processes.pop()
        place.fate.armed = True
        deciding = asyncio.create_task(self._decide(person))
        for _ in range(6):
            process = place.start()
            try:
                report = await self._in(process, self._call(process, session.session_id))
            except Crash:
                await asyncio.sleep(1)
                continue
            self.reports.append(report)
            break
        await asyncio.sleep(2)
        deciding.cancel()

    async def _call(self, process: Process, session_id: str) -> object:
        await process.broker.start()
        try:
            return await process.run(session_id, DRAFT)
        except (CallAlreadyRan, CallRejected) as error:
            return error

    async def _in(self, process: Process, work: Any) -> object:
        """What the work came to, or Crash if its process died."""
        task = process.spawn(work)
        await asyncio.wait([task])
        if task.cancelled() or process.dead:
            raise Crash
        return task.result()

    async def _decide(self, person: Any) -> None:
        """The person looks every second and approves what waits, through any process there is."""
        while True:
            await asyncio.sleep(1)
            if not self.place.alive:
                continue
            process = self.place.alive[-1]
            try:
                await self._in(process, self._approve(process, person))
            except Crash:
                continue

    async def _approve(self, process: Process, person: Any) -> None:
        for request in await process.broker.inbox(person):
            if request.status is Status.PENDING:
                try:
                    await process.broker.review(
                        person, request.request_id, Vote.APPROVE, digest=request.digest
                    )
                except RequestClosed:
                    continue


def tell(deaths: dict[int, str], path: Path | None = None) -> Story:
    """Tell the story with these deaths; with a path, on SQLite files of each process's own."""

    async def telling() -> Story:
        memory = MemoryStore()
        opened: list[Any] = []

        def open_store() -> Any:
            if path is None:
                return memory
            opened.append(open_sqlite(path, check=False))
            return opened[-1]

        place = Place(
            open_store, Fate(deaths), FakeRules(rule("ask")), random.Random(0),
            stores_of_their_own=path is not None,
        )  # fmt: skip
        story = Story(place, open_store())
        await story.tell()
        await _check(story)
        for process in place.alive:
            process.die()
        await asyncio.sleep(0)
        for store in opened:
            store.close()
        return story

    return run_virtual(telling())


async def _check(story: Story) -> None:
    place, store = story.place, story.store
    assert len(place.executed) <= 1, "it ran more than once"
    requests = [r for r in [await store.request(c) for c in await _call_ids(store)] if r]
    assert requests, "the request was lost"
    log = [entry.body for entry in await store.audit_chain(0, 10_000)]
    assert verify(await store.audit_chain(0, 10_000)).ok
    claims = Counter('"kind":"claim"' in body for body in log)[True]
    assert claims <= 1
    assert len(place.executed) <= claims, "it ran without a claim on record"
    (report,) = story.reports
    (request,) = [r for r in requests if r.call.external_id == "e1"]
    if place.executed:
        assert place.executed == [(request.request_id, dict(DRAFT.arguments))]
    if report == "sent":
        assert request.status is Status.DONE
        assert len(place.executed) == 1
    else:
        assert isinstance(report, CallAlreadyRan)
        if place.fate.deaths:
            assert request.status in (Status.UNKNOWN, Status.DONE)
        assert report.status == request.status.value
        assert request.status is not Status.DONE or place.executed


async def _call_ids(store: Any) -> list[str]:
    notices = await store.notices(0, 10_000)
    return list(dict.fromkeys(notice.request_id for notice in notices if notice.request_id))


def effects_without_a_crash() -> list[str]:
    """The names of the effects of the main job, in order."""
    story = tell({})
    assert story.reports == ["sent"]
    return story.place.fate.names


def test_without_a_crash_it_runs_once_and_these_are_its_effects() -> None:
    names = [
        n for n in effects_without_a_crash() if n in ("store.submit", "store.apply", "execute")
    ]
    shown, approved, claimed, finished = ["store.apply"] * 4
    assert names == ["store.submit", shown, approved, claimed, "execute", finished]


@pytest.mark.spec("ST-2")
def test_a_crash_at_any_single_effect_runs_nothing_twice_and_loses_nothing() -> None:
    names = effects_without_a_crash()
    unknown = set()
    for number, name in enumerate(names):
        for when in (BEFORE, AFTER):
            try:
                story = tell({number: when})
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"a crash {when} effect {number} ({name}): {error}") from error
            if not isinstance(story.reports[0], str):
                unknown.add((name, when))
    # Only between the claim and the word of its outcome may it stay unknown what happened.
    assert {name for name, _ in unknown} <= {
        "store.apply", "publish", "execute", "update", "store.touch", "announce", "store.seed_rules",
    }  # fmt: skip
    assert ("execute", BEFORE) in unknown
    assert ("execute", AFTER) in unknown
    assert ("store.submit", AFTER) not in unknown


def test_two_crashes_at_any_two_effects() -> None:
    count = len(effects_without_a_crash())
    pairs = [(one, two) for one in range(count) for two in range(one + 1, count + 6)]
    for one, two in random.Random(1).sample(pairs, min(len(pairs), 60)):
        for first, second in ((BEFORE, AFTER), (AFTER, AFTER), (AFTER, BEFORE)):
            try:
                tell({one: first, two: second})
            except (AssertionError, ValueError) as error:
                raise AssertionError(
                    f"crashes {first} {one} and {second} {two}: {error}"
                ) from error


@pytest.mark.slow
def test_a_crash_at_any_single_effect_on_a_file_that_processes_share(tmp_path: Path) -> None:
    for number in range(len(effects_without_a_crash())):
        for when in (BEFORE, AFTER):
            try:
                tell({number: when}, tmp_path / f"{number}-{when}.db")
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"a crash {when} effect {number}: {error}") from error
