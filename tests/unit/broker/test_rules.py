from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from sayso.audit.chain import verify
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.run import run
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.session import GivenRule
from sayso.errors import (
    GroupNotFound,
    NotEligible,
    RuleNotFound,
    RuleRefused,
    RuleSyntaxError,
    StoreUnavailable,
)
from sayso.people.token import CredentialKind
from sayso.policy.descriptors import ToolDescriptor, ToolKind
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import judge
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.approval import Vote
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, draft, make_scene, rule


def row(effect: Effect, tool: str = "send_mail", rule_id: str = "") -> Rule:
    return Rule(rule_id, effect, Origin.DATABASE, tool_pattern=tool)


async def cached(scene: Scene, lists: list[ListRules]) -> CachedRules:
    """Real rules over the scene's store; `lists[0]` is what the settings files say now."""

    class Files(FixedLists):
        def current(self, workspace: str | None = None) -> ListRules:
            return lists[0]

    source = CachedRules(scene.store, Files(lists[0]), (), NOTHING_KNOWN)
    object.__setattr__(scene.world, "rules", source)
    return source


async def test_a_rule_changed_by_anybody_counts_for_the_very_next_call() -> None:
    scene = make_scene()
    await cached(scene, [ListRules(0, ())])
    gate, admin = await scene.gate(), await scene.actor()
    assert (await gate.decide(draft())).reason == "no-rule"
    stored = await scene.broker.put_rule(admin, row(Effect.ALLOW), new=True)
    assert (await gate.decide(draft())).reason == "rule-allow"
    await scene.another_broker().put_rule(admin, row(Effect.DENY, rule_id=stored.id), new=False)
    assert (await gate.decide(draft())).reason == "rule-deny"
    await scene.broker.delete_rule(admin, stored.id)
    assert (await gate.decide(draft())).reason == "no-rule"


@pytest.mark.spec("POL-70")
async def test_a_row_that_its_own_example_contradicts_is_not_saved() -> None:
    scene = make_scene()
    await cached(scene, [ListRules(0, ())])
    admin = await scene.actor()
    lying = replace(row(Effect.DENY, "send_*"), examples=("send_mail", "read_mail"))
    with pytest.raises(RuleRefused, match="does not match `read_mail`, which it must match"):
        await scene.broker.put_rule(admin, lying, new=True)
    assert list((await scene.store.rules())[1]) == []
    await scene.broker.put_rule(admin, replace(lying, examples=("send_mail",)), new=True)


@pytest.mark.spec("POL-23", "POL-70")
async def test_a_stored_row_that_its_example_contradicts_loosens_nothing() -> None:
    # it was saved when matching was another, or by another program
    scene = make_scene()
    await cached(scene, [ListRules(0, ())])
    gate = await scene.gate()
    for effect, verdict in ((Effect.ALLOW, "ask"), (Effect.DENY, "deny")):
        lying = replace(row(effect, rule_id="r"), counter_examples=("send_mail",))
        await scene.store.put_rule(lying, [], [])
        assert (await gate.decide(draft())).effect == verdict
        problems = (await scene.world.rules.current()).problems
        assert problems == ("the rule `send_mail` matches `send_mail`, which it must not match",)


async def test_a_changed_settings_file_counts_for_the_very_next_call() -> None:
    scene = make_scene()
    lists = [ListRules(0, (rule("allow"),))]
    await cached(scene, lists)
    gate = await scene.gate()
    assert (await gate.decide(draft())).effect == "allow"
    lists[0] = ListRules(1, (rule("deny"),))
    assert (await gate.decide(draft())).effect == "deny"


async def test_rules_that_did_not_change_are_not_compiled_again() -> None:
    scene = make_scene()
    source = await cached(scene, [ListRules(0, (rule("allow"),))])
    assert await source.current() is await source.current()


