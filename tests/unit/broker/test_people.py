"""People, roles and stand-ins as admins change them, and what that does to what waits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from argon2 import PasswordHasher

from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy, OnTimeout
from sayso.core.deciders import Approver
from sayso.core.moment import plus, to_rfc3339
from sayso.errors import (
    NotAuthenticated,
    NotEligible,
    PassphraseWrong,
    PeopleRefused,
    RequestClosed,
)
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from sayso.requests.deadline import UNREACHABLE_SECONDS
from tests.fakes.world import Scene, draft, make_scene, rule


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real algorithm with the least work, so that a test of it is quick."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("sayso.broker.access._HASHER", quick)


FINANCE = ApprovalPolicy(role="finance")


async def a_team(policy: ApprovalPolicy = FINANCE, quorum: Any = 2) -> Scene:
    """The owner, and a role finance of anna (also tg:7), bob and carl."""
    scene = make_scene(rule("ask", approval=policy))
    owner, people = await scene.actor(), scene.broker.people
    await people.add(owner, "anna", identities=("tg:7",))
    await people.add(owner, "bob")
    await people.add(owner, "carl")
    await people.add_role(owner, "finance", quorum, ("anna", "bob", "carl"))
    return scene


async def asked(scene: Scene) -> Any:
    gate = await scene.gate()
    return await gate.submit(draft())


async def approve(
    scene: Scene, name: str, standing: Any, kind: Any = CredentialKind.SESSION
) -> Any:
    actor = await scene.actor(kind, person_id=name)
    return await scene.broker.review(actor, standing.call_id, Vote.APPROVE, digest=standing.digest)


@pytest.mark.spec("REQ-61", "REQ-12")
async def test_a_roles_quorum_of_distinct_people_decides() -> None:
    scene = await a_team()
    standing = await asked(scene)
    request = await approve(scene, "anna", standing)
    assert (request.status, request.policy.quorum) == (Status.PENDING, 2)
    assert request.eligible == ("anna", "bob", "carl")
    for stranger in ("owner",):
        with pytest.raises(NotEligible, match="only members of the role"):
            await approve(scene, stranger, standing)
    assert (await approve(scene, "bob", standing)).status is Status.APPROVED


@pytest.mark.spec("REQ-12", "REQ-65", "REQ-60")
async def test_one_person_on_two_channels_counts_once() -> None:
    """At the page, and over a channel that resolves their identity there."""
    scene = await a_team()
    standing = await asked(scene)
    assert (await approve(scene, "anna", standing)).status is Status.PENDING
    _, over_there = await scene.broker.access.recognise("TG:7", "telegram")
    assert over_there.person.person_id == "anna"
    with pytest.raises(RequestClosed, match="nobody counts twice"):
        await scene.broker.review(
            over_there, standing.call_id, Vote.APPROVE, digest=standing.digest
        )
    request = await scene.request(standing.call_id)
    assert (request.status, len(request.reviews)) == (Status.PENDING, 1)


@pytest.mark.spec("REQ-65")
async def test_a_channel_recognises_whom_it_knows_and_gives_them_nothing_but_deciding() -> None:
    scene = await a_team()
    _, anna = await scene.broker.access.recognise("tg:7", "telegram")
    assert (anna.kind, anna.channel) == (CredentialKind.APPROVER, "telegram")
    for nobody in ("tg:8", "no identity", ""):
        with pytest.raises(NotAuthenticated, match="is nobody's identity"):
            await scene.broker.access.recognise(nobody, "telegram")
    owner = await scene.actor()
    await scene.broker.people.change(owner, "anna", enabled=False)
    with pytest.raises(NotAuthenticated):
        await scene.broker.access.recognise("tg:7", "telegram")


@pytest.mark.spec("REQ-11", "REQ-66")
async def test_a_requester_with_two_identities_cannot_approve_their_own_call() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(approvers=("tg:1", "anna"))))
    owner = await scene.actor()
    await scene.broker.people.change(owner, "owner", identities=("tg:1",))
    await scene.broker.people.add(owner, "anna")
    standing = await asked(scene)
    _, on_telegram = await scene.broker.access.recognise("tg:1", "telegram")
    for actor in (owner, on_telegram):
        with pytest.raises(NotEligible, match="somebody else than the session's user"):
            await scene.broker.review(actor, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert (await approve(scene, "anna", standing)).status is Status.APPROVED


@pytest.mark.spec("REQ-12")
async def test_a_member_removed_while_it_waits_counts_no_longer_nor_do_their_votes() -> None:
    scene = await a_team()
    standing = await asked(scene)
    await approve(scene, "anna", standing)
    owner = await scene.actor()
    await scene.broker.people.remove_member(owner, "finance", "anna")
    with pytest.raises(NotEligible):
        await approve(scene, "anna", standing)
    assert (await approve(scene, "bob", standing)).status is Status.PENDING
    assert (await approve(scene, "carl", standing)).status is Status.APPROVED


@pytest.mark.spec("REQ-12")
async def test_who_joins_the_role_later_does_not_count() -> None:
    scene = await a_team()
    standing = await asked(scene)
    owner = await scene.actor()
    await scene.broker.people.add(owner, "dora")
    await scene.broker.people.add_member(owner, "finance", "dora")
    with pytest.raises(NotEligible, match="not yours"):
        await approve(scene, "dora", standing)


@pytest.mark.spec("REQ-12")
async def test_all_is_everybody_who_is_left() -> None:
    scene = await a_team(quorum="all")
    standing = await asked(scene)
    await approve(scene, "anna", standing)
    await approve(scene, "bob", standing)
    owner = await scene.actor()
    await scene.broker.people.remove(owner, "carl")
    assert (await scene.request(standing.call_id)).status is Status.PENDING
    done = await approve(scene, "bob", standing)
    assert done.status is Status.APPROVED, "somebody who may says so once more"


@pytest.mark.spec("REQ-34")
async def test_an_approver_removed_before_the_claim_is_asked_past() -> None:
    scene = await a_team(quorum=1)
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await approve(scene, "anna", standing)
    await scene.broker.people.remove(await scene.actor(), "anna")
    taken = await gate.claim(standing.call_id, standing.digest)
    assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")
    assert "no longer counts" in ((await scene.request(standing.call_id)).resolution.comment or "")


@pytest.mark.spec("REQ-12")
@pytest.mark.parametrize("on_timeout", list(OnTimeout))
async def test_what_nobody_can_decide_ends_in_time_as_a_refusal(on_timeout: OnTimeout) -> None:
    scene = await a_team(replace(FINANCE, on_timeout=on_timeout), quorum=3)
    standing = await asked(scene)
    await scene.broker.people.change_role(await scene.actor(), "finance", enabled=False)
    with pytest.raises(NotEligible):
        await approve(scene, "anna", standing)
    await scene.clock.sleep(UNREACHABLE_SECONDS + 1)
    await sweep(scene.world)
    request = await scene.request(standing.call_id)
    assert request.status is Status.EXPIRED
    assert request.resolution is not None
    assert request.resolution.reason.value == "quorum-unreachable"
    assert request.resolution.comment == "the role `finance` is disabled"


@pytest.mark.spec("REQ-12")
async def test_what_goes_out_of_reach_without_a_time_is_given_one() -> None:
    two = ApprovalPolicy(approver=Approver.ANY, quorum=2)
    scene = make_scene(rule("ask", approval=two))
    owner = await scene.actor()
    alone = await asked(scene)
    request = await scene.request(alone.call_id)
    assert request.expires_at == plus(request.created_at, UNREACHABLE_SECONDS)

    await scene.broker.people.add(owner, "anna", admin=True)
    gate = await scene.gate()
    waiting = await gate.submit(draft(arguments={}))
    assert (await scene.request(waiting.call_id)).expires_at is None
    await sweep(scene.world)
    assert (await scene.request(waiting.call_id)).expires_at is None
    await scene.broker.people.remove(owner, "anna")
    await sweep(scene.world)
    assert (await scene.request(waiting.call_id)).expires_at is not None
    await scene.clock.sleep(UNREACHABLE_SECONDS)
    await sweep(scene.world)
    ended = await scene.request(waiting.call_id)
    assert ended.resolution is not None
    assert ended.resolution.reason.value == "quorum-unreachable"


# ── stand-ins ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.spec("REQ-66")
async def test_a_stand_in_decides_for_who_is_away_and_the_audit_log_names_both() -> None:
    scene = await a_team(quorum=1)
    owner, anna = await scene.actor(), await scene.actor(person_id="anna")
    await scene.broker.people.add(owner, "sam")
    until = plus(scene.clock.now(), 3600)
    await scene.broker.people.stand_in(anna, "anna", "sam", None, until)
    standing = await asked(scene)
    request = await approve(scene, "sam", standing)
    assert request.status is Status.APPROVED
    assert [(r.person_id, r.stands_for) for r in request.reviews] == [("sam", "anna")]
    said = [body for body in await scene.audit() if body["kind"] == "review"]
    assert [(body["by"], body["note"]) for body in said] == [("sam", "standing in for anna")]


@pytest.mark.spec("REQ-66")
async def test_a_stand_in_for_two_is_recorded_as_the_one_whose_vote_is_missing() -> None:
    """Anna has voted herself, so the vote of bob, who stands in for her and for carl, is carl's."""
    scene = make_scene(rule("ask", approval=ApprovalPolicy(approvers=("anna", "carl"), quorum=2)))
    owner, people = await scene.actor(), scene.broker.people
    for name in ("anna", "bob", "carl"):
        await people.add(owner, name)
    until = plus(scene.clock.now(), 3600)
    for absent in ("anna", "carl"):
        await people.stand_in(owner, absent, "bob", None, until)
    standing = await asked(scene)
    await approve(scene, "anna", standing)
    request = await approve(scene, "bob", standing)
    assert request.status is Status.APPROVED
    assert [(r.person_id, r.stands_for) for r in request.reviews] == [
        ("anna", None),
        ("bob", "carl"),
    ]
    notes = [body.get("note") for body in await scene.audit() if body["kind"] == "review"]
    assert notes == [None, "standing in for carl"]
    with pytest.raises(RequestClosed):
        await approve(scene, "bob", standing)


