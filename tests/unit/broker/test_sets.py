"""A batch approved as one exact, ordered set; a deviation stops it (REQ-36)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.ports import BatchMade, Claim, Standing
from sayso.broker.session_gate import SessionGate
from sayso.broker.sets import CallSet
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.budget import Budget
from sayso.core.code_words import code_of
from sayso.core.session import CallDraft
from sayso.errors import DigestMismatch, NotEligible, RequestClosed, RequestNotFound
from sayso.people.person import Person
from sayso.requests.approval import Status, Vote
from sayso.requests.batch import set_digest
from sayso.requests.precondition import ChangeKind
from tests.fakes.world import Scene, make_scene, rule

pytestmark = pytest.mark.spec("REQ-36")

ANNA = Person("anna", "Anna", admin=True)


async def asked(scene: Scene, count: int = 3) -> tuple[SessionGate, BatchMade, CallSet]:
    gate = await scene.gate()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": n}) for n in range(count)])
    return gate, made, await scene.broker.call_set(await scene.actor(), made.batch_id)


async def approve(scene: Scene, found: CallSet) -> CallSet:
    return await scene.broker.review_set(
        await scene.actor(), found.batch_id, Vote.APPROVE, digest=found.digest
    )


async def claim(scene: Scene, gate: SessionGate, standing: Standing) -> Claim | Standing:
    request = await scene.request(standing.call_id)
    return await gate.claim(standing.call_id, request.digest)


async def done(scene: Scene, gate: SessionGate, standing: Standing, *, ok: bool = True) -> None:
    taken: Any = await claim(scene, gate, standing)
    await gate.finish(standing.call_id, taken.token, ok, "sent", 0.1)


async def test_one_vote_approves_all_of_it_and_it_runs_in_its_order() -> None:
    scene = make_scene(rule("ask"))
    gate, made, found = await asked(scene)
    assert [r.request_id for r in found.requests] == [s.call_id for s in made.standings]
    assert found.code == code_of(found.digest)
    assert found.waits
    approved = await approve(scene, found)
    assert {r.status for r in approved.requests} == {Status.APPROVED}
    first, second, third = made.standings
    for early in (third, second):
        waiting = await claim(scene, gate, early)
        assert isinstance(waiting, Standing)
        assert waiting.status == "approved"
    for standing in (first, second, third):
        await done(scene, gate, standing)
    with pytest.raises(RequestClosed):
        await approve(scene, found)


async def test_the_digest_is_that_of_the_list_in_its_order() -> None:
    scene = make_scene(rule("ask"))
    _, _, found = await asked(scene)
    gate = await scene.gate()
    turned = await gate.submit_batch("t", [CallDraft("send", {"n": n}) for n in (1, 0, 2)])
    other = await scene.broker.call_set(await scene.actor(), turned.batch_id)
    assert other.digest != found.digest
    with pytest.raises(DigestMismatch):
        await scene.broker.review_set(
            await scene.actor(), found.batch_id, Vote.APPROVE, digest=other.digest
        )
    with pytest.raises(DigestMismatch):
        await scene.broker.review_set(await scene.actor(), found.batch_id, Vote.APPROVE)


@pytest.mark.parametrize("how", ["rejected", "failed"])
async def test_a_deviation_stops_the_set(how: str) -> None:
    scene = make_scene(rule("ask"))
    gate, made, found = await asked(scene)
    first, second, third = made.standings
    if how == "rejected":
        await scene.broker.review(await scene.actor(), first.call_id, Vote.REJECT)
        await approve(scene, await scene.broker.call_set(await scene.actor(), found.batch_id))
    else:
        await approve(scene, found)
        await done(scene, gate, first, ok=False)
    for standing in (second, third):
        taken = await claim(scene, gate, standing)
        assert isinstance(taken, Standing)
        assert taken.status == "pending"
        assert (await scene.request(standing.call_id)).status is Status.SUPERSEDED
        (changed,) = (await scene.request(taken.call_id)).changed
        assert changed.kind is ChangeKind.SET
        # and each can still be approved by itself
        again = await scene.request(taken.call_id)
        await scene.broker.review(
            await scene.actor(), again.request_id, Vote.APPROVE, digest=again.digest
        )
        assert isinstance(await gate.claim(again.request_id, again.digest), Claim)


async def test_a_twin_of_what_was_rejected_is_asked_again_when_its_set_stops() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": 1}), CallDraft("send", {"n": 1})])
    first, twin = made.standings
    found = await scene.broker.call_set(await scene.actor(), made.batch_id)
    await scene.broker.review(await scene.actor(), first.call_id, Vote.REJECT)
    await approve(scene, found)
    taken = await claim(scene, gate, twin)
    assert isinstance(taken, Standing)
    assert taken.status == "pending"


async def test_a_call_that_policy_denied_stops_the_set() -> None:
    scene = make_scene(rule("ask"), rule("deny", "wipe"))
    gate = await scene.gate()
    calls = [CallDraft("send", {"n": 1}), CallDraft("wipe", {}), CallDraft("send", {"n": 2})]
    made = await gate.submit_batch("t", calls)
    first, _, last = made.standings
    await approve(scene, await scene.broker.call_set(await scene.actor(), made.batch_id))
    await done(scene, gate, first)
    taken = await claim(scene, gate, last)
    assert isinstance(taken, Standing)
    assert taken.status == "pending"
    (changed,) = (await scene.request(taken.call_id)).changed
    assert changed.kind is ChangeKind.SET
    assert changed.subject == "call 2 of the set it was approved in was denied by policy"


async def test_a_call_that_policy_allowed_is_in_the_list_and_holds_up_nothing() -> None:
    """It is no part of what people decide: it has no card, and it is the agent's whether it runs."""
    scene = make_scene(rule("ask", "send"), rule("allow", "read"))
    gate = await scene.gate()
    calls = [CallDraft("read", {"n": 1}), CallDraft("send", {"n": 2})]
    made = await gate.submit_batch("t", calls)
    found = await scene.broker.call_set(await scene.actor(), made.batch_id)
    assert [r.call.tool for r in found.requests] == ["send"]
    other = await gate.submit_batch("t2", [CallDraft("read", {"n": 9}), calls[1]])
    beside = await scene.broker.call_set(await scene.actor(), other.batch_id)
    assert beside.digest != found.digest
    await approve(scene, found)
    assert isinstance(await claim(scene, gate, made.standings[1]), Claim)


