"""The limits that settings set: how much of a session waits, and how long an approval waits to be claimed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sayso.broker.asking import ask_approval
from sayso.broker.broker import Broker
from sayso.broker.ports import Claim
from sayso.broker.sweep import sweep
from sayso.requests.approval import LAPSE_SECONDS, Status, Vote
from tests.fakes.world import Scene, draft, make_scene, rule


def scene_with(**limits: float) -> Scene:
    scene = make_scene(rule("ask", "deploy"), rule("allow", "look"))
    return replace(scene, broker=Broker(replace(scene.world, **limits)))


@pytest.mark.spec("GATE-9")
async def test_what_would_wait_beyond_the_limit_is_refused_and_what_needs_nobody_is_not() -> None:
    scene = scene_with(pending_limit=3)
    gate, other = await scene.gate(), await scene.gate()
    made = await asyncio.gather(
        *(gate.submit(draft("deploy", external_id=f"e{n}")) for n in range(8))
    )
    waits = [one for one in made if one.effect == "ask"]
    refused = [one for one in made if one.effect == "deny"]
    assert (len(waits), len(refused)) == (3, 5)
    assert {one.reason for one in refused} == {"flood"}
    assert "too many calls of this session wait" in refused[0].message
    assert (await gate.submit(draft("look"))).effect == "allow"
    assert (await other.submit(draft("deploy"))).effect == "ask", "another session is not held up"
    assert await ask_approval(gate, "Publish") == {
        "approved": False,
        "comment": None,
        "error": refused[0].message,
    }

    owner = await scene.actor()
    await scene.broker.review(owner, waits[0].call_id, Vote.REJECT)
    again = await gate.submit(draft("deploy", arguments={"n": 1}))
    assert (again.effect, again.status) == ("ask", "pending")


@pytest.mark.spec("GATE-9")
async def test_a_refusal_is_recorded_and_its_external_id_stands_for_it() -> None:
    scene = scene_with(pending_limit=1)
    gate = await scene.gate()
    await gate.submit(draft("deploy", external_id="first"))
    second = await gate.submit(draft("deploy", external_id="second", arguments={"n": 2}))
    assert (second.effect, second.reason) == ("deny", "flood")
    assert (await scene.audit())[-1]["reason"] == "flood"
    twice = await gate.submit(draft("deploy", external_id="second", arguments={"n": 2}))
    assert twice.call_id == second.call_id


@pytest.mark.spec("GATE-3")
@pytest.mark.parametrize("seconds", [60.0, LAPSE_SECONDS, 7200.0])
async def test_an_approval_waits_for_its_claim_as_long_as_the_settings_say(seconds: float) -> None:
    scene = scene_with(lapse_after=seconds)
    gate, owner = await scene.gate(), await scene.actor()
    ends = {}
    for wait in (seconds - 1, seconds):
        asked = await gate.submit(draft("deploy", arguments={"wait": wait}))
        await scene.broker.review(owner, asked.call_id, Vote.APPROVE, digest=asked.digest)
        scene.clock.jump(wait)
        claim = await gate.claim(asked.call_id, asked.digest)
        ends[wait] = isinstance(claim, Claim)
    assert ends == {seconds - 1: True, seconds: False}
    await sweep(scene.world)
    assert (await scene.request(asked.call_id)).status is Status.LAPSED
