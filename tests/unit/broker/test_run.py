from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.ports import Change
from sayso.broker.run import authorize, refusal, run
from sayso.broker.world import standing_of_request
from sayso.core.approval_policy import ApprovalPolicy
from sayso.errors import (
    CallAlreadyRan,
    CallDenied,
    CallRejected,
    ClaimLost,
    StoreUnavailable,
)
from sayso.requests.approval import ApprovalRequest, Caller, Status, Vote
from tests.fakes.values import in_every_state
from tests.fakes.world import Scene, draft, make_scene, rule


async def the_request(scene: Scene) -> ApprovalRequest:
    """The one request that waits, once it does."""
    for _ in range(100):
        waiting = await scene.store.pending()
        if waiting:
            return waiting[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0.01)
    raise AssertionError("nothing waits")


async def decide(scene: Scene, vote: Vote, comment: str | None = None) -> ApprovalRequest:
    """The owner votes on the one request that waits."""
    request = await the_request(scene)
    return await scene.broker.review(
        await scene.actor(), request.request_id, vote, digest=request.digest, comment=comment
    )


@pytest.mark.spec("GATE-1")
async def test_the_three_words_decide_asks_nobody_authorize_waits_and_run_runs() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    assert (await gate.decide(draft())).effect == "ask"
    assert await scene.store.pending() == []
    waiting = asyncio.create_task(authorize(gate, draft()))
    await decide(scene, Vote.APPROVE)
    assert (await waiting).status == "approved"
    assert scene.runs == []
    running = asyncio.create_task(run(gate, draft(external_id="e2"), scene.execute))
    await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    assert scene.runs == [{"to": "alice@example.com"}]


async def test_what_policy_allows_runs_at_once_and_is_recorded_before_it_runs() -> None:
    scene = make_scene(rule("allow"))
    seen: list[list[str]] = []

    async def execute(arguments: Mapping[str, Any]) -> str:
        seen.append([record["kind"] for record in await scene.audit()])
        return "read"

    assert await run(await scene.gate(), draft(), execute) == "read"
    assert seen == [["verdict"]]
    assert [r["kind"] for r in await scene.audit()] == ["verdict", "outcome"]


@pytest.mark.spec("AUD-2")
async def test_a_call_whose_verdict_cannot_be_recorded_does_not_run() -> None:
    scene = make_scene(rule("allow"))

    async def full(new: object) -> None:
        raise StoreUnavailable("the disk is full")

    scene.store.submit = full
    with pytest.raises(StoreUnavailable):
        await run(await scene.gate(), draft(), scene.execute)
    assert scene.runs == []


async def test_a_claim_that_cannot_be_recorded_does_not_run() -> None:
    scene = make_scene(rule("ask"))
    running = asyncio.create_task(run(await scene.gate(), draft(), scene.execute))
    await decide(scene, Vote.APPROVE)
    inner = scene.store.inner.apply

    async def full(change: Any) -> None:
        raise StoreUnavailable("the disk is full")

    scene.store.apply = full
    with pytest.raises(StoreUnavailable):
        await running
    scene.store.apply = inner
    assert scene.runs == []


async def test_a_deny_raises_who_why_and_the_calls_id() -> None:
    scene = make_scene(rule("deny", justification="never."))
    with pytest.raises(CallDenied, match="denied by policy") as caught:
        await run(await scene.gate(), draft(), scene.execute)
    assert caught.value.reason == "rule-deny"
    assert (await scene.store.call(caught.value.request_id)) is not None
    assert scene.runs == []


@pytest.mark.spec("REQ-41")
async def test_a_rejection_raises_who_why_and_the_requests_id() -> None:
    scene = make_scene(rule("ask"))
    running = asyncio.create_task(run(await scene.gate(), draft(), scene.execute))
    request = await decide(scene, Vote.REJECT, "not now")
    with pytest.raises(CallRejected) as caught:
        await running
    assert caught.value.message == "rejected by owner: not now"
    assert (caught.value.by, caught.value.reason) == ("owner", "rejected")
    assert caught.value.request_id == request.request_id
    assert scene.runs == []


async def test_expired_cancelled_and_denied_while_it_waited_are_told_apart() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=30)))
    await scene.broker.start()
    gate = await scene.gate()
    with pytest.raises(CallRejected, match="expired: nobody decided in time"):
        await run(gate, draft(), scene.execute)

    running = asyncio.create_task(run(gate, draft(arguments={"n": 1}), scene.execute))
    await decide(scene, Vote.APPROVE)
    scene.rules.say(rule("deny"))
    with pytest.raises(CallDenied, match="denied by policy: a rule that denies it appeared"):
        await running

    scene.rules.say(rule("ask"))
    running = asyncio.create_task(run(gate, draft(arguments={"n": 2}), scene.execute))
    await the_request(scene)
    await gate.stop()
    with pytest.raises(CallRejected, match="cancelled: the session was stopped"):
        await running
    assert scene.runs == []
    await scene.broker.close()


