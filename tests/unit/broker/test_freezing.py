"""The kill switch: what it refuses, what it leaves as it is, and who may put it on and take it off (GATE-8)."""

from __future__ import annotations

import asyncio

import pytest

from sayso.broker.freezing import MAX_REASON
from sayso.broker.ports import Claim, Standing
from sayso.broker.remembering import Wish
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.run import run
from sayso.broker.sweep import sweep
from sayso.errors import CallDenied, CallInvalid, NotEligible, NotFrozen, StoreUnavailable
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.policy.facts import NOTHING_KNOWN
from sayso.requests.approval import Caller, Status, Vote
from sayso.requests.standing_grant import Remember
from tests.fakes.world import Scene, draft, make_scene, rule

BOB, ANNA = Person("bob", "Bob"), Person("anna", "Anna", admin=True)
APPROVER, SESSION = CredentialKind.APPROVER, CredentialKind.SESSION


async def freeze(
    scene: Scene, agent_id: str | None = None, reason: str | None = None, who: str = "owner"
) -> bool:
    """Somebody with an approver's token freezes."""
    actor = await scene.actor(APPROVER, who)
    return await scene.broker.freezing.freeze(actor, agent_id, reason)


async def thaw(scene: Scene, agent_id: str | None = None, who: str = "owner") -> int:
    """Somebody who is logged in thaws."""
    return await scene.broker.freezing.thaw(await scene.actor(SESSION, who), agent_id)


async def reasons(scene: Scene, *agents: str) -> list[str]:
    """What each agent is told of a call that a rule allows."""
    return [(await (await scene.gate(name)).decide(draft())).reason for name in agents]


@pytest.mark.spec("GATE-8")
async def test_every_call_of_every_agent_is_refused_at_once_with_who_and_why() -> None:
    scene = make_scene(rule("allow", "read"), rule("ask", "send_mail"), rule("deny", "wipe"))
    gate = await scene.gate()
    await freeze(scene, reason=" the deploy\nis broken ")
    for tool in ("read", "send_mail", "wipe"):
        for answer in (await gate.submit(draft(tool)), await gate.decide(draft(tool))):
            assert (answer.effect, answer.reason, answer.status) == ("deny", "frozen", None)
            assert answer.message.startswith(
                "refused: every agent was frozen by owner: the deploy is broken ("
            )
    with pytest.raises(CallDenied) as refused:
        await run(gate, draft("read"), scene.execute)
    assert refused.value.reason == "frozen"
    assert "the deploy is broken" in refused.value.message
    assert (await scene.store.pending(), scene.runs) == ([], [])
    await thaw(scene)
    assert await run(gate, draft("read"), scene.execute) == "sent"
    assert (await gate.submit(draft("send_mail"))).status == "pending"


@pytest.mark.spec("GATE-8")
async def test_one_agent_is_frozen_with_its_sub_agents_and_no_other() -> None:
    scene = make_scene(rule("allow"))
    agent = await scene.agent("coder")
    top = await scene.broker.open_session(agent)
    below = await scene.broker.open_session(agent, parent=top.session_id, name="helper")
    await freeze(scene, "coder")
    assert await reasons(scene, "coder", "writer") == ["frozen", "rule-allow"]
    answer = await scene.broker.gate(below.session_id).decide(draft())
    assert answer.reason == "frozen"
    assert "the agent coder was frozen by owner" in answer.message
    await freeze(scene, "helper")
    await thaw(scene, "coder")
    assert await reasons(scene, "coder", "writer") == ["rule-allow", "rule-allow"]
    assert (await scene.broker.gate(below.session_id).decide(draft())).reason == "frozen"


@pytest.mark.spec("GATE-8")
async def test_what_waits_goes_on_waiting_and_an_approval_is_not_lost() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    waiting = asyncio.ensure_future(gate.wait(standing.call_id, 30))
    await asyncio.sleep(1)
    await freeze(scene)
    await sweep(scene.world)
    assert not waiting.done()
    assert (await scene.request(standing.call_id)).status is Status.PENDING
    # people may decide meanwhile; what they allow does not run
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    assert (await waiting).status == "approved"
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.effect, taken.reason) == ("approved", "deny", "frozen")
    assert "frozen by owner" in taken.message
    assert (await scene.request(standing.call_id)).status is Status.APPROVED
    assert [r["reason"] for r in await scene.audit() if r["kind"] == "verdict"][-1] == "frozen"
    await thaw(scene)
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


@pytest.mark.spec("GATE-8")
async def test_an_approval_lapses_in_its_own_time_while_frozen() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    await freeze(scene)
    await asyncio.sleep(601)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.LAPSED


@pytest.mark.spec("GATE-8")
async def test_an_agent_that_waits_is_told_and_its_identical_call_runs_after_the_thaw() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    running = asyncio.ensure_future(run(gate, draft(), scene.execute))
    await asyncio.sleep(1)
    (asked,) = await scene.store.pending()
    await freeze(scene, reason="lunch")
    await scene.broker.review(person, asked.request_id, Vote.APPROVE, digest=asked.digest)
    with pytest.raises(CallDenied, match="frozen by owner: lunch"):
        await running
    left = await scene.request(asked.request_id)
    assert (left.status, left.caller) == (Status.APPROVED, Caller.GONE)
    again = await gate.submit(draft())  # it takes the place of nobody while it is frozen
    assert (again.status, again.reason) == (None, "frozen")
    assert (await scene.request(asked.request_id)).caller is Caller.GONE
    await thaw(scene)
    assert await run(gate, draft(), scene.execute) == "sent"
    assert len(scene.runs) == 1


