from __future__ import annotations

import asyncio

import pytest
from argon2 import PasswordHasher

from sayso.broker.access import LOGIN_SECONDS, TRIES, Access
from sayso.errors import (
    CallInvalid,
    NotAuthenticated,
    NotEligible,
    PassphraseMissing,
    PassphraseWrong,
    RateLimited,
)
from sayso.people.token import CredentialKind, hash_token
from tests.fakes.world import Scene, draft, make_scene, rule

PASSPHRASE = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real algorithm with the least work, so that a test of it is quick."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("sayso.broker.access._HASHER", quick)


async def with_passphrase() -> Scene:
    scene = make_scene(rule("ask"))
    await scene.broker.access.choose_passphrase(PASSPHRASE, None, "terminal")
    return scene


def another(scene: Scene) -> Access:
    """The access of another process on the same store."""
    return Access(scene.store, scene.clock, scene.ids)


async def test_a_passphrase_logs_the_owner_in_and_nothing_reusable_is_kept() -> None:
    scene = await with_passphrase()
    token, actor = await scene.broker.access.login(PASSPHRASE, "web")
    assert (actor.person.person_id, actor.kind, actor.channel) == (
        "owner", CredentialKind.SESSION, "web",
    )  # fmt: skip
    again = await another(scene).authenticate(token, "web")
    assert again.credential == actor.credential
    kept = f"{scene.store.inner.__dict__}"
    assert PASSPHRASE not in kept
    assert token not in kept
    assert (await scene.store.passphrase_hash()).startswith("$argon2id$")


async def test_before_a_passphrase_is_chosen_nobody_logs_in() -> None:
    scene = make_scene()
    assert not await scene.broker.access.has_passphrase()
    for attempt in ("", "anything"):
        with pytest.raises(PassphraseMissing):
            await scene.broker.access.login(attempt, "web")


async def test_a_wrong_passphrase_fails_and_is_recorded() -> None:
    scene = await with_passphrase()
    for wrong in ("", PASSPHRASE + " ", PASSPHRASE.upper(), "\ud800"):
        with pytest.raises(PassphraseWrong):
            await scene.broker.access.login(wrong, "web")
    records = [r for r in await scene.audit() if r.get("reason") == "passphrase-wrong"]
    assert len(records) == 4
    assert {r["channel"] for r in records} == {"web"}
    assert await scene.store.credentials() == []


async def test_a_damaged_hash_lets_nobody_in() -> None:
    scene = await with_passphrase()
    await scene.store.set_passphrase_hash("$argon2id$nonsense", [])
    with pytest.raises(PassphraseWrong):
        await scene.broker.access.login(PASSPHRASE, "web")


async def test_after_some_wrong_tries_over_a_channel_none_is_tried_there_for_a_minute() -> None:
    scene = await with_passphrase()
    for number in range(TRIES):
        with pytest.raises(PassphraseWrong):
            await another(scene).login(f"wrong {number}", "web")
    with pytest.raises(RateLimited) as caught:
        await another(scene).login(PASSPHRASE, "web")
    assert caught.value.retry_after == 60
    await scene.clock.sleep(61)
    await another(scene).login(PASSPHRASE, "web")


async def test_whoever_can_only_reach_the_page_cannot_lock_the_terminal() -> None:
    scene = await with_passphrase()
    for number in range(TRIES):
        with pytest.raises(PassphraseWrong):
            await another(scene).login(f"wrong {number}", "web")
    await another(scene).choose_passphrase("another passphrase", PASSPHRASE, "terminal")


async def test_tries_at_once_are_counted_like_tries_one_after_another() -> None:
    scene = await with_passphrase()
    results = await asyncio.gather(
        *(scene.broker.access.login(f"wrong {number}", "web") for number in range(20)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, PassphraseWrong) for result in results) == TRIES
    assert sum(isinstance(result, RateLimited) for result in results) == 20 - TRIES


async def test_right_passphrases_are_not_limited() -> None:
    scene = await with_passphrase()
    for _ in range(TRIES * 2):
        await scene.broker.access.login(PASSPHRASE, "web")


