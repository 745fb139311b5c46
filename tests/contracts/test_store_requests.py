"""Every store: calls and requests, and the conditional writes that change them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.audit.record import RecordKind
from sayso.broker.ports import StoredCall
from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout, Severity
from sayso.core.asking import Escalation
from sayso.core.call import Owner, digest_of
from sayso.core.dialogue import MAX_WORDS, Dialogue, Role, Said
from sayso.core.reason import Reason
from sayso.core.session import Session
from sayso.errors import LostRace, NotEligible, StoreError, TooManyWait
from sayso.people.changes import add_person
from sayso.people.token import CredentialKind
from sayso.requests.approval import ApprovalRequest, Caller, Resolution, Status, Why
from sayso.requests.attention import Attention, Snooze
from sayso.requests.deadline import next_due
from sayso.requests.lifecycle import (
    CallerJoined,
    CallerLeft,
    Cancelled,
    Edit,
    LeaseOver,
    OutcomeSaid,
    Reviewed,
    Superseded,
)
from sayso.requests.nudges import Reminded
from sayso.requests.precondition import Changed, ChangeKind, Precondition, PreconditionKind
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    breaks,
    by_other,
    chain,
    claim,
    credential,
    everything,
    finish,
    live,
    looks,
    new,
    record,
    reject,
    step,
)
from tests.fakes.values import (
    START,
    a_call,
    a_glass,
    a_request,
    a_review,
    at,
    in_every_state,
    outcome,
    reviewed,
    said,
)

OWNER = Owner("owner", "coder", "s1")


async def submitted(store: Any, call_id: str = "c1", **changes: Any) -> ApprovalRequest:
    """A pending request in the store, beside the owner's credential."""
    if await store.credential(OWNERS.secret_hash) is None:
        await store.put_credential(OWNERS, ())
    made = asks(call_id, **changes)
    assert await store.submit(made) is None
    assert made.request is not None
    return made.request


@pytest.mark.spec("REQ-14")
async def test_an_edited_call_is_kept_beside_the_one_that_was_asked(store: Any) -> None:
    request = await submitted(store)
    call = replace(request.call, arguments={"to": "bob@example.com"})
    edit = Edit(
        call,
        digest_of(call),
        ApprovalPolicy(quorum=2),
        Why(Reason.RULE_ASK, "it asks as well"),
        "Write to bob?",
        ("owner",),
        (Precondition(PreconditionKind.CONTENT, "/w/a", "sha256:1"),),
        "owner",
        "owner",
        at(1),
    )
    review = replace(a_review(digest=edit.digest), credential_id=OWNERS.credential_id)
    change = step(request, Reviewed(review, edit), reviewer=OWNERS)
    await store.apply(change)
    found = await live(store, request.request_id)
    assert found == change.request
    assert found.edited is not None
    assert (found.call, found.edited.original) == (call, request.call)
    # the agent's retry is known by what the agent asked for
    assert await store.open_twins(OWNER, request.digest) == [found]
    assert await store.open_twins(OWNER, edit.digest) == []
    kept = await store.call(request.request_id)
    assert kept is not None
    assert (kept[0].digest, kept[1]) == (request.digest, request.call)


@pytest.mark.spec("REQ-2")
async def test_the_dialogue_stays_with_the_request(store: Any) -> None:
    said = "say \u202eit\x00 \U0001f600 " + "x" * MAX_WORDS
    kept = Dialogue(
        Said(said, Role.USER, cut=True),
        Said("a summary"),
        (Said("one", Role.TOOL), Said("", Role.SYSTEM)),
    )
    request = replace(a_request(), context=kept)
    assert await store.submit(new(request)) is None
    assert (await live(store, "c1")).context == kept
    await store.apply(step(request, CallerLeft()))
    assert (await live(store, "c1")).context == kept
    await store.submit(asks("c2"))
    assert (await live(store, "c2")).context is None


