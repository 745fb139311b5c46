from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sayso.broker import review as reviewing
from sayso.broker.access import Actor
from sayso.broker.run import run
from sayso.broker.session_gate import SessionGate
from sayso.core.approval_policy import ApprovalPolicy, Approver, Severity
from sayso.core.reason import Reason
from sayso.errors import (
    CallInvalid,
    DigestMismatch,
    NotEligible,
    NotNow,
    RequestClosed,
    RequestNotFound,
)
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from sayso.requests.event import EventKind
from tests.fakes.world import Scene, at, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)
BOB = Person("bob", "Bob", admin=True)


@pytest.mark.spec("REQ-42", "REQ-65")
async def test_a_person_approves_by_id_and_the_store_knows_who() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    standing = await (await scene.gate()).submit(draft())
    anna = await scene.actor(person_id="anna")
    request = await scene.broker.review(
        anna, standing.call_id, Vote.APPROVE, digest=standing.digest, comment="go"
    )
    assert (request.status, request.approved_at) == (Status.APPROVED, at(0))
    assert request.resolution is not None
    assert (request.resolution.by, request.resolution.reason, request.resolution.comment) == (
        "Anna", Reason.APPROVED, "go",
    )  # fmt: skip
    (review,) = request.reviews
    assert (review.person_id, review.credential_id, review.channel) == (
        "anna", anna.credential.credential_id, "test",
    )  # fmt: skip
    assert await scene.request(standing.call_id) == request


async def test_a_rejection_needs_no_digest_and_reaches_the_agent_in_its_words() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await scene.broker.review(
        await scene.actor(), standing.call_id, Vote.REJECT, comment="use the archive"
    )
    told = await gate.wait(standing.call_id, 0)
    assert (told.effect, told.reason, told.message) == (
        "deny", "rejected", "rejected by owner: use the archive",
    )  # fmt: skip


@pytest.mark.parametrize("kind", [k for k in CredentialKind if k is not CredentialKind.AGENT])
async def test_every_persons_credential_decides(kind: CredentialKind) -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft())
    actor = await scene.actor(kind)
    request = await scene.broker.review(
        actor, standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    assert request.status is Status.APPROVED


@pytest.mark.spec("REQ-64")
@pytest.mark.parametrize("vote", list(Vote))
async def test_an_agents_token_cannot_be_made_to_decide(vote: Vote) -> None:
    """Refused by the broker, by eligibility, and again inside the conditional write."""
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft())
    agent = await scene.agent()
    with pytest.raises(NotEligible, match="an agent's token can never"):
        await scene.broker.review(agent, standing.call_id, vote, digest=standing.digest)
    with pytest.raises(NotEligible, match="an agent's token can never decide"):
        await reviewing.review(scene.world, agent, standing.call_id, vote, digest=standing.digest)
    forged = Actor(agent.person, replace(agent.credential, kind=CredentialKind.ADMIN), "test")
    with pytest.raises(NotEligible, match="an agent's token can never decide"):
        await reviewing.review(scene.world, forged, standing.call_id, vote, digest=standing.digest)
    assert (await scene.request(standing.call_id)).version == 1


@pytest.mark.parametrize("how", ["revoked", "expired"])
async def test_a_credential_that_ended_after_it_was_looked_at_decides_nothing(how: str) -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft())
    actor = await scene.actor(lifetime=60)
    if how == "revoked":
        await scene.broker.access.revoke(actor, actor.credential.credential_id)
    else:
        await scene.clock.sleep(60)
    with pytest.raises(NotEligible, match="revoked or has expired"):
        await scene.broker.review(actor, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert (await scene.request(standing.call_id)).status is Status.PENDING


async def test_an_approve_needs_the_digest_of_what_was_shown() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    one, other = await gate.submit(draft()), await gate.submit(draft(arguments={}))
    person = await scene.actor()
    for digest in (None, other.digest, one.digest.upper(), ""):
        with pytest.raises(DigestMismatch):
            await scene.broker.review(person, one.call_id, Vote.APPROVE, digest=digest)
    assert (await scene.request(one.call_id)).reviews == ()


async def test_an_unknown_request_is_not_found_and_a_strangers_is_not_yours() -> None:
    scene = make_scene(rule("ask"), people=[Person("nils", "Nils")])
    standing = await (await scene.gate()).submit(draft())
    with pytest.raises(RequestNotFound):
        await scene.broker.review(await scene.actor(), "nothing", Vote.REJECT)
    stranger = await scene.actor(person_id="nils")
    with pytest.raises(NotEligible, match="not yours"):
        await scene.broker.review(stranger, standing.call_id, Vote.REJECT)
    with pytest.raises(NotEligible, match="not yours"):
        await scene.broker.request(stranger, standing.call_id)
    assert await scene.broker.inbox(stranger) == []
    assert len(await scene.broker.inbox(await scene.actor())) == 1


async def test_who_may_see_a_request_may_not_decide_it_unless_the_policy_says_so() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(approver=Approver.ADMIN)), people=[ANNA])
    standing = await (await scene.gate()).submit(draft())
    user = await scene.actor()
    request = await scene.broker.request(user, standing.call_id)
    assert await scene.broker.why_not(user, request) is not None
    with pytest.raises(NotEligible):
        await scene.broker.review(user, standing.call_id, Vote.APPROVE, digest=standing.digest)
    anna = await scene.actor(person_id="anna")
    assert await scene.broker.why_not(anna, request) is None


