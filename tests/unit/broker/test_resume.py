"""After a restart: what was open is gated again, and runs once through the router of a live turn (REQ-32)."""

from __future__ import annotations

import asyncio

import pytest

from sayso.broker.ports import GatePort
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.asking import Unreachable
from sayso.core.session import CallDraft, Session
from sayso.errors import NotEligible
from sayso.people.token import CredentialKind
from sayso.requests.approval import Caller, Status, Vote
from tests.fakes.host import Host, Paper, approved
from tests.fakes.world import Scene, make_scene, rule

pytestmark = pytest.mark.spec("REQ-32")

RULES = (
    rule("ask", "send"), rule("ask", "delegate"), rule("ask", "delegate_async"),
    rule("ask", "write"), rule("allow", "read"),
)  # fmt: skip
TURN = (
    CallDraft("read", {"n": 0}, external_id="e0"),
    CallDraft("send", {"n": 1}, external_id="e1"),
    CallDraft("send", {"n": 2}, server="mail", external_id="e2"),
    CallDraft("delegate", {"agent": "writer"}, external_id="e3"),
    CallDraft("delegate_async", {"agent": "scout"}, external_id="e4"),
)


class Place:
    """An agent's program that can die and come back, on one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.paper = Paper()
        self.session: Session | None = None
        self.hosts: list[asyncio.Task[object]] = []

    async def start(self) -> Host:
        actor = await self.scene.agent()
        broker = self.scene.another_broker()
        if self.session is None:
            self.session = await broker.open_session(actor)
        else:
            await broker.take_up_session(actor, self.session.session_id)
        root = self.session.session_id

        async def below(name: str) -> GatePort:
            session = await broker.open_session(actor, parent=root, name=name)
            return broker.gate(session.session_id)

        return Host(broker.gate(root), self.paper, below)

    async def decide(self, vote: Vote = Vote.APPROVE, tool: str | None = None) -> None:
        person = await self.scene.actor()
        for request in await self.scene.store.pending():
            if request.waits and tool in (None, request.call.tool):
                await self.scene.broker.review(
                    person, request.request_id, vote, digest=request.digest
                )


async def died_while_it_waited(place: Place) -> None:
    host = await place.start()
    turn = asyncio.create_task(host.turn("t1", *TURN))
    await asyncio.sleep(1)
    turn.cancel()
    await asyncio.wait([turn])
    place.paper.routed.clear()


async def test_what_waited_goes_on_through_the_same_router() -> None:
    place = Place(make_scene(*RULES))
    await died_while_it_waited(place)
    await place.decide(Vote.REJECT, "send")
    host = await place.start()
    back = asyncio.create_task(host.returned())
    await asyncio.sleep(1)
    await place.decide()  # both delegations
    await asyncio.sleep(2)
    await place.decide()  # what the sub-agents then ask for themselves
    await back
    await asyncio.sleep(1)
    await place.decide()
    await host.done()
    assert sorted(place.paper.routed) == [("e3", False), ("e4", False)]
    tools = [tool for tool, _ in place.paper.ran]
    assert sorted(tools) == ["delegate", "delegate_async", "read", "write", "write"]
    assert len(place.paper.continued) == 1


async def test_what_was_approved_meanwhile_is_pre_approved_once() -> None:
    place = Place(make_scene(*RULES))
    await died_while_it_waited(place)
    await place.decide()
    host = await place.start()
    assert sorted(approved(list(await host.gate.unfinished()))) == ["e1", "e2", "e3", "e4"]
    back = asyncio.create_task(host.returned())
    for _ in range(4):
        await asyncio.sleep(1)
        await place.decide()
    await back
    await host.done()
    assert sorted(place.paper.routed) == [("e1", True), ("e2", True), ("e3", True), ("e4", True)]
    tools = [tool for tool, _ in place.paper.ran]
    assert sorted(tools) == [
        "delegate", "delegate_async", "read", "send", "send", "write", "write",
    ]  # fmt: skip
    assert len(place.paper.continued) == 1
    # nothing is left, and nothing runs again for a client that returns once more
    again = await place.start()
    assert list(await again.gate.unfinished()) == []
    await again.returned()
    assert len(place.paper.ran) == 7
    assert len(place.paper.continued) == 1


async def test_what_a_rule_denies_by_now_is_refused_and_not_offered() -> None:
    place = Place(make_scene(*RULES))
    await died_while_it_waited(place)
    place.scene.rules.say(*RULES[1:], rule("deny", "send"), rule("deny", "mcp__mail__send"))
    host = await place.start()
    open_calls = await host.gate.unfinished()
    assert {one.draft.tool for one in open_calls} == {"delegate", "delegate_async"}
    refused = [r for r in await place.scene.store.recent(10) if r.call.tool == "send"]
    assert [r.status for r in refused] == [Status.REFUSED] * len(refused)
    assert len(refused) == 2


@pytest.mark.spec("REQ-33")
async def test_a_twin_of_a_rejected_call_of_the_turn_waits_on() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": 1}), CallDraft("send", {"n": 1})])
    first, twin = made.standings
    await scene.broker.review(await scene.actor(), first.call_id, Vote.REJECT, comment="not now")
    (found,) = await gate.unfinished()
    assert (found.standing.call_id, found.standing.status) == (twin.call_id, "pending")
    assert (await scene.request(twin.call_id)).status is Status.PENDING


async def test_what_waits_waits_on_where_nobody_can_be_reached_just_now() -> None:
    scene = make_scene(rule("ask", approval=ApprovalPolicy(unreachable=Unreachable.REFUSE)))
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("send", {"n": 1}))
    scene.notifier.unreachable = {"owner"}
    (found,) = await gate.unfinished()
    assert (found.standing.call_id, found.standing.status) == (standing.call_id, "pending")


async def test_a_sub_agent_is_shown_with_its_chain_in_the_session_at_the_top() -> None:
    place = Place(make_scene(*RULES))
    host = await place.start()
    turn = asyncio.create_task(host.turn("t1", TURN[3]))
    await asyncio.sleep(1)
    await place.decide()
    await asyncio.sleep(2)
    (request,) = [r for r in await place.scene.store.pending() if r.call.tool == "write"]
    assert place.session is not None
    assert request.call.root_session_id == place.session.session_id != request.call.session_id
    assert request.call.agent_chain == ("coder", "writer")
    await place.decide()
    await turn


async def test_the_one_that_comes_back_takes_the_place_of_the_one_that_left() -> None:
    scene = make_scene(*RULES)
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("send", {"n": 1}))
    (found,) = await gate.unfinished()
    assert (await scene.request(standing.call_id)).caller is Caller.GONE
    assert (await gate.submit(found.draft)).call_id == standing.call_id


async def test_a_session_is_taken_up_by_its_own_agent_alone() -> None:
    scene = make_scene(*RULES)
    session = await scene.session()
    for actor in (await scene.agent("other"), await scene.actor(CredentialKind.ADMIN)):
        with pytest.raises(NotEligible):
            await scene.broker.take_up_session(actor, session.session_id)
    with pytest.raises(NotEligible):
        await scene.broker.take_up_session(await scene.agent(), "nothing")
    back = await scene.agent()
    await scene.broker.take_up_session(back, session.session_id)
    assert await scene.broker.gate_for(back, session.session_id)
    with pytest.raises(NotEligible):
        await scene.broker.open_session(await scene.agent(), parent=session.session_id)