async def test_what_runs_is_what_was_judged_whatever_became_of_it_while_people_thought() -> None:
    scene = make_scene(rule("ask"))
    arguments = {"to": ["alice@example.com"], "body": {"text": "hello"}}
    running = asyncio.create_task(
        run(await scene.gate(), draft(arguments=arguments), scene.execute)
    )
    request = await the_request(scene)
    arguments["to"].append("mallory@example.com")  # type: ignore[attr-defined]
    arguments["body"]["text"] = "goodbye"  # type: ignore[index]
    await decide(scene, Vote.APPROVE)
    await running
    assert scene.runs == [{"to": ["alice@example.com"], "body": {"text": "hello"}}]
    assert dict(request.call.arguments) == scene.runs[0]


async def test_an_execute_that_raises_has_failed_and_its_error_is_the_callers() -> None:
    scene = make_scene(rule("ask"))

    async def execute(arguments: Mapping[str, Any]) -> str:
        raise KeyError("PASSWORD=hunter2hunter2")

    running = asyncio.create_task(run(await scene.gate(), draft(), execute))
    request = await decide(scene, Vote.APPROVE)
    with pytest.raises(KeyError):
        await running
    stored = await scene.request(request.request_id)
    assert stored.status is Status.FAILED
    assert stored.outcome is not None
    assert stored.outcome.summary == "failed: KeyError"
    assert "hunter2" not in str(await scene.audit())


async def test_a_result_that_cannot_be_described_has_run_all_the_same() -> None:
    scene = make_scene(rule("ask"))

    def describe(result: str) -> str:
        raise TypeError("no words")

    running = asyncio.create_task(
        run(await scene.gate(), draft(), scene.execute, describe=describe)
    )
    request = await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    assert (await scene.request(request.request_id)).status is Status.DONE


async def test_a_result_is_the_callers_even_if_the_outcome_cannot_be_recorded() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()

    async def execute(arguments: Mapping[str, Any]) -> str:
        async def broken(change: object) -> None:
            raise StoreUnavailable("gone for a moment")

        scene.store.apply = broken
        return "sent"

    running = asyncio.create_task(run(gate, draft(), execute))
    request = await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    del scene.store.apply
    await scene.clock.sleep(35)
    assert (await scene.request(request.request_id)).status is Status.UNKNOWN
    await scene.broker.close()


async def test_a_caller_that_is_cancelled_while_it_waits_leaves_and_nothing_runs() -> None:
    scene = make_scene(rule("ask"))
    running = asyncio.create_task(run(await scene.gate(), draft(), scene.execute))
    request = await the_request(scene)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stored = await scene.request(request.request_id)
    assert (stored.status, stored.caller) == (Status.PENDING, Caller.GONE)
    await decide(scene, Vote.APPROVE)
    await scene.clock.sleep(5)
    assert scene.runs == []


async def test_a_caller_that_is_cancelled_while_it_submits_is_shown_as_gone() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    inner = scene.store.inner.submit

    async def slow(new: Any) -> Any:
        found = await inner(new)
        running.cancel()
        await asyncio.sleep(0.1)
        return found

    scene.store.submit = slow
    running = asyncio.create_task(run(gate, draft(), scene.execute))
    with pytest.raises(asyncio.CancelledError):
        await running
    request = await the_request(scene)
    assert (request.status, request.caller) == (Status.PENDING, Caller.GONE)


async def test_a_caller_that_is_cancelled_while_it_claims_does_not_run_and_says_so() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await the_request(scene)
    inner = scene.store.inner.apply

    async def slow(change: Any) -> None:
        await inner(change)
        if change.request.status is Status.RUNNING:
            running.cancel()
            await asyncio.sleep(0.1)

    scene.store.apply = slow
    await decide(scene, Vote.APPROVE)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert scene.runs == []
    stored = await scene.request(request.request_id)
    assert stored.status is Status.FAILED
    assert stored.outcome is not None
    assert stored.outcome.summary == "not started: the caller had left"


async def test_a_caller_that_is_cancelled_while_it_runs_has_failed() -> None:
    scene = make_scene(rule("ask"))
    started = asyncio.Event()

    async def execute(arguments: Mapping[str, Any]) -> str:
        started.set()
        await asyncio.sleep(1000)
        return "never"

    running = asyncio.create_task(run(await scene.gate(), draft(), execute))
    request = await decide(scene, Vote.APPROVE)
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stored = await scene.request(request.request_id)
    assert stored.status is Status.FAILED
    assert stored.outcome is not None
    assert stored.outcome.summary == "cancelled while it ran"


async def test_a_long_run_keeps_its_lease() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()

    async def execute(arguments: Mapping[str, Any]) -> str:
        await asyncio.sleep(3600)
        return "at last"

    running = asyncio.create_task(run(await scene.gate(), draft(), execute))
    request = await decide(scene, Vote.APPROVE)
    assert await running == "at last"
    assert (await scene.request(request.request_id)).status is Status.DONE
    await scene.broker.close()