async def test_what_was_submitted_is_there_whole(store: Any) -> None:
    call = a_call(
        arguments={"n": 1, "x": 1.0, "deep": {"list": [None, True, "é\u202e\x00", 1e300]}},
        server="mail",
        external_id="toolu_1",
        parent=("root", "s0"),
        context_label="CronJob: Daily Digest",
        detail="because",
        diff="- a\n+ b",
        workspace="/home/user",
        attended=False,
    )
    request = replace(
        a_request(
            call,
            ApprovalPolicy(
                severity=Severity.HIGH,
                timeout=60.0,
                on_timeout=OnTimeout.REJECT,
                approver=Approver.ADMIN,
                approvers=("web:owner", "tg:1"),
                quorum=2,
                remember=("once",),
            ),
        ),
        why=Why(Reason.MUST_ASK, "it must", {"id": "r"}, ({"kind": "name"},), must_ask=True),
        expires_at=at(60),
        eligible=("owner", "anna"),
        previous="c0",
        preconditions=(Precondition(PreconditionKind.LEADS_TO, "/w/a", None),),
        changed=(Changed(ChangeKind.CONTENT, "/w/a", "sha256:1", "absent"),),
    )
    assert await store.submit(new(request)) is None
    found = await live(store, "c1")
    assert found == request
    assert found.call.diff == "- a\n+ b"
    assert type(found.call.arguments["x"]) is float
    stored = StoredCall("c1", digest_of(call), "ask", "rule-ask")
    assert await store.call("c1") == (stored, call)
    assert digest_of(found.call) == request.digest


async def test_an_allowed_call_has_no_request(store: Any) -> None:
    await store.submit(new())
    assert await store.request("c1") is None
    stored, call = await store.call("c1")
    assert (stored.effect, stored.reason, call) == ("allow", "rule-allow", a_call())
    assert await store.pending() == []


@pytest.mark.spec("GATE-9")
async def test_a_request_too_many_of_its_session_is_not_written(store: Any) -> None:
    for number in range(2):
        await submitted(store, f"c{number}")
    one_more = replace(asks("c2", external_id="e2"), at_most=2)
    with pytest.raises(TooManyWait):
        await store.submit(one_more)
    assert await store.call("c2") is None
    assert await store.by_external_id(OWNER, "e2") is None
    elsewhere = replace(asks("c3", session_id="another"), at_most=1)
    assert await store.submit(elsewhere) is None
    assert await store.submit(replace(new(call=a_call(call_id="c4")), at_most=1)) is None
    assert await store.pending_count() == 3
    request = await live(store, "c1")
    await store.apply(step(request, Cancelled(Resolution(Reason.CANCELLED, at(2)))))
    assert await store.pending_count() == 2
    assert await store.submit(one_more) is None


async def test_what_is_not_there_is_none(store: Any) -> None:
    assert await store.request("nobody") is None
    assert await store.call("nobody") is None
    assert await store.by_external_id(OWNER, "nothing") is None
    assert await store.session("nobody") is None
    assert await store.credential("nothing") is None
    assert await store.last_rejection(OWNER, "nothing", START) is None
    assert await store.last_notice() == await store.oldest_notice() == 0


async def test_an_external_id_is_taken_once_by_its_owner(store: Any) -> None:
    first = await submitted(store, "c1", external_id="toolu_1")
    before = await everything(store)
    stored = await store.submit(asks("c2", external_id="toolu_1", arguments={"other": 1}))
    assert stored == await store.by_external_id(OWNER, "toolu_1")
    assert (stored.call_id, stored.digest) == ("c1", first.digest)
    assert await everything(store) == before
    assert await store.call("c2") is None
    for number, other in enumerate(({"session_id": "s2"}, {"agent_id": "b"}, {"user_id": "u"})):
        assert await store.submit(asks(f"d{number}", external_id="toolu_1", **other)) is None


async def test_of_concurrent_submits_with_one_external_id_one_is_written(store: Any) -> None:
    answers = await asyncio.gather(
        *(store.submit(asks(f"c{n}", external_id="toolu_1")) for n in range(20))
    )
    assert sum(answer is None for answer in answers) == 1
    assert len({a.call_id for a in answers if a is not None}) == 1
    assert len(await store.pending()) == 1
    assert len(await store.audit_chain(0, 100)) == 1


