"""One suite for every gate port: embedded, and remote over HTTP, on every store (GATE-2)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from sayso.broker.ports import Claim, GatePort, Standing
from sayso.broker.remembering import Remember, Wish
from sayso.broker.run import run
from sayso.client.remote_gate import RemoteGate
from sayso.core.dialogue import MAX_WORDS, Role, Said
from sayso.core.mode import Mode
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.errors import (
    CallAlreadyRan,
    CallDenied,
    CallInvalid,
    CallRejected,
    ClaimLost,
    DigestMismatch,
    ExternalIdReused,
    NotEligible,
    RequestClosed,
    RequestNotFound,
)
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin
from sayso.requests.approval import Caller, Status, Vote
from tests.fakes.site import Site, eventually, listening, make_site
from tests.fakes.world import Scene, draft, rule

pytestmark = pytest.mark.spec("GATE-2")


@dataclass
class Ports:
    """Gates of one kind around one scene."""

    scene: Scene
    site: Site
    kind: str
    url: str
    stack: contextlib.AsyncExitStack

    async def gate(self, agent_id: str = "coder") -> GatePort:
        """The gate of a new session with a credential of its own."""
        if self.kind == "embedded":
            return await self.scene.gate(agent_id)
        token = await self.site.token(CredentialKind.AGENT, agent_id=agent_id)
        return await self.stack.enter_async_context(await RemoteGate.open(self.url, token))

    async def approve(self, standing: Standing) -> None:
        """A person approves."""
        await self.vote(standing, Vote.APPROVE, digest=standing.digest)

    async def reject(self, standing: Standing, comment: str | None = None) -> None:
        """A person rejects."""
        await self.vote(standing, Vote.REJECT, comment=comment)

    async def vote(self, standing: Standing, vote: Vote, **more: Any) -> None:
        """A person decides."""
        actor = await self.scene.actor()
        await self.scene.broker.review(actor, standing.call_id, vote, **more)


@pytest.fixture(params=["embedded", "remote"])
async def ports(request: pytest.FixtureRequest, store: Any) -> AsyncIterator[Ports]:
    """Gates of each kind: in this process, and over a connection to a server."""
    rules = rule("allow", "read"), rule("deny", "rm", justification="nothing is removed here")
    site = make_site(*rules, store=store)
    async with contextlib.AsyncExitStack() as stack:
        url = ""
        if request.param == "remote":
            url, _ = await stack.enter_async_context(listening(site))
        yield Ports(site.scene, site, request.param, url, stack)
    await site.close()


async def test_what_policy_decides_comes_with_its_reason_and_trace(ports: Ports) -> None:
    gate = await ports.gate()
    for ask in (gate.decide, gate.submit):
        allowed = await ask(draft("read"))
        assert (allowed.effect, allowed.reason, allowed.status) == ("allow", "rule-allow", None)
        denied = await ask(draft("rm"))
        assert (denied.effect, denied.reason) == ("deny", "rule-deny")
        assert "nothing is removed here" in denied.message
        assert denied.verdict is not None
        assert denied.verdict["rule"]["text"] == "tool(rm)"
        assert denied.verdict["trace"]
    assert (await gate.wait(allowed.call_id, 1)).effect == "allow"


async def test_what_nobody_wrote_a_rule_for_waits_and_a_decision_alone_asks_nobody(
    ports: Ports,
) -> None:
    gate = await ports.gate()
    decided = await gate.decide(draft())
    assert (decided.effect, decided.status) == ("ask", None)
    assert await ports.scene.store.pending() == []
    standing = await gate.submit(draft())
    assert (standing.effect, standing.status) == ("ask", "pending")
    assert standing.digest == (await ports.scene.request(standing.call_id)).digest == decided.digest
    assert len(standing.code.split()) == 4


async def test_a_wait_ends_with_its_time_or_with_the_decision(ports: Ports) -> None:
    gate = await ports.gate()
    standing = await gate.submit(draft())
    assert (await gate.wait(standing.call_id, 0)).status == "pending"
    assert (await gate.wait(standing.call_id, 0.1)).status == "pending"
    waiting = asyncio.create_task(gate.wait(standing.call_id, 20))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await ports.reject(standing, "not on a Friday")
    told = await asyncio.wait_for(waiting, 5)
    assert (told.effect, told.reason, told.status) == ("deny", "rejected", "rejected")
    assert (told.by, told.comment) == ("owner", "not on a Friday")
    assert "not on a Friday" in told.message


@pytest.mark.spec("REQ-68")
async def test_what_a_person_asks_back_ends_a_wait_once_and_is_answered(ports: Ports) -> None:
    gate = await ports.gate()
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 20))
    await asyncio.sleep(0.1)
    owner = await ports.scene.actor()
    await ports.scene.broker.attention.ask_back(owner, standing.call_id, "why?")
    told = await waiting
    assert told.question is not None
    assert (told.status, told.question.by, told.question.text) == ("pending", "owner", "why?")
    again = await gate.wait(standing.call_id, 0.2)
    assert again.question == told.question
    await gate.answer(standing.call_id, told.question.question_id, "because")
    (question,) = (await ports.scene.request(standing.call_id)).attention.questions
    assert question.answer == "because"
    with pytest.raises(RequestClosed):
        await gate.answer(standing.call_id, told.question.question_id, "or rather")
    assert (await gate.wait(standing.call_id, 0)).question is None


async def test_an_approved_call_is_claimed_once_renewed_and_finished(ports: Ports) -> None:
    gate = await ports.gate()
    standing = await gate.submit(draft())
    pending = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(pending, Standing)
    assert pending.status == "pending"
    await ports.approve(standing)
    with pytest.raises(DigestMismatch):
        await gate.claim(standing.call_id, "0" * 64)
    taken = await asyncio.gather(*(gate.claim(standing.call_id, standing.digest) for _ in range(5)))
    claims = [claim for claim in taken if isinstance(claim, Claim)]
    assert len(claims) == 1
    assert {other.status for other in taken if isinstance(other, Standing)} == {"running"}
    claim = claims[0]
    assert claim.call_id == standing.call_id
    await gate.renew(claim)
    with pytest.raises(ClaimLost):
        await gate.renew(Claim(claim.call_id, "other", claim.lease_seconds))
    with pytest.raises(ClaimLost):
        await gate.finish(claim.call_id, "other", True, "no", None)
    await gate.finish(claim.call_id, claim.token, True, "sent", 0.25)
    told = await gate.wait(claim.call_id, 1)
    assert (told.status, told.summary) == ("done", "sent")
    outcome = (await ports.scene.request(claim.call_id)).outcome
    assert outcome is not None
    assert outcome.seconds == 0.25
    with pytest.raises(ClaimLost):
        await gate.finish(claim.call_id, claim.token, True, "sent", None)


async def test_the_outcome_of_an_allowed_call_needs_no_claim(ports: Ports) -> None:
    gate = await ports.gate()
    allowed, denied = await gate.submit(draft("read")), await gate.submit(draft("rm"))
    await gate.finish(allowed.call_id, None, True, "read", None)
    with pytest.raises(ClaimLost):
        await gate.finish(denied.call_id, None, True, "removed", None)
    last = (await ports.scene.audit())[-1]
    assert (last["kind"], last["outcome"]) == ("outcome", "read")


async def test_the_same_external_id_is_the_same_call(ports: Ports) -> None:
    gate = await ports.gate()
    first = await gate.submit(draft(external_id="a"))
    again = await gate.submit(draft(external_id="a"))
    assert again.call_id == first.call_id
    with pytest.raises(ExternalIdReused) as caught:
        await gate.submit(draft(external_id="a", arguments={"to": "eve"}))
    assert caught.value.hint == "give each call an id of its own"
    assert (await gate.submit(draft(external_id="b"))).call_id != first.call_id


async def test_a_caller_that_left_is_shown_and_its_retry_joins(ports: Ports) -> None:
    gate = await ports.gate()
    standing = await gate.submit(draft())
    await gate.leave(standing.call_id)
    assert (await ports.scene.request(standing.call_id)).caller is Caller.GONE
    assert (await gate.submit(draft())).call_id == standing.call_id
    assert (await ports.scene.request(standing.call_id)).caller is Caller.WAITING
    assert (await gate.submit(draft())).call_id != standing.call_id


async def test_a_call_that_is_asked_again_stands_under_its_new_id(ports: Ports) -> None:
    from sayso.core.approval_policy import ApprovalPolicy, Approver

    gate = await ports.gate()
    standing = await gate.submit(draft())
    await ports.approve(standing)
    ports.scene.rules.say(rule("ask", approval=ApprovalPolicy(approver=Approver.ADMIN, quorum=2)))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "pending"
    assert taken.call_id != standing.call_id
    followed = await gate.wait(standing.call_id, 5)
    assert (followed.call_id, followed.status) == (taken.call_id, "pending")


async def test_another_session_of_another_credential_is_not_yours(ports: Ports) -> None:
    mine, theirs = await ports.gate(), await ports.gate()
    standing = await mine.submit(draft())
    await ports.approve(standing)
    for attempt in (
        theirs.wait(standing.call_id, 0),
        theirs.leave(standing.call_id),
        theirs.claim(standing.call_id, standing.digest),
        theirs.renew(Claim(standing.call_id, "x", 1)),
        theirs.finish(standing.call_id, None, True, "", None),
    ):
        with pytest.raises(NotEligible):
            await attempt
    assert (await ports.scene.request(standing.call_id)).status is Status.APPROVED


async def test_an_id_that_is_none_is_told(ports: Ports) -> None:
    gate = await ports.gate()
    for call_id in ("nothing", "../../healthz", "a/b", "%00", "é" * 50):
        with pytest.raises(RequestNotFound):
            await gate.wait(call_id, 0)


INEXACT = [
    CallDraft("t", {"n": 2**53}),
    CallDraft("t", {"n": 10**5000}),
    CallDraft("t", {"n": float("nan")}),
    CallDraft("t", {"n": "\ud800"}),
    CallDraft("t", {"n": {1, 2}}),
    CallDraft("t", {1: 2}),  # type: ignore[dict-item]
    CallDraft("t", cast("Any", [])),
    CallDraft("t" * 600, {}),
    CallDraft("t\x00", {}),
    CallDraft("t", {}, external_id="x" * 600),
    CallDraft("t", {}, detail="\udfff"),
    CallDraft("t", {"text": "x" * 1_048_576}),
]


async def test_what_cannot_be_carried_exactly_is_refused(ports: Ports) -> None:
    gate = await ports.gate()
    for wrong in INEXACT:
        for ask in (gate.decide, gate.submit):
            with pytest.raises(CallInvalid):
                await ask(wrong)
    assert await ports.scene.store.pending() == []


async def test_arguments_arrive_exactly(ports: Ports) -> None:
    gate = await ports.gate()
    odd = {
        "": None,
        "text": '\u202e\x00\x1b"\\/é\U0001f600\u2028',
        "numbers": [0, -0.0, 1e-7, 2**53 - 1, 1 - 2**53, 1.5, True],
        "deep": {"a": [{"b": []}]},
        "big": "x" * 1_048_000,
    }
    sent = draft(arguments=odd, detail="why\u202e", diff="+a\n-b", server="files")
    standing = await gate.submit(sent)
    call = (await ports.scene.request(standing.call_id)).call
    assert dict(call.arguments) == odd
    assert [type(number) for number in call.arguments["numbers"]] == [
        type(n) for n in odd["numbers"]
    ]  # type: ignore[union-attr]
    assert (call.detail, call.diff, call.server) == ("why\u202e", "+a\n-b", "files")
    assert (await gate.decide(sent)).digest == standing.digest


async def test_only_tools_that_policy_does_not_deny_are_visible(ports: Ports) -> None:
    gate = await ports.gate()
    tools = [
        ObservedTool(None, "rm", "removes"),
        ObservedTool("files", "read", "reads", {"type": "object"}, {"readOnlyHint": True}),
        *(ObservedTool("files", f"tool_{n}", "x" * 100_000) for n in range(15)),
    ]
    assert list(await gate.see_tools(tools)) == tools[1:]
    assert list(await gate.see_tools([])) == []
    assert len(await ports.scene.store.known_tools()) == len(tools)


async def test_a_stopped_session_cancels_what_waits_and_refuses_what_comes(ports: Ports) -> None:
    gate = await ports.gate()
    standing = await gate.submit(draft())
    waiting = asyncio.create_task(gate.wait(standing.call_id, 20))
    await asyncio.sleep(0.1)
    await gate.stop()
    assert (await asyncio.wait_for(waiting, 5)).status == "cancelled"
    later = await gate.submit(draft())
    assert (later.effect, later.reason) == ("deny", "cancelled")


@pytest.mark.spec("GATE-1")
async def test_the_whole_way_of_a_call(ports: Ports) -> None:
    gate, scene = await ports.gate(), ports.scene
    assert await run(gate, draft("read"), scene.execute) == "sent"
    with pytest.raises(CallDenied):
        await run(gate, draft("rm"), scene.execute)
    assert len(scene.runs) == 1

    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await one_pending(scene)
    assert len(scene.runs) == 1
    await ports.vote(standing_for(request), Vote.APPROVE, digest=request.digest)
    assert await asyncio.wait_for(running, 5) == "sent"
    assert len(scene.runs) == 2
    assert (await scene.request(request.request_id)).status is Status.DONE

    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await one_pending(scene)
    await ports.vote(standing_for(request), Vote.REJECT, comment="enough")
    with pytest.raises(CallRejected, match="enough"):
        await asyncio.wait_for(running, 5)
    with pytest.raises(CallDenied):
        await run(gate, draft(), scene.execute)  # the rejection sticks
    assert len(scene.runs) == 2


@pytest.mark.spec("GATE-3")
async def test_a_cancelled_caller_leaves_its_request_and_nothing_runs(ports: Ports) -> None:
    gate, scene = await ports.gate(), ports.scene
    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await one_pending(scene)
    await eventually(lambda: request.request_id in scene.broker.presence._waiting)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    left = await scene.request(request.request_id)
    assert (left.status, left.caller) == (Status.PENDING, Caller.GONE)
    await ports.vote(standing_for(request), Vote.APPROVE, digest=request.digest)
    assert scene.runs == []
    assert await run(gate, draft(), scene.execute) == "sent"  # the retry joins what was approved
    assert len(scene.runs) == 1


async def test_who_joined_a_call_that_ran_is_told_so(ports: Ports) -> None:
    gate, scene = await ports.gate(), ports.scene
    standing = await gate.submit(draft(external_id="a"))
    await ports.approve(standing)
    claim = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(claim, Claim)
    await gate.finish(claim.call_id, claim.token, True, "sent", None)
    with pytest.raises(CallAlreadyRan) as caught:
        await run(gate, draft(external_id="a"), scene.execute)
    assert (caught.value.status, caught.value.summary) == ("done", "sent")
    assert scene.runs == []


async def one_pending(scene: Scene) -> Any:
    """The one request that waits, as soon as it does."""
    async with asyncio.timeout(5):
        while True:
            found = [r for r in await scene.store.pending() if r.status is Status.PENDING]
            if found:
                return found[0]
            await asyncio.sleep(0.02)


def standing_for(request: Any) -> Standing:
    """As much of a standing as a person's vote needs."""
    return Standing(request.request_id, request.digest, "", "ask", "", "")


