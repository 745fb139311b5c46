"""Rules of one session: its command line's, and those people add while it runs (POL-60, POL-64)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.session_rules import flag_rules
from sayso.core.effect import Effect
from sayso.core.session import GivenRule
from sayso.errors import NotEligible, RuleNotFound, RuleSyntaxError
from sayso.people.token import CredentialKind
from sayso.policy.facts import NOTHING_KNOWN
from sayso.requests.event import EventKind
from tests.fakes.world import Scene, draft, make_scene, rule

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY


@pytest.fixture
async def scene() -> Scene:
    scene = make_scene()
    lists = FixedLists(ListRules(0, (rule("allow", "add"),)))
    rules = CachedRules(scene.store, lists, (), NOTHING_KNOWN)
    object.__setattr__(scene.world, "rules", rules)
    return scene


@pytest.mark.spec("POL-64")
async def test_a_rule_counts_in_its_session_alone_and_from_the_next_call_on(scene: Scene) -> None:
    owner, session = await scene.actor(), await scene.session()
    gate, other = scene.broker.gate(session.session_id), await scene.gate()
    rules = scene.broker.session_rules
    assert (await gate.decide(draft())).reason == "no-rule"
    await rules.add(owner, session.session_id, ALLOW, "send_mail")
    standing = await gate.decide(draft())
    assert (standing.effect, standing.reason) == ("allow", "rule-allow")
    assert standing.verdict is not None
    assert standing.verdict["rule"]["origin"] == "session"
    assert (await other.decide(draft())).reason == "no-rule"
    await rules.add(owner, session.session_id, DENY, "send_mail")
    assert (await gate.decide(draft())).reason == "rule-deny"
    assert [(r.effect, r.text) for r in await rules.all(owner, session.session_id)] == [
        ("allow", "tool(send_mail)"),
        ("deny", "tool(send_mail)"),
    ]
    await rules.remove(owner, session.session_id, DENY, " tool(send_mail)")
    assert (await gate.decide(draft())).effect == "allow"
    with pytest.raises(RuleNotFound, match=r"no rule `deny tool\(send_mail\)`"):
        await rules.remove(owner, session.session_id, DENY, "send_mail")
    notes = [body["note"] for body in await scene.audit() if "session" in body.get("note", "")]
    assert notes == [
        "rule added to a session: allow tool(send_mail)",
        "rule added to a session: deny tool(send_mail)",
        "rule removed from a session: deny tool(send_mail)",
    ]
    kinds = [notice.kind for notice in await scene.store.notices(0, 99)]
    assert kinds.count(EventKind.SETTINGS_CHANGED) == 3


@pytest.mark.spec("POL-64")
async def test_a_rule_outlives_the_process_and_is_added_once(scene: Scene) -> None:
    owner, session = await scene.actor(), await scene.session()
    for _ in range(2):
        await scene.broker.session_rules.add(owner, session.session_id, ALLOW, "send_mail")
    stored = await scene.store.session(session.session_id)
    assert stored.rules == (GivenRule("allow", "tool(send_mail)", "session"),)
    gate = scene.another_broker().gate(session.session_id)
    assert (await gate.decide(draft())).effect == "allow"


@pytest.mark.spec("POL-64")
async def test_two_people_who_add_at_once_both_do(scene: Scene) -> None:
    owner, session = await scene.actor(), await scene.session()
    add = scene.broker.session_rules.add
    await asyncio.gather(*(add(owner, session.session_id, DENY, f"t{n}") for n in range(5)))
    rules = await scene.broker.session_rules.all(owner, session.session_id)
    assert sorted(one.text for one in rules) == [f"tool(t{n})" for n in range(5)]


@pytest.mark.spec("POL-64", "REQ-64")
@pytest.mark.parametrize("kind", [CredentialKind.AGENT, CredentialKind.APPROVER])
async def test_only_who_may_configure_changes_a_session_s_rules(
    scene: Scene, kind: CredentialKind
) -> None:
    session = await scene.session()
    agent_id = "coder" if kind is CredentialKind.AGENT else None
    actor, rules = await scene.actor(kind, agent_id=agent_id), scene.broker.session_rules
    with pytest.raises(NotEligible):
        await rules.add(actor, session.session_id, ALLOW, "send_mail")
    with pytest.raises(NotEligible):
        await rules.remove(actor, session.session_id, ALLOW, "send_mail")
    with pytest.raises(NotEligible):
        await rules.all(actor, session.session_id)
    with pytest.raises(NotEligible, match="does not exist"):
        await rules.add(await scene.actor(), "nobody", ALLOW, "send_mail")


async def test_a_rule_that_cannot_be_read_is_not_added(scene: Scene) -> None:
    owner, session = await scene.actor(), await scene.session()
    with pytest.raises(RuleSyntaxError):
        await scene.broker.session_rules.add(owner, session.session_id, DENY, "wirte(x)")
    assert await scene.broker.session_rules.all(owner, session.session_id) == ()


@pytest.mark.spec("POL-60")
async def test_an_agent_s_side_may_tighten_its_session_and_nothing_else(scene: Scene) -> None:
    session = await scene.session(ask=["add"], deny=["send_*"])
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).reason == "rule-deny"
    standing = await gate.decide(draft("add"))
    assert (standing.effect, standing.reason) == ("ask", "must-ask")
    assert standing.verdict is not None
    assert standing.verdict["rule"]["origin"] == "flag"
    with pytest.raises(TypeError):
        await scene.session(allow=["send_mail"])
    with pytest.raises(RuleSyntaxError, match="--deny: `wirte` is not a kind"):
        await scene.session(deny=["wirte(x)"])


def test_flags_are_rules_each_once() -> None:
    given = flag_rules(allow=["a", "tool(a)"], ask=["read(x)"], deny=["b"])
    assert [(one.effect, one.text, one.origin) for one in given] == [
        ("allow", "tool(a)", "flag"),
        ("ask", "read(x)", "flag"),
        ("deny", "tool(b)", "flag"),
    ]


@pytest.mark.spec("POL-23")
async def test_a_session_s_denies_deny_while_rules_cannot_be_loaded(scene: Scene) -> None:
    session = await scene.session(deny=["send_mail"])

    async def fails() -> Any:
        raise OSError("gone")

    scene.store.rules_version = fails
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).reason == "rule-deny"
    assert (await gate.decide(draft("add"))).reason == "rules-unavailable"