async def test_a_call_id_is_used_once(store: Any) -> None:
    await submitted(store, "c1")
    before = await everything(store)
    with pytest.raises(StoreError, match=r"exists already|contradicts"):
        await store.submit(asks("c1", arguments={"other": 1}))
    assert await everything(store) == before


@pytest.mark.parametrize("state", sorted(in_every_state()))
async def test_every_state_comes_back_as_it_was(store: Any, state: str) -> None:
    request = in_every_state()[state]
    await store.submit(new(request))
    assert await live(store, "c1") == request


@pytest.mark.spec("ST-2")
async def test_a_change_is_written_whole(store: Any) -> None:
    request = await submitted(store)
    for make in (approve, claim, finish):
        change = make(request)
        await store.apply(change)
        request = change.request
        assert await live(store, "c1") == request
    assert request.status is Status.DONE
    kinds = [
        entry.body.split('"kind":"')[1].split('"')[0] for entry in await store.audit_chain(0, 9)
    ]
    assert kinds == ["verdict", "resolution", "claim", "outcome"]
    assert [n.version for n in await store.notices(0, 9)] == [1, 2, 3, 4]


@pytest.mark.spec("ST-2")
async def test_a_change_of_another_version_loses_and_writes_nothing(store: Any) -> None:
    request = await submitted(store)
    await store.apply(approve(request))
    before = await everything(store)
    for change in (
        reject(request),
        step(request, CallerLeft()),
        step(request, Cancelled(said(Reason.CANCELLED))),
    ):
        with pytest.raises(LostRace, match="has changed") as caught:
            await store.apply(change)
        assert caught.value.hint
    assert await everything(store) == before


async def test_a_change_of_a_request_that_is_not_there_loses(store: Any) -> None:
    await store.put_credential(OWNERS, ())
    for change in (approve(a_request()), step(a_request(), CallerLeft())):
        with pytest.raises(LostRace):
            await store.apply(change)


async def test_a_change_goes_one_version_on(store: Any) -> None:
    request = await submitted(store)
    change = step(request, CallerLeft())
    with pytest.raises(ValueError, match="to the next"):
        await store.apply(replace(change, expected_version=5))


@pytest.mark.spec("ST-2")
async def test_of_concurrent_changes_exactly_one_wins(store: Any) -> None:
    request = await submitted(store)
    changes = [approve(request) if n % 2 else reject(request) for n in range(20)]
    answers = await asyncio.gather(*map(store.apply, changes), return_exceptions=True)
    assert sum(answer is None for answer in answers) == 1
    assert sum(isinstance(answer, LostRace) for answer in answers) == 19
    assert len((await live(store, "c1")).reviews) == 1
    request = await live(store, "c1")
    if request.status is Status.APPROVED:
        claims = [claim(request, f"t{n}") for n in range(20)]
        answers = await asyncio.gather(*map(store.apply, claims), return_exceptions=True)
        assert sum(answer is None for answer in answers) == 1


@pytest.mark.spec("ST-2")
async def test_one_lost_race_does_not_disturb_the_others(store: Any) -> None:
    requests = [await submitted(store, f"c{n:02}") for n in range(30)]
    await store.apply(approve(requests[7]))
    answers = await asyncio.gather(
        *(store.apply(approve(request)) for request in requests),
        store.submit(asks("c03")),
        store.record([record(RecordKind.ACCESS)]),
        return_exceptions=True,
    )
    lost = [n for n, answer in enumerate(answers) if isinstance(answer, Exception)]
    assert lost == [7, 30]
    for request in requests:
        assert (await live(store, request.request_id)).status is Status.APPROVED
    assert (await chain(store)).ok
    assert (await chain(store)).checked == 30 + 30 + 1


