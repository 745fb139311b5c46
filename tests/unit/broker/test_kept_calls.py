from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sayso.audit.redacted_call import redacted_request
from sayso.broker.broker import Broker
from sayso.broker.kept_calls import FORGET_AT_ONCE, Forgotten, forget_calls
from sayso.broker.ports import Claim
from sayso.broker.ports.kept_calls import Which
from sayso.broker.sweep import sweep
from sayso.broker.world import KEEP_CALLS_SECONDS
from sayso.channels.card import Card, card_of
from sayso.core.approval_policy import ApprovalPolicy, OnTimeout
from sayso.core.session import CallDraft
from sayso.core.withheld import Withheld
from sayso.errors import ArgumentsWithheld, NotEligible, RequestNotFound
from sayso.people.person import OWNER
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin
from sayso.requests.approval import Status, Vote
from tests.fakes.world import Scene, draft, make_scene, rule

DAY = 86_400
SECRET = "hunter2-and-more"


def secret_draft() -> CallDraft:
    return draft(arguments={"to": "alice@example.com", "password": SECRET})


async def decided(scene: Scene, vote: Vote = Vote.REJECT) -> str:
    """A call that was asked about and decided."""
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(secret_draft())
    await scene.broker.review(person, standing.call_id, vote, digest=standing.digest)
    return standing.call_id


async def withhold(scene: Scene, call_id: str) -> None:
    """Let a request be in its redacted form only, in whatever state it is."""
    inner = scene.store.inner
    inner._requests[call_id] = redacted_request(inner._requests[call_id], Withheld.DELETED)


@pytest.mark.spec("AUD-1a")
async def test_after_thirty_days_the_redacted_form_and_the_log_are_left() -> None:
    scene = make_scene(rule("ask"))
    call_id = await decided(scene)
    digest = (await scene.request(call_id)).digest
    await scene.clock.sleep(30 * DAY - 10)
    await sweep(scene.world)
    assert (await scene.request(call_id)).call.arguments["password"] == SECRET
    await scene.clock.sleep(20)
    assert await sweep(scene.world) == 0, "no request has changed its state"
    request = await scene.request(call_id)
    assert (request.status, request.digest) == (Status.REJECTED, digest)
    assert SECRET not in repr(request)
    log = await scene.audit()
    assert SECRET not in json.dumps(log)
    assert [entry["digest"] for entry in log if entry["kind"] == "verdict"] == [digest]
    assert (await scene.broker.log.verify(await scene.actor())).ok
    card = card_of(request, now=scene.clock.now())
    assert card.what.note == (
        "The full arguments of this call are deleted; what is left of it is redacted."
    )
    assert SECRET not in json.dumps(card.to_json())


@pytest.mark.spec("AUD-1a")
async def test_what_waits_is_never_deleted_by_age_and_runs_as_it_was_shown() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(secret_draft())
    await scene.clock.sleep(31 * DAY)
    await sweep(scene.world)
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    await sweep(scene.world)
    claimed = await gate.claim(standing.call_id, standing.digest)
    assert getattr(claimed, "token", None)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).call.arguments["password"] == SECRET


@pytest.mark.spec("AUD-1a")
async def test_a_sweep_deletes_only_so_many_at_once() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    for number in range(FORGET_AT_ONCE + 3):
        await gate.submit(draft(arguments={"n": number}))
    await scene.clock.sleep(31 * DAY)
    everything = Which(before=scene.clock.now())
    left = []
    for _ in range(3):
        await sweep(scene.world)
        left.append(await scene.store.kept(everything))
    assert left == [3, 0, 0]


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize(("keep", "kept"), [(None, 1), (2.0 * DAY, 0), (KEEP_CALLS_SECONDS, 1)])
async def test_how_long_is_set(keep: float | None, kept: int) -> None:
    scene = make_scene(rule("ask"))
    broker = Broker(replace(scene.world, keep_calls=keep))
    await decided(scene)
    await scene.clock.sleep(3 * DAY)
    await sweep(broker.world)
    assert await scene.store.kept(Which(before=scene.clock.now())) == kept