@pytest.mark.spec("REQ-2")
async def test_a_call_brings_the_dialogue_that_it_came_from_however_long(ports: Ports) -> None:
    gate = await ports.gate()
    told = {
        "user_request": "\u202e" + "x" * 3_000_000,
        "messages": [{"role": "tool", "content": f"{n} " + "y" * 1000} for n in range(5000)],
    }
    standing = await gate.submit(draft(context=told))
    kept = (await ports.scene.request(standing.call_id)).context
    assert kept is not None
    assert kept.user_request == Said("\u202e" + "x" * (MAX_WORDS - 1), Role.USER, cut=True)
    assert [said.content.split()[0] for said in kept.messages] == ["4997", "4998", "4999"]
    assert (await gate.decide(draft(context=told))).digest == standing.digest
    with pytest.raises(CallInvalid):
        await gate.submit(draft(context={"messages": [{"role": "root", "content": "x"}]}))


@pytest.mark.spec("REQ-2")
async def test_the_calls_of_a_turn_bring_one_dialogue_or_each_its_own(ports: Ports) -> None:
    gate = await ports.gate()
    shared = {"user_request": "write to both"}
    told = [{"user_request": "one"}, {"user_request": "two"}, None]
    for name, contexts, expected in (
        ("t1", [shared] * 100, ["write to both"] * 100),
        ("t2", told, ["one", "two", None]),
    ):
        drafts = [draft(arguments={"n": n}, context=one) for n, one in enumerate(contexts)]
        made = await gate.submit_batch(name, drafts)
        kept = [(await ports.scene.request(s.call_id)).context for s in made.standings]
        found = [k and k.user_request and k.user_request.content for k in kept]
        assert found == expected