# ── who may review ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("who", "why"),
    [
        (credential("agent", CredentialKind.AGENT, agent_id="coder"), "agent's token"),
        (credential("revoked", revoked_at=START), "revoked or has expired"),
        (credential("expired", expires_at=at(1)), "revoked or has expired"),
        (credential("unknown"), "not known"),
    ],
    ids=["agent", "revoked", "expired", "unknown"],
)
async def test_a_credential_that_may_not_decide_writes_nothing(
    store: Any, who: Any, why: str
) -> None:
    request = await submitted(store)
    if who.credential_id != "cred-unknown":
        await store.put_credential(who, ())
    before = await everything(store)
    pretended = replace(who, kind=CredentialKind.ADMIN, revoked_at=None, expires_at=None)
    for shown in (who, pretended):  # what the caller says of the credential does not count
        with pytest.raises(NotEligible, match=why):
            await store.apply(by_other(approve(request), shown))
        with pytest.raises(NotEligible, match=why):
            await store.apply(by_other(reject(request), shown))
    assert await everything(store) == before
    await store.apply(approve(request))


async def test_a_credential_revoked_in_between_no_longer_decides(store: Any) -> None:
    request = await submitted(store)
    change = approve(request)
    await store.revoke_credential(OWNERS.credential_id, at(1), ())
    with pytest.raises(NotEligible):
        await store.apply(change)
    assert (await live(store, "c1")).waits


@pytest.mark.parametrize("kind", [k for k in CredentialKind if k is not CredentialKind.AGENT])
async def test_every_deciding_kind_decides(store: Any, kind: CredentialKind) -> None:
    request = await submitted(store)
    who = credential("somebody", kind, expires_at=at(2))
    await store.put_credential(who, ())
    await store.apply(by_other(approve(request), who))
    assert (await live(store, "c1")).status is Status.APPROVED


async def test_a_review_needs_its_own_credential(store: Any) -> None:
    request = await submitted(store)
    await store.put_credential(credential("anna", person_id="anna"), ())
    anna = await store.credential("hash-anna")
    before = await everything(store)
    with pytest.raises(NotEligible, match="needs the credential"):
        await store.apply(approve(request, None))
    with pytest.raises(NotEligible, match="somebody else"):
        await store.apply(replace(approve(request), reviewer=anna))
    two = approve(replace(request, reviews=(a_review(digest=request.digest),)))
    with pytest.raises(NotEligible, match="one at a time"):
        await store.apply(two)
    with pytest.raises(NotEligible, match=r"one at a time|needs the credential"):
        await store.apply(replace(two, reviewer=None))
    assert await everything(store) == before


async def test_reviews_are_never_taken_away(store: Any) -> None:
    request = await submitted(store)
    await store.apply(approve(request))
    request = await live(store, "c1")
    before = await everything(store)
    for reviewer in (None, OWNERS):
        emptied = claim(replace(request, reviews=()))
        with pytest.raises(NotEligible, match="one at a time"):
            await store.apply(replace(emptied, reviewer=reviewer))
    assert await everything(store) == before


@pytest.mark.spec("CH-16")
async def test_an_approval_over_a_channel_below_its_severity_is_not_written(store: Any) -> None:
    await store.put_credential(OWNERS, ())
    policy = ApprovalPolicy(Severity.HIGH, channels=(("test", Severity.MEDIUM),))
    made = new(a_request(policy=policy))
    await store.submit(made)
    assert made.request is not None
    before = await everything(store)
    with pytest.raises(NotEligible, match="`high` may not be approved over `test`"):
        await store.apply(approve(made.request))
    assert await everything(store) == before
    await store.apply(reject(made.request))
    assert (await live(store, "c1")).status is Status.REJECTED


async def test_votes_add_up_with_their_credentials(store: Any) -> None:
    request = await submitted(store)
    await store.put_credential(credential("anna", person_id="anna"), ())
    there = await store.directory()
    await store.change_people(there, add_person(there, "anna", admin=True), at(0), (), ())
    anna = await store.credential("hash-anna")
    first = step(request, Reviewed(a_review(digest=request.digest)), reviewer=OWNERS)
    await store.apply(first)
    await store.apply(by_other(approve(first.request), anna))
    found = await live(store, "c1")
    assert [review.person_id for review in found.reviews] == ["owner", "anna"]