@pytest.mark.spec("REQ-37")
@pytest.mark.parametrize("how", ["not run", "failed"])
async def test_a_call_within_a_budget_is_one_that_policy_allowed(how: str) -> None:
    """Its request only books it: it asked nobody."""
    budgeted = replace(rule("allow", "read"), budget=Budget(5, 3600.0))
    scene = make_scene(rule("ask", "send"), budgeted)
    gate = await scene.gate()
    calls = [CallDraft("read", {"n": 1}), CallDraft("send", {"n": 2})]
    made = await gate.submit_batch("t", calls)
    found = await scene.broker.call_set(await scene.actor(), made.batch_id)
    assert [r.call.tool for r in found.requests] == ["send"]
    await approve(scene, found)
    if how == "failed":
        await done(scene, gate, made.standings[0], ok=False)
    assert isinstance(await claim(scene, gate, made.standings[1]), Claim)


async def test_a_call_within_a_budget_that_is_denied_by_now_stops_the_set() -> None:
    budgeted = replace(rule("allow", "read"), budget=Budget(5, 3600.0))
    scene = make_scene(rule("ask", "send"), budgeted)
    gate = await scene.gate()
    calls = [CallDraft("read", {"n": 1}), CallDraft("send", {"n": 2})]
    made = await gate.submit_batch("t", calls)
    await approve(scene, await scene.broker.call_set(await scene.actor(), made.batch_id))
    scene.rules.say(rule("ask", "send"), rule("deny", "read"))
    assert isinstance(await claim(scene, gate, made.standings[0]), Standing)
    taken = await claim(scene, gate, made.standings[1])
    assert isinstance(taken, Standing)
    assert taken.status == "pending"


async def test_what_rules_alone_allow_by_now_needs_no_turn() -> None:
    scene = make_scene(rule("ask"))
    gate, made, found = await asked(scene)
    await approve(scene, found)
    scene.rules.say(rule("allow", "send"))
    assert isinstance(await claim(scene, gate, made.standings[-1]), Claim)


async def test_each_call_can_be_decided_alone_and_then_runs_alone() -> None:
    scene = make_scene(rule("ask"))
    gate, made, _ = await asked(scene)
    last = made.standings[-1]
    await scene.broker.review(await scene.actor(), last.call_id, Vote.APPROVE, digest=last.digest)
    assert isinstance(await claim(scene, gate, last), Claim)