async def test_a_store_that_fails_never_becomes_an_allow_and_known_denies_deny() -> None:
    scene = make_scene()
    await cached(scene, [ListRules(0, (rule("allow"), rule("deny", "rm")))])
    gate = await scene.gate()
    assert (await gate.decide(draft())).effect == "allow"

    async def fails() -> int:
        raise StoreUnavailable("busy")

    scene.store.rules_version = fails
    assert (await gate.decide(draft())).reason == "rules-unavailable"
    assert (await gate.decide(draft("rm"))).reason == "rule-deny"
    del scene.store.rules_version
    assert (await gate.decide(draft())).effect == "allow"


@pytest.mark.spec("POL-23")
async def test_denies_are_known_in_every_workspace_that_shares_them_and_for_described_tools() -> (
    None
):
    scene = make_scene()
    shell = ToolDescriptor("run", kind=ToolKind.RUN_COMMAND, command="command")
    push = parse_text_rule(Effect.DENY, "shell(git push *)", Origin.GLOBAL)
    source = await cached(scene, [ListRules(0, (push,), descriptors=(shell,))])
    await source.current("/srv/a")
    await source.current("/srv/b")  # the very rules of the other, which are not compiled again

    async def fails() -> int:
        raise StoreUnavailable("busy")

    scene.store.rules_version = fails
    for workspace in ("/srv/a", "/srv/b", "/srv/never-seen"):
        found = await source.current(workspace)
        assert found.unavailable
        call = ToolCall("c", "run", {"command": "git push"}, "s", "a", "u", workspace=workspace)
        said = judge(call, found, FakeFacts())
        assert (said.effect, said.reason) == (Effect.DENY, Reason.RULE_DENY), workspace


@pytest.mark.spec("POL-23")
async def test_a_project_s_denies_are_not_those_of_a_workspace_that_was_never_seen() -> None:
    scene = make_scene()
    source = await cached(
        scene, [ListRules(0, (replace(rule("deny", "rm"), origin=Origin.PROJECT),))]
    )
    await source.current("/srv/a")

    async def fails() -> int:
        raise StoreUnavailable("busy")

    scene.store.rules_version = fails
    assert [r.tool_pattern for r in (await source.current("/srv/a")).rules] == ["rm"]
    assert (await source.current("/srv/b")).rules == ()


@pytest.mark.spec("POL-23")
async def test_a_session_s_rule_that_can_no_longer_be_read_is_no_allow_and_no_crash() -> None:
    source = CachedRules(
        make_scene().store, FixedLists(ListRules(0, ())), (rule("deny", "rm"),), NOTHING_KNOWN
    )
    given = [GivenRule("deny", "x(", "session"), GivenRule("deny", "tool(wipe)", "session")]
    found = await source.current(None, given)
    assert found.unavailable
    assert {one.tool_pattern for one in found.rules} == {"rm", "wipe"}


@pytest.mark.parametrize(
    "error", [KeyError("x"), OSError("gone"), ValueError("bad"), RecursionError()]
)
async def test_whatever_goes_wrong_in_loading_is_no_allow(error: Exception) -> None:
    scene = make_scene()

    class Broken(FixedLists):
        def current(self, workspace: str | None = None) -> ListRules:
            raise error

    lists = Broken(ListRules(0, ()))
    source = CachedRules(scene.store, lists, (rule("deny", "rm"),), NOTHING_KNOWN)
    found = await source.current()
    assert found.unavailable
    object.__setattr__(scene.world, "rules", source)
    gate = await scene.gate()
    assert (await gate.decide(draft())).reason == "rules-unavailable"
    assert (await gate.decide(draft("rm"))).reason == "rule-deny"


async def test_files_that_were_never_good_make_everything_ask() -> None:
    scene = make_scene()
    await cached(scene, [ListRules(0, (), problem="settings.toml:1:1", unavailable=True)])
    assert (await (await scene.gate()).decide(draft())).reason == "rules-unavailable"


