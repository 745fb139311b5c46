from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sayso.broker.ports import Claim, Standing
from sayso.broker.session_gate import SessionGate
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.reason import Reason
from sayso.errors import (
    ClaimLost,
    DigestMismatch,
    NotEligible,
    RequestClosed,
    RequestNotFound,
    StoreUnavailable,
)
from sayso.people.person import Person
from sayso.requests.approval import Caller, Status, Vote
from tests.fakes.world import Scene, at, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)


async def approved(scene: Scene, person_id: str = "owner") -> tuple[SessionGate, Standing]:
    """A submitted call that this person has approved, and its session's gate."""
    gate = await scene.gate()
    standing = await gate.submit(draft())
    person = await scene.actor(person_id=person_id)
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    return gate, standing


@pytest.mark.spec("REQ-30")
async def test_a_claim_is_taken_once_with_a_fenced_lease() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    claim = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(claim, Claim)
    request = await scene.request(standing.call_id)
    assert request.status is Status.RUNNING
    assert request.lease is not None
    assert (request.lease.token, request.lease.until) == (claim.token, at(30))
    again = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(again, Standing)
    assert again.status == "running"
    assert claim.token not in str(again)


async def test_of_many_runners_at_once_one_gets_the_claim() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    others = [scene.another_broker().gate(gate.session_id) for _ in range(7)]
    taken = await asyncio.gather(
        *(other.claim(standing.call_id, standing.digest) for other in (gate, *others))
    )
    assert sum(isinstance(one, Claim) for one in taken) == 1
    claims = [record for record in await scene.audit() if record["kind"] == "claim"]
    assert len(claims) == 1


async def test_a_claim_for_other_arguments_is_refused() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    with pytest.raises(DigestMismatch):
        await gate.claim(standing.call_id, "0" * 64)
    assert (await scene.request(standing.call_id)).status is Status.APPROVED


async def test_what_waits_or_was_refused_cannot_be_claimed() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "pending"
    await scene.broker.review(await scene.actor(), standing.call_id, Vote.REJECT)
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "rejected"


async def test_what_policy_allowed_needs_no_claim() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    with pytest.raises(RequestNotFound, match="needs no claim"):
        await gate.claim(standing.call_id, standing.digest)


async def test_a_deny_that_appeared_refuses_the_approved_call() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    scene.rules.say(rule("deny", justification="not on Fridays."))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("refused", "deny-on-resolve")
    assert "not on Fridays" in taken.message
    assert (await scene.audit())[-1]["reason"] == "deny-on-resolve"


async def test_rules_that_ask_for_more_than_was_approved_ask_again() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    gate, standing = await approved(scene)
    scene.rules.say(rule("ask", approval=ApprovalPolicy(approver=Approver.ADMIN)))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")
    old, new = await scene.request(standing.call_id), await scene.request(taken.call_id)
    assert (old.status, new.previous) == (Status.SUPERSEDED, standing.call_id)
    assert new.policy.approver is Approver.ADMIN
    assert new.digest == old.digest
    # the old id stands for the new request from now on
    assert (await gate.wait(standing.call_id, 0)).call_id == taken.call_id
    await scene.broker.review(
        await scene.actor(person_id="anna"), taken.call_id, Vote.APPROVE, digest=new.digest
    )
    assert isinstance(await gate.claim(standing.call_id, new.digest), Claim)


async def test_an_approver_who_may_no_longer_decide_is_asked_past() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    gate, standing = await approved(scene, "anna")
    scene.store.folk["anna"] = replace(ANNA, admin=False)
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")


async def test_rules_that_allow_now_let_the_approved_call_run() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    scene.rules.say(rule("allow"))
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


async def test_without_rules_an_approval_waits_until_they_load() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    scene.rules.say(unavailable="gone")
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "approved"
    scene.rules.say(rule("ask"))
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


async def test_an_approval_is_claimed_though_its_caller_was_not_seen_for_a_while() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    await scene.clock.sleep(599)
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


async def test_an_approval_has_lapsed_after_ten_minutes_even_if_no_sweeper_ran() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    await scene.clock.sleep(600)
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("lapsed", "lapsed")
    assert (await scene.request(standing.call_id)).status is Status.LAPSED


async def test_a_stopped_session_claims_nothing() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    await scene.store.stop_session(gate.session_id, scene.clock.now())
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "refused"


@pytest.mark.spec("AUD-2")
async def test_a_claim_whose_record_cannot_be_written_is_not_given() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    before = await scene.audit()

    async def full(change: object) -> None:
        raise StoreUnavailable("the disk is full")

    scene.store.apply = full
    with pytest.raises(StoreUnavailable):
        await gate.claim(standing.call_id, standing.digest)
    del scene.store.apply
    assert (await scene.request(standing.call_id)).status is Status.APPROVED
    assert await scene.audit() == before


async def test_the_claim_and_its_record_are_one_write() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    await gate.claim(standing.call_id, standing.digest)
    record = (await scene.audit())[-1]
    assert (record["kind"], record["effect"], record["call_id"], record["digest"]) == (
        "claim", "allow", standing.call_id, standing.digest,
    )  # fmt: skip


# ── the lease ──