@pytest.mark.spec("REQ-66")
async def test_a_stand_in_who_rejects_is_recorded_as_standing_in() -> None:
    scene = await a_team(quorum=1)
    owner = await scene.actor()
    await scene.broker.people.add(owner, "sam")
    await scene.broker.people.stand_in(owner, "anna", "sam", None, plus(scene.clock.now(), 3600))
    standing = await asked(scene)
    sam = await scene.actor(person_id="sam")
    request = await scene.broker.review(sam, standing.call_id, Vote.REJECT)
    assert [(r.person_id, r.stands_for) for r in request.reviews] == [("sam", "anna")]


@pytest.mark.spec("REQ-66")
async def test_people_name_their_own_stand_in_and_admins_anybodys() -> None:
    scene = await a_team()
    owner, bob = await scene.actor(), await scene.actor(person_id="bob")
    until = plus(scene.clock.now(), 3600)
    with pytest.raises(NotEligible, match="only an admin"):
        await scene.broker.people.stand_in(bob, "anna", "bob", None, until)
    token = await scene.actor(CredentialKind.APPROVER, person_id="bob")
    with pytest.raises(NotEligible):
        await scene.broker.people.stand_in(token, "bob", "anna", None, until)
    await scene.broker.people.stand_in(owner, "anna", "bob", None, until)
    with pytest.raises(PeopleRefused, match="a circle"):
        await scene.broker.people.stand_in(bob, "bob", "anna", None, until)
    await scene.broker.people.end_stand_in(owner, "anna")
    await scene.broker.people.stand_in(bob, "bob", "anna", None, until)