async def test_a_person_says_what_came_of_it_without_a_review(store: Any) -> None:
    request = await submitted(store)
    for change in (approve(request), claim(approve(request).request)):
        await store.apply(change)
    lost = step(change.request, LeaseOver(said(Reason.ERROR, 40)))
    await store.apply(lost)
    agent = credential("agent", CredentialKind.AGENT)
    await store.put_credential(agent, ())
    saying = step(lost.request, OutcomeSaid(outcome(said_by="owner")), reviewer=OWNERS)
    with pytest.raises(NotEligible):
        await store.apply(replace(saying, reviewer=agent))
    await store.apply(saying)
    assert (await live(store, "c1")).status is Status.DONE


# ── asked again ────────────────────────────────────────────────────────────────────────────────


async def test_a_superseded_call_names_the_one_that_asks_again(store: Any) -> None:
    request = await submitted(store, external_id="toolu_1")
    await store.apply(approve(request))
    again = asks("c2", external_id="toolu_1")
    over = Superseded(said(Reason.NEEDS_FRESH_APPROVAL, 5))
    change = step(await live(store, "c1"), over, follow_up=again)
    await store.apply(change)
    assert (await live(store, "c1")).status is Status.SUPERSEDED
    assert (await live(store, "c2")).waits
    stored = await store.by_external_id(OWNER, "toolu_1")
    assert (stored.call_id, stored.superseded_by) == ("c1", "c2")
    found, call = await store.call("c2")
    assert found.superseded_by is None
    assert call.external_id == "toolu_1"
    assert [n.request_id for n in await store.notices(0, 9)] == ["c1", "c1", "c1", "c2"]
    assert (await store.submit(asks("c3", external_id="toolu_1"))).superseded_by == "c2"


async def test_a_follow_up_that_cannot_be_written_undoes_the_change(store: Any) -> None:
    request = await submitted(store)
    await submitted(store, "c2")
    await store.apply(approve(request))
    before = await everything(store)
    over = Superseded(said(Reason.NEEDS_FRESH_APPROVAL, 5))
    change = step(await live(store, "c1"), over, follow_up=asks("c2"))
    answers = await asyncio.gather(
        store.apply(change), store.submit(asks("c9")), return_exceptions=True
    )
    assert isinstance(answers[0], StoreError)
    assert answers[1] is None
    assert (await live(store, "c1")).status is Status.APPROVED
    assert (await store.call("c1"))[0].superseded_by is None
    assert len(await store.audit_chain(0, 99)) == len(before[3]) + 1
    assert (await chain(store)).ok
    with pytest.raises(ValueError, match="id of its own"):
        await store.apply(replace(change, follow_up=asks("c1")))


# ── finding them ───────────────────────────────────────────────────────────────────────────────


async def test_twins_are_the_open_ones_of_that_owner_and_digest(store: Any) -> None:
    states = in_every_state()
    digest = ""
    for number, (state, request) in enumerate(sorted(states.items())):
        call = replace(request.call, call_id=f"c{number}-{state}")
        digest = request.digest
        await store.submit(new(replace(request, call=call, created_at=at(-number))))
    await submitted(store, "other-session", session_id="s2")
    await submitted(store, "other-agent", agent_id="b")
    await submitted(store, "other-call", arguments={})
    found = await store.open_twins(OWNER, digest)
    assert [r.status for r in found] == [Status.RUNNING, Status.PENDING, Status.APPROVED]
    assert {r.request_id for r in await store.of_session("s1")} == {
        *(r.request_id for r in found),
        "other-agent",
        "other-call",
    }
    assert [r.status for r in await store.pending()][:2] == [Status.UNKNOWN, Status.PENDING]