async def test_a_login_ends_and_so_does_a_token_with_a_lifetime() -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    token, actor = await access.login(PASSPHRASE, "web")
    brief, _ = await access.create_token(actor, CredentialKind.APPROVER, lifetime=60)
    lasting, _ = await access.create_token(actor, CredentialKind.APPROVER)
    await scene.clock.sleep(60)
    with pytest.raises(NotAuthenticated):
        await access.authenticate(brief, "api")
    await access.authenticate(token, "web")
    await scene.clock.sleep(LOGIN_SECONDS - 60)
    with pytest.raises(NotAuthenticated):
        await access.authenticate(token, "web")
    await access.authenticate(lasting, "api")


@pytest.mark.parametrize("forged", ["", "sayso_admin_" + "00" * 32, "\ud800", "x" * 10_000])
async def test_a_token_that_nobody_made_is_nobody(forged: str) -> None:
    scene = make_scene()
    with pytest.raises(NotAuthenticated):
        await scene.broker.access.authenticate(forged, "api")


async def test_the_kind_written_in_a_token_gives_no_right() -> None:
    scene = await with_passphrase()
    _, owner = await scene.broker.access.login(PASSPHRASE, "web")
    token, _ = await scene.broker.access.create_token(owner, CredentialKind.AGENT, agent_id="coder")
    dressed = token.replace("sayso_agent_", "sayso_admin_")
    with pytest.raises(NotAuthenticated):
        await scene.broker.access.authenticate(dressed, "api")


async def test_a_token_is_shown_once_and_stored_as_its_hash() -> None:
    scene = await with_passphrase()
    _, owner = await scene.broker.access.login(PASSPHRASE, "web")
    token, credential = await scene.broker.access.create_token(
        owner, CredentialKind.AGENT, agent_id="coder", name="laptop"
    )
    assert credential.secret_hash == hash_token(token)
    assert token not in str(scene.store.inner.__dict__)
    assert (await scene.audit())[-1]["note"] == "token made: agent laptop"


@pytest.mark.spec("REQ-64")
@pytest.mark.parametrize("kind", [CredentialKind.AGENT, CredentialKind.APPROVER])
async def test_only_who_may_configure_makes_and_revokes_tokens(kind: CredentialKind) -> None:
    scene = await with_passphrase()
    agent = "coder" if kind is CredentialKind.AGENT else None
    actor = await scene.actor(kind, agent_id=agent)
    other = await scene.actor()
    access = scene.broker.access
    for wanted in CredentialKind:
        with pytest.raises(NotEligible):
            await access.create_token(actor, wanted, agent_id="coder")
    with pytest.raises(NotEligible):
        await access.revoke(actor, other.credential.credential_id)
    with pytest.raises(NotEligible):
        access.must_configure(actor)


async def test_an_agents_token_names_an_agent_and_no_other_does() -> None:
    scene = make_scene()
    owner = await scene.actor()
    access = scene.broker.access
    with pytest.raises(CallInvalid):
        await access.create_token(owner, CredentialKind.AGENT)
    with pytest.raises(CallInvalid):
        await access.create_token(owner, CredentialKind.APPROVER, agent_id="coder")
    with pytest.raises(CallInvalid):
        await access.create_token(owner, CredentialKind.SESSION)


async def test_a_revoked_credential_is_nobody_and_anybody_may_revoke_their_own() -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    token, actor = await access.login(PASSPHRASE, "web")
    agent_token, credential = await access.create_token(
        actor, CredentialKind.AGENT, agent_id="coder"
    )
    agent = await access.authenticate(agent_token, "api")
    assert await access.revoke(agent, credential.credential_id)
    with pytest.raises(NotAuthenticated):
        await access.authenticate(agent_token, "api")
    assert not await access.revoke(actor, credential.credential_id)
    await access.revoke(actor, actor.credential.credential_id)
    with pytest.raises(NotAuthenticated):
        await access.authenticate(token, "web")


