"""A seeded schedule: several processes, agents, people, sweepers and changing rules on one store.

Everything that happens by chance comes from one seed. `play` tells the story; `settle` brings it to
its end with fresh processes; what has to hold is checked while it happens and after it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sayso.audit.chain import verify
from sayso.broker.access import Actor
from sayso.broker.ports import Change
from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.core.session import CallDraft
from sayso.errors import (
    CallAlreadyRan,
    CallDenied,
    CallRejected,
    DigestMismatch,
    EditRefused,
    NotEligible,
    NotNow,
    RequestClosed,
    StoreUnavailable,
)
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, judge
from sayso.requests.approval import ApprovalRequest, Status, Vote
from sayso.requests.grant import Grant
from sayso.requests.quorum import out_of_reach_of
from tests.fakes.world import FakeRules, PeopledStore, make_actor, rule
from tests.reference.gate import enough
from tests.simulation.processes import (
    AFTER,
    BEFORE,
    Crash,
    Fate,
    Place,
    Process,
    ignore_the_dead,
)

ANNA = Person("anna", "Anna", admin=True)
EVE = Person("eve", "Eve")
"""Somebody who may decide nothing, and tries."""
SECONDS = 45.0
"""How long the eventful part of a schedule lasts."""

SLACK = 1_000_000
"""A decision takes a moment: the rules it was made with were in force at most so many microseconds ago."""

STEPS = {
    Status.PENDING: {"approved", "rejected", "expired", "cancelled", "refused"},
    Status.APPROVED: {"running", "superseded", "refused", "lapsed", "cancelled"},
    Status.RUNNING: {"done", "failed", "unknown", "unreported"},
    Status.UNKNOWN: {"done", "failed"},
}
ENDED = {
    Status.REJECTED, Status.EXPIRED, Status.CANCELLED, Status.SUPERSEDED, Status.REFUSED,
    Status.LAPSED, Status.DONE, Status.FAILED, Status.UNREPORTED,
}  # fmt: skip


class Watcher(PeopledStore):
    """The store itself, watched: every write that took place is a step of the table."""

    def __init__(self, inner: Any, schedule: Schedule) -> None:
        super().__init__(inner, {})
        self._schedule = schedule

    async def submit(self, new: Any) -> Any:
        known = await self.inner.submit(new)
        if known is None and new.request is not None:
            self._schedule.made(new.request)
        return known

    async def apply(self, change: Change) -> None:
        before = await self.inner.request(change.request.request_id)
        await self.inner.apply(change)
        self._schedule.changed(before, change)


class Schedule:
    """One schedule from its seed."""

    def __init__(self, seed: int, open_store: Any, *, stores_of_their_own: bool = False) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        kinds = ("store.apply", "store.apply", "execute", "publish", "store.submit", "update")
        deaths: dict[int | tuple[str, int], str] = {}
        for _ in range(self.chance.choice((0, 1, 2, 3, 5))):
            at_any = self.chance.randrange(1, 200)
            at_kind = (self.chance.choice(kinds), self.chance.randrange(1, 12))
            deaths[self.chance.choice((at_any, at_kind, at_kind))] = self.chance.choice(
                (BEFORE, AFTER)
            )
        self.rules = FakeRules()
        self.in_force: list[tuple[int, RuleSet]] = []
        self.place = Place(
            lambda: Watcher(open_store(), self),
            Fate(deaths),
            self.rules,
            self.chance,
            stores_of_their_own=stores_of_their_own,
        )
        self.place.lossy = self.chance.random() < 0.5
        self.place.hesitant = self.chance.random() < 0.8
        self.place.at_execution = self._executing
        self.store = self.place.open_store()
        self.statuses: dict[str, list[Status]] = {}
        self.approvals_heard: Counter[str] = Counter()
        self.acknowledged: set[str] = set()
        self.reports: list[object] = []
        self.people: list[Actor] = []
        self.over = False

    # ── what is seen while it happens ──

    def made(self, request: ApprovalRequest) -> None:
        """A request was written."""
        assert request.request_id not in self.statuses
        self.statuses[request.request_id] = [request.status]

    def changed(self, before: ApprovalRequest, change: Change) -> None:
        """A conditional write took place."""
        after = change.request
        if change.follow_up is not None:
            assert change.follow_up.request is not None
            self.made(change.follow_up.request)
        if after.status is before.status:
            return
        assert before.status not in ENDED, f"{before.status} was left for {after.status}"
        assert after.status.value in STEPS[before.status], f"{before.status} to {after.status}"
        self.statuses[after.request_id].append(after.status)
        if after.status is Status.RUNNING:
            self._claimed(before)

    def _claimed(self, request: ApprovalRequest) -> None:
        """The right to run was given: rules in force at that moment have to agree."""
        assert not self.statuses[request.request_id].count(Status.RUNNING) > 1
        approving = [
            review
            for review in request.votes
            if review.vote is Vote.APPROVE and review.digest == request.digest
        ]
        givers = {review.person_id for review in approving}
        assert EVE.person_id not in givers, "somebody who may not decide was counted"
        grant = Grant(request.request_id, request.digest, tuple(givers), request.created_at)
        people = Directory({"owner": _owner(), "anna": ANNA})
        now = self.place.clock.now()
        lately = [
            rules
            for (since, rules), until in zip(
                self.in_force, [at for at, _ in self.in_force[1:]] + [now], strict=True
            )
            if until >= now - SLACK and since <= now
        ]
        said = [judge(request.call, rules, NOTHING_KNOWN) for rules in lately]
        assert any(
            one.effect is Effect.ALLOW
            or (one.effect is Effect.ASK and _let_through(request, one, grant, people, now))
            for one in said
        ), "it was claimed though neither rules nor people allowed it"

    async def _executing(self, call_id: str, arguments: Mapping[str, Any]) -> None:
        """The tool is about to run."""
        found = await self.store.call(call_id)
        assert found is not None, "a call ran that the store does not know"
        stored, call = found
        request = await self.store.request(call_id)
        if request is not None:
            call = request.call  # as people made it, if they did
        assert dict(call.arguments) == dict(arguments), "something else ran than was judged"
        bodies = [e.body for e in await self.store.audit_chain(0, 100_000) if call_id in e.body]
        if stored.effect == "allow":
            assert any('"effect":"allow"' in body for body in bodies)
            return
        assert request is not None
        assert request.status in (Status.RUNNING, Status.UNKNOWN)
        assert sum('"kind":"claim"' in body for body in bodies) == 1
        assert call_id not in [ran for ran, _ in self.place.executed], "it ran twice"

    # ── the story ──

    async def play(self) -> None:
        """The eventful part."""
        asyncio.get_running_loop().set_exception_handler(ignore_the_dead)
        place, chance = self.place, self.chance
        await self._say(rule("ask"))
        now = place.clock.now()
        there = await self.store.directory()
        more = {person.person_id: person for person in (ANNA, EVE)}
        everybody = replace(there, people={**there.people, **more})
        await self.store.change_people(there, everybody, now, (), ())
        for person_id in ("owner", "anna"):
            self.people.append(
                await make_actor(self.store, place.ids, now, CredentialKind.SESSION, person_id)
            )
        eve = await make_actor(self.store, place.ids, now, CredentialKind.SESSION, "eve")
        agent = await make_actor(self.store, place.ids, now, CredentialKind.AGENT, agent_id="coder")
        first = place.start()
        sessions = [
            (await first.broker.open_session(agent)).session_id
            for _ in range(chance.choice((1, 1, 2)))
        ]
        place.fate.armed = True
        actors: list[Any] = [self._keep_alive(chance.choice((1, 2, 3)))]
        actors += [self._agent(chance.choice(sessions)) for _ in range(chance.choice((1, 2, 3, 4)))]
        actors += [self._person(actor) for actor in self.people]
        if chance.random() < 0.6:
            actors.append(self._change_rules())
        actors.append(self._meddle(eve))
        if chance.random() < 0.4:
            actors.append(self._set_clocks())
        if chance.random() < 0.4:
            actors.append(self._restart_the_store())
        if chance.random() < 0.3:
            actors.append(self._stop(chance.choice(sessions)))
        acting = [asyncio.ensure_future(actor) for actor in actors]
        await asyncio.sleep(SECONDS)
        self.over = True
        await asyncio.wait(acting)
        for task in acting:
            task.result()

    async def _keep_alive(self, wanted: int) -> None:
        while not self.over:
            while len(self.place.alive) < wanted:
                process = self.place.start()
                while not process.dead and process.broker._tasks == [] and not self.over:
                    with contextlib.suppress(Crash, StoreUnavailable):
                        await _in(process, process.broker.start())
                    await asyncio.sleep(0.5)
            await asyncio.sleep(self.chance.uniform(0.1, 12))

    async def _process(self) -> Process:
        while not self.place.alive:
            if self.over:
                return self.place.start()
            await asyncio.sleep(0.2)
        return self.chance.choice(self.place.alive)

    async def _agent(self, session_id: str) -> None:
        chance = self.chance
        while not self.over:
            await asyncio.sleep(chance.uniform(0, 8))
            draft = CallDraft(
                chance.choice(("send",) * 8 + ("read", "wipe")), {"n": chance.randrange(8)}
            )
            if chance.random() < 0.5:
                draft = replace(draft, external_id=f"e{chance.randrange(10**9)}")
            for _ in range(chance.choice((1, 2, 3, 4))):
                process = await self._process()
                lasting = chance.choice((0.0, 0.0, 3.0, 40.0))
                work = process.spawn(process.run(session_id, draft, lasting))
                patience = chance.choice((0.02, 2.0, 20.0, 60.0))
                await asyncio.wait([work], timeout=patience)
                if not work.done():
                    work.cancel()  # a client that times out
                    await asyncio.wait([work], timeout=60.0)
                report = self._outcome(process, work)
                if report is None:  # neither an answer nor a refusal: frameworks try again
                    if draft.tool == "read":
                        break
                    continue
                self.reports.append(report)
                break

    def _outcome(self, process: Process, work: asyncio.Task[Any]) -> object | None:
        if process.dead or work.cancelled() or not work.done():
            return None
        error = work.exception()
        if error is None:
            assert work.result() == "sent"
            return work.result()  # type: ignore[no-any-return]
        if isinstance(error, (Crash, StoreUnavailable)):
            return None
        assert isinstance(error, (CallDenied, CallRejected, CallAlreadyRan)), repr(error)
        return error

    async def _person(self, actor: Actor) -> None:
        chance = self.chance
        while not self.over:
            await asyncio.sleep(chance.uniform(0.1, 6))
            process = await self._process()
            try:
                waiting = await _in(process, process.broker.inbox(actor))
            except (Crash, StoreUnavailable):
                continue
            if not waiting:
                continue
            request = chance.choice(waiting)
            if request.status is Status.UNKNOWN:
                if chance.random() < 0.3:
                    await self._settle_one(process, actor, request)
                continue
            if chance.random() < 0.3:
                await self._something_else(process, actor, request)
                continue
            vote = Vote.APPROVE if chance.random() < 0.75 else Vote.REJECT
            clicks = chance.choice((1, 1, 2, 3))
            await asyncio.gather(*(self._click(actor, request, vote) for _ in range(clicks)))

    async def _something_else(
        self, process: Process, actor: Actor, request: ApprovalRequest
    ) -> None:
        """Not now, why?, the broken glass: none of it decides anything that it should not."""
        acts, name = process.broker.attention, request.request_id
        look = acts.unreviewed(actor)
        choices = (
            lambda: acts.snooze(actor, name, self.chance.choice((0.0, 3.0, 20.0))),
            lambda: acts.ask_back(actor, name, "why?"),
            lambda: acts.break_glass(actor, name, digest=request.digest, why="now"),
        )
        with contextlib.suppress(
            Crash, RequestClosed, NotNow, NotEligible, StoreUnavailable, DigestMismatch,
        ):  # fmt: skip
            for broken in await _in(process, look):
                await _in(
                    process,
                    acts.review_glass(actor, broken.request_id, justified=True, comment=None),
                )
            await _in(process, self.chance.choice(choices)())

    async def _click(self, actor: Actor, request: ApprovalRequest, vote: Vote) -> bool:
        process = await self._process()
        more: dict[str, Any] = {}
        if vote is Vote.APPROVE and self.chance.random() < 0.2:
            more = {"arguments": {"n": self.chance.randrange(8)}}
        try:
            changed = await _in(
                process,
                process.broker.review(
                    actor, request.request_id, vote, digest=request.digest, **more
                ),
            )
        except (
            Crash, RequestClosed, NotNow, NotEligible, StoreUnavailable, DigestMismatch, EditRefused,
        ):  # fmt: skip
            return False
        if changed.status is Status.PENDING:
            return False  # the other one has to approve as well
        assert changed.status in (Status.APPROVED, Status.REJECTED)
        self.approvals_heard[request.request_id] += 1
        assert self.approvals_heard[request.request_id] == 1, "two people resolved one request"
        return True

    async def _settle_one(self, process: Process, actor: Actor, request: ApprovalRequest) -> None:
        with contextlib.suppress(Crash, RequestClosed, NotEligible, StoreUnavailable):
            await _in(
                process,
                process.broker.settle(actor, request.request_id, ok=True, summary="looked"),
            )

    async def _change_rules(self) -> None:
        chance = self.chance
        admins = ApprovalPolicy(approver=Approver.ADMIN)
        short = ApprovalPolicy(timeout=chance.choice((2.0, 5.0, 15.0)))
        editable = ApprovalPolicy(allow_edit=True)
        both = ApprovalPolicy(quorum=2, allow_edit=True, break_glass=chance.choice((5.0, 60.0)))
        allowing = replace(short, on_timeout=OnTimeout.ALLOW, reminders=(1.0, 3.0, 4.0))
        told = replace(rule("ask", approval=allowing), origin=Origin.TOOL_POLICY)
        while not self.over:
            await asyncio.sleep(chance.uniform(1, 8))
            await self._say(
                chance.choice(
                    (
                        rule("ask"), rule("ask", approval=short), rule("ask", approval=short),
                        rule("ask", approval=admins), rule("ask", approval=admins),
                        rule("ask", approval=both), rule("ask", approval=both), told, told,
                        rule("ask", approval=editable), rule("ask", approval=editable),
                        rule("allow", "send"), rule("deny", "send"),
                        None,
                    )
                )
            )  # fmt: skip

    async def _meddle(self, eve: Actor) -> None:
        """Somebody who may decide nothing knows the ids and the digests, and gets nowhere."""
        while not self.over:
            await asyncio.sleep(self.chance.uniform(2, 9))
            process = await self._process()
            name = self.chance.choice([*self.statuses, ""])
            request = await self.store.request(name)
            if request is None:
                continue
            vote = self.chance.choice((Vote.APPROVE, Vote.REJECT))
            review = process.broker.review(eve, name, vote, digest=request.digest)
            try:
                await _in(process, review)
            except (Crash, NotEligible, StoreUnavailable):
                continue
            raise AssertionError("somebody who may not decide has decided")

    async def _set_clocks(self) -> None:
        """The machine's clock is set, a little or far, forward and back."""
        while not self.over:
            await asyncio.sleep(self.chance.uniform(3, 15))
            self.place.set_clock(self.chance.choice((-400.0, -20.0, -1.0, 1.0, 7.0, 40.0, 700.0)))

    async def _restart_the_store(self) -> None:
        """The database is away for a moment, now and then."""
        while not self.over:
            await asyncio.sleep(self.chance.uniform(5, 20))
            self.place.store_is_down = True
            await asyncio.sleep(self.chance.choice((0.05, 1.0, 6.0)))
            self.place.store_is_down = False

    async def _stop(self, session_id: str) -> None:
        await asyncio.sleep(self.chance.uniform(5, SECONDS))
        process = await self._process()
        with contextlib.suppress(Crash, StoreUnavailable):
            await _in(process, process.broker.gate(session_id).stop())

    async def _say(self, sends: Rule | None) -> None:
        base = (rule("allow", "read"), rule("deny", "wipe"))
        if sends is None:
            self.rules.say(*base, unavailable="cannot be read")
        else:
            self.rules.say(*base, replace(sends, tool_pattern="send"))
        self.in_force.append((self.place.clock.now(), await self.rules.current()))

    # ── its end ──

    async def settle(self) -> None:
        """Every process is gone; another one starts, time passes, people answer what waits."""
        place = self.place
        place.fate.armed = place.lossy = place.store_is_down = False
        place.set_forward = place.furthest  # whatever the furthest clock wrote is over by then
        await self._say(rule("ask"))
        for process in place.alive:
            process.die()
        await asyncio.sleep(1)
        fresh = place.start()
        await asyncio.sleep(31)
        await sweep(fresh.broker.world)
        for request_id in self.statuses:
            request = await self.request(request_id)
            assert request.status is not Status.RUNNING, "a dead process still runs a call"
            session = await self.store.session(request.call.session_id)
            if session.stopped_at is not None:
                assert request.status not in (Status.PENDING, Status.APPROVED), (
                    "it waits in a session that was stopped"
                )
        await self._answer_everything(fresh)
        await asyncio.sleep(601)
        await sweep(fresh.broker.world)
        await self._check()

    def _check_what_time_told(self, log: list[dict[str, Any]]) -> None:
        """Each reminder, delivery and alert of a glass was there once for a content, whoever brought it.

        What was edited and edited back is shown anew.
        """
        told: Counter[tuple[Any, ...]] = Counter()
        edits: Counter[str] = Counter()
        for r in log:
            name = r.get("call_id", "")
            if r["kind"] == "edit":
                edits[name] += 1
            if r.get("reason") in ("reminded", "escalated", "not-reviewed", "delivered"):
                told[name, r["digest"], edits[name], r["reason"], r.get("comment")] += 1
        assert all(count == 1 for count in told.values()), told

    async def request(self, request_id: str) -> ApprovalRequest:
        """The request as it is stored; it was acknowledged, so it is there."""
        found = await self.store.request(request_id)
        assert found is not None, "a request was lost"
        return found  # type: ignore[no-any-return]

    async def _answer_everything(self, fresh: Process) -> None:
        """What waits can be answered: approved ones that nobody wants lapse, unknown ones are settled.

        What nobody could approve any more says so and waits for its time.
        """
        anna = self.people[1]
        out_of_reach = []
        for request in await fresh.broker.inbox(anna):
            if request.status is Status.UNKNOWN:
                settled = await fresh.broker.settle(
                    anna, request.request_id, ok=False, summary="looked it up"
                )
                assert settled.status is Status.FAILED
            else:
                for person in self.people:  # where it needs both, one of them may have voted
                    with contextlib.suppress(RequestClosed, NotEligible):
                        await fresh.broker.review(
                            person, request.request_id, Vote.APPROVE, digest=request.digest
                        )
                asked = await self.request(request.request_id)
                if asked.status is not Status.APPROVED:
                    assert out_of_reach_of(asked, await self.store.directory()), (
                        "it could be answered"
                    )
                    assert asked.expires_at is not None
                    out_of_reach.append(asked.request_id)
        assert [left.request_id for left in await fresh.broker.inbox(anna)] == out_of_reach

    async def _check(self) -> None:
        executed = Counter(call_id for call_id, _ in self.place.executed)
        for request_id, seen in self.statuses.items():
            request = await self.request(request_id)
            assert seen[-1] is request.status
            assert request.status in ENDED, f"{request.status} is no end"
            assert sum(status in ENDED for status in seen) == 1, "more than one final state"
            assert executed[request_id] <= 1, "it ran more than once"
            if executed[request_id]:
                assert Status.RUNNING in seen, "it ran without a claim"
            if request.status is Status.DONE and Status.UNKNOWN not in seen:
                assert executed[request_id] == 1, "done, and it never ran"
            if Status.RUNNING not in seen:
                assert executed[request_id] == 0
        sent = sum(report == "sent" for report in self.reports)
        assert sent <= sum(executed.values())
        chain = await self.store.audit_chain(0, 100_000)
        found = verify(chain)
        assert found.ok, found.fault
        self._check_what_time_told([json.loads(entry.body) for entry in chain])
        claims = Counter(
            request_id
            for entry in chain
            if '"kind":"claim"' in entry.body
            for request_id in self.statuses
            if request_id in entry.body
        )
        assert all(count == 1 for count in claims.values())
        assert set(claims) == {r for r, seen in self.statuses.items() if Status.RUNNING in seen}


def _let_through(
    request: ApprovalRequest, one: PolicyOutcome, grant: Grant, people: Directory, now: Moment
) -> bool:
    """Whether what approved it is enough under one of the policies: votes, or what stood for them."""
    assert request.resolution is not None
    match request.resolution.reason:
        case Reason.EXPIRED_ALLOW:
            told = {delivery.person_id for delivery in request.attention.deliveries}
            always = one.must_ask or one.doubtful
            return bool(told) and not always and one.approval.on_timeout is OnTimeout.ALLOW
        case Reason.BREAK_GLASS:
            return request.glass is not None and one.approval.break_glass is not None
        case _:
            return enough(grant, request.call, one, people, now)


def _owner() -> Person:
    return Person("owner", "owner", admin=True)


async def _in(process: Process, work: Any) -> Any:
    """What the work came to in that process; Crash if the process died."""
    task = process.spawn(work)
    await asyncio.wait([task])
    if process.dead or task.cancelled():
        if task.done() and not task.cancelled():
            task.exception()
        raise Crash
    return task.result()