async def test_the_newest_rejection_sticks_until_it_is_lifted(store: Any) -> None:
    for number in range(3):
        await store.apply(reject(await submitted(store, f"c{number}"), seconds=number + 1))
    digest = digest_of(a_call())
    found = await store.last_rejection(OWNER, digest, at(1))
    assert found.request_id == "c2"
    assert found.reviews[0].comment == "no"
    assert await store.last_rejection(OWNER, digest, at(4)) is None
    assert (await store.last_rejection(OWNER, digest, at(3))).request_id == "c2"
    assert await store.last_rejection(Owner("owner", "coder", "s2"), digest, START) is None
    assert await store.last_rejection(OWNER, "another", START) is None
    await store.lift_sticky("c2")
    assert (await live(store, "c2")).sticky_lifted
    assert (await store.last_rejection(OWNER, digest, START)).request_id == "c1"
    await store.lift_sticky("nobody")


async def test_recent_are_the_resolved_ones_newest_first(store: Any) -> None:
    for number in range(5):
        request = await submitted(store, f"c{number}")
        if number != 3:
            await store.apply(reject(request, seconds=10 - number))
    assert [r.request_id for r in await store.recent(3)] == ["c0", "c1", "c2"]
    assert [r.request_id for r in await store.recent(9)] == ["c0", "c1", "c2", "c4"]
    assert [r.request_id for r in await store.pending()] == ["c3"]


async def test_what_has_an_unknown_outcome_waits_for_a_person(store: Any) -> None:
    for state in ("unknown", "pending", "approved"):
        request = in_every_state()[state]
        await store.submit(new(replace(request, call=replace(request.call, call_id=state))))
    assert {r.request_id for r in await store.pending()} == {"unknown", "pending"}
    assert [r.request_id for r in await store.recent(9)] == ["approved"]


@pytest.mark.spec("ST-5")
async def test_due_is_what_time_concerns(store: Any) -> None:
    gone = {"caller": Caller.GONE}
    policy = ApprovalPolicy(reminders=(100.0, 500.0), escalate=Escalation(("admin",), 400.0))
    snoozed = Attention(snoozes=(Snooze("owner", "owner", at(99)),))
    requests = {
        "expired": a_request(expires_at=at(100), **gone),
        "not-expired": a_request(expires_at=at(101), **gone),
        "never": a_request(**gone),
        "reminder": a_request(policy=policy),
        "reminded": a_request(policy=policy, attention=Attention(reminders=1)),
        "snoozed": a_request(attention=snoozed),
        "lapsed": replace(in_every_state()["approved"], approved_at=at(-500)),
        "fresh": replace(in_every_state()["approved"], approved_at=at(-499)),
        "lease-over": in_every_state()["running"],
        "finished": replace(in_every_state()["done"], expires_at=at(1)),
        "unknown": replace(in_every_state()["unknown"], expires_at=at(1)),
        "unreviewed": replace(in_every_state()["done"], glass=a_glass(review_by=at(90))),
        "reviewed": replace(in_every_state()["done"], glass=reviewed(a_glass(review_by=at(90)))),
        "told": replace(
            in_every_state()["done"], glass=a_glass(review_by=at(90), alerted_at=at(95))
        ),
    }
    running = in_every_state()["running"]
    assert running.lease is not None
    requests["leased"] = replace(running, lease=replace(running.lease, until=at(101)))
    for name, request in requests.items():
        await store.submit(new(replace(request, call=replace(request.call, call_id=name))))
    found = await store.take_due(at(100), at(130), 99)
    assert [r.request_id for r in found] == [
        "lease-over", "unreviewed", "snoozed", "expired", "lapsed", "reminder"
    ]  # fmt: skip
    assert next_due(requests["reminded"]) == at(400)
    assert [r.request_id for r in await store.unreviewed()] == ["told", "unreviewed"]


@pytest.mark.spec("ST-5")
async def test_a_timer_is_given_to_one_at_a_time(store: Any) -> None:
    for name in ("a", "b", "c"):
        await store.submit(new(a_request(a_call(call_id=name), expires_at=at(100))))
    assert await store.take_due(at(99), at(129), 9) in ((), [])
    both = await asyncio.gather(*(store.take_due(at(100), at(130), 2) for _ in range(3)))
    assert sorted(r.request_id for part in both for r in part) == ["a", "b", "c"]
    assert list(await store.take_due(at(129), at(159), 9)) == []
    assert len(await store.take_due(at(130), at(160), 9)) == 3, "whoever took them died"


