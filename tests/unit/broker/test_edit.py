"""An approver may change the arguments where the policy allows it; what runs is what was approved (REQ-14)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.ports import Claim, Standing
from sayso.broker.run import run
from sayso.channels.card import card_of
from sayso.channels.display import restore, shown_from_json
from sayso.channels.editing import arguments_of, new_value
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.call import canonical, digest_of
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.errors import (
    CallAlreadyRan,
    CallInvalid,
    DigestMismatch,
    EditRefused,
    NotEligible,
    RequestClosed,
)
from sayso.people.person import Person
from sayso.policy.rule import Rule
from sayso.requests.approval import ApprovalRequest, Status, Vote
from tests.fakes.world import Scene, make_scene, rule

pytestmark = pytest.mark.spec("REQ-14")

ANNA, BOB = Person("anna", "Anna", admin=True), Person("bob", "Bob", operator=True)
EDITABLE = ApprovalPolicy(allow_edit=True)
DRAFT = CallDraft("send_mail", {"to": "alice@example.com"})
BOBS = {"to": "bob@example.com"}


def ask(**more: Any) -> Rule:
    return rule("ask", "send_mail", approval=ApprovalPolicy(allow_edit=True, **more))


async def edit(
    scene: Scene,
    standing: Standing,
    arguments: Mapping[str, Any],
    person_id: str = "owner",
    digest: str | None = None,
) -> ApprovalRequest:
    person = await scene.actor(person_id=person_id)
    return await scene.broker.review(
        person,
        standing.call_id,
        Vote.APPROVE,
        digest=digest or standing.digest,
        arguments=arguments,
    )


async def test_the_edited_call_runs_and_the_agent_is_told() -> None:
    scene = make_scene(ask())
    gate = await scene.gate()
    told: list[Standing] = []

    async def on_edited(standing: Standing) -> None:
        told.append(standing)
        raise RuntimeError("the host cannot be told")

    running = asyncio.create_task(run(gate, DRAFT, scene.execute, on_edited=on_edited))
    await asyncio.sleep(1)
    (request,) = await scene.store.pending()
    standing = await gate.wait(request.request_id, 0)
    edited = await edit(scene, standing, BOBS)
    assert edited.status is Status.APPROVED
    assert edited.digest == digest_of(edited.call) != standing.digest
    assert edited.asked_digest == standing.digest
    assert await running == "sent"
    assert scene.runs == [BOBS]
    assert told[0].arguments == BOBS
    assert told[0].edited_by == "owner"
    assert told[0].message == (
        "approved by owner; the arguments were changed by owner, "
        'and what runs is {"to": "bob@example.com"}'
    )
    stored = await scene.request(request.request_id)
    assert stored.edited is not None
    assert stored.edited.original.arguments == DRAFT.arguments


async def test_the_audit_shows_both_versions() -> None:
    scene = make_scene(ask())
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    edited = await edit(scene, standing, BOBS)
    (record,) = [r for r in await scene.audit() if r["kind"] == "edit"]
    assert record["arguments"] == {"asked": DRAFT.arguments, "edited": BOBS}
    assert record["digest"] == edited.digest
    assert standing.digest in record["comment"]
    assert record["by"] == "owner"


async def test_without_allow_edit_nothing_can_be_changed() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    with pytest.raises(EditRefused, match="may not be edited"):
        await edit(scene, standing, BOBS)
    assert (await scene.request(standing.call_id)).status is Status.PENDING


async def test_a_rejection_changes_no_arguments() -> None:
    scene = make_scene(ask())
    standing = await (await scene.gate()).submit(DRAFT)
    with pytest.raises(CallInvalid, match="a rejection cannot"):
        await scene.broker.review(
            await scene.actor(), standing.call_id, Vote.REJECT, arguments=BOBS
        )


async def test_the_same_arguments_are_no_edit() -> None:
    scene = make_scene(ask())
    standing = await (await scene.gate()).submit(DRAFT)
    approved = await edit(scene, standing, dict(DRAFT.arguments))
    assert approved.edited is None
    assert approved.digest == standing.digest


@pytest.mark.parametrize("changed", [{"n": True, "dry": False}, {"n": 1, "dry": False}])
async def test_what_the_program_holds_to_be_equal_is_an_edit_all_the_same(
    changed: dict[str, Any],
) -> None:
    """In Python 1 is True and 0 is False; to the tool that runs they are not."""
    scene = make_scene(ask())
    standing = await (await scene.gate()).submit(CallDraft("send_mail", {"n": 1, "dry": 0}))
    approved = await edit(scene, standing, changed)
    assert approved.edited is not None
    assert canonical(approved.call.arguments) == canonical(changed)
    assert approved.digest == digest_of(approved.call) != standing.digest


async def test_a_number_written_otherwise_is_no_edit() -> None:
    scene = make_scene(ask())
    standing = await (await scene.gate()).submit(CallDraft("send_mail", {"n": 1}))
    approved = await edit(scene, standing, {"n": 1.0})
    assert (approved.edited, approved.digest) == (None, standing.digest)


async def test_an_edit_voids_the_votes_so_far() -> None:
    scene = make_scene(ask(quorum=2), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    owner = await scene.actor()
    await scene.broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
    edited = await edit(scene, standing, BOBS, "anna")
    assert edited.status is Status.PENDING
    card = card_of(edited, now=scene.clock.now())
    assert (card.who.have, card.who.need) == (1, 2)
    with pytest.raises(DigestMismatch):  # the owner approved another call
        await scene.broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
    anna = await scene.actor(person_id="anna")
    with pytest.raises(RequestClosed, match="nobody counts twice"):
        await scene.broker.review(anna, standing.call_id, Vote.APPROVE, digest=edited.digest)
    approved = await scene.broker.review(
        owner, standing.call_id, Vote.APPROVE, digest=edited.digest
    )
    assert approved.status is Status.APPROVED
    claim = await gate.claim(standing.call_id, approved.digest)
    assert isinstance(claim, Claim)
    assert claim.arguments == BOBS
    with pytest.raises(DigestMismatch):
        await gate.claim(standing.call_id, standing.digest)


async def test_votes_stay_void_when_the_call_is_edited_back() -> None:
    scene = make_scene(ask(quorum=2), people=[ANNA, BOB])
    standing = await (await scene.gate()).submit(DRAFT)
    owner = await scene.actor()
    await scene.broker.review(owner, standing.call_id, Vote.APPROVE, digest=standing.digest)
    there = await edit(scene, standing, BOBS, "anna")
    back = await edit(scene, standing, dict(DRAFT.arguments), "bob", there.digest)
    assert (back.digest, back.status) == (standing.digest, Status.PENDING)
    approved = await scene.broker.review(
        owner, standing.call_id, Vote.APPROVE, digest=standing.digest
    )
    assert approved.status is Status.APPROVED


async def test_an_edit_of_an_edit_keeps_what_the_agent_asked() -> None:
    scene = make_scene(ask(quorum=2), people=[ANNA])
    standing = await (await scene.gate()).submit(DRAFT)
    first = await edit(scene, standing, BOBS)
    second = await edit(scene, standing, {"to": "eve@example.com"}, "anna", first.digest)
    assert second.edited is not None
    assert (second.edited.original_digest, second.edited.by) == (standing.digest, "Anna")
    assert second.status is Status.PENDING


async def test_a_deny_refuses_the_edit_with_its_reason() -> None:
    scene = make_scene(ask())
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    scene.rules.say(ask(), rule("deny", "send_mail", justification="not on Fridays."))
    with pytest.raises(EditRefused, match="not on Fridays"):
        await edit(scene, standing, BOBS)
    assert (await scene.request(standing.call_id)).edited is None


async def test_what_the_edited_call_asks_for_is_asked_as_well() -> None:
    scene = make_scene(ask(), people=[ANNA])
    standing = await (await scene.gate()).submit(DRAFT)
    scene.rules.say(ask(approver=Approver.ADMIN))
    with pytest.raises(NotEligible, match="edited call"):
        await edit(scene, standing, BOBS)  # the session's own user
    scene.rules.say(ask(quorum=2))
    edited = await edit(scene, standing, BOBS, "anna")
    assert (edited.status, edited.policy.quorum) == (Status.PENDING, 2)


async def test_an_edited_call_that_rules_allow_keeps_what_was_asked_for() -> None:
    scene = make_scene(ask(quorum=2), people=[ANNA])
    standing = await (await scene.gate()).submit(DRAFT)
    scene.rules.say(rule("allow"))
    edited = await edit(scene, standing, BOBS, "anna")
    assert (edited.status, edited.policy.quorum) == (Status.PENDING, 2)
    assert edited.why.sentence == (await scene.request(standing.call_id)).why.sentence


async def test_a_retry_of_the_original_gets_what_ran() -> None:
    scene = make_scene(ask())
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    await gate.leave(standing.call_id)
    edited = await edit(scene, standing, BOBS)
    again = await gate.submit(DRAFT)
    assert again.call_id == standing.call_id
    assert again.digest == edited.digest
    await gate.leave(standing.call_id)
    assert await run(gate, DRAFT, scene.execute) == "sent"
    assert scene.runs == [BOBS]


async def test_a_retry_by_its_external_id_gets_what_ran() -> None:
    scene = make_scene(ask())
    gate = await scene.gate()
    call = CallDraft("send_mail", DRAFT.arguments, external_id="e1")
    standing = await gate.submit(call)
    await edit(scene, standing, BOBS)
    assert await run(gate, call, scene.execute) == "sent"
    with pytest.raises(CallAlreadyRan, match=r"bob@example\.com"):
        await run(gate, call, scene.execute)
    assert scene.runs == [BOBS]


@pytest.mark.parametrize("server", [None, "mail"])
async def test_the_schema_of_the_tool_has_to_fit(server: str | None) -> None:
    scene = make_scene(rule("ask", approval=EDITABLE))
    gate = await scene.gate()
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    await gate.see_tools([ObservedTool(server, "send_mail", "Sends.", schema)])
    standing = await gate.submit(CallDraft("send_mail", DRAFT.arguments, server=server))
    with pytest.raises(CallInvalid, match="not of type"):
        await edit(scene, standing, {"to": 5})
    assert (await edit(scene, standing, BOBS)).status is Status.APPROVED


async def test_without_a_schema_the_names_have_to_stay() -> None:
    scene = make_scene(ask())
    standing = await (await scene.gate()).submit(DRAFT)
    with pytest.raises(CallInvalid, match="schema is not known"):
        await edit(scene, standing, {**BOBS, "bcc": "eve@example.com"})


async def test_the_card_shows_what_runs_and_what_was_asked() -> None:
    scene = make_scene(ask(quorum=2), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("send_mail", DRAFT.arguments, diff="-a\n+b"))
    waiting = card_of(await scene.request(standing.call_id), now=scene.clock.now())
    assert waiting.who.may_edit
    assert not card_of(
        await scene.request(standing.call_id), now=scene.clock.now(), refusal="not yours"
    ).who.may_edit
    edited = await edit(scene, standing, BOBS)
    card = card_of(edited, now=scene.clock.now())
    assert arguments_of(card) == BOBS
    assert card.what.diff is None  # it was the change of the call as it was asked
    assert card.edited is not None
    assert restore(card.edited.arguments[0].value) == "alice@example.com"
    (told,) = card.to_json()["edited"]["arguments"]
    assert restore(shown_from_json(told["value"])) == "alice@example.com"


def test_a_value_is_read_as_what_it_was() -> None:
    assert new_value("text", "5") == "5"
    assert new_value(5, "6") == 6
    assert new_value([1], '["a"]') == ["a"]
    with pytest.raises(CallInvalid, match="is not JSON"):
        new_value(5, "six")


async def test_an_edited_call_that_is_asked_again_is_the_agent_s_own() -> None:
    scene = make_scene(ask(), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    edited = await edit(scene, standing, BOBS)
    scene.rules.say(ask(quorum=2))
    again = await gate.claim(standing.call_id, edited.digest)
    assert isinstance(again, Standing)
    request = await scene.request(again.call_id)
    assert (request.edited, request.digest) == (None, standing.digest)
    for person_id in ("owner", "anna"):
        person = await scene.actor(person_id=person_id)
        await scene.broker.review(person, again.call_id, Vote.APPROVE, digest=request.digest)
    taken = await gate.claim(again.call_id, request.digest)
    assert isinstance(taken, Claim)
    assert (
        taken.arguments is None
    )  # the runner runs what it asked for, and that was approved this time


async def test_an_original_that_a_rule_denies_by_now_is_not_asked_again() -> None:
    scene = make_scene(ask(), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(DRAFT)
    edited = await edit(scene, standing, BOBS, "anna")
    scene.store.folk.pop("anna")  # so her approval no longer counts
    deny = replace(
        rule("deny", "send_mail", justification="not to her."),
        when="input.to == 'alice@example.com'",
    )
    scene.rules.say(ask(), deny)
    told = await gate.claim(standing.call_id, edited.digest)
    assert isinstance(told, Standing)
    assert (told.status, told.effect, told.reason) == ("refused", "deny", "deny-on-resolve")
    assert "not to her" in told.message
    assert (await scene.request(standing.call_id)).status is Status.REFUSED
    assert list(await scene.store.pending()) == []