# ── who may change what ────────────────────────────────────────────────────────────────────────


@pytest.mark.spec("REQ-61", "SRV-4")
@pytest.mark.parametrize("kind", list(CredentialKind))
@pytest.mark.parametrize("name", ["owner", "bob"])
async def test_only_an_admins_login_or_token_changes_people(
    name: str, kind: CredentialKind
) -> None:
    scene = await a_team()
    actor = await scene.actor(kind, person_id=name, agent_id="coder" if kind == "agent" else None)
    people = scene.broker.people
    may = name == "owner" and kind in (CredentialKind.SESSION, CredentialKind.ADMIN)
    for attempt in (
        lambda: people.add(actor, "eve"),
        lambda: people.change(actor, "eve", operator=True),
        lambda: people.add_role(actor, "ops"),
        lambda: people.change_role(actor, "ops", quorum=2),
        lambda: people.add_member(actor, "ops", "eve"),
        lambda: people.new_code(actor, "eve"),
        lambda: people.remove_member(actor, "ops", "eve"),
        lambda: people.remove_role(actor, "ops"),
        lambda: people.remove(actor, "eve"),
    ):
        if may:
            await attempt()
        else:
            with pytest.raises(NotEligible):
                await attempt()
    records = [b for b in await scene.audit() if "eve" in b.get("note", "")]
    assert bool(records) == may