@pytest.mark.spec("CH-16")
async def test_what_is_graver_than_its_channel_may_approve_can_only_be_rejected_there() -> None:
    policy = ApprovalPolicy(Severity.HIGH, channels=(("test", Severity.MEDIUM),))
    scene = make_scene(rule("ask", approval=policy))
    standing = await (await scene.gate()).submit(draft())
    here = await scene.actor()
    with pytest.raises(NotEligible, match="`high` may not be approved over `test`"):
        await scene.broker.review(here, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert (await scene.request(standing.call_id)).reviews == ()
    at_the_page = replace(here, channel="web")
    done = await scene.broker.review(
        at_the_page, standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    assert done.status is Status.APPROVED
    other = await (await scene.gate()).submit(draft("delete_mail"))
    done = await scene.broker.review(here, other.call_id, Vote.REJECT)
    assert done.status is Status.REJECTED


async def test_a_review_after_the_time_is_refused_even_if_no_sweeper_ran() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(60)
    for vote in Vote:
        with pytest.raises(RequestClosed, match="expired") as caught:
            await scene.broker.review(
                await scene.actor(), standing.call_id, vote, digest=standing.digest
            )
        assert caught.value.status == "expired"
        assert caught.value.resolution is not None
        assert caught.value.resolution["reason"] == "expired"
    assert (await scene.request(standing.call_id)).status is Status.PENDING


@pytest.mark.parametrize("second_vote", list(Vote))
async def test_of_two_people_at_once_the_second_is_told_who_resolved_it(second_vote: Vote) -> None:
    scene = make_scene(rule("ask"), people=[ANNA, BOB])
    gate = await scene.gate()
    running = asyncio.create_task(_run(scene, gate))
    await asyncio.sleep(0.01)
    (request,) = await scene.store.pending()
    anna, bob = await scene.actor(person_id="anna"), await scene.actor(person_id="bob")
    others = scene.another_broker()
    results = await asyncio.gather(
        scene.broker.review(anna, request.request_id, Vote.APPROVE, digest=request.digest),
        others.review(bob, request.request_id, second_vote, digest=request.digest),
        return_exceptions=True,
    )
    assert not isinstance(results[0], BaseException)
    assert isinstance(results[1], RequestClosed)
    assert results[1].message == "already resolved by Anna: approved"
    assert results[1].resolution is not None
    assert results[1].resolution["by"] == "Anna"
    assert await running == "sent"
    assert len(scene.runs) == 1


async def test_one_person_clicking_twice_runs_it_once() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    running = asyncio.create_task(_run(scene, gate))
    await asyncio.sleep(0.01)
    (request,) = await scene.store.pending()
    results = await asyncio.gather(
        *(
            scene.broker.review(person, request.request_id, Vote.APPROVE, digest=request.digest)
            for _ in range(2)
        ),
        return_exceptions=True,
    )
    refused = [result for result in results if isinstance(result, BaseException)]
    assert len(refused) == 1
    assert isinstance(refused[0], RequestClosed)
    assert refused[0].message == "already resolved by owner: approved"
    assert await running == "sent"
    assert len(scene.runs) == 1


async def test_a_vote_short_of_the_quorum_waits_for_another_person() -> None:
    two = ApprovalPolicy(quorum=2)
    scene = make_scene(rule("ask", approval=two), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(draft())
    owner, anna = await scene.actor(), await scene.actor(person_id="anna")
    first = await scene.broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert first.status is Status.PENDING
    elsewhere = await scene.actor(CredentialKind.APPROVER)
    with pytest.raises(RequestClosed, match="nobody counts twice"):
        await scene.broker.review(elsewhere, standing.call_id, Vote.APPROVE, digest=standing.digest)
    second = await scene.broker.review(anna, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert second.status is Status.APPROVED
    told = list(await scene.store.notices(0, 10))
    assert [notice.kind for notice in told] == [
        EventKind.APPROVAL_REQUESTED, EventKind.APPROVAL_REVIEW, EventKind.APPROVAL_RESOLVED,
    ]  # fmt: skip
    assert (told[1].data["have"], told[1].data["need"]) == (1, 2)
    assert (told[2].data["approved"], told[2].data["by"]) == (True, "Anna")
    assert [notice.version for notice in told] == [1, 2, 3]


async def test_nothing_is_approved_while_rules_cannot_be_loaded() -> None:
    scene = make_scene()
    scene.rules.say(unavailable="settings.toml:3:1: what is this")
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    assert (standing.effect, standing.reason) == ("ask", "rules-unavailable")
    request = await scene.request(standing.call_id)
    assert request.why.must_ask
    assert "rules cannot be loaded" in request.why.sentence
    with pytest.raises(NotNow, match="what is this"):
        await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    other = await gate.submit(draft(arguments={}))
    rejected = await scene.broker.review(person, other.call_id, Vote.REJECT)
    assert rejected.status is Status.REJECTED


async def test_a_note_that_is_too_long_is_refused_and_a_secret_in_it_is_not_logged() -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft())
    person = await scene.actor()
    with pytest.raises(CallInvalid, match="longer than"):
        await scene.broker.review(person, standing.call_id, Vote.REJECT, comment="x" * 4001)
    await scene.broker.review(
        person, standing.call_id, Vote.REJECT, comment="use TOKEN=abcdef123456"
    )
    assert "abcdef123456" not in str(await scene.audit())


async def _run(scene: Scene, gate: SessionGate) -> str:
    return await run(gate, draft(), scene.execute)
