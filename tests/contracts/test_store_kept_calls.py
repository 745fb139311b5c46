"""Every store: the full arguments of calls are deleted once a call is over, and the redacted form stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.ports.kept_calls import Which
from sayso.core.call import digest_of
from sayso.core.reason import Reason
from sayso.core.withheld import Withheld
from sayso.errors import ArgumentsWithheld, LostRace
from sayso.requests.approval import ApprovalRequest, Status, Why
from sayso.requests.lifecycle import FINAL, Approved, Cancelled, Edit, Reviewed
from sayso.requests.precondition import Changed, ChangeKind, Precondition, PreconditionKind
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    claim,
    finish,
    live,
    new,
    reject,
    step,
)
from tests.fakes.values import (
    a_call,
    a_glass,
    a_request,
    a_review,
    a_second_review,
    at,
    in_every_state,
    said,
)

SECRET = "hunter2-and-more"
EVERYTHING = Which(before=at(10**6))


def secret_request(**changes: Any) -> ApprovalRequest:
    """A request in every part of which the secret stands."""
    call = a_call(
        arguments={"to": "alice@example.com", "password": SECRET},
        detail=f"I log in with {SECRET}",
        diff=f"+ {SECRET}",
        **changes,
    )
    return replace(
        a_request(call),
        why=Why(
            Reason.RULE_ASK,
            f"it asks for {SECRET}",
            targets=({"kind": "name", "text": SECRET, "effect": "ask", "decides": True},),
            explain=f"the target {SECRET}",
            message=f"may it use {SECRET}?",
        ),
        action=f"Log in with {SECRET}?",
        preconditions=(Precondition(PreconditionKind.CONTENT, f"/home/{SECRET}", "1a2b"),),
        changed=(Changed(ChangeKind.CONTENT, f"/home/{SECRET}", "before", SECRET),),
    )


async def rejected(store: Any, request: ApprovalRequest | None = None) -> ApprovalRequest:
    """A rejected request in the store."""
    request = secret_request() if request is None else request
    if await store.credential(OWNERS.secret_hash) is None:
        await store.put_credential(OWNERS, ())
    await store.submit(new(request))
    await store.apply(reject(request))
    return await live(store, request.request_id)


@pytest.mark.spec("AUD-1a")
async def test_what_is_deleted_stays_in_its_redacted_form(store: Any) -> None:
    before = await rejected(store)
    assert await store.kept(EVERYTHING) == 1
    assert await store.forget(EVERYTHING, 10) == 1
    after = await live(store, "c1")
    assert SECRET not in repr(after)
    assert after.withheld is Withheld.DELETED
    assert after.call.arguments["to"] == "alice@example.com"
    assert str(after.call.arguments["password"]).startswith("[secret, 16 characters")
    assert after.action == "Log in with [secret, 16 characters]?"
    assert (after.digest, after.status, after.reviews) == (
        before.digest,
        before.status,
        before.reviews,
    )
    assert after.version == before.version + 1, "whoever keeps a copy by its version reads anew"
    stored, call = await store.call("c1")
    assert (stored.digest, call) == (before.digest, after.call)
    assert await store.kept(EVERYTHING) == 0
    assert await store.forget(EVERYTHING, 10) == 0


@pytest.mark.spec("AUD-1a")
async def test_what_was_edited_is_deleted_in_both_versions(store: Any) -> None:
    request = secret_request()
    await store.put_credential(OWNERS, ())
    await store.submit(new(request))
    other = replace(request.call, arguments={"to": "bob@example.com", "password": f"{SECRET}-too"})
    edit = Edit(
        call=other,
        digest=digest_of(other),
        policy=request.policy,
        why=replace(request.why, sentence=f"it is now {SECRET}-too"),
        action=f"Log in with {SECRET}-too?",
        eligible=None,
        preconditions=request.preconditions,
        by="owner",
        person_id="owner",
        at=at(1),
    )
    review = a_review(digest=edit.digest)
    approved = Approved(said(Reason.APPROVED, by="owner"), review, edit)
    await store.apply(step(request, approved, reviewer=OWNERS))
    await store.apply(step(await live(store, "c1"), Cancelled(said(Reason.CANCELLED))))
    before = await live(store, "c1")
    assert SECRET in repr(before.edited)
    assert await store.forget(EVERYTHING, 10) == 1
    after = await live(store, "c1")
    assert SECRET not in repr(after)
    assert after.edited is not None
    assert after.call.arguments["to"] == "bob@example.com"
    assert after.edited.original.arguments["to"] == "alice@example.com"
    assert (after.digest, after.asked_digest) == (before.digest, before.asked_digest)


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("state", sorted(in_every_state()))
async def test_only_what_is_over_is_deleted(store: Any, state: str) -> None:
    request = in_every_state()[state]
    await store.submit(new(replace(request, reviews=())))
    over = request.status in FINAL
    assert await store.forget(EVERYTHING, 10) == int(over)
    assert await store.kept(EVERYTHING) == int(not over)
    assert (await live(store, "c1")).withheld is (Withheld.DELETED if over else None)


@pytest.mark.spec("AUD-1a")
async def test_a_broken_glass_keeps_its_call_until_it_is_reviewed(store: Any) -> None:
    done = in_every_state()["done"]
    waiting = replace(done, reviews=(), glass=a_glass())
    await store.submit(new(waiting))
    reviewed = replace(a_glass(), review=a_second_review())
    other = replace(waiting, call=a_call(call_id="c2"), glass=reviewed)
    await store.submit(new(other))
    assert await store.forget(EVERYTHING, 10) == 1
    assert (await live(store, "c1")).withheld is None
    assert (await live(store, "c2")).withheld is Withheld.DELETED


@pytest.mark.spec("AUD-1a")
async def test_the_oldest_are_deleted_first_and_only_so_many_at_once(store: Any) -> None:
    for number in (3, 1, 2, 4):
        made = new(call=a_call(call_id=f"c{number}", arguments={"token": SECRET}))
        await store.submit(replace(made, at=at(number)))

    async def gone() -> list[str]:
        found = [(await store.call(f"c{number}"))[1] for number in range(1, 5)]
        return [call.call_id for call in found if call.withheld]

    assert await store.forget(Which(before=at(3)), 2) == 2
    assert await gone() == ["c1", "c2"]
    assert await store.kept(Which(before=at(3))) == 1
    assert await store.forget(Which(before=at(3)), 2) == 1
    assert await gone() == ["c1", "c2", "c3"]


@pytest.mark.spec("AUD-1a")
async def test_one_call_or_one_session_can_be_deleted(store: Any) -> None:
    for call_id, session_id in (("c1", "s1"), ("c2", "s1"), ("c3", "s2"), ("c4", "s1")):
        await store.submit(new(call=a_call(call_id=call_id, session_id=session_id)))
    assert await store.forget(Which(call_id="c2"), 10) == 1
    assert (await store.call("c1"))[1].withheld is None
    assert (await store.call("c2"))[1].withheld is Withheld.DELETED
    assert await store.kept(Which(session_id="s1")) == 2
    assert await store.forget(Which(session_id="s1"), 10) == 2
    assert await store.kept(Which(session_id="s2")) == 1
    assert await store.forget(Which(call_id="nobody"), 10) == 0


@pytest.mark.spec("AUD-1a")
async def test_who_read_it_before_cannot_write_it_back(store: Any) -> None:
    done = replace(in_every_state()["done"], reviews=(), glass=a_glass())
    reviewed = replace(done, glass=replace(a_glass(), review=a_second_review()))
    await store.submit(new(reviewed))
    assert await store.forget(EVERYTHING, 10) == 1
    late = replace(reviewed, version=reviewed.version + 1)
    change = step(a_request(), Cancelled(said(Reason.CANCELLED)))
    with pytest.raises(LostRace):
        await store.apply(replace(change, request=late, expected_version=reviewed.version))


@pytest.mark.spec("AUD-1a")
async def test_the_external_id_of_a_deleted_call_is_still_its_own(store: Any) -> None:
    made = asks("c1", external_id="e1")
    assert made.request is not None
    await rejected(store, made.request)
    await store.forget(EVERYTHING, 10)
    again = await store.submit(asks("c2", external_id="e1"))
    assert again is not None
    assert (again.call_id, again.digest) == ("c1", made.digest)


@pytest.mark.spec("AUD-1a")
async def test_a_whole_life_goes_on_until_it_is_over(store: Any) -> None:
    request = secret_request()
    await store.put_credential(OWNERS, ())
    await store.submit(new(request))
    for change in (approve, claim, finish):
        assert await store.forget(EVERYTHING, 10) == 0
        await store.apply(change(await live(store, "c1")))
    assert await store.forget(EVERYTHING, 10) == 1
    found = await live(store, "c1")
    assert found.status is Status.DONE
    assert found.withheld is Withheld.DELETED


@pytest.mark.spec("AUD-1a")
def test_nothing_is_approved_of_a_call_that_is_not_whole() -> None:
    request = replace(a_request(), call=a_call(withheld=Withheld.DELETED))
    with pytest.raises(ArgumentsWithheld, match="full arguments of this call are deleted"):
        step(request, Reviewed(a_review()))
