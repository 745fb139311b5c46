"""Promises about who runs an approved call, and under which rules."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.broker.ports import Claim, Standing
from sayso.broker.session_gate import stop_session
from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.call import digest_of
from sayso.core.effect import Effect
from sayso.core.observed_tool import Definitions
from sayso.core.reason import Reason
from sayso.core.session import CallDraft
from sayso.errors import EditRefused, NotEligible, RequestClosed
from sayso.people.counting import needed, settled
from sayso.people.person import Person
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Rule
from sayso.policy.ruleset import judge
from sayso.requests.approval import Status, Vote
from sayso.requests.grant import grant_of
from sayso.requests.quorum import asked_of
from tests.fakes.facts import FakeFacts
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import FakeFiles, draft, make_scene, rule
from tests.reference.gate import enough

ANNA = Person("anna", "Anna", admin=True)
BOB = Person("bob", "Bob", operator=True)

later_policies = st.builds(
    ApprovalPolicy,
    approver=st.sampled_from(list(Approver)),
    approvers=st.sampled_from([None, None, None, ("anna",), ("bob", "owner"), ()]),
    quorum=st.sampled_from([1, 1, 2, 3]),
    self_approval=st.booleans(),
)
later_rules = st.lists(
    st.builds(
        rule,
        st.sampled_from([Effect.ALLOW, Effect.ASK, Effect.ASK, Effect.DENY]),
        st.sampled_from(["send_mail", "*", "read_mail"]),
        approval=st.none() | later_policies,
    ),
    max_size=3,
)


@pytest.mark.spec("REQ-30")
@given(
    st.lists(st.sampled_from(["owner", "anna", "bob"]), min_size=1, max_size=3, unique=True),
    later_rules,
    st.sampled_from([None, None, None, "broken"]),
    st.sampled_from([None, None, "anna", "bob"]),
)
def test_policy_changed_while_waiting_is_obeyed(
    approving: list[str], later: list[Rule], unavailable: str | None, leaving: str | None
) -> None:
    """Whatever was approved under yesterday's rules runs only if today's rules agree."""

    async def story() -> None:
        first = rule("ask", approval=ApprovalPolicy(quorum=len(approving)))
        scene = make_scene(first, people=[ANNA, BOB])
        gate = await scene.gate()
        standing = await gate.submit(draft())
        for person_id in approving:
            await scene.broker.review(
                await scene.actor(person_id=person_id),
                standing.call_id,
                Vote.APPROVE,
                digest=standing.digest,
            )
        approved = await scene.request(standing.call_id)
        assert approved.status is Status.APPROVED

        scene.rules.say(*later, unavailable=unavailable)
        if leaving is not None:
            scene.store.folk.pop(leaving)
        taken = await gate.claim(standing.call_id, standing.digest)

        today = judge(approved.call, await scene.rules.current(), NOTHING_KNOWN)
        grant = grant_of(approved)
        assert grant is not None
        now = await scene.request(standing.call_id)
        if today.effect is Effect.DENY:
            assert isinstance(taken, Standing)
            assert (now.status, taken.reason) == (Status.REFUSED, Reason.DENY_ON_RESOLVE)
        elif today.effect is Effect.ALLOW:
            assert isinstance(taken, Claim)
        elif today.reason is Reason.RULES_UNAVAILABLE:
            assert isinstance(taken, Standing)
            assert now == approved
        elif enough(grant, approved.call, today, await scene.store.directory(), scene.clock.now()):
            assert isinstance(taken, Claim)
        else:
            assert isinstance(taken, Standing)
            assert (now.status, taken.reason) == (
                Status.SUPERSEDED, Reason.NEEDS_FRESH_APPROVAL,
            )  # fmt: skip
            asked_again = await scene.request(taken.call_id)
            assert (asked_again.previous, asked_again.status) == (
                standing.call_id, Status.PENDING,
            )  # fmt: skip
            people = await scene.store.directory()
            assert asked_again.policy == settled(today.approval, people)
        assert isinstance(taken, Claim) == (now.status is Status.RUNNING)

    run_virtual(story())


PATHS = ("/w/a.txt", "/w/b.txt", "/w/c/d.txt")


@pytest.mark.spec("REQ-34")
@given(
    st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True),
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["", "1"])),
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["/etc/x", "/w/a.txt"]), max_size=2),
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["", "1", "2"]), max_size=2),
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["/etc/x", "/etc/y"]), max_size=2),
    st.sampled_from(["d1", "d1", "d1", "d2"]),
)
def test_a_claim_is_for_exactly_what_was_approved(
    named: list[str],
    holding: dict[str, str],
    leading: dict[str, str],
    written: dict[str, str],
    moved: dict[str, str],
    defined: str,
) -> None:
    """Whatever becomes of files, links and the tool while it waits: a claim is given if it is all as it was."""

    async def story() -> None:
        facts, files = FakeFacts(links=leading), FakeFiles(dict(holding))
        scene = make_scene(rule("ask"), facts=facts, files=files)
        gate = await scene.gate()

        def define(digest: str) -> None:
            known = Definitions("fs", "save", digest, frozenset({"d1", "d2"}))
            scene.rules.say(rule("ask"), definitions=[known])

        define("d1")
        call = CallDraft("save", {"paths": list(named)}, server="fs")
        standing = await gate.submit(call)

        def world() -> list[tuple[str | None, str]]:
            return [
                (facts.resolve(path), files.fingerprint(facts.resolve(path) or ""))
                for path in named
            ]

        before = world()
        await scene.broker.review(
            await scene.actor(), standing.call_id, Vote.APPROVE, digest=standing.digest
        )
        files.held.update(written)
        facts.links = {**leading, **moved}
        define(defined)
        taken = await gate.claim(standing.call_id, standing.digest)
        request = await scene.request(standing.call_id)
        if world() == before and defined == "d1":
            assert isinstance(taken, Claim)
            assert request.status is Status.RUNNING
            return
        assert isinstance(taken, Standing)
        assert (taken.status, taken.reason) == ("pending", Reason.NEEDS_FRESH_APPROVAL)
        assert request.status is Status.SUPERSEDED
        again = await scene.request(taken.call_id)
        assert again.previous == standing.call_id
        assert again.changed
        assert again.call.arguments == request.call.arguments
        await scene.broker.review(
            await scene.actor(), again.request_id, Vote.APPROVE, digest=again.digest
        )
        assert isinstance(await gate.claim(again.request_id, again.digest), Claim)

    run_virtual(story())


@pytest.mark.spec("REQ-14")
@given(
    st.sampled_from([Effect.ALLOW, Effect.ASK, Effect.DENY]),
    st.none() | later_policies,
    st.lists(st.sampled_from(["owner", "anna", "bob"]), min_size=1, max_size=4),
    st.integers(1, 3),
    st.booleans(),
)
def test_an_edited_call_is_judged_again(
    effect: Effect, stricter: ApprovalPolicy | None, approving: list[str], quorum: int, kept: bool
) -> None:
    """Whoever edits: what runs is the edited call, judged by itself and approved by enough people for itself."""

    async def story() -> None:
        asks = rule("ask", approval=ApprovalPolicy(quorum=quorum, allow_edit=True))
        scene = make_scene(asks, people=[ANNA, BOB])
        gate = await scene.gate()
        standing = await gate.submit(draft())
        for person_id in approving[1:]:
            with contextlib.suppress(RequestClosed):
                await scene.broker.review(
                    await scene.actor(person_id=person_id),
                    standing.call_id,
                    Vote.APPROVE,
                    digest=standing.digest,
                )
        before = await scene.request(standing.call_id)
        edits = replace(rule(effect), approval=None if effect is not Effect.ASK else stricter)
        scene.rules.say(*((asks, edits) if kept else (edits,)))
        editor = await scene.actor(person_id=approving[0])
        arguments = {"to": "eve@example.com"}
        try:
            await scene.broker.review(
                editor, standing.call_id, Vote.APPROVE, digest=standing.digest, arguments=arguments
            )
        except (EditRefused, NotEligible, RequestClosed):
            assert await scene.request(standing.call_id) == before
            return
        edited = await scene.request(standing.call_id)
        today = judge(edited.call, await scene.rules.current(), NOTHING_KNOWN)
        assert today.effect is not Effect.DENY
        assert edited.call.arguments == arguments
        assert edited.digest == digest_of(edited.call) != standing.digest
        need = needed(asked_of(edited), await scene.store.directory())
        assert need >= max(quorum, today.approval.quorum or 1)
        counted = {r.person_id for r in edited.reviews if r.digest == edited.digest}
        assert counted == {approving[0]}
        assert (edited.status is Status.APPROVED) == (need == 1)
        if edited.status is Status.APPROVED:
            taken = await gate.claim(standing.call_id, edited.digest)
            assert isinstance(taken, Claim)
            assert taken.arguments == arguments

    run_virtual(story())


class Hesitating:
    """A store before which every caller hesitates for a moment of its own: any order can come about."""

    def __init__(self, inner: Any, seed: int) -> None:
        self.inner = inner
        self._random = random.Random(seed)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)
        if name in ("feed", "folk") or name.startswith("_"):
            return method

        async def hesitating(*arguments: Any, **named: Any) -> Any:
            await asyncio.sleep(self._random.choice([0, 0, 0.001, 0.002, 0.005]))
            result = await method(*arguments, **named)
            await asyncio.sleep(self._random.choice([0, 0, 0.001]))
            return result

        return hesitating


@pytest.mark.spec("REQ-30")
@given(st.integers(0, 2**32), st.integers(2, 5), st.booleans(), st.booleans(), st.booleans())
def test_a_claim_has_one_winner(
    seed: int, runners: int, stopping: bool, leaving: bool, rejecting: bool
) -> None:
    """Several brokers on one store, all at once, with people, sweepers and a stop in between."""

    async def story() -> None:
        scene = make_scene(rule("ask"), people=[ANNA])
        gate = await scene.gate()
        standing = await gate.submit(draft())
        call_id, digest = standing.call_id, standing.digest
        owner, anna = await scene.actor(), await scene.actor(person_id="anna")
        slow = Hesitating(scene.store, seed)
        object.__setattr__(scene.world, "store", slow)

        async def runner() -> object:
            mine = scene.another_broker().gate(gate.session_id)
            for _ in range(20):
                taken = await mine.claim(call_id, digest)
                if isinstance(taken, Claim) or taken.status not in ("pending", "approved"):
                    return taken
                await asyncio.sleep(0.002)
            return None

        others = [
            scene.broker.review(owner, call_id, Vote.APPROVE, digest=digest),
            scene.another_broker().review(
                anna, call_id, Vote.REJECT if rejecting else Vote.APPROVE, digest=digest
            ),
            sweep(scene.world),
        ]
        if stopping:
            session = await scene.world.store.session(gate.session_id)
            assert session is not None
            others.append(stop_session(scene.world, session))
        if leaving:
            others.append(gate.leave(call_id))
        results = await asyncio.gather(
            *(runner() for _ in range(runners)), *others, return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                assert isinstance(result, (RequestClosed, NotEligible)), result
        claims = [result for result in results if isinstance(result, Claim)]
        request = await scene.request(call_id)
        records = [r for r in await scene.audit() if r["kind"] == "claim"]
        assert len(claims) == len(records) <= 1
        assert bool(claims) == (request.status is Status.RUNNING)
        if claims:
            assert request.lease is not None
            assert request.lease.token == claims[0].token
            assert any(review.vote is Vote.APPROVE for review in request.reviews)
        else:
            assert request.status in (Status.REJECTED, Status.CANCELLED, Status.REFUSED)

    run_virtual(story())
