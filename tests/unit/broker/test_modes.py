"""The mode of a session: which one counts, who may choose it, and that it counts from the next call on."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from sayso.core.effect import Effect
from sayso.core.in_force import mode_in_force
from sayso.core.mode import TIGHTENING, Mode
from sayso.core.observed_tool import ObservedTool
from sayso.core.run_context import RunContext
from sayso.core.session import CallDraft
from sayso.errors import CallInvalid, NotEligible
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.event import EventKind
from tests.fakes.circumstances import FakeSandbox, scene_with_settings
from tests.fakes.world import draft, rule

DEFAULT, AUTO, PLAN = Mode.DEFAULT, Mode.AUTO, Mode.PLAN
EDITS, DONT_ASK, BYPASS = Mode.ACCEPT_EDITS, Mode.DONT_ASK, Mode.BYPASS


@pytest.mark.spec("MODE-2")
def test_the_first_of_switch_run_context_and_settings_names_the_mode() -> None:
    assert mode_in_force(None, None, None, None) is DEFAULT
    assert mode_in_force(None, None, None, AUTO) is AUTO
    assert mode_in_force(None, None, EDITS, AUTO) is EDITS
    assert mode_in_force(PLAN, None, EDITS, AUTO) is PLAN
    assert mode_in_force(DEFAULT, PLAN, EDITS, AUTO) is DEFAULT, "a person's word goes before"


def test_what_the_agent_chose_never_takes_the_place_of_a_mode_that_tightens() -> None:
    mine = (None, DEFAULT, PLAN, DONT_ASK)
    for agents, context, settings in product(mine, (None, *Mode), (None, *Mode)):
        theirs = mode_in_force(None, None, context, settings)
        found = mode_in_force(None, agents, context, settings)
        assert found is (theirs if agents is None or theirs in TIGHTENING else agents)


@pytest.mark.spec("MODE-1", "GATE-5")
async def test_people_switch_a_session_s_mode_and_it_counts_from_the_next_call_on() -> None:
    scene, settings = scene_with_settings()
    owner, session = await scene.actor(), await scene.session()
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).effect == "ask"
    found = await scene.broker.modes.switch(owner, session.session_id, DONT_ASK)
    assert (found.mode, found.switched_to, found.note) == (DONT_ASK, DONT_ASK, None)
    assert (await gate.decide(draft())).reason == "mode-dont-ask"
    settings.say(mode=PLAN)
    assert (await gate.decide(draft())).reason == "mode-dont-ask", "the switch goes before"
    found = await scene.broker.modes.switch(owner, session.session_id, None)
    assert (found.mode, found.switched_to) == (PLAN, None)
    assert (await gate.decide(draft())).reason == "mode-plan"
    settings.say()
    assert (await gate.decide(draft())).effect == "ask"
    notes = [(b["note"], b["by"]) for b in await scene.audit() if b.get("note", "")[:4] == "mode"]
    assert notes == [("mode: dont-ask", "owner"), ("mode: as configured", "owner")]
    kinds = [notice.kind for notice in await scene.store.notices(0, 99)]
    assert kinds.count(EventKind.SETTINGS_CHANGED) == 2


@pytest.mark.spec("MODE-2")
async def test_an_agent_s_token_switches_nothing_and_only_the_user_or_an_admin_does() -> None:
    scene, _ = scene_with_settings(people=(Person("bob", "bob"),))
    agent = await scene.agent()
    session = await scene.broker.open_session(agent)
    modes = scene.broker.modes
    assert (await modes.of(agent, session.session_id)).mode is DEFAULT
    bob, other = await scene.actor(person_id="bob"), await scene.agent("other")
    approver = await scene.actor(CredentialKind.APPROVER)
    for actor in (agent, bob, other):
        with pytest.raises(NotEligible, match="no session of yours"):
            await modes.switch(actor, session.session_id, EDITS)
    for actor in (bob, other):
        with pytest.raises(NotEligible):
            await modes.of(actor, session.session_id)
    assert (await modes.switch(approver, session.session_id, EDITS)).mode is EDITS
    with pytest.raises(NotEligible):
        await modes.switch(approver, "nothing", EDITS)


async def test_an_agent_s_side_opens_its_session_in_modes_that_only_tighten() -> None:
    scene, settings = scene_with_settings(rule("allow", "add"))
    settings.say(mode=EDITS)
    agent, modes = await scene.agent(), scene.broker.modes
    for mode in (EDITS, AUTO, BYPASS):
        with pytest.raises(NotEligible, match=f"cannot open a session in the mode `{mode}`"):
            await scene.broker.open_session(agent, mode=mode)
    for mode in (DEFAULT, PLAN, DONT_ASK):
        session = await scene.broker.open_session(agent, mode=mode)
        assert (await modes.of(agent, session.session_id)).mode is mode
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).reason == "mode-dont-ask"
    settings.say(mode=PLAN)
    assert (await modes.of(agent, session.session_id)).mode is PLAN
    assert (await gate.decide(draft("add"))).reason == "mode-plan", "people tightened it meanwhile"
    await modes.switch(await scene.actor(), session.session_id, DEFAULT)
    assert (await gate.decide(draft("add"))).effect == "allow"


@pytest.mark.spec("MODE-3")
async def test_bypass_needs_an_active_sandbox_at_the_start_and_when_switching() -> None:
    scene, settings = scene_with_settings()
    settings.say(mode=BYPASS)
    owner, session = await scene.actor(), await scene.session()
    found = await scene.broker.modes.of(owner, session.session_id)
    assert found.mode is DEFAULT
    assert "needs an active sandbox" in (found.note or "")
    assert (await scene.broker.gate(session.session_id).decide(draft())).effect == "ask"
    with pytest.raises(CallInvalid, match="`bypass` needs an active sandbox"):
        await scene.broker.modes.switch(owner, session.session_id, BYPASS)
    with pytest.raises(CallInvalid, match="`bypass` needs an active sandbox"):
        await scene.broker.open_session(await scene.agent(), mode=BYPASS, embedded=True)


@pytest.mark.spec("MODE-3")
async def test_bypass_lifts_only_what_runs_inside_the_sandbox() -> None:
    sandbox = FakeSandbox(inside=frozenset({"execute_cmd"}))
    scene, _ = scene_with_settings(rule("deny", "rm"), sandbox=sandbox)
    owner, session = await scene.actor(), await scene.session()
    gate = scene.broker.gate(session.session_id)
    assert (await scene.broker.modes.switch(owner, session.session_id, BYPASS)).mode is BYPASS
    inside = draft("execute_cmd", arguments={"command": "make"})
    assert (await gate.decide(inside)).reason == "mode-bypass"
    assert (await gate.decide(draft())).effect == "ask", "it runs outside"
    assert (await gate.decide(draft("rm"))).reason == "rule-deny"
    sandbox.active = False
    assert (await gate.decide(inside)).effect == "ask"


@pytest.mark.spec("RC-3")
async def test_a_sub_agent_runs_in_the_mode_and_run_context_of_the_first_above_it() -> None:
    scene, _ = scene_with_settings(rule("allow", "add"))
    owner, agent = await scene.actor(), await scene.agent()
    await scene.broker.run_contexts.change(owner, "default", {"mode": "dont-ask"})
    top = await scene.broker.open_session(agent)
    middle = await scene.broker.open_session(agent, parent=top.session_id, name="searcher")
    inner = await scene.broker.open_session(agent, parent=middle.session_id, name="reader")
    gate = scene.broker.gate(inner.session_id)
    assert (await gate.decide(draft())).reason == "mode-dont-ask"
    await scene.broker.modes.switch(owner, top.session_id, PLAN)
    assert (await gate.decide(draft("add"))).reason == "mode-plan"
    with pytest.raises(CallInvalid, match="sub-agent") as refused:
        await scene.broker.modes.switch(owner, inner.session_id, DEFAULT)
    assert top.session_id in str(refused.value.hint)
    for more in ({"mode": PLAN}, {"run_context": "default"}):
        with pytest.raises(NotEligible, match="the session above"):
            await scene.broker.open_session(agent, parent=top.session_id, name="x", **more)


async def test_rules_that_cannot_be_loaded_keep_a_mode_that_tightens() -> None:
    scene, settings = scene_with_settings(rule("allow", "add"))
    gate = await scene.gate()
    settings.say(mode=PLAN)
    assert (await gate.decide(draft("add"))).reason == "mode-plan"

    def broken(workspace: str | None = None) -> None:
        raise RuntimeError("the disk is gone")

    settings.lists.current = broken  # type: ignore[method-assign, assignment]
    assert (await gate.decide(draft("add"))).reason == "mode-plan"


def test_an_unknown_run_context_of_rules_that_could_not_be_read_is_an_empty_one() -> None:
    from sayso.core.in_force import InForce

    assert InForce().run_context("x") == RunContext("x")
    assert InForce(run_contexts={}).run_context("x") is None


@pytest.mark.spec("POL-46", "MODE-2")
async def test_in_plan_mode_a_trusted_server_s_word_that_a_tool_only_reads_is_believed() -> None:
    allow = parse_text_rule(Effect.ALLOW, "mcp(shop:*)", Origin.GLOBAL)
    scene, settings = scene_with_settings(allow)
    session = await scene.session()
    gate = scene.broker.gate(session.session_id)

    async def reason(tool: ObservedTool, name: str | None = None, **more: Any) -> str:
        await gate.see_tools([tool])
        asked = CallDraft(name or tool.name, {}, server=tool.server, **more)
        return (await gate.decide(asked)).reason

    look = ObservedTool("shop", "look", "Looks.", annotations={"readOnlyHint": True})
    sell = ObservedTool("shop", "sell", "Sells.", annotations={"readOnlyHint": False})
    odd = ObservedTool("shop", "odd", "Odd.", annotations={"readOnlyHint": "true"})
    settings.say(mode=PLAN)
    assert await reason(look, definition=look.definition) == "mode-plan", "nobody trusts it"
    settings.say(mode=PLAN, trusted_servers=frozenset({"shop"}))
    assert await reason(look, definition=look.definition) == "rule-allow"
    for tool in (sell, odd):
        assert await reason(tool, definition=tool.definition) == "mode-plan"
    assert await reason(look, definition=sell.definition) == "mode-plan", (
        "it knows another definition"
    )