@pytest.mark.spec("ST-5")
async def test_a_clock_that_was_set_back_does_not_keep_a_timer_from_others(store: Any) -> None:
    await store.submit(new(a_request(expires_at=at(100))))
    assert len(await store.take_due(at(90_000), at(90_030), 9)) == 1
    assert len(await store.take_due(at(100), at(130), 9)) == 1
    assert list(await store.take_due(at(105), at(135), 9)) == []


async def test_a_change_gives_the_timer_back(store: Any) -> None:
    policy = ApprovalPolicy(reminders=(10.0, 20.0))
    await store.submit(new(a_request(policy=policy)))
    (request,) = await store.take_due(at(10), at(40), 9)
    await store.apply(step(request, Reminded(1)))
    assert list(await store.take_due(at(19), at(49), 9)) == []
    (request,) = await store.take_due(at(20), at(50), 9)
    assert request.attention.reminders == 1


async def test_a_caller_that_should_have_shown_itself_is_found(store: Any) -> None:
    requests = {
        "unseen": a_request(caller_seen=at(50)),
        "seen": a_request(caller_seen=at(51)),
        "gone": a_request(caller_seen=at(50), caller=Caller.GONE),
        "approved": replace(in_every_state()["approved"], caller_seen=at(1)),
        "running": in_every_state()["running"],
        "done": in_every_state()["done"],
    }
    for name, request in requests.items():
        await store.submit(new(replace(request, call=replace(request.call, call_id=name))))
    assert {r.request_id for r in await store.unseen(at(50))} == {"unseen", "approved"}


@pytest.mark.spec("REQ-68")
async def test_the_glass_is_not_broken_again_before_the_last_one_was_reviewed(store: Any) -> None:
    await store.put_credential(OWNERS, ())
    for name in ("c1", "c2", "c3"):
        await store.submit(asks(name))
    first = breaks(await live(store, "c1"), review_by=at(60))
    await store.apply(first)
    found = await live(store, "c1")
    assert (found.status, found.glass) == (Status.APPROVED, first.request.glass)
    await store.apply(breaks(await live(store, "c2"), seconds=59))  # not overdue yet
    before = await everything(store)
    third = breaks(await live(store, "c3"), seconds=60)
    with pytest.raises(NotEligible, match="no second person has reviewed it"):
        await store.apply(third)
    assert await everything(store) == before
    await store.apply(looks(await live(store, "c1")))
    await store.apply(third)
    assert (await live(store, "c3")).status is Status.APPROVED


async def test_a_touch_moves_the_caller_on_and_no_version(store: Any) -> None:
    request = await submitted(store)
    await store.touch(["c1", "nobody"], at(9))
    await store.touch([], at(9))
    assert await live(store, "c1") == replace(request, caller_seen=at(9))
    await store.touch(["c1"], at(5))
    await store.apply(approve(request))  # made from what was read before the touch
    found = await live(store, "c1")
    assert (found.caller_seen, found.version) == (at(9), 2)
    await store.apply(step(found, CallerJoined(at(12))))
    assert (await live(store, "c1")).caller_seen == at(12)


async def test_stopped_sessions_with_something_open_are_found(store: Any) -> None:
    for name in ("s1", "s2", "s3"):
        await store.open_session(Session(name, "owner", "coder", "api", None, True, "cred", START))
    await submitted(store, "c1", session_id="s1")
    await submitted(store, "c2", session_id="s2")
    await store.apply(reject(await submitted(store, "c3", session_id="s3")))
    await store.stop_session("s1", at(1))
    await store.stop_session("s3", at(1))
    assert list(await store.stopped_sessions()) == ["s1"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arguments=st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(1 - 2**53, 2**53 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=8,
        ),
        max_size=5,
    )
)
async def test_any_arguments_come_back_with_their_digest(store: Any, arguments: Any) -> None:
    call = a_call(call_id=f"c{await store.last_notice()}", arguments=arguments)
    request = a_request(call)
    await store.submit(new(request))
    found = await live(store, call.call_id)
    assert found.call == call
    assert digest_of(found.call) == request.digest
