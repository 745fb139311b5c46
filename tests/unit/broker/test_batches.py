"""The calls of one turn: each has a request of its own, and the turn is continued once (REQ-33)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.broker.ports import BatchMade
from sayso.broker.session_gate import SessionGate
from sayso.core.session import CallDraft
from sayso.errors import CallInvalid, ClaimLost, ExternalIdReused, NotEligible, RequestNotFound
from sayso.requests.approval import Caller, Status, Vote
from sayso.requests.batch import TURN_SECONDS
from tests.fakes.world import Scene, make_scene, rule

pytestmark = pytest.mark.spec("REQ-33")


def calls(*numbers: int, tool: str = "send") -> list[CallDraft]:
    return [CallDraft(tool, {"n": number}) for number in numbers]


async def vote(scene: Scene, call_id: str, word: Vote) -> None:
    request = await scene.request(call_id)
    actor = await scene.actor()
    await scene.broker.review(actor, call_id, word, digest=request.digest)


async def started(scene: Scene, *drafts: CallDraft) -> tuple[SessionGate, BatchMade]:
    gate = await scene.gate()
    return gate, await gate.submit_batch("turn-1", drafts or calls(1, 2))


async def finish(scene: Scene, gate: SessionGate, call_id: str) -> None:
    request = await scene.request(call_id)
    claim: Any = await gate.claim(call_id, request.digest)
    await gate.finish(call_id, claim.token, True, "sent", 0.1)


async def test_each_call_has_a_request_and_a_rejected_one_cancels_no_other() -> None:
    scene = make_scene(rule("ask", "send"), rule("allow", "read"), rule("deny", "rm"))
    drafts = [*calls(1, 1), *calls(2, tool="read"), *calls(3, tool="rm")]
    _, made = await started(scene, *drafts)
    assert [s.status for s in made.standings] == ["pending", "pending", None, None]
    assert [s.effect for s in made.standings] == ["ask", "ask", "allow", "deny"]
    first, twin = made.standings[:2]
    assert first.call_id != twin.call_id  # two identical calls of one turn are two
    await vote(scene, first.call_id, Vote.REJECT)
    assert (await scene.request(twin.call_id)).status is Status.PENDING
    assert {r.call.batch_id for r in await scene.store.pending()} == {made.batch_id}


async def test_the_turn_is_free_only_once_every_call_is_settled() -> None:
    scene = make_scene(rule("ask"))
    gate, made = await started(scene)
    first, second = (standing.call_id for standing in made.standings)
    assert await gate.take_turn(made.batch_id) is None
    await vote(scene, first, Vote.REJECT)
    await vote(scene, second, Vote.APPROVE)
    assert await gate.take_turn(made.batch_id) is None  # approved, and not run
    await finish(scene, gate, second)
    token = await gate.take_turn(made.batch_id)
    assert token is not None
    assert await gate.take_turn(made.batch_id) is None
    await gate.end_turn(made.batch_id, token)
    assert await gate.take_turn(made.batch_id) is None
    with pytest.raises(ClaimLost):
        await gate.end_turn(made.batch_id, token)


async def test_of_many_at_once_one_continues() -> None:
    scene = make_scene(rule("allow"))
    gate, made = await started(scene)
    others = [scene.another_broker().gate(gate.session_id) for _ in range(9)]
    taken = await asyncio.gather(*(other.take_turn(made.batch_id) for other in others))
    assert sum(token is not None for token in taken) == 1


async def test_whoever_dies_at_it_does_not_stop_the_turn() -> None:
    scene = make_scene(rule("allow"))
    gate, made = await started(scene)
    dead = await gate.take_turn(made.batch_id)
    assert dead is not None
    await asyncio.sleep(TURN_SECONDS - 1)
    assert await gate.take_turn(made.batch_id) is None
    await asyncio.sleep(2)
    token = await gate.take_turn(made.batch_id)
    assert token is not None
    with pytest.raises(ClaimLost):
        await gate.end_turn(made.batch_id, dead)
    await gate.end_turn(made.batch_id, token)


async def test_a_host_that_tries_again_gets_the_same_calls() -> None:
    scene = make_scene(rule("ask"))
    gate, made = await started(scene)
    again = await gate.submit_batch("turn-1", calls(1, 2))
    assert again == made
    assert len(await scene.store.pending()) == 2
    with pytest.raises(CallInvalid, match="other calls"):
        await gate.submit_batch("turn-1", calls(1, 2, 3))


async def test_a_host_that_died_in_the_middle_makes_the_rest() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    store, left = scene.store.inner, [1]
    submit = store.submit

    async def dying(new: Any) -> Any:
        if not left:
            raise asyncio.CancelledError
        left.pop()
        return await submit(new)

    store.submit = dying
    with pytest.raises(asyncio.CancelledError):
        await gate.submit_batch("turn-1", calls(1, 2))
    store.submit = submit
    made = await gate.submit_batch("turn-1", calls(1, 2))
    assert {r.request_id for r in await store.pending()} == {s.call_id for s in made.standings}
    assert len(await store.pending()) == 2


async def test_a_batch_is_its_session_s_alone() -> None:
    scene = make_scene(rule("ask"))
    gate, made = await started(scene)
    other = await scene.gate()
    with pytest.raises(NotEligible):
        await other.take_turn(made.batch_id)
    with pytest.raises(RequestNotFound):
        await gate.take_turn("nothing")
    with pytest.raises(CallInvalid, match="1 to 100"):
        await gate.submit_batch("turn-2", [])


def named(*names: str) -> list[CallDraft]:
    return [CallDraft("send", {"n": n}, external_id=name) for n, name in enumerate(names)]


@pytest.mark.parametrize(
    ("drafts", "error", "said"),
    [
        (calls(*range(101)), CallInvalid, "1 to 100"),
        (named("a", "b", "a"), CallInvalid, "two calls of the batch have the external id `a`"),
        ([*named("a"), *named("a")], CallInvalid, "two calls of the batch"),
        ([*calls(1), CallDraft("send\x00", {})], CallInvalid, "NUL"),
        ([*calls(1), CallDraft("send", {"n": 2}, external_id="old")], ExternalIdReused, "`old`"),
    ],
)
async def test_a_batch_that_cannot_be_made_whole_makes_none_of_its_calls(
    drafts: list[CallDraft], error: type[Exception], said: str
) -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    old = await gate.submit(CallDraft("send", {"n": 0}, external_id="old"))
    with pytest.raises(error, match=said):
        await gate.submit_batch("turn-1", drafts)
    assert [r.request_id for r in await scene.store.pending()] == [old.call_id]


@pytest.mark.parametrize(
    "others",
    [named("a"), named("a", "b", "c"), named("c", "d"), named("a", "c"), named("b", "a")[::-1]],
)
async def test_a_name_that_came_before_with_other_calls_makes_none(others: list[CallDraft]) -> None:
    scene = make_scene(rule("ask"))
    gate, _ = await started(scene, *named("a", "b"))
    with pytest.raises((CallInvalid, ExternalIdReused), match=r"other (calls|arguments)"):
        await gate.submit_batch("turn-1", others)
    assert len(await scene.store.pending()) == 2


async def test_a_host_that_tries_again_gets_the_call_whose_place_it_took() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    old = await gate.submit(calls(1)[0])
    await gate.unfinished()  # its caller has gone
    made = await gate.submit_batch("turn-1", calls(1, 2))
    assert made.standings[0].call_id == old.call_id
    assert await gate.submit_batch("turn-1", calls(1, 2)) == made
    assert len(await scene.store.pending()) == 2


async def test_of_two_turns_made_at_once_under_one_name_one_is_a_turn() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    turns = [
        [CallDraft("send", {"n": number}, external_id=f"{name}-{number}") for number in (1, 2)]
        for name in ("a", "b")
    ]
    made = await asyncio.gather(
        *(gate.submit_batch("turn-1", drafts) for drafts in turns), return_exceptions=True
    )
    (whole,) = [one for one in made if isinstance(one, BatchMade)]
    (refused,) = [one for one in made if isinstance(one, CallInvalid)]
    assert "came before with other calls" in str(refused)
    mine = {standing.call_id for standing in whole.standings}
    for request in await scene.store.pending():
        gone = request.request_id not in mine
        assert request.caller is (Caller.GONE if gone else Caller.WAITING)
