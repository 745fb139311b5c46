from __future__ import annotations

import pytest

from sayso.broker.ports import Change
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.reason import Reason
from sayso.errors import CallInvalid, ExternalIdReused, NotEligible, RequestNotFound
from sayso.requests.approval import Caller, Resolution, Status, Vote
from sayso.requests.event import EventKind
from sayso.requests.lifecycle import Cancelled, apply
from tests.fakes.world import Scene, at, draft, make_scene, rule


async def test_what_policy_allows_needs_nobody() -> None:
    scene = make_scene(rule("allow", "send_mail"))
    standing = await (await scene.gate()).submit(draft())
    assert (standing.effect, standing.reason, standing.status) == ("allow", "rule-allow", None)
    assert await scene.store.pending() == []
    assert [(r["kind"], r["effect"]) for r in await scene.audit()] == [("verdict", "allow")]


async def test_what_policy_denies_is_refused_with_the_rule() -> None:
    scene = make_scene(rule("deny", "send_mail", justification="no mail from here."))
    standing = await (await scene.gate()).submit(draft())
    assert (standing.effect, standing.reason, standing.status) == ("deny", "rule-deny", None)
    assert "no mail from here" in standing.message


@pytest.mark.spec("REQ-1")
async def test_the_request_is_stored_with_all_it_takes_to_run_it_before_anybody_is_told() -> None:
    scene = make_scene(rule("ask", "send_mail"))
    told: list[Status] = []
    publish = scene.world.feed.publish

    def publishing(topics: list[str]) -> None:
        told.append(scene.store.inner._requests[topics[0]].status)
        publish(topics)

    scene.world.feed.publish = publishing  # type: ignore[method-assign]
    gate = await scene.gate()
    standing = await gate.submit(draft(detail="as you said"))
    assert told == [Status.PENDING]
    request = await scene.request(standing.call_id)
    assert request.request_id == standing.call_id == request.call.call_id
    assert (request.call.tool, dict(request.call.arguments), request.call.detail) == (
        "send_mail", {"to": "alice@example.com"}, "as you said",
    )  # fmt: skip
    assert request.call.session_id == gate.session_id
    assert request.digest == standing.digest
    assert (request.status, request.caller, request.caller_seen) == (
        Status.PENDING, Caller.WAITING, at(0),
    )  # fmt: skip
    kinds = [notice.kind for notice in await scene.store.notices(0, 10)]
    assert kinds == [EventKind.APPROVAL_REQUESTED]


async def test_ids_sort_by_time_and_are_not_guessed() -> None:
    scene = make_scene()
    gate = await scene.gate()
    ids = []
    for number in range(5):
        ids.append((await gate.submit(draft(arguments={"n": number}))).call_id)
        await scene.clock.sleep(1)
    assert ids == sorted(ids)
    assert len(set(ids)) == 5


async def test_the_policy_of_the_rule_is_frozen_in_the_request() -> None:
    policy = ApprovalPolicy(timeout=120, quorum=2)
    scene = make_scene(rule("ask", approval=policy))
    standing = await (await scene.gate()).submit(draft())
    request = await scene.request(standing.call_id)
    assert (request.policy, request.expires_at) == (policy, at(120))


async def test_asking_only_for_the_verdict_asks_nobody_and_is_recorded() -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).decide(draft())
    assert (standing.effect, standing.reason, standing.status) == ("ask", "must-ask", None)
    assert await scene.store.pending() == []
    assert [r["reason"] for r in await scene.audit()] == ["must-ask"]


@pytest.mark.parametrize(
    "bad",
    [
        {"arguments": {"n": float("nan")}},
        {"arguments": {"n": 2**54}},
        {"arguments": {"x": object()}},
        {"arguments": {"blob": "x" * (1024 * 1024)}},
        {"tool": "a\x00b"},
        {"external_id": "x" * 513},
        {"server": "\ud800"},
    ],
)
async def test_a_call_that_cannot_be_accepted_leaves_nothing_behind(bad: dict[str, object]) -> None:
    scene = make_scene()
    gate = await scene.gate()
    with pytest.raises(CallInvalid):
        await gate.submit(draft(**bad))
    assert await scene.store.pending() == []
    assert await scene.audit() == []


# ── retries attach (REQ-31) ──