async def test_another_passphrase_needs_the_old_one() -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    with pytest.raises(NotAuthenticated):
        await access.choose_passphrase("another passphrase", None, "terminal")
    with pytest.raises(PassphraseWrong):
        await access.choose_passphrase("another passphrase", "wrong one", "terminal")
    await access.choose_passphrase("another passphrase", PASSPHRASE, "terminal")
    await access.login("another passphrase", "web")
    with pytest.raises(PassphraseWrong):
        await access.login(PASSPHRASE, "web")


@pytest.mark.parametrize("bad", ["short", "long enough \ud800"])
async def test_a_passphrase_that_is_none_is_refused_and_nothing_else_happens(bad: str) -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    token, _ = await access.login(PASSPHRASE, "web")
    for attempt in (
        access.choose_passphrase(bad, PASSPHRASE, "terminal"),
        access.reset_passphrase(bad, "terminal"),
    ):
        with pytest.raises(CallInvalid):
            await attempt
    await access.authenticate(token, "web")
    await access.login(PASSPHRASE, "web")


async def test_a_reset_ends_every_login_and_token() -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    token, actor = await access.login(PASSPHRASE, "web")
    made, _ = await access.create_token(actor, CredentialKind.APPROVER)
    assert await access.reset_passphrase("a new passphrase", "terminal") == 2
    for old in (token, made):
        with pytest.raises(NotAuthenticated):
            await access.authenticate(old, "web")
    with pytest.raises(PassphraseWrong):
        await access.login(PASSPHRASE, "web")
    await access.login("a new passphrase", "web")


async def test_a_reset_that_dies_halfway_never_leaves_old_tokens_beside_a_new_passphrase() -> None:
    scene = await with_passphrase()
    access = scene.broker.access
    token, _ = await access.login(PASSPHRASE, "web")

    async def dies(*_: object) -> None:
        raise RuntimeError("power cut")

    scene.store.revoke_all = dies
    with pytest.raises(RuntimeError):
        await access.reset_passphrase("a new passphrase", "terminal")
    del scene.store.revoke_all
    with pytest.raises(PassphraseWrong):
        await access.login("a new passphrase", "web")
    await access.authenticate(token, "web")


async def test_a_session_is_opened_with_an_agents_token_and_is_that_tokens_alone() -> None:
    scene = make_scene()
    agent, other = await scene.agent(), await scene.agent("writer")
    session = await scene.broker.open_session(agent, workspace="/work", source="mcp")
    assert (session.user_id, session.agent_id, session.attended) == ("owner", "coder", True)
    await scene.broker.gate_for(agent, session.session_id)
    with pytest.raises(NotEligible):
        await scene.broker.gate_for(other, session.session_id)
    with pytest.raises(NotEligible):
        await scene.broker.gate_for(agent, "nothing")
    for person in (await scene.actor(), await scene.actor(CredentialKind.ADMIN)):
        with pytest.raises(NotEligible, match="opened with an agent's token"):
            await scene.broker.open_session(person)
    with pytest.raises(CallInvalid, match="is not a source"):
        await scene.broker.open_session(agent, source="nowhere")
    assert not (await scene.broker.open_session(agent, source="cron")).attended


async def test_an_agents_token_sees_and_decides_nothing_of_what_people_decide() -> None:
    scene = make_scene(rule("ask"))
    agent = await scene.agent()
    session = await scene.broker.open_session(agent)
    standing = await scene.broker.gate(session.session_id).submit(draft())
    broker, request_id = scene.broker, standing.call_id
    for attempt in (
        broker.inbox(agent),
        broker.recent(agent),
        broker.request(agent, request_id),
        broker.settle(agent, request_id, ok=True, summary="done"),
        broker.lift_sticky(agent, request_id),
        broker.rules(agent),
        broker.put_rule(agent, rule("allow"), new=True),
        broker.delete_rule(agent, "x"),
        broker.notices(agent, 0),
    ):
        with pytest.raises(NotEligible):
            await attempt