@pytest.mark.spec("AUD-1a")
async def test_an_admin_deletes_at_once_and_it_is_recorded() -> None:
    scene = make_scene(rule("ask"))
    call_id = await decided(scene)
    gate = await scene.gate()
    waiting = await gate.submit(draft())
    access = scene.broker.access
    agent = await scene.agent()
    for refused in (agent, await scene.actor(CredentialKind.APPROVER)):
        with pytest.raises(NotEligible):
            await forget_calls(scene.world, access, refused, Which(call_id=call_id))
    admin = await scene.actor()
    with pytest.raises(RequestNotFound, match="no call has the id `nobody`"):
        await forget_calls(scene.world, access, admin, Which(call_id="nobody"))
    assert (await scene.request(call_id)).withheld is None
    done = await forget_calls(scene.world, access, admin, Which(before=scene.clock.now()))
    assert done == Forgotten(deleted=1, kept=1)
    assert (await scene.request(call_id)).withheld is Withheld.DELETED
    assert (await scene.request(waiting.call_id)).withheld is None
    last = (await scene.audit())[-1]
    assert (last["kind"], last["by"]) == ("configuration", "owner")
    assert last["note"].startswith("full arguments are deleted: calls submitted up to 20")
    session = (await scene.request(waiting.call_id)).call.session_id
    assert await forget_calls(scene.world, access, admin, Which(session_id=session)) == Forgotten(
        deleted=0, kept=1
    )


@pytest.mark.spec("AUD-1a")
async def test_what_is_not_whole_is_rejected_and_never_approved() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(secret_draft())
    await withhold(scene, standing.call_id)
    card = card_of(await scene.request(standing.call_id), now=scene.clock.now())
    assert not card.may_approve
    assert card.may_reject
    assert card.approve_refused is not None
    assert "deleted" in card.approve_refused
    with pytest.raises(ArgumentsWithheld, match="arguments of this call are deleted"):
        await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    whole = await gate.submit(CallDraft("deploy", {"n": 1}))
    told = [found.standing.call_id for found in await gate.unfinished()]
    assert told == [whole.call_id], "it stays in the inbox, and holds up no other"
    await scene.broker.review(person, standing.call_id, Vote.REJECT)
    assert (await scene.request(standing.call_id)).status is Status.REJECTED


@pytest.mark.spec("AUD-1a")
async def test_an_approved_call_that_is_not_whole_any_more_is_not_run() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(secret_draft())
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    await withhold(scene, standing.call_id)
    scene.rules.say(rule("allow"))
    with pytest.raises(ArgumentsWithheld):
        await gate.claim(standing.call_id, standing.digest)
    assert (await scene.request(standing.call_id)).status is Status.APPROVED
    await scene.clock.sleep(700)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.LAPSED


@pytest.mark.spec("AUD-1a")
async def test_neither_time_nor_rules_approve_what_is_not_whole() -> None:
    policy = ApprovalPolicy(timeout=60, on_timeout=OnTimeout.ALLOW)
    scene = make_scene(replace(rule("ask", approval=policy), origin=Origin.TOOL_POLICY))
    gate = await scene.gate()
    late = await gate.submit(secret_draft())
    await scene.broker.attention.delivered(late.call_id, late.digest, "telegram", [OWNER])
    scene.rules.say(unavailable="they are broken")
    stuck = await gate.submit(draft("other_tool"))
    for standing in (late, stuck):
        await withhold(scene, standing.call_id)
    scene.rules.say(rule("allow"))
    await scene.clock.sleep(61)
    await sweep(scene.world)
    for standing in (late, stuck):
        assert (await scene.request(standing.call_id)).status is Status.PENDING


@pytest.mark.spec("AUD-1a")
async def test_a_card_shows_the_call_whole_until_it_is_over_and_redacted_then() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(secret_draft())

    async def card() -> Card:
        return card_of(await scene.request(standing.call_id), now=scene.clock.now())

    assert SECRET in json.dumps((await card()).to_json()), "what is shown is what runs"
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    claimed = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(claimed, Claim)
    assert SECRET in json.dumps((await card()).to_json())
    await gate.finish(standing.call_id, claimed.token, True, "sent", 1.0)
    over = await card()
    assert SECRET not in json.dumps(over.to_json())
    assert over.what.note == "This is over, so its secrets are not shown any more."
    assert (await scene.request(standing.call_id)).call.arguments["password"] == SECRET


@pytest.mark.spec("AUD-1a")
async def test_a_card_without_secrets_is_the_same_once_it_is_over() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.review(person, standing.call_id, Vote.REJECT)
    card = card_of(await scene.request(standing.call_id), now=scene.clock.now())
    assert card.what.note == "1 line, nothing cut."