async def test_only_who_may_configure_changes_rules_and_it_is_recorded() -> None:
    scene = make_scene()
    for kind in (CredentialKind.AGENT, CredentialKind.APPROVER):
        actor = await scene.actor(kind, agent_id="coder" if kind is CredentialKind.AGENT else None)
        with pytest.raises(NotEligible):
            await scene.broker.put_rule(actor, row(Effect.ALLOW), new=True)
        with pytest.raises(NotEligible):
            await scene.broker.delete_rule(actor, "r1")
    admin = await scene.actor(CredentialKind.ADMIN)
    stored = await scene.broker.put_rule(admin, row(Effect.ALLOW), new=True)
    await scene.broker.delete_rule(admin, stored.id)
    notes = [r["note"] for r in await scene.audit() if r["kind"] == "configuration"]
    assert notes[0] == "rule added: allow send_mail"
    assert stored.id in notes[1]


async def test_a_rule_needs_its_group_and_a_change_needs_its_rule() -> None:
    scene = make_scene()
    admin = await scene.actor()
    with pytest.raises(GroupNotFound):
        await scene.broker.put_rule(
            admin, Rule("", Effect.ASK, Origin.DATABASE, group_id="nowhere"), new=True
        )
    with pytest.raises(RuleNotFound):
        await scene.broker.put_rule(admin, row(Effect.ASK, rule_id="r9"), new=False)
    with pytest.raises(RuleNotFound):
        await scene.broker.delete_rule(admin, "r9")


# ── the audit log of one story ──


@pytest.mark.spec("AUD-1")
async def test_the_log_tells_the_whole_story_and_holds_no_secret() -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    secret = {"to": "alice@example.com", "password": "hunter2hunter2"}
    running = asyncio.create_task(
        run(gate, draft(arguments=secret), scene.execute, describe=lambda _: "TOKEN=zyxwvu98")
    )
    await scene.clock.sleep(5)
    (request,) = await scene.store.pending()
    await scene.broker.review(
        await scene.actor(), request.request_id, Vote.APPROVE, digest=request.digest, comment="go"
    )
    assert await running == "sent"
    assert scene.runs == [secret]
    log = await scene.audit()
    assert [(r["kind"], r.get("effect"), r.get("reason")) for r in log] == [
        ("verdict", "ask", "must-ask"),
        ("review", None, "approve"),
        ("resolution", "allow", "approved"),
        ("claim", "allow", "approved"),
        ("outcome", None, "done"),
    ]
    verdict, review, _, _, outcome = log
    assert (verdict["session_id"], verdict["agent_id"], verdict["user_id"], verdict["source"]) == (
        gate.session_id, "coder", "owner", "api",
    )  # fmt: skip
    assert (verdict["tool"], verdict["targets"]) == ("send_mail", ["send_mail"])
    assert verdict["rule"].startswith("ask tool(*)")
    assert (review["by"], review["channel"], review["comment"], review["waited"]) == (
        "owner", "test", "go", 5.0,
    )  # fmt: skip
    assert {r["call_id"] for r in log} == {request.request_id}
    assert {r["digest"] for r in log} == {request.digest}
    assert "hunter2" not in json.dumps(log)
    assert "zyxwvu98" not in json.dumps(log)
    assert outcome["outcome"].startswith("TOKEN=[secret")
    assert verify(await scene.store.audit_chain(0, 100)).ok


async def test_a_row_whose_condition_cannot_be_read_is_not_saved() -> None:
    scene = make_scene()
    admin = await scene.actor(CredentialKind.ADMIN)
    broken = Rule("", Effect.ASK, Origin.DATABASE, tool_pattern="refund", when="input.amount >")
    with pytest.raises(RuleSyntaxError, match="in `when`"):
        await scene.broker.put_rule(admin, broken, new=True)
    assert [r for r in await scene.broker.rules(admin) if r.tool_pattern == "refund"] == []