@pytest.mark.spec("GATE-8")
async def test_what_asks_because_rules_could_not_load_waits_on_while_frozen() -> None:
    scene = make_scene()
    scene.rules.say(unavailable="broken")
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await freeze(scene)
    for now_says in ("deny", "allow"):
        scene.rules.say(rule(now_says))
        await sweep(scene.world)
        assert (await scene.request(standing.call_id)).status is Status.PENDING
    await thaw(scene)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).status is Status.APPROVED


@pytest.mark.spec("GATE-8")
async def test_a_call_that_runs_is_not_stopped() -> None:
    scene = make_scene(rule("ask"))
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    claim = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(claim, Claim)
    await freeze(scene)
    await gate.renew(claim)
    await gate.finish(claim.call_id, claim.token, True, "sent", 1.0)
    assert (await scene.request(standing.call_id)).status is Status.DONE


@pytest.mark.spec("GATE-8")
async def test_the_same_external_id_stands_for_what_was_said_of_it() -> None:
    scene = make_scene(rule("allow"))
    gate = await scene.gate()
    assert (await gate.submit(draft(external_id="first"))).allowed
    await freeze(scene)
    assert (await gate.submit(draft(external_id="first"))).reason == "frozen"
    assert (await gate.submit(draft(external_id="second"))).reason == "frozen"
    await thaw(scene)
    late = await gate.submit(draft(external_id="second"))
    assert (late.effect, late.reason) == ("deny", "frozen")
    assert late.message.endswith("make it anew, as another call")


@pytest.mark.spec("GATE-8", "GATE-5")
async def test_every_replica_obeys_from_its_next_call_on_with_no_read_of_its_own() -> None:
    scene = make_scene()
    lists = FixedLists(ListRules(0, (rule("allow"),)))
    sources = [CachedRules(scene.store, lists, (), NOTHING_KNOWN) for _ in range(2)]
    gate, reads = await scene.gate(), 0
    held = scene.store.inner.freezes

    async def counted() -> object:
        nonlocal reads
        reads += 1
        return await held()

    async def told() -> list[str]:
        said = []
        for source in sources:
            object.__setattr__(scene.world, "rules", source)
            said.append((await gate.decide(draft())).reason)
        return said

    scene.store.inner.freezes = counted
    assert [await told() for _ in range(3)] == [["rule-allow"] * 2] * 3
    assert reads == 2  # one for each process, at its start
    await freeze(scene)
    assert [await told() for _ in range(3)] == [["frozen"] * 2] * 3
    assert reads == 4
    scene.store.rules_version = _fails  # what is known to be frozen stays so
    assert await told() == ["frozen"] * 2
    del scene.store.rules_version
    await thaw(scene)
    assert await told() == ["rule-allow"] * 2


async def _fails() -> int:
    raise StoreUnavailable("the database is busy")


@pytest.mark.spec("GATE-8", "REQ-64")
async def test_who_decides_may_freeze_and_ends_their_own_an_admin_anybodys() -> None:
    scene = make_scene(rule("allow"), people=[BOB, ANNA])
    agent = await scene.agent()
    for act in (
        scene.broker.freezing.freeze(agent, None, None),
        scene.broker.freezing.thaw(agent, None),
        scene.broker.freezing.now(agent),
    ):
        with pytest.raises(NotEligible, match="an agent's token can never"):
            await act
    assert await freeze(scene, who="bob")
    assert not await freeze(scene, who="bob", reason="again")
    assert await freeze(scene, who="anna")
    assert await thaw(scene, who="bob") == 1
    assert await reasons(scene, "coder") == ["frozen"]  # Anna's brake is still on
    with pytest.raises(NotEligible, match="it was frozen by Anna"):
        await thaw(scene, who="bob")
    assert await freeze(scene, who="bob")
    approver = await scene.actor(APPROVER, "anna")
    assert await scene.broker.freezing.thaw(approver, None) == 1  # with it she ends her own alone
    assert await thaw(scene, who="anna") == 1
    assert await reasons(scene, "coder") == ["rule-allow"]
    with pytest.raises(NotFrozen, match="every agent is not frozen"):
        await thaw(scene)
    with pytest.raises(NotFrozen, match="the agent coder is not frozen"):
        await thaw(scene, "coder")


@pytest.mark.spec("GATE-8")
async def test_it_is_recorded_and_told() -> None:
    scene = make_scene()
    seen = await scene.store.last_notice()
    await freeze(scene, "coder", reason="token sk-ant-REDACTED leaked")
    await thaw(scene, "coder")
    frozen, thawed = (await scene.audit())[-2:]
    assert (frozen["note"], frozen["by"], frozen["agent_id"]) == (
        "frozen: the agent coder", "owner", "coder",
    )  # fmt: skip
    assert "aaaaaaaa" not in str(frozen)
    assert thawed["note"] == "thawed: the agent coder"
    kinds = [notice.kind.value for notice in await scene.store.notices(seen, 10)]
    assert kinds == ["settings_changed", "settings_changed"]


async def test_a_name_or_a_reason_that_cannot_be_is_refused() -> None:
    scene = make_scene()
    with pytest.raises(CallInvalid, match="longer than 500 characters"):
        await freeze(scene, reason="x" * (MAX_REASON + 1))
    with pytest.raises(CallInvalid, match="agent's name is empty"):
        await freeze(scene, " ")
    assert await scene.store.freezes() == []


@pytest.mark.spec("GATE-8")
async def test_people_remember_and_edit_as_if_nothing_were_frozen() -> None:
    scene = make_scene()
    gate, person = await scene.gate(), await scene.actor()
    standing = await gate.submit(draft())
    await freeze(scene)
    answered = await scene.broker.answer(
        person,
        standing.call_id,
        Vote.APPROVE,
        digest=standing.digest,
        wish=Wish(Remember.SESSION),
    )
    assert answered.problem is None
    assert answered.saved
