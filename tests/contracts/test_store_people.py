"""Every store: people, roles, stand-ins, passphrases, and who may decide inside the conditional write."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.broker.ports import Page
from sayso.core.approval_policy import ApprovalPolicy
from sayso.errors import LostRace, NotEligible
from sayso.people import changes
from sayso.people.directory import Directory
from sayso.people.person import OWNER
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status
from sayso.requests.lifecycle import Limited, Reviewed
from sayso.store.postgres import open_postgres
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    by_other,
    claim,
    credential,
    live,
    new,
    record,
    step,
)
from tests.fakes.postgres import server
from tests.fakes.values import a_call, a_request, a_review, at

NOW = at(5)
SAID = (record(RecordKind.CONFIGURATION),)


async def change(store: Any, *steps: Any) -> Directory:
    """Change the directory, one step after the other in one write."""
    before = after = await store.directory()
    for one in steps:
        after = one(after)
    await store.change_people(before, after, NOW, SAID, ())
    found: Directory = await store.directory()
    return found


def anna(there: Directory) -> Directory:
    return changes.add_person(there, "anna", admin=True, identities=("tg:7",))


def bob(there: Directory) -> Directory:
    return changes.add_person(there, "bob", operator=True, agents=("coder",))


@pytest.mark.spec("REQ-60", "REQ-61", "REQ-66")
async def test_what_there_is_comes_back_as_it_was_put(store: Any) -> None:
    first = await store.directory()
    assert (set(first.people), first.roles, first.stand_ins) == ({OWNER}, {}, ())
    found = await change(
        store,
        anna,
        bob,
        lambda there: changes.add_role(there, "finance", "all", ("tg:7", "bob")),
        lambda there: changes.add_role(there, "empty", 2),
        lambda there: changes.add_stand_in(there, "anna", "bob", at(0), at(60), NOW),
    )
    assert found.people["anna"].identities == ("tg:7",)
    assert found.people["bob"].agents == ("coder",)
    assert found.roles["finance"].members == ("anna", "bob")
    assert {r.name: r.quorum for r in found.roles.values()} == {"finance": "all", "empty": 2}
    assert [(link.absent, link.substitute) for link in found.stand_ins] == [("anna", "bob")]
    assert found.version == first.version + 1
    assert len(await store.audit_chain(0, 10)) == 1
    gone = await change(store, lambda there: changes.remove_person(there, "bob"))
    assert (gone.roles["finance"].members, gone.stand_ins) == (("anna",), ())
    assert gone.people["bob"].removed


async def test_a_change_of_what_has_changed_meanwhile_writes_nothing(store: Any) -> None:
    before = await store.directory()
    await change(store, anna)
    with pytest.raises(LostRace, match="in the meantime"):
        await store.change_people(before, bob(before), NOW, SAID, ())
    assert "bob" not in (await store.directory()).people
    assert len(await store.audit_chain(0, 10)) == 1


async def test_of_many_changes_at_once_none_is_lost(store: Any) -> None:
    async def add(name: str) -> None:
        while True:
            before = await store.directory()
            try:
                await store.change_people(before, changes.add_person(before, name), NOW, (), ())
                return
            except LostRace:
                await asyncio.sleep(0)

    names = [f"p{n}" for n in range(20)]
    await asyncio.gather(*map(add, names))
    assert set(names) < set((await store.directory()).people)


async def test_an_identity_can_go_from_one_to_another_in_one_write(store: Any) -> None:
    await change(store, anna, bob)
    await change(
        store,
        lambda there: changes.change_person(there, "anna", identities=()),
        lambda there: changes.change_person(there, "bob", identities=("tg:7",)),
    )
    found = (await store.directory()).known_as("tg:7")
    assert found is not None
    assert found.person_id == "bob"


async def test_who_is_removed_loses_every_credential_and_the_passphrase(store: Any) -> None:
    await change(store, anna)
    for kind in CredentialKind:
        await store.put_credential(credential(kind.value, kind, person_id="anna"), ())
    await store.set_passphrase_hash("$argon2id$a", (), "anna")
    await store.put_enrolment("code", "anna", at(60), ())
    await change(store, lambda there: changes.remove_person(there, "anna"))
    assert not any(c.live(NOW) for c in await store.credentials() if c.person_id == "anna")
    assert await store.passphrase_hash("anna") is None
    assert await store.enrolment("code", NOW) is None


@pytest.mark.spec("REQ-62")
async def test_a_code_sets_one_passphrase_and_ends_the_logins_of_before(store: Any) -> None:
    await change(store, anna)
    await store.put_credential(credential("login", CredentialKind.SESSION, person_id="anna"), ())
    await store.put_credential(credential("token", CredentialKind.APPROVER, person_id="anna"), ())
    await store.put_enrolment("first", "anna", at(60), ())
    await store.put_enrolment("second", "anna", at(60), SAID)
    assert await store.enrolment("first", NOW) is None, "a new code takes the place of the old one"
    assert await store.enrolment("second", NOW) == "anna"
    assert await store.enrolment("second", at(60)) is None
    assert not await store.enrol("second", "anna", "$1", at(60), SAID)
    assert await store.enrol("second", "anna", "$1", NOW, SAID)
    assert not await store.enrol("second", "anna", "$2", NOW, SAID)
    assert await store.passphrase_hash("anna") == "$1"
    assert await store.passphrase_hash() is None
    live_ones = {c.credential_id for c in await store.credentials() if c.live(NOW)}
    assert live_ones == {"cred-token"}


@pytest.mark.spec("REQ-62")
async def test_a_code_does_not_outlive_a_passphrase_that_is_chosen_another_way(store: Any) -> None:
    """Else whoever found an old code would choose the passphrase again after it was changed."""
    await change(store, anna, bob)
    for name in ("anna", "bob"):
        await store.put_enrolment(f"code-{name}", name, at(60), ())
    await store.set_passphrase_hash("$argon2id$a", SAID, "anna")
    assert await store.enrolment("code-anna", NOW) is None
    assert not await store.enrol("code-anna", "anna", "$2", NOW, SAID)
    assert await store.passphrase_hash("anna") == "$argon2id$a"
    assert await store.enrolment("code-bob", NOW) == "bob", "nobody else's"


@pytest.mark.spec("REQ-62")
async def test_with_every_credential_every_code_is_revoked(store: Any) -> None:
    await change(store, anna)
    await store.put_enrolment("owners", OWNER, at(60), ())
    await store.put_enrolment("annas", "anna", at(60), ())
    assert await store.revoke_all(NOW, SAID) == 0
    for code, name in (("owners", OWNER), ("annas", "anna")):
        assert await store.enrolment(code, NOW) is None
        assert not await store.enrol(code, name, "$2", NOW, SAID)
        assert await store.passphrase_hash(name) is None


# ── inside the conditional write ───────────────────────────────────────────────────────────────

TWO = ApprovalPolicy(role="two", quorum=2)


async def asked_of_two(store: Any) -> Any:
    """A request for a role of anna and bob, which bob has approved."""
    await change(store, anna, bob, lambda there: changes.add_role(there, "two", 2, ("anna", "bob")))
    await store.put_credential(OWNERS, ())
    for name in ("anna", "bob"):
        await store.put_credential(credential(name, person_id=name), ())
    request = a_request(a_call(call_id="c1"), policy=TWO, eligible=("anna", "bob"))
    await store.submit(new(request))
    voted = step(request, Reviewed(a_review(digest=request.digest)), reviewer=OWNERS)
    await store.apply(by_other(voted, await store.credential("hash-bob")))
    return await live(store, "c1")


@pytest.mark.spec("REQ-12")
async def test_a_member_who_was_removed_is_refused_by_the_write_itself(store: Any) -> None:
    request = await asked_of_two(store)
    late = by_other(approve(request), await store.credential("hash-anna"))
    await change(store, lambda there: changes.remove_member(there, "two", "anna"))
    with pytest.raises(NotEligible, match="any more"):
        await store.apply(late)
    assert await live(store, "c1") == request


@pytest.mark.spec("REQ-12")
async def test_an_approval_needs_votes_that_still_count(store: Any) -> None:
    request = await asked_of_two(store)
    enough = by_other(approve(request), await store.credential("hash-anna"))
    await change(store, lambda there: changes.remove_member(there, "two", "bob"))
    with pytest.raises(LostRace, match="people, roles or stand-ins"):
        await store.apply(enough)
    assert (await live(store, "c1")).status is Status.PENDING


async def test_a_write_computed_from_other_people_is_lost(store: Any) -> None:
    await store.put_credential(OWNERS, ())
    await store.submit(asks())
    request = await live(store, "c1")
    version = (await store.directory()).version
    await store.apply(replace(approve(request), people_version=version))
    taken = replace(claim(await live(store, "c1")), people_version=version)
    await change(store, anna)
    with pytest.raises(LostRace):
        await store.apply(taken)
    await store.apply(replace(taken, people_version=version + 1))


def two_writers(kind: str, directory: Path) -> tuple[Any, Any]:
    """Two stores on one database, each with a writer and connections of its own."""
    if kind == "postgres":
        address = server().cleared_database()
        return open_postgres(address), open_postgres(address)
    path = directory / "data" / "sayso.db"
    return open_sqlite(path), open_sqlite(path)


@pytest.mark.spec("REQ-12")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_of_a_removal_and_a_vote_at_once_the_vote_counts_only_if_it_was_first(
    kind: str, tmp_path: Path
) -> None:
    """Real writers on one database: whatever comes first, no vote of a removed member is kept after it."""
    here, there = two_writers(kind, tmp_path)
    kept_votes = 0
    for turn in range(16):
        name, call_id = f"m{turn}", f"call{turn}"
        await change(
            here,
            lambda now, name=name: changes.add_person(now, name),
            lambda now, name=name: changes.add_role(now, f"role-{name}", 1, (name,)),
        )
        await here.put_credential(credential(name, person_id=name), ())
        policy = ApprovalPolicy(role=f"role-{name}")
        request = a_request(a_call(call_id=call_id), policy=policy, eligible=(name,))
        await here.submit(new(request))
        vote = by_other(approve(request), await here.credential(f"hash-{name}"))
        before = await there.directory()
        after = changes.remove_member(before, f"role-{name}", name)
        acts = [here.apply(vote), there.change_people(before, after, NOW, SAID, ())]
        voted, removed = await asyncio.gather(
            *(acts if turn % 2 else acts[::-1]), return_exceptions=True
        )
        if not turn % 2:
            voted, removed = removed, voted
        assert removed is None
        assert voted is None or isinstance(voted, NotEligible)
        kept = (await live(here, call_id)).status is Status.APPROVED
        assert kept == (voted is None)
        kept_votes += kept
        said = [json.loads(e.body)["kind"] for e in await here.audit_page(Page(limit=2))]
        if kept and kind == "sqlite":  # one chain: the vote stands before the removal
            assert said == ["configuration", "resolution"]
    assert kept_votes < 16, "the removal came first at least once"
    here.close()
    there.close()


async def test_a_time_can_be_set_while_it_waits(store: Any) -> None:
    await store.submit(asks())
    await store.apply(step(await live(store, "c1"), Limited(at(600))))
    assert (await live(store, "c1")).expires_at == at(600)
    assert [r.request_id for r in await store.take_due(at(600), at(630), 9)] == ["c1"]