async def test_a_lease_that_could_not_be_renewed_for_a_moment_is_renewed_later() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()
    renew, failed = gate.renew, []

    async def shaky(claim: Any) -> None:
        if len(failed) < 1:
            failed.append(1)
            raise OSError("no route")
        await renew(claim)

    gate.renew = shaky  # type: ignore[method-assign]

    async def execute(arguments: Mapping[str, Any]) -> str:
        await asyncio.sleep(100)
        return "sent"

    running = asyncio.create_task(run(gate, draft(), execute))
    await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    assert failed
    await scene.broker.close()


async def test_a_run_that_lost_its_lease_gives_its_result_to_its_caller_all_the_same() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()

    async def lost(claim: Any) -> None:
        raise ClaimLost("it is not yours")

    gate.renew = lost  # type: ignore[method-assign]

    async def execute(arguments: Mapping[str, Any]) -> str:
        await asyncio.sleep(100)
        return "sent"

    running = asyncio.create_task(run(gate, draft(), execute))
    request = await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    assert (await scene.request(request.request_id)).status is Status.UNKNOWN
    await scene.broker.close()


async def test_an_approved_call_waits_for_rules_that_cannot_be_loaded_without_spinning() -> None:
    scene = make_scene(rule("ask"))
    await scene.broker.start()
    gate = await scene.gate()
    claims = []
    claim = gate.claim

    async def counting(call_id: str, digest: str) -> Any:
        claims.append(scene.clock.now())
        return await claim(call_id, digest)

    gate.claim = counting  # type: ignore[method-assign]
    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await the_request(scene)
    person = await scene.actor()
    await scene.broker.review(person, request.request_id, Vote.APPROVE, digest=request.digest)
    scene.rules.say(unavailable="broken")
    await scene.clock.sleep(60)
    assert len(claims) < 70
    assert (await scene.request(request.request_id)).caller is Caller.WAITING
    scene.rules.say(rule("ask"))
    assert await running == "sent"
    assert len(scene.runs) == 1
    await scene.broker.close()


async def test_a_call_that_another_identical_one_ran_is_not_run_again() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = asyncio.create_task(run(gate, draft(external_id="e1"), scene.execute))
    await the_request(scene)
    second = asyncio.create_task(run(gate, draft(external_id="e1"), scene.execute))
    await asyncio.sleep(0.01)
    request = await decide(scene, Vote.APPROVE)
    results = await asyncio.gather(first, second, return_exceptions=True)
    assert sorted(map(str, map(type, results))) == sorted(map(str, (str, CallAlreadyRan)))
    (refused,) = [result for result in results if isinstance(result, CallAlreadyRan)]
    assert (refused.status, refused.request_id) == ("done", request.request_id)
    assert len(scene.runs) == 1


async def test_rules_that_ask_for_more_are_waited_for_under_a_new_id() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    running = asyncio.create_task(run(gate, draft(), scene.execute))
    request = await the_request(scene)
    scene.rules.say(rule("ask", approval=ApprovalPolicy(self_approval=True, quorum=1, role="ops")))
    person = await scene.actor()
    await scene.broker.review(person, request.request_id, Vote.APPROVE, digest=request.digest)
    fresh = await the_request(scene)
    assert fresh.previous == request.request_id
    scene.rules.say(rule("ask"))
    await scene.store.apply(await _loosened(scene, fresh))
    await decide(scene, Vote.APPROVE)
    assert await running == "sent"
    assert len(scene.runs) == 1


async def test_nothing_said_to_the_agent_names_a_way_to_approve() -> None:
    """No command, link, route, token or id of a credential in any message of any state."""
    messages = []
    for request in in_every_state().values():
        standing = standing_of_request(request)
        messages.append(standing.message)
        if standing.status not in ("pending", "approved", "running"):
            error = refusal(standing)
            messages += [error.message, error.hint or ""]
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    for rules in ([rule("deny")], [rule("ask")], [rule("allow")], []):
        scene.rules.say(*rules)
        messages.append((await gate.submit(draft(arguments={"n": len(messages)}))).message)
    scene.rules.say(unavailable="broken")
    messages.append((await gate.submit(draft(arguments={"n": -1}))).message)
    scene.notifier.can_ask = False
    messages.append((await gate.submit(draft(arguments={"n": -2}))).message)
    for message in messages:
        for forbidden in (
            "sayso",
            "http",
            "token",
            "passphrase",
            "approve ",
            "inbox",
            "`",
            "cred-",
        ):
            assert forbidden not in message.lower(), message


async def _loosened(scene: Scene, request: ApprovalRequest) -> Any:
    changed = replace(
        request, policy=ApprovalPolicy(), eligible=("owner",), version=request.version + 1
    )
    return Change(changed, request.version, scene.clock.now())