@pytest.mark.spec("REQ-60", "REQ-61", "REQ-66")
async def test_every_change_is_recorded_with_what_it_took_away_and_of_whom() -> None:
    """Whatever identity somebody was named by, and also what was set to nothing."""
    scene = make_scene(rule("ask"))
    owner, people = await scene.actor(), scene.broker.people
    start, end = scene.clock.now(), plus(scene.clock.now(), 60)
    before = len(await scene.audit())
    await people.add(owner, "Anna", admin=True, agents=("coder",), identities=("tg:7", "VK:1"))
    await people.change(owner, "tg:7", admin=False, agents=None, identities=("tg:7",))
    await people.change(owner, "anna", admin=False)  # nothing is changed, nothing recorded
    await people.add(owner, "bob")
    await people.add_role(owner, "finance", "all", ("tg:7",))
    await people.add_member(owner, "Finance", "web:bob")
    await people.change_role(owner, "finance", quorum=2, enabled=False)
    await people.stand_in(owner, "tg:7", "web:bob", None, end)
    changed = await people.change(owner, "tg:7", identities=(), enabled=False)
    await people.remove(owner, "web:anna")
    await people.remove_role(owner, "finance")
    assert changed.person_id == "anna", "also by an identity that the change took away"
    link = f"bob for anna, {to_rfc3339(start)} to {to_rfc3339(end)}"
    notes = [body.get("note", "") for body in (await scene.audit())[before:]]
    assert [note for note in notes if not note.startswith("code to choose")] == [
        "person added: anna (admin yes; operator no; agents all to coder; identities +tg:7 +vk:1)",
        "person changed: anna (admin no; agents coder to all; identities -vk:1)",
        "person added: bob (admin no; operator no)",
        "role added: finance (quorum all; members +anna)",
        "role changed: finance (members +bob)",
        "role changed: finance (quorum all to 2; enabled no)",
        f"stand-in named: {link}",
        "person changed: anna (enabled no; identities -tg:7)",
        f"person removed: anna; role changed: finance (members -anna); stand-in ended: {link}",
        "role removed: finance",
    ]


@pytest.mark.spec("REQ-60")
async def test_identities_added_at_once_are_not_lost() -> None:
    scene = await a_team()
    owner, people = await scene.actor(), scene.broker.people
    await asyncio.gather(
        *(people.change(owner, "anna", add_identities=(f"vk:{n}",)) for n in range(1, 6)),
        people.change(owner, "anna", drop_identities=("TG:7", "vk:99")),
    )
    (anna,) = [p for p in (await people.directory(owner)).people.values() if p.name == "anna"]
    assert anna.identities == tuple(f"vk:{n}" for n in range(1, 6))


async def test_an_admin_who_was_disabled_a_moment_ago_changes_nothing() -> None:
    scene = await a_team()
    owner = await scene.actor()
    await scene.broker.people.change(owner, "anna", admin=True)
    anna = await scene.actor(person_id="anna")
    await scene.broker.people.change(owner, "anna", enabled=False)
    with pytest.raises(NotEligible):
        await scene.broker.people.add(anna, "eve")


async def test_admins_at_once_lose_nothing() -> None:
    scene = await a_team()
    owner = await scene.actor()
    names = [f"p{n}" for n in range(10)]
    await asyncio.gather(*(scene.broker.people.add(owner, name) for name in names))
    assert set(names) < set((await scene.broker.people.directory(owner)).people)


# ── a passphrase for each ──────────────────────────────────────────────────────────────────────


@pytest.mark.spec("REQ-60", "REQ-62")
async def test_each_person_chooses_a_passphrase_once_with_a_code_and_logs_in_by_name() -> None:
    scene = make_scene(rule("ask"))
    access, people = scene.broker.access, scene.broker.people
    await access.choose_passphrase("the owner's own", None, "terminal")
    assert not await access.several_people()
    owner = await scene.actor()
    _, code = await people.add(owner, "anna", admin=True)
    assert await access.several_people()
    with pytest.raises(NotAuthenticated):
        await access.authenticate(code, "api")
    with pytest.raises(PassphraseWrong):
        await access.login("annas own phrase", "web", name="anna")
    assert await access.enrol(code, "annas own phrase", "web") == "anna"
    with pytest.raises(NotAuthenticated, match="used up"):
        await access.enrol(code, "another phrase", "web")
    _, actor = await access.login("annas own phrase", "web", name="Anna")
    assert actor.person.person_id == "anna"
    for name, phrase in (("anna", "the owner's own"), (None, "annas own phrase"), ("eve", "x" * 9)):
        with pytest.raises(PassphraseWrong, match="does not fit"):
            await access.login(phrase, "terminal", name=name)