async def test_a_set_is_rejected_with_one_vote() -> None:
    scene = make_scene(rule("ask"))
    _, _, found = await asked(scene)
    rejected = await scene.broker.review_set(
        await scene.actor(), found.batch_id, Vote.REJECT, comment="no"
    )
    assert {r.status for r in rejected.requests} == {Status.REJECTED}
    assert not rejected.waits


async def test_an_approval_for_another_set_is_none() -> None:
    scene = make_scene(rule("ask"))
    gate, made, found = await asked(scene)
    stored = scene.store.inner._batches
    await approve(scene, found)
    batch = stored[found.batch_id]
    stored[found.batch_id] = replace(batch, call_ids=tuple(reversed(batch.call_ids)))
    taken = await claim(scene, gate, made.standings[0])
    assert isinstance(taken, Standing)
    assert taken.status == "pending"


async def test_there_has_to_be_such_a_set() -> None:
    scene = make_scene(rule("ask"))
    with pytest.raises(RequestNotFound):
        await scene.broker.call_set(await scene.actor(), "nothing")


@pytest.mark.spec("REQ-40")
@pytest.mark.parametrize("moment", range(1, 8))
async def test_the_digest_is_of_the_calls_that_are_shown_whenever_one_is_edited(
    moment: int,
) -> None:
    policy = ApprovalPolicy(quorum=2, allow_edit=True)
    scene = make_scene(rule("ask", approval=policy), people=(ANNA,))
    _, made, _ = await asked(scene, 2)
    first = made.standings[0]
    owner, anna = await scene.actor(), await scene.actor(person_id="anna")
    read, reads = scene.store.inner.request, 0

    async def edited_meanwhile(request_id: str) -> Any:
        nonlocal reads
        reads += 1
        if reads == moment:
            await scene.broker.review(
                anna, first.call_id, Vote.APPROVE, digest=first.digest, arguments={"n": 99}
            )
        return await read(request_id)

    scene.store.request = edited_meanwhile
    found = await scene.broker.call_set(owner, made.batch_id)
    assert found.digest == set_digest([request.digest for request in found.requests])


def named(*names: str, **more: Any) -> ApprovalPolicy:
    return ApprovalPolicy(approvers=tuple(f"web:{name}" for name in names), **more)


@pytest.mark.parametrize("vote", list(Vote))
async def test_who_may_decide_only_a_part_of_a_set_decides_nothing_of_it(vote: Vote) -> None:
    scene = make_scene(
        rule("ask", "send"), rule("ask", "pay", approval=named("anna")), people=(ANNA,)
    )
    gate, owner = await scene.gate(), await scene.actor()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": 1}), CallDraft("pay", {})])
    found = await scene.broker.call_set(owner, made.batch_id)
    with pytest.raises(NotEligible, match="only the people named by the rule"):
        await scene.broker.review_set(owner, found.batch_id, vote, digest=found.digest)
    for standing in made.standings:
        request = await scene.request(standing.call_id)
        assert (request.status, request.reviews) == (Status.PENDING, ())


async def test_who_has_approved_one_of_a_set_already_approves_no_other_by_the_refused_vote() -> (
    None
):
    scene = make_scene(rule("ask", approval=named("anna", "owner", quorum=2)), people=(ANNA,))
    _, made, found = await asked(scene, 2)
    anna, last = await scene.actor(person_id="anna"), made.standings[-1]
    await scene.broker.review(anna, last.call_id, Vote.APPROVE, digest=last.digest)
    with pytest.raises(RequestClosed, match="you have approved this already"):
        await scene.broker.review_set(anna, found.batch_id, Vote.APPROVE, digest=found.digest)
    assert (await scene.request(made.standings[0].call_id)).reviews == ()


async def test_a_channel_that_may_not_approve_all_of_a_set_approves_none_of_it() -> None:
    capped = ApprovalPolicy(severity=Severity.HIGH, channels=(("test", Severity.LOW),))
    scene = make_scene(rule("ask", "send"), rule("ask", "pay", approval=capped))
    gate, owner = await scene.gate(), await scene.actor()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": 1}), CallDraft("pay", {})])
    found = await scene.broker.call_set(owner, made.batch_id)
    with pytest.raises(NotEligible, match="may not be approved over"):
        await scene.broker.review_set(owner, found.batch_id, Vote.APPROVE, digest=found.digest)
    assert (await scene.request(made.standings[0].call_id)).status is Status.PENDING