async def test_a_lease_that_is_renewed_goes_on() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate, standing = await approved(scene)
    claim = await gate.claim(standing.call_id, standing.digest)
    for _ in range(5):
        await scene.clock.sleep(20)
        await gate.renew(claim)
    assert (await scene.request(standing.call_id)).status is Status.RUNNING
    await gate.finish(standing.call_id, claim.token, True, "sent", 100.0)
    assert (await scene.request(standing.call_id)).status is Status.DONE
    await scene.broker.close()


async def test_a_lost_lease_is_unknown_and_the_late_word_is_recorded_and_changes_nothing() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate, standing = await approved(scene)
    claim = await gate.claim(standing.call_id, standing.digest)
    await scene.clock.sleep(32)
    request = await scene.request(standing.call_id)
    assert request.status is Status.UNKNOWN
    assert request in await scene.broker.inbox(await scene.actor())
    with pytest.raises(ClaimLost):
        await gate.renew(claim)
    with pytest.raises(ClaimLost):
        await gate.finish(standing.call_id, claim.token, True, "sent", 40.0)
    assert await scene.request(standing.call_id) == request
    assert (await scene.audit())[-1]["outcome"] == "reported too late as done: sent"
    await scene.broker.close()


async def test_an_unknown_run_is_never_run_again_and_the_same_call_is_asked_about_anew() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate, standing = await approved(scene)
    await gate.claim(standing.call_id, standing.digest)
    await scene.clock.sleep(32)
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "unknown"
    again = await gate.submit(draft())
    assert (again.call_id == standing.call_id, again.status) == (False, "pending")
    await scene.broker.close()


@pytest.mark.parametrize(("ok", "status"), [(True, Status.DONE), (False, Status.FAILED)])
async def test_a_person_says_what_came_of_an_unknown_run(ok: bool, status: Status) -> None:
    scene = make_scene(rule("ask"), people=[Person("nils", "Nils", operator=True)])
    await scene.broker.start()
    gate, standing = await approved(scene)
    person = await scene.actor()
    with pytest.raises(RequestClosed, match="already resolved"):
        await scene.broker.settle(person, standing.call_id, ok=ok, summary="x")
    await gate.claim(standing.call_id, standing.digest)
    await scene.clock.sleep(32)
    with pytest.raises(NotEligible):
        await scene.broker.settle(await scene.agent(), standing.call_id, ok=ok, summary="x")
    settled = await scene.broker.settle(person, standing.call_id, ok=ok, summary="looked it up")
    assert (settled.status, settled.outcome.said_by) == (status, "owner")  # type: ignore[union-attr]
    with pytest.raises(RequestClosed):
        await scene.broker.settle(person, standing.call_id, ok=not ok, summary="no")
    record = (await scene.audit())[-1]
    assert (record["kind"], record["by"], record["outcome"]) == ("outcome", "owner", "looked it up")
    await scene.broker.close()


async def test_only_the_claims_token_finishes_the_run() -> None:
    scene = make_scene(rule("ask"))
    gate, standing = await approved(scene)
    await gate.claim(standing.call_id, standing.digest)
    for token in ("", "0" * 64, None):
        with pytest.raises(ClaimLost):
            await gate.finish(standing.call_id, token, True, "sent", 0.1)
    assert (await scene.request(standing.call_id)).status is Status.RUNNING


async def test_the_outcome_of_what_policy_allowed_is_recorded_without_a_token() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await gate.finish(standing.call_id, None, False, "PASSWORD=abcdefgh failed", 0.1)
    record = (await scene.audit())[-1]
    assert (record["kind"], record["reason"], record["call_id"]) == (
        "outcome", "failed", standing.call_id,
    )  # fmt: skip
    assert "abcdefgh" not in record["outcome"]
    with pytest.raises(NotEligible):
        await (await scene.gate()).finish(standing.call_id, None, True, "x", 0.1)
    with pytest.raises(RequestNotFound):
        await gate.finish("nothing", None, True, "x", 0.1)


# ── callers ──


async def test_a_caller_that_leaves_only_detaches_and_the_approval_serves_one_retry() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await gate.leave(standing.call_id)
    request = await scene.request(standing.call_id)
    assert (request.status, request.caller) == (Status.PENDING, Caller.GONE)
    await scene.broker.review(
        await scene.actor(), standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    retry = await gate.submit(draft())
    assert (retry.call_id, retry.status) == (standing.call_id, "approved")
    claim = await gate.claim(retry.call_id, retry.digest)
    assert isinstance(claim, Claim)
    await gate.finish(retry.call_id, claim.token, True, "sent", 0.1)
    assert (await gate.submit(draft())).status == "pending"


async def test_leaving_again_changes_nothing_that_a_reviewer_could_lose_to() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await gate.leave(standing.call_id)
    left = await scene.request(standing.call_id)
    await gate.leave(standing.call_id)
    assert (await scene.request(standing.call_id)).version == left.version


async def test_leaving_what_is_over_or_needed_nobody_does_nothing() -> None:
    scene = make_scene(rule("ask", "send_mail"), rule("allow", "read_mail"))
    gate = await scene.gate()
    allowed = await gate.submit(draft("read_mail"))
    await gate.leave(allowed.call_id)
    standing = await gate.submit(draft())
    await scene.broker.review(await scene.actor(), standing.call_id, Vote.REJECT)
    before = await scene.request(standing.call_id)
    await gate.leave(standing.call_id)
    assert await scene.request(standing.call_id) == before
    assert before.resolution is not None
    assert before.resolution.reason is Reason.REJECTED