@pytest.mark.spec("REQ-62")
async def test_no_code_of_before_outlives_a_reset() -> None:
    scene = make_scene(rule("ask"))
    owner, access, people = await scene.actor(), scene.broker.access, scene.broker.people
    await access.choose_passphrase("the owner's own", None, "terminal")
    codes = [await people.new_code(owner, "owner"), (await people.add(owner, "anna"))[1]]
    await access.reset_passphrase("the new one's own", "terminal")
    for code in codes:
        with pytest.raises(NotAuthenticated, match="unknown, used up or too old"):
            await access.enrol(code, "a stranger's own", "web")
    await access.login("the new one's own", "web")


async def test_a_code_is_too_old_after_three_days_and_a_new_one_takes_its_place() -> None:
    scene = make_scene(rule("ask"))
    owner, access = await scene.actor(), scene.broker.access
    _, first = await scene.broker.people.add(owner, "anna")
    second = await scene.broker.people.new_code(owner, "anna")
    with pytest.raises(NotAuthenticated):
        await access.enrol(first, "a long phrase", "web")
    await scene.clock.sleep(3 * 86_400)
    with pytest.raises(NotAuthenticated):
        await access.enrol(second, "a long phrase", "web")


async def test_who_was_disabled_or_removed_is_out_at_once() -> None:
    scene = make_scene(rule("ask"))
    owner, access, people = await scene.actor(), scene.broker.access, scene.broker.people
    await access.choose_passphrase("the owner's own", None, "terminal")
    _, code = await people.add(owner, "anna", admin=True)
    await access.enrol(code, "annas own phrase", "web")
    token, _ = await access.login("annas own phrase", "web", name="anna")
    await people.change(owner, "anna", enabled=False)
    with pytest.raises(NotAuthenticated):
        await access.authenticate(token, "web")
    with pytest.raises(PassphraseWrong):
        await access.login("annas own phrase", "web", name="anna")
    await people.change(owner, "anna", enabled=True)
    assert (await access.authenticate(token, "web")).person.name == "anna"
    await people.remove(owner, "anna")
    with pytest.raises(NotAuthenticated):
        await access.authenticate(token, "web")


async def test_a_person_changes_their_own_passphrase_with_the_old_one() -> None:
    scene = make_scene(rule("ask"))
    owner, access = await scene.actor(), scene.broker.access
    await access.choose_passphrase("the owner's own", None, "terminal")
    _, code = await scene.broker.people.add(owner, "anna")
    await access.enrol(code, "annas own phrase", "web")
    with pytest.raises(PassphraseWrong):
        await access.choose_passphrase("annas new phrase", "the owner's own", "web", "anna")
    await access.choose_passphrase("annas new phrase", "annas own phrase", "web", "anna")
    await access.login("annas new phrase", "web", name="anna")
    await access.login("the owner's own", "web")


@pytest.mark.spec("REQ-62")
async def test_whoever_is_logged_in_makes_an_approvers_token_for_themselves_and_no_other() -> None:
    scene = await a_team()
    bob = await scene.actor(person_id="bob")
    _, credential = await scene.broker.access.create_token(bob, CredentialKind.APPROVER)
    assert credential.person_id == "bob"
    for kind, agent in ((CredentialKind.ADMIN, None), (CredentialKind.AGENT, "coder")):
        with pytest.raises(NotEligible):
            await scene.broker.access.create_token(bob, kind, agent_id=agent)


@pytest.mark.spec("REQ-63")
async def test_an_operator_for_one_agent_sees_and_decides_only_its_requests() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(approver=Approver.OPERATOR)))
    owner = await scene.actor()
    await scene.broker.people.add(owner, "olga", operator=True, agents=("coder",))
    mine = await (await scene.gate("coder")).submit(draft())
    other = await (await scene.gate("writer")).submit(draft())
    olga = await scene.actor(person_id="olga")
    assert [r.request_id for r in await scene.broker.inbox(olga)] == [mine.call_id]
    with pytest.raises(NotEligible):
        await scene.broker.review(olga, other.call_id, Vote.REJECT)
    assert (await approve(scene, "olga", mine)).status is Status.APPROVED


@pytest.mark.spec("REQ-11")
async def test_who_may_decide_hears_of_it_and_others_do_not() -> None:
    scene = await a_team()
    standing = await asked(scene)
    owner = await scene.actor()
    await scene.broker.people.add(owner, "eve")
    heard = {}
    for name in ("owner", "anna", "eve"):
        _, notices = await scene.broker.notices(await scene.actor(person_id=name), 0)
        heard[name] = standing.call_id in {n.request_id for n in notices}
    assert heard == {"owner": True, "anna": True, "eve": False}