@pytest.mark.spec("REQ-31")
async def test_the_same_external_id_is_the_same_call_in_whatever_state_it_is() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft(external_id="e1"))
    assert (await gate.submit(draft(external_id="e1"))).call_id == first.call_id

    await scene.broker.review(person, first.call_id, Vote.APPROVE, digest=first.digest)
    again = await gate.submit(draft(external_id="e1"))
    assert (again.call_id, again.status) == (first.call_id, "approved")

    claim = await gate.claim(first.call_id, first.digest)
    again = await gate.submit(draft(external_id="e1"))
    assert (again.call_id, again.status) == (first.call_id, "running")

    await gate.finish(first.call_id, claim.token, True, "sent", 0.1)
    again = await gate.submit(draft(external_id="e1"))
    assert (again.call_id, again.status, again.summary) == (first.call_id, "done", "sent")


@pytest.mark.parametrize("leaves", [False, True])
async def test_the_same_external_id_after_a_rejection_hears_of_the_rejection(leaves: bool) -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft(external_id="e1"))
    if leaves:
        await gate.leave(first.call_id)
    await scene.broker.review(await scene.actor(), first.call_id, Vote.REJECT, comment="no")
    again = await gate.submit(draft(external_id="e1"))
    assert (again.call_id, again.status, again.message) == (
        first.call_id, "rejected", "rejected by owner: no",
    )  # fmt: skip


async def test_the_same_external_id_with_other_arguments_is_a_mistake() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    await gate.submit(draft(external_id="e1"))
    with pytest.raises(ExternalIdReused, match="with other arguments"):
        await gate.submit(draft(external_id="e1", arguments={"to": "mallory@example.com"}))


async def test_an_external_id_is_unique_only_within_its_session() -> None:
    scene = make_scene(rule("ask"))
    one, other = await scene.gate(), await scene.gate()
    first = await one.submit(draft(external_id="e1"))
    second = await other.submit(draft(external_id="e1", arguments={"to": "bob@example.com"}))
    assert first.call_id != second.call_id


@pytest.mark.parametrize("status", ["pending", "approved", "running"])
async def test_an_identical_call_takes_the_place_of_a_caller_that_has_gone(status: str) -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft(external_id="e1"))
    if status != "pending":
        await scene.broker.review(person, first.call_id, Vote.APPROVE, digest=first.digest)
    if status == "running":
        await gate.claim(first.call_id, first.digest)
    await gate.leave(first.call_id)
    assert (await scene.request(first.call_id)).caller is Caller.GONE
    again = await gate.submit(draft(external_id="e2"))
    assert (again.call_id, again.status) == (first.call_id, status)
    request = await scene.request(first.call_id)
    assert (request.caller, request.status.value) == (Caller.WAITING, status)


async def test_a_caller_that_has_not_shown_itself_has_gone_though_no_sweeper_ran() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft())
    await scene.clock.sleep(31)
    assert (await gate.submit(draft())).call_id == first.call_id


async def test_two_identical_calls_that_both_wait_are_two_calls() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first, second = await gate.submit(draft()), await gate.submit(draft())
    assert first.call_id != second.call_id
    assert first.digest == second.digest


async def test_only_one_of_two_retries_takes_the_place() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft())
    await gate.leave(first.call_id)
    one, other = await gate.submit(draft()), await gate.submit(draft())
    assert one.call_id == first.call_id
    assert other.call_id != first.call_id


@pytest.mark.parametrize("other", ["session", "agent", "arguments", "detail"])
async def test_nobody_takes_the_place_with_another_call(other: str) -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft())
    await gate.leave(first.call_id)
    if other == "session":
        again = await (await scene.gate()).submit(draft())
    elif other == "agent":
        again = await (await scene.gate("writer")).submit(draft())
    elif other == "arguments":
        again = await gate.submit(draft(arguments={"to": "bob@example.com"}))
    else:
        again = await gate.submit(draft(detail="please"))
    assert again.call_id != first.call_id


async def test_after_it_ran_an_identical_call_is_a_new_one() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.APPROVE, digest=first.digest)
    claim = await gate.claim(first.call_id, first.digest)
    await gate.leave(first.call_id)
    await gate.finish(first.call_id, claim.token, True, "sent", 0.1)
    again = await gate.submit(draft())
    assert (again.status, again.call_id == first.call_id) == ("pending", False)


async def test_what_time_has_ended_is_not_joined_though_no_sweeper_ran() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=60)))
    gate, person = await scene.gate(), await scene.actor()
    expired = await gate.submit(draft())
    await gate.leave(expired.call_id)
    await scene.clock.sleep(60)
    second = await gate.submit(draft())
    assert second.call_id != expired.call_id

    await scene.broker.review(person, second.call_id, Vote.APPROVE, digest=second.digest)
    await gate.leave(second.call_id)
    await scene.clock.sleep(600)
    third = await gate.submit(draft())
    assert (third.call_id == second.call_id, third.status) == (False, "pending")