@pytest.mark.spec("REQ-33")
@pytest.mark.spec("REQ-32")
async def test_a_turn_s_calls_are_made_together_found_again_and_continued_once(
    ports: Ports,
) -> None:
    gate = await ports.gate()
    drafts = [draft(), draft("read"), draft(external_id="e1")]
    made = await gate.submit_batch("t1", drafts)
    assert [standing.status for standing in made.standings] == ["pending", None, "pending"]
    assert await gate.submit_batch("t1", drafts) == made
    assert await gate.take_turn(made.batch_id) is None
    first, _, last = made.standings
    await ports.approve(first)
    await ports.reject(last)
    (found,) = await gate.unfinished()
    assert (found.pre_approved, found.draft.batch_id) == (True, made.batch_id)
    assert found.standing.call_id == first.call_id
    claim = await gate.claim(first.call_id, first.digest)
    assert isinstance(claim, Claim)
    assert (claim.receipt, claim.arguments) == (None, None)
    await gate.finish(first.call_id, claim.token, True, "sent", 0.1)
    token = await gate.take_turn(made.batch_id)
    assert token is not None
    assert await gate.take_turn(made.batch_id) is None
    await gate.end_turn(made.batch_id, token)
    with pytest.raises(ClaimLost):
        await gate.end_turn(made.batch_id, token)


