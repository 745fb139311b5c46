"""Every store: what people had remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.broker.ports import Given
from sayso.core.session import Session
from sayso.errors import LostRace, NotEligible
from sayso.people.token import CredentialKind
from sayso.requests.key import Key, KeyKind
from sayso.requests.standing_grant import Bypass, BypassScope, Extent, KeyGrant
from tests.contracts.store_values import chain, credential, record
from tests.fakes.values import START, at

TEST = Key(KeyKind.COMMAND, ("/w", "npm test", "read:/w/package.json"))
LINT = Key(KeyKind.COMMAND, ("/w", "npm run lint"))


def grant(name: str, key: Key = TEST, session_id: str | None = None, **more: Any) -> KeyGrant:
    """A grant of the owner's."""
    kept = KeyGrant(name, key, "owner", session_id, "owner", "owner", at(1), f"of {name}")
    return replace(kept, **more)


def bypass(name: str, session_id: str = "s1", **more: Any) -> Bypass:
    """A bypass of the owner's for everything."""
    scope = BypassScope(Extent.ALL)
    kept = Bypass(name, scope, "owner", session_id, "h1", "owner", "owner", at(1), at(900))
    return replace(kept, **more)


async def ready(store: Any, *sessions: str) -> Any:
    """What remembers for a person with a credential, in sessions that go on."""
    person = credential("k1", CredentialKind.SESSION)
    await store.put_credential(person, [])
    for name in sessions:
        session = Session(name, "owner", "coder", "api", "/w", True, "k", START)
        await store.open_session(session)

    async def remember(*grants: KeyGrant, bypass: Bypass | None = None) -> None:
        said = record(RecordKind.CONFIGURATION)
        await store.remember(Given(person, at(2), grants, bypass, (said,)))

    return remember


@pytest.mark.spec("REQ-51")
async def test_grants_are_kept_whole(store: Any) -> None:
    remember = await ready(store, "s1")
    always = grant("g1", comment="é\u0000", definition="d")
    session = grant("g2", session_id="s1", veto=True)
    await remember(always, session, bypass=bypass("b1"))
    grants, bypasses = await store.remembered("owner", "s1")
    assert sorted(grants, key=lambda g: g.grant_id) == [always, session]
    assert list(bypasses) == [bypass("b1")]
    assert (await store.remembered("owner", "s2")) == ([always], [])
    assert (await store.remembered("anna", "s1"))[0] == []
    assert (await chain(store)).checked == 1


@pytest.mark.spec("REQ-51")
async def test_there_is_one_row_for_each_user_and_key_and_the_newest_replaces(store: Any) -> None:
    remember = await ready(store, "s1", "s2")
    await remember(grant("g1"), grant("g2", LINT), grant("g3", session_id="s1"))
    await remember(grant("g4", veto=True, given_at=at(5)))
    await remember(grant("g5", user_id="anna"), grant("g6", session_id="s2", given_at=at(6)))
    assert [g.grant_id for g in await store.grants()] == ["g6", "g4", "g5", "g3", "g2"]
    assert [g.grant_id for g in await store.grants("anna")] == ["g5"]
    (found,) = [g for g in (await store.remembered("owner", "s9"))[0] if g.key == TEST]
    assert found == grant("g4", veto=True, given_at=at(5))


@pytest.mark.spec("REQ-51")
async def test_no_grant_takes_the_place_of_a_veto(store: Any) -> None:
    remember = await ready(store, "s1")
    vetoes = grant("v1", veto=True), grant("v2", session_id="s1", veto=True)
    await remember(*vetoes)
    for refused in (grant("g1"), grant("g2", session_id="s1")):
        with pytest.raises(LostRace, match="there is a veto on what would be granted"):
            await remember(grant("g3", LINT), refused)
    assert {g.grant_id for g in await store.grants()} == {"v1", "v2"}
    newer = replace(vetoes[0], grant_id="v3")
    await remember(newer, grant("g3", LINT), grant("g4", user_id="anna"))
    assert {g.grant_id for g in await store.grants()} == {"v2", "v3", "g3", "g4"}


async def test_of_two_that_remember_at_once_one_row_stays(store: Any) -> None:
    remember = await ready(store)
    await asyncio.gather(*(remember(grant(f"g{n}")) for n in range(20)))
    assert len(await store.grants()) == 1


@pytest.mark.spec("REQ-54")
async def test_several_bypasses_coexist(store: Any) -> None:
    remember = await ready(store, "s1", "s2")
    for n, session in enumerate(("s1", "s1", "s2")):
        await remember(bypass=bypass(f"b{n}", session, given_at=at(n), until=None))
    assert [b.bypass_id for b in (await store.remembered("owner", "s1"))[1]] == ["b1", "b0"]
    assert [b.bypass_id for b in await store.bypasses()] == ["b2", "b1", "b0"]
    assert await store.bypasses("anna") == []


@pytest.mark.spec("REQ-21")
async def test_the_stop_of_a_session_ends_what_was_for_it_alone(store: Any) -> None:
    remember = await ready(store, "s1", "s2")
    await remember(grant("g1"), grant("g2", session_id="s1"), grant("g3", session_id="s2"))
    await remember(bypass=bypass("b1"))
    await remember(bypass=bypass("b2", "s2"))
    await store.stop_session("s1", at(3))
    grants, bypasses = await store.remembered("owner", "s1")
    assert ([g.grant_id for g in grants], list(bypasses)) == (["g1"], [])
    assert [b.bypass_id for b in await store.bypasses()] == ["b2"]
    for late in ({"bypass": bypass("b3")}, {}):
        with pytest.raises(LostRace, match="stopped"):
            await remember(*([] if late else [grant("g4", session_id="s1")]), **late)
    with pytest.raises(LostRace, match="stopped"):
        await remember(grant("g5", LINT), grant("g6", session_id="nowhere"))
    assert sorted(g.grant_id for g in await store.grants()) == ["g1", "g3"]
    await remember(grant("g7", LINT))  # what is for always has nothing to do with the session
    assert len(await store.grants()) == 3


@pytest.mark.spec("REQ-64")
async def test_only_a_persons_live_credential_has_anything_remembered(store: Any) -> None:
    await ready(store, "s1")
    agent = credential("k2", CredentialKind.AGENT, agent_id="coder")
    gone = credential("k3", CredentialKind.APPROVER, revoked_at=at(1))
    over = credential("k4", CredentialKind.APPROVER, expires_at=at(2))
    for known in (agent, gone, over):
        await store.put_credential(known, [])
    pretending = replace(agent, kind=CredentialKind.SESSION)
    unknown = credential("k5", CredentialKind.SESSION)
    for giver in (agent, gone, over, pretending, unknown):
        with pytest.raises(NotEligible):
            await store.remember(Given(giver, at(2), (grant("g1"),), bypass("b1")))
    assert (await store.grants(), await store.bypasses()) == ([], [])


@pytest.mark.spec("REQ-51")
async def test_grants_and_bypasses_can_be_taken_back(store: Any) -> None:
    remember = await ready(store, "s1")
    await remember(grant("g1"), grant("g2", LINT), bypass=bypass("b1"))
    said = [record(RecordKind.CONFIGURATION)]
    assert await store.forget_grants(["g1", "unknown"], said, ()) == 1
    assert await store.forget_grants(["g1"], said, ()) == 0
    assert await store.forget_bypasses(["b1"], said, ()) == 1
    assert await store.forget_bypasses(["b1"], said, ()) == 0
    assert [g.grant_id for g in await store.grants()] == ["g2"]
    assert await store.bypasses() == []
    assert (await chain(store)).checked == 3
