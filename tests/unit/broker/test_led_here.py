"""The dialogue that a call came from: what is kept of it with the request, and what it never touches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.led_here import kept_of
from sayso.channels.card import card_of
from sayso.channels.display import restore
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.asking import ContextWanted
from sayso.core.dialogue import MAX_WORDS, SLACK, Role, Said, read_dialogue
from sayso.errors import CallInvalid
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.requests.approval import Status, Vote
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call
from tests.fakes.world import draft, make_scene, rule

TOKEN = "ghp_" + "a1B2" * 9
TOLD: dict[str, Any] = {
    "user_request": f"mail alice, my token is {TOKEN}",
    "summary": "password: hunter2hunter2",
    "messages": [
        {"role": "user", "content": "long ago"},
        {"role": "assistant", "content": "one"},
        {"role": "tool", "content": f'{{"api_key": "{TOKEN}"}}'},
        {"role": "assistant", "content": "three"},
    ],
}


@pytest.mark.spec("REQ-2", "CH-1")
async def test_a_request_keeps_what_its_policy_has_shown_without_secrets_and_nothing_else() -> None:
    scene = make_scene(rule("ask"))
    standing = await (await scene.gate()).submit(draft(context=TOLD))
    kept = (await scene.request(standing.call_id)).context
    assert kept is not None
    assert kept.user_request is not None
    assert kept.user_request.content.startswith("mail alice, my token is [secret, 40 characters, ")
    assert kept.summary is None
    assert [message.role for message in kept.messages] == [
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    stored = repr(
        (await scene.store.request(standing.call_id), await scene.store.call(standing.call_id))
    )
    audited = repr(await scene.audit())
    told = repr(await scene.store.notices(0, 100))
    for never in (TOKEN, "long ago", "hunter2"):
        assert never not in stored
    for words in ("mail alice", "three"):
        assert words in stored
        assert words not in audited + told


@pytest.mark.spec("REQ-2")
async def test_what_the_call_names_as_its_secret_is_hidden_in_the_dialogue_too() -> None:
    scene = make_scene(rule("ask"))
    told = {"user_request": "log in as ana with hunter2hunter2"}
    call = draft(arguments={"password": "hunter2hunter2"}, context=told)
    kept = (await scene.request((await (await scene.gate()).submit(call)).call_id)).context
    assert kept is not None
    assert kept.user_request == Said("log in as ana with [secret, 14 characters]", Role.USER)


@pytest.mark.spec("REQ-2")
async def test_the_rules_own_policy_decides_what_is_kept() -> None:
    wanted = ContextWanted(user_request=False, summary=True)
    scene = make_scene(rule("ask", approval=ApprovalPolicy(context=wanted)))
    gate = await scene.gate()
    standing = await gate.submit(draft(context=TOLD))
    kept = (await scene.request(standing.call_id)).context
    assert kept is not None
    assert kept.texts == (Said("password: [secret, 14 characters]"),)
    other = await gate.submit(draft(arguments={"n": 2}, context={"user_request": "not wanted"}))
    assert (await scene.request(other.call_id)).context is None


@pytest.mark.spec("REQ-2", "REQ-30")
async def test_the_dialogue_is_no_part_of_the_call_its_digest_or_its_code() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    bare, told = await gate.submit(draft()), await gate.submit(draft(context=TOLD))
    assert told.call_id != bare.call_id
    assert (told.digest, told.code) == (bare.digest, bare.code)
    request = await scene.request(told.call_id)
    assert replace(request.call, call_id="") == replace(
        (await scene.request(bare.call_id)).call, call_id=""
    )
    assert request.action == (await scene.request(bare.call_id)).action
    assert card_of(request, now=request.created_at).what == card_of(
        await scene.request(bare.call_id), now=request.created_at
    ).what  # fmt: skip


@pytest.mark.spec("REQ-2", "REQ-31")
@pytest.mark.parametrize("external_id", ["toolu_1", None])
async def test_a_retry_with_another_dialogue_joins_the_same_request(
    external_id: str | None,
) -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft(context=TOLD, external_id=external_id))
    await gate.leave(first.call_id)
    again = await gate.submit(draft(context={"user_request": "be evil"}, external_id=external_id))
    assert (again.call_id, again.digest) == (first.call_id, first.digest)
    kept = (await scene.request(first.call_id)).context
    assert kept is not None
    assert kept.user_request is not None
    assert kept.user_request.content.startswith("mail alice")


async def test_a_request_that_asks_again_keeps_the_dialogue() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    first = await gate.submit(draft(context=TOLD))
    before = (await scene.request(first.call_id)).context
    await scene.broker.review(await scene.actor(), first.call_id, Vote.APPROVE, digest=first.digest)
    scene.rules.say(rule("ask", approval=ApprovalPolicy(quorum=2)))
    again = await gate.claim(first.call_id, first.digest)
    assert (await scene.request(first.call_id)).status is Status.SUPERSEDED
    assert (await scene.request(again.call_id)).context == before is not None


async def test_what_is_no_dialogue_makes_no_request() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    for ask in (gate.submit, gate.decide):
        with pytest.raises(CallInvalid, match="no dialogue"):
            await ask(draft(context={"prompt": "x"}))
    with pytest.raises(CallInvalid, match="no dialogue"):
        await gate.submit_batch("t1", [draft(), draft(context={"prompt": "x"})])
    assert await scene.store.pending() == []


@pytest.mark.spec("REQ-2")
@pytest.mark.parametrize("before", [MAX_WORDS - 20, MAX_WORDS, MAX_WORDS + SLACK - 10])
def test_a_secret_that_stands_where_a_text_is_cut_is_not_kept_in_part(before: int) -> None:
    text = "TOKEN=abcdefgh " * 200
    text += "x" * (before - len(text) - 1) + " " + TOKEN + " " + "y" * 100_000
    kept = kept_of(a_call(), read_dialogue({"user_request": text}), ContextWanted())
    assert kept is not None
    assert kept.user_request is not None
    content = kept.user_request.content
    assert "ghp_" not in content
    assert "abcdefgh" not in content
    assert len(content) <= MAX_WORDS
    assert kept.user_request.cut


@pytest.mark.spec("REQ-2", "REQ-50", "REQ-55")
async def test_a_request_has_one_key_with_its_label_for_each_part_that_asks_and_the_card_shows_them() -> (
    None
):
    scene = make_scene()
    facts = FakeFacts()
    scene.rules._compiled = compile_ruleset((), (), SHIPPED, facts=facts)
    object.__setattr__(scene.world, "facts", facts)
    gate = scene.broker.gate((await scene.session(workspace="/w")).session_id)
    standing = await gate.submit(draft("move_file", arguments={"source": "a", "destination": "b"}))
    request = await scene.request(standing.call_id)
    assert [(key.text, key.label) for key in request.keys] == [
        ("delete:/w", "delete any file in /w"),
        ("write:/w", "edit any file in /w"),
    ]
    covers = card_of(request, now=request.created_at).offer.covers
    assert [restore(label) for label in covers] == [key.label for key in request.keys]
