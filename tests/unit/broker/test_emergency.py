"""Breaking the glass: who may, what it lets through, and the second person who has to look."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.access import Actor
from sayso.broker.sweep import sweep
from sayso.channels.viewing import card_now
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.errors import CallInvalid, DigestMismatch, NotEligible, NotNow, RequestClosed
from sayso.people.person import Person
from sayso.people.stand_in import StandIn
from sayso.requests.approval import Status, Vote
from tests.fakes.world import Scene, at, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)
BOB = Person("bob", "Bob", admin=True)
NILS = Person("nils", "Nils")
TWO = ApprovalPolicy(quorum=3, break_glass=3600.0)


def emergency(
    policy: ApprovalPolicy = TWO, people: tuple[Person, ...] = (ANNA, BOB, NILS)
) -> Scene:
    return make_scene(rule("ask", approval=policy), people=people)


async def breaking(scene: Scene, actor: Actor | None = None, tool: str = "send_mail") -> Any:
    """The owner (or whoever) breaks the glass for a fresh call of a fresh session."""
    gate = await scene.gate()
    standing = await gate.submit(draft(tool))
    actor = actor or await scene.actor()
    done = await scene.broker.attention.break_glass(
        actor, standing.call_id, digest=standing.digest, why="the site is down"
    )
    return gate, done


@pytest.mark.spec("REQ-68")
async def test_one_person_runs_it_now_and_that_is_what_everybody_is_told() -> None:
    scene = emergency()
    gate, done = await breaking(scene)
    assert (done.status, done.resolution.reason.value) == (Status.APPROVED, "break-glass")
    told = await gate.wait(done.request_id, 0)
    assert (told.effect, told.reason, told.by) == ("allow", "break-glass", "owner")
    assert told.message == "approved by owner in an emergency: the site is down"
    claim = await gate.claim(done.request_id, done.digest)
    await gate.finish(claim.call_id, claim.token, True, "sent", 0.1)
    request = await scene.request(done.request_id)
    assert request.status is Status.DONE
    assert request.glass is not None
    assert request.glass.review_by == request.glass.at + 3600 * 1_000_000
    assert [(r["kind"], r["reason"]) for r in await scene.audit()][1:] == [
        ("review", "approve"),
        ("resolution", "break-glass"),
        ("claim", "break-glass"),
        ("outcome", "done"),
    ]
    anna = await scene.actor(person_id="anna")
    assert [r.request_id for r in await scene.broker.attention.unreviewed(anna)] == [
        done.request_id
    ]
    card = await card_now(scene.world, request, None, "anna")
    assert (card.asking.may_review_glass, card.asking.glass is not None) == (True, True)
    assert not (await card_now(scene.world, request, None, "owner")).asking.may_review_glass


@pytest.mark.spec("REQ-68")
async def test_a_second_person_says_whether_it_was_right_and_nothing_that_ran_changes() -> None:
    scene = emergency()
    _, done = await breaking(scene)
    owner, anna = await scene.actor(), await scene.actor(person_id="anna")
    with pytest.raises(NotEligible, match="a second person"):
        await scene.broker.attention.review_glass(
            owner, done.request_id, justified=True, comment=None
        )
    for stranger in (await scene.actor(person_id="nils"), await scene.agent()):
        with pytest.raises(NotEligible):
            await scene.broker.attention.review_glass(
                stranger, done.request_id, justified=True, comment=None
            )
    reviewed = await scene.broker.attention.review_glass(
        anna, done.request_id, justified=False, comment=" it could have waited "
    )
    assert reviewed.status is done.status
    assert reviewed.reviews == done.reviews
    assert reviewed.glass.review.comment == "it could have waited"
    last = (await scene.audit())[-1]
    assert (last["kind"], last["reason"], last["by"]) == ("break-glass", "not-justified", "Anna")
    with pytest.raises(NotEligible, match="nothing here waits"):
        await scene.broker.attention.review_glass(
            await scene.actor(person_id="bob"), done.request_id, justified=True, comment=None
        )
    assert await scene.broker.attention.unreviewed(anna) == []


@pytest.mark.spec("REQ-68")
async def test_what_nobody_reviews_in_time_alerts_and_blocks_the_next() -> None:
    scene = emergency()
    _, done = await breaking(scene)
    await breaking(scene, tool="restart")  # in time: the emergency may take more than one call
    await scene.clock.sleep(3600)
    with pytest.raises(NotEligible, match="no second person has reviewed it"):
        await breaking(scene, tool="wipe")  # whether or not any sweeper ran
    await sweep(scene.another_broker().world)
    await sweep(scene.world)
    alerts = [r for r in await scene.audit() if r["reason"] == "not-reviewed"]
    assert len(alerts) == 2
    told = [n for n in await scene.store.notices(0, 99) if n.data.get("what") == "not-reviewed"]
    assert {n.request_id for n in told} >= {done.request_id}
    anna = await scene.actor(person_id="anna")
    for request in await scene.broker.attention.unreviewed(anna):
        await scene.broker.attention.review_glass(
            anna, request.request_id, justified=True, comment=None
        )
    _, again = await breaking(scene, tool="wipe2")
    assert again.status is Status.APPROVED


async def test_only_where_it_is_permitted_and_needed_and_somebody_else_could_look() -> None:
    scene = emergency(replace(TWO, break_glass=None))
    with pytest.raises(NotEligible, match="does not permit"):
        await breaking(scene)
    scene = emergency(replace(TWO, quorum=1))
    with pytest.raises(NotEligible, match="an approval of yours is enough"):
        await breaking(scene)
    scene = emergency(replace(TWO, quorum=2), people=())
    with pytest.raises(NotEligible, match="nobody else could review it"):
        await breaking(scene)
    scene = emergency()
    with pytest.raises(NotEligible):
        await breaking(scene, await scene.actor(person_id="nils"))
    with pytest.raises(NotEligible):
        await breaking(scene, await scene.agent())


async def test_it_needs_a_reason_and_exactly_what_was_shown_and_rules_that_load() -> None:
    scene = emergency()
    standing = await (await scene.gate()).submit(draft())
    person = await scene.actor()
    with pytest.raises(CallInvalid, match="takes 1 to"):
        await scene.broker.attention.break_glass(
            person, standing.call_id, digest=standing.digest, why=" "
        )
    with pytest.raises(DigestMismatch):
        await scene.broker.attention.break_glass(person, standing.call_id, digest=None, why="now")
    scene.rules.say(unavailable="settings.toml:1:1: what")
    with pytest.raises(NotNow):
        await scene.broker.attention.break_glass(
            person, standing.call_id, digest=standing.digest, why="now"
        )


async def test_a_deny_that_appeared_stops_it_all_the_same() -> None:
    scene = emergency()
    gate, done = await breaking(scene)
    scene.rules.say(rule("deny"))
    told = await gate.claim(done.request_id, done.digest)
    assert (told.status, told.reason) == ("refused", "deny-on-resolve")


async def test_where_todays_policy_no_longer_permits_it_the_call_is_asked_again() -> None:
    scene = emergency()
    gate, done = await breaking(scene)
    scene.rules.say(rule("ask", approval=replace(TWO, break_glass=None)))
    told = await gate.claim(done.request_id, done.digest)
    assert told.status == "pending"
    assert (await scene.request(done.request_id)).status is Status.SUPERSEDED


async def test_a_capped_channel_breaks_no_glass() -> None:
    policy = replace(TWO, severity=Severity.HIGH, channels=(("test", Severity.LOW),))
    with pytest.raises(NotEligible, match="may not be approved over"):
        await breaking(emergency(policy))


async def test_after_the_time_the_glass_stays_whole() -> None:
    scene = emergency(replace(TWO, timeout=60.0))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(60)
    with pytest.raises(RequestClosed):
        await scene.broker.attention.break_glass(
            await scene.actor(), standing.call_id, digest=standing.digest, why="now"
        )


async def test_votes_that_were_there_stay_and_the_breakers_own_vote_is_one_of_them() -> None:
    scene = emergency()
    gate = await scene.gate()
    standing = await gate.submit(draft())
    anna = await scene.actor(person_id="anna")
    await scene.broker.review(anna, standing.call_id, Vote.APPROVE, digest=standing.digest)
    done = await scene.broker.attention.break_glass(
        anna, standing.call_id, digest=standing.digest, why="now"
    )
    assert [r.person_id for r in done.reviews] == ["anna", "anna"]
    assert "token" not in json.dumps(done.glass.to_json())
    assert (await gate.claim(standing.call_id, standing.digest)).call_id == standing.call_id


LISTED = ApprovalPolicy(approvers=("web:anna", "web:bob"), quorum=2, break_glass=3600.0)


def away(scene: Scene, absent: str, substitute: str) -> None:
    """From now on somebody stands in for somebody."""
    inner = scene.store.inner
    there, link = inner._directory, StandIn(absent, substitute, at(0), at(9999))
    stand_ins = (*there.stand_ins, link)
    inner._directory = replace(there, stand_ins=stand_ins, version=there.version + 1)


@pytest.mark.spec("REQ-66")
@pytest.mark.spec("REQ-68")
async def test_whoever_only_stands_in_for_the_breaker_is_no_second_person() -> None:
    scene = emergency(LISTED)
    anna, nils = await scene.actor(person_id="anna"), await scene.actor(person_id="nils")
    _, done = await breaking(scene, anna)
    away(scene, "anna", "nils")
    with pytest.raises(NotEligible, match="a second person has to review it"):
        await scene.broker.attention.review_glass(
            nils, done.request_id, justified=True, comment=None
        )
    request = await scene.request(done.request_id)
    assert not (await card_now(scene.world, request, None, "nils")).asking.may_review_glass
    away(scene, "bob", "nils")  # now it is Bob's right as well
    reviewed = await scene.broker.attention.review_glass(
        nils, done.request_id, justified=True, comment=None
    )
    assert reviewed.glass.review.person_id == "nils"


@pytest.mark.spec("REQ-66")
@pytest.mark.spec("REQ-68")
async def test_with_nobody_but_ones_own_stand_in_to_look_at_it_no_glass_is_broken() -> None:
    scene = emergency(LISTED)
    scene.store.folk["bob"] = replace(BOB, enabled=False)
    away(scene, "anna", "nils")
    with pytest.raises(NotEligible, match="nobody else could review it"):
        await breaking(scene, await scene.actor(person_id="anna"))


@pytest.mark.spec("REQ-64")
@pytest.mark.spec("REQ-68")
async def test_who_is_disabled_at_that_very_moment_reviews_no_broken_glass() -> None:
    scene = emergency()
    _, done = await breaking(scene)
    anna = await scene.actor(person_id="anna")
    apply = scene.store.inner.apply

    async def disabled_meanwhile(change: Any) -> None:
        scene.store.folk["anna"] = replace(ANNA, enabled=False)
        await apply(change)

    scene.store.apply = disabled_meanwhile
    with pytest.raises(NotEligible):
        await scene.broker.attention.review_glass(
            anna, done.request_id, justified=True, comment=None
        )
    assert (await scene.request(done.request_id)).glass.review is None