async def test_a_repeated_id_that_policy_had_refused_stays_refused() -> None:
    scene = make_scene(rule("deny"))
    gate = await scene.gate()
    await gate.submit(draft(external_id="e1"))
    for later in (rule("ask"), rule("allow")):
        scene.rules.say(later)
        again = await gate.submit(draft(external_id="e1"))
        assert (again.effect, again.reason, again.status) == ("deny", "rule-deny", None)
        assert "allow" not in again.message


async def test_a_repeated_id_that_policy_had_allowed_obeys_todays_rules() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    await gate.submit(draft(external_id="e1"))
    assert (await gate.submit(draft(external_id="e1"))).effect == "allow"
    for later in (rule("ask"), rule("deny")):
        scene.rules.say(later)
        assert (await gate.submit(draft(external_id="e1"))).effect == "deny"


# ── sticky rejections (REQ-35) ──


async def test_an_identical_call_after_a_rejection_is_refused_with_the_same_words() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT, comment="not to her")
    again = await gate.submit(draft())
    assert (again.effect, again.reason, again.by, again.comment) == (
        "deny", "sticky-deny", "owner", "not to her",
    )  # fmt: skip
    assert again.message.startswith("rejected by owner: not to her")
    assert await scene.store.pending() == []


async def test_a_rejection_sticks_to_that_very_call_only() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT)
    assert (await gate.submit(draft(arguments={"to": "bob@example.com"}))).effect == "ask"
    assert (await (await scene.gate()).submit(draft())).effect == "ask"


async def test_a_rejection_does_not_touch_what_policy_allows() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT)
    scene.rules.say(rule("allow"))
    assert (await gate.submit(draft())).reason == "rule-allow"


async def test_a_rejection_sticks_for_ten_minutes() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT)
    await scene.clock.sleep(599)
    assert (await gate.submit(draft())).reason == "sticky-deny"
    await scene.clock.sleep(2)
    assert (await gate.submit(draft())).reason == "must-ask"


async def test_a_person_lifts_a_rejection_and_an_agent_cannot() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT)
    with pytest.raises(NotEligible):
        await scene.broker.lift_sticky(await scene.agent(), first.call_id)
    assert (await gate.submit(draft())).reason == "sticky-deny"
    await scene.broker.lift_sticky(person, first.call_id)
    record = (await scene.audit())[-1]
    assert (record["note"], record["by"], record["call_id"]) == (
        "a rejection no longer sticks", "owner", first.call_id,
    )  # fmt: skip
    assert (await gate.submit(draft())).reason == "must-ask"


async def test_expiry_and_cancellation_never_stick() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(timeout=5)))
    await scene.broker.start()
    gate = await scene.gate()
    first = await gate.submit(draft())
    await scene.clock.sleep(7)
    assert (await scene.request(first.call_id)).status is Status.EXPIRED
    second = await gate.submit(draft())
    assert second.effect == "ask"
    await scene.store.apply(await _cancel(scene, second.call_id))
    assert (await gate.submit(draft())).effect == "ask"
    await scene.broker.close()


async def test_an_earlier_rejection_is_told_also_where_nobody_can_be_asked() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    first = await gate.submit(draft())
    await scene.broker.review(person, first.call_id, Vote.REJECT, comment="no")
    scene.notifier.can_ask = False
    assert (await gate.submit(draft())).reason == "sticky-deny"
    other = await gate.submit(draft(arguments={}))
    assert (other.effect, other.reason) == ("deny", "no-approver")


async def test_without_rules_nothing_is_asked_where_nobody_can_be_asked() -> None:
    scene = make_scene()
    scene.rules.say(unavailable="broken file")
    scene.notifier.can_ask = False
    standing = await (await scene.gate()).submit(draft())
    assert (standing.effect, standing.reason) == ("deny", "no-approver")


async def test_a_call_of_another_session_cannot_be_looked_at_or_claimed() -> None:
    scene = make_scene(rule("ask"))
    mine, other = await scene.gate(), await scene.gate()
    standing = await mine.submit(draft())
    for attempt in (
        other.wait(standing.call_id, 0),
        other.claim(standing.call_id, standing.digest),
        other.leave(standing.call_id),
    ):
        with pytest.raises(NotEligible, match="another session"):
            await attempt
    with pytest.raises(RequestNotFound):
        await mine.wait("no-such-call", 0)


async def _cancel(scene: Scene, request_id: str) -> Change:
    request, now = await scene.request(request_id), scene.clock.now()
    changed = apply(request, Cancelled(Resolution(Reason.CANCELLED, now)))
    return Change(changed, request.version, now)