@pytest.mark.spec("GATE-5", "MODE-1")
async def test_what_people_change_during_a_turn_counts_from_its_next_call_on(ports: Ports) -> None:
    scene, gate = ports.scene, await ports.gate()
    owner = await scene.actor()
    asked = await gate.submit(draft())
    session_id = (await scene.request(asked.call_id)).call.session_id
    told = []

    async def next_call() -> None:
        made = await gate.submit(draft(arguments={"n": len(told)}))
        told.append((made.effect, made.reason))
        if made.status == "pending":
            await ports.reject(made)

    await next_call()
    await scene.broker.modes.switch(owner, session_id, Mode.DONT_ASK)
    await next_call()
    await scene.broker.modes.switch(owner, session_id, Mode.PLAN)
    await next_call()
    await scene.broker.modes.switch(owner, session_id, None)
    scene.rules.say(rule("deny", "send_mail"))
    await next_call()
    scene.rules.say(replace(rule("ask", "send_mail"), origin=Origin.TOOL_POLICY))
    wish = Wish(Remember.SESSION)
    await scene.broker.answer(owner, asked.call_id, Vote.APPROVE, digest=asked.digest, wish=wish)
    again = await gate.submit(draft(external_id="again"))
    told.append((again.effect, again.reason))
    (grant,) = await scene.broker.kept.grants(owner)
    await scene.broker.kept.revoke(owner, grant.grant_id)
    await next_call()
    assert told == [
        ("ask", "no-rule"),
        ("deny", "mode-dont-ask"),
        ("deny", "mode-plan"),
        ("deny", "rule-deny"),
        ("allow", "session-grant"),
        ("ask", "rule-ask"),
    ]
