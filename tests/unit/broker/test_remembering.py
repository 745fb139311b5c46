"""Answers that are remembered: for the session, for always, never again, and for a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.access import Actor
from sayso.broker.ports import Claim, Standing
from sayso.broker.remembering import Answered, Wish
from sayso.channels.card_offer import CardOffer, offer_of
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.in_force import InForce
from sayso.errors import DigestMismatch, NotEligible, NotRemembered, RequestClosed, StoreUnavailable
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.requests.approval import Status, Vote
from sayso.requests.standing_grant import Extent, Remember
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)
OLGA = Person("olga", "Olga", operator=True)

SESSION, ALWAYS = Wish(Remember.SESSION), Wish(Remember.ALWAYS)


async def say(
    scene: Scene,
    standing: Standing,
    wish: Wish,
    vote: Vote = Vote.APPROVE,
    by: Actor | None = None,
    comment: str | None = None,
) -> Answered:
    """Answer a request with a wish."""
    return await scene.broker.answer(
        by or await scene.actor(),
        standing.call_id,
        vote,
        digest=standing.digest,
        comment=comment,
        wish=wish,
    )


def asks(tool: str = "send_mail", **policy: Any) -> Rule:
    """An ask of a tool's policy, which a grant may lift."""
    return replace(rule("ask", tool, approval=ApprovalPolicy(**policy)), origin=Origin.TOOL_POLICY)


def knowing(scene: Scene, *descriptors: ToolDescriptor) -> FakeFacts:
    """Let the scene know the tools that ship, and a machine on which everything is known."""
    facts = FakeFacts()
    scene.rules._compiled = compile_ruleset((), (), SHIPPED.adding(descriptors), facts=facts)
    object.__setattr__(scene.world, "facts", facts)
    return facts


@pytest.mark.spec("REQ-40", "REQ-51", "REQ-55")
async def test_a_grant_for_the_session_lifts_the_next_ask_of_the_session_and_no_other() -> None:
    scene = make_scene()
    gate, other = await scene.gate(), await scene.gate()
    first = await gate.submit(draft())
    done = await say(scene, first, SESSION)
    assert done.request.status is Status.APPROVED
    assert (done.saved, done.problem) == (("use send_mail, whatever its arguments",), None)
    again = await gate.submit(draft(arguments={"to": "bob"}))
    assert (again.allowed, again.reason) == (True, "session-grant")
    assert (await other.submit(draft())).status == "pending"
    assert (await gate.submit(draft("read_mail"))).status == "pending"
    claimed = await gate.claim(first.call_id, first.digest)
    assert isinstance(claimed, Claim)
    await gate.stop()
    assert await scene.store.grants() == []


@pytest.mark.spec("REQ-40", "REQ-51")
async def test_a_grant_for_always_is_the_users_in_every_session() -> None:
    scene = make_scene(people=[ANNA])
    await say(scene, await (await scene.gate()).submit(draft()), ALWAYS)
    later = await (await scene.gate("writer")).submit(draft(arguments={"to": "bob"}))
    assert (later.allowed, later.reason) == (True, "saved-grant")
    annas = await scene.actor(CredentialKind.AGENT, "anna", "coder")
    gate = scene.broker.gate((await scene.broker.open_session(annas)).session_id)
    assert (await gate.submit(draft())).status == "pending"


@pytest.mark.spec("REQ-40", "REQ-51")
@pytest.mark.parametrize("how", [SESSION, ALWAYS])
async def test_never_refuses_at_once_with_the_persons_reason(how: Wish) -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = await gate.submit(draft())
    done = await say(scene, first, how, Vote.REJECT, comment="we do not mail")
    assert done.request.status is Status.REJECTED
    again = await gate.submit(draft(arguments={"to": "bob"}))
    assert (again.effect, again.reason, again.status) == ("deny", "saved-deny", None)
    long = "for good" if how is ALWAYS else "in this session"
    assert again.message == f"rejected by owner {long}: we do not mail (do not repeat it)"
    elsewhere = await (await scene.gate()).submit(draft(arguments={"to": "bob"}))
    assert (elsewhere.reason == "saved-deny") == (how is ALWAYS)
    scene.rules.say(rule("allow"))  # a veto does not touch an allow
    assert (await gate.submit(draft(arguments={"to": "carl"}))).allowed


@pytest.mark.spec("REQ-51")
async def test_the_newest_answer_replaces_the_one_before() -> None:
    scene = make_scene()
    gate = await scene.gate()
    one, two = await gate.submit(draft()), await gate.submit(draft(arguments={"to": "bob"}))
    await say(scene, one, ALWAYS, Vote.REJECT)
    assert (await gate.submit(draft(arguments={"to": "x"}))).reason == "saved-deny"
    (veto,) = await scene.store.grants()
    await scene.broker.kept.revoke(await scene.actor(), veto.grant_id)
    await say(scene, two, ALWAYS)
    assert (await gate.submit(draft(arguments={"to": "x"}))).reason == "saved-grant"
    (grant,) = await scene.store.grants()
    assert (grant.veto, grant.giver, grant.request_id) == (False, "owner", two.call_id)


@pytest.mark.spec("REQ-51")
@pytest.mark.parametrize("how", [SESSION, ALWAYS, Wish(bypass_secs=60)])
async def test_nothing_is_granted_over_a_veto_by_an_answer_to_what_waited_already(
    how: Wish,
) -> None:
    """Whoever may not take the veto back does not replace it either; a plain approve runs nothing too."""
    scene = make_scene(people=[ANNA, OLGA])
    gate = await scene.gate()
    one, two = await gate.submit(draft()), await gate.submit(draft(arguments={"to": "bob"}))
    anna, olga = await scene.actor(person_id="anna"), await scene.actor(person_id="olga")
    await say(scene, one, ALWAYS, Vote.REJECT, by=anna)
    with pytest.raises(NotRemembered, match="there is a veto on this call"):
        await say(scene, two, how, by=olga)
    assert (await scene.request(two.call_id)).status is Status.PENDING
    (kept,) = await scene.store.grants()
    assert kept.veto
    assert await scene.store.bypasses() == []


@pytest.mark.spec("REQ-51")
@pytest.mark.spec("REQ-52")
async def test_a_veto_that_comes_at_that_very_moment_stays() -> None:
    scene = make_scene(people=[ANNA])
    gate = await scene.gate()
    one, two = await gate.submit(draft()), await gate.submit(draft(arguments={"to": "bob"}))
    anna, remember = await scene.actor(person_id="anna"), scene.store.inner.remember

    async def vetoed_meanwhile(given: Any) -> None:
        scene.store.remember = remember
        await say(scene, one, ALWAYS, Vote.REJECT, by=anna)
        await remember(given)

    scene.store.remember = vetoed_meanwhile
    done = await say(scene, two, ALWAYS)
    assert done.problem == (
        "approved, but saving the grant failed: there is a veto on what would be granted"
    )
    (kept,) = await scene.store.grants()
    assert kept.veto
    taken = await gate.claim(two.call_id, two.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("refused", "deny-on-resolve")


@pytest.mark.spec("REQ-51")
async def test_a_veto_that_came_meanwhile_refuses_what_was_approved() -> None:
    scene = make_scene()
    gate = await scene.gate()
    one, two = await gate.submit(draft()), await gate.submit(draft(arguments={"to": "bob"}))
    await say(scene, one, Wish())
    await say(scene, two, ALWAYS, Vote.REJECT, comment="stop")
    taken = await gate.claim(one.call_id, one.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("refused", "deny-on-resolve")
    assert "rejected by owner for good: stop" in taken.message


@pytest.mark.spec("REQ-55")
@pytest.mark.parametrize(
    ("given", "why"),
    [
        (rule("ask"), "would not lift"),  # must_ask: a list's own ask
        (asks(remember=("once", "session")), "does not let an answer be remembered for `always`"),
        (asks(quorum=2), "would not lift"),
    ],
)
async def test_what_a_grant_would_not_lift_is_not_offered(given: Rule, why: str) -> None:
    scene = make_scene(given, people=[ANNA])
    gate = await scene.gate()
    first = await gate.submit(draft())
    with pytest.raises(NotRemembered, match=why):
        await say(scene, first, ALWAYS)
    assert (await scene.request(first.call_id)).status is Status.PENDING
    assert (await scene.request(first.call_id)).reviews == ()
    assert await scene.store.grants() == []


@pytest.mark.spec("REQ-55")
async def test_a_call_without_a_key_can_only_be_approved_once() -> None:
    scene = make_scene()
    knowing(scene, ToolDescriptor("run_script", remember=False))
    gate = await scene.gate()
    for call in (
        draft("run_script", arguments={}),
        draft("Bash", arguments={"command": "bash x.sh"}),
        draft("Bash", arguments={"command": "git"}),
        draft("Bash", arguments={"command": "curl -H token=ghp_abcdefghijklmnopqrstuvwx a.test"}),
    ):
        standing = await gate.submit(call)
        assert (await scene.request(standing.call_id)).keys == ()
        with pytest.raises(NotRemembered, match="only be decided once"):
            await say(scene, standing, SESSION)
    assert (await say(scene, standing, Wish())).request.status is Status.APPROVED


@pytest.mark.spec("REQ-51")
async def test_only_who_may_decide_has_anything_remembered() -> None:
    scene = make_scene(asks(approver=Approver.OPERATOR), people=[ANNA, OLGA])
    gate = await scene.gate()
    first = await gate.submit(draft())
    with pytest.raises(NotEligible):
        await say(scene, first, ALWAYS)  # the session's user, where an operator decides
    olga = await scene.actor(person_id="olga")
    await say(scene, first, ALWAYS, by=olga)
    assert (await gate.submit(draft(arguments={"to": "b"}))).reason == "saved-grant"
    scene.store.folk["olga"] = replace(OLGA, operator=False)  # she could not approve it any more
    assert (await gate.submit(draft(arguments={"to": "c"}))).status == "pending"
    scene.store.folk.pop("olga")
    assert (await gate.submit(draft(arguments={"to": "d"}))).status == "pending"


@pytest.mark.spec("REQ-51")
async def test_a_deny_and_stricter_rules_outweigh_every_grant() -> None:
    scene = make_scene(people=[ANNA])
    gate = await scene.gate()
    await say(scene, await gate.submit(draft()), Wish(Remember.ALWAYS, bypass_secs=0))
    scene.rules.say(rule("deny", "send_mail"))
    assert (await gate.submit(draft(arguments={"to": "b"}))).reason == "rule-deny"
    scene.rules.say(rule("ask", "send_mail"))
    assert (await gate.submit(draft(arguments={"to": "c"}))).status == "pending"
    scene.rules.say(asks(approvers=("anna",)))
    assert (await gate.submit(draft(arguments={"to": "d"}))).status == "pending"
    scene.rules.say(asks(quorum=2))
    assert (await gate.submit(draft(arguments={"to": "e"}))).status == "pending"
    scene.rules.say(unavailable="broken")
    assert (await gate.submit(draft(arguments={"to": "f"}))).reason == "rules-unavailable"


async def test_a_tool_that_has_changed_is_asked_about_again() -> None:
    scene = make_scene()
    gate = await scene.gate()
    call = draft("create_issue", server="github", definition="one")
    await say(scene, await gate.submit(call), Wish(Remember.ALWAYS))
    same = await gate.submit(replace(call, arguments={"to": "b"}))
    assert same.reason == "saved-grant"
    other = await gate.submit(replace(call, arguments={"to": "c"}, definition="two"))
    assert other.status == "pending"


async def test_a_link_that_leads_elsewhere_by_now_is_asked_about_again() -> None:
    scene = make_scene()
    facts = knowing(scene)
    facts.links = {"/w/a": "/w/b"}
    off = InForce(read_only_defaults=False)
    (await scene.rules.current()).in_force = off
    session = await scene.session(workspace="/w")
    gate = scene.broker.gate(session.session_id)
    call = draft("Bash", arguments={"command": "cat a"})
    await say(scene, await gate.submit(call), ALWAYS)
    call = replace(call, external_id="2")
    assert (await gate.submit(call)).reason == "saved-grant"
    facts.links = {"/w/a": "/home/u/notes"}
    assert (await gate.submit(replace(call, external_id="3"))).status == "pending"


async def test_nothing_is_remembered_of_an_unattended_session() -> None:
    scene = make_scene()
    attended = await scene.gate()
    await say(scene, await attended.submit(draft()), ALWAYS)
    session = await scene.session(source="cron")
    gate = scene.broker.gate(session.session_id)
    first = await gate.submit(draft())
    assert first.status == "pending"  # what was remembered elsewhere does not apply
    assert (await scene.request(first.call_id)).keys == ()
    with pytest.raises(NotRemembered, match="unattended"):
        await say(scene, first, ALWAYS)


@pytest.mark.spec("REQ-51", "POL-1")
async def test_a_never_holds_also_where_the_agent_calls_its_session_unattended() -> None:
    scene = make_scene()
    await say(scene, await (await scene.gate()).submit(draft()), ALWAYS, Vote.REJECT)
    for how in ({"source": "cron"}, {"attended": False}):
        session = await scene.session(**how)
        told = await scene.broker.gate(session.session_id).submit(draft())
        assert (told.effect, told.reason) == ("deny", "saved-deny")


@pytest.mark.spec("REQ-52")
@pytest.mark.parametrize("vote", list(Vote))
async def test_a_save_that_fails_is_reported_and_the_call_still_runs(vote: Vote) -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = await gate.submit(draft())

    async def full(given: object) -> None:
        raise StoreUnavailable("the disk is full")

    scene.store.remember = full
    done = await say(scene, first, SESSION, vote)
    if vote is Vote.APPROVE:
        assert done.problem == "approved, but saving the grant failed: the disk is full"
        assert isinstance(await gate.claim(first.call_id, first.digest), Claim)
    else:
        assert done.problem == "rejected, but saving the veto failed: the disk is full"
        assert done.request.status is Status.REJECTED
    assert (await gate.submit(draft(arguments={"to": "b"}))).status == "pending"


@pytest.mark.spec("REQ-52")
async def test_a_session_that_stops_meanwhile_remembers_nothing() -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = await gate.submit(draft())
    apply = scene.store.apply

    async def then_it_stops(change: Any) -> None:
        await apply(change)
        await scene.store.stop_session(gate.session_id, scene.clock.now())

    scene.store.apply = then_it_stops
    done = await say(scene, first, Wish(Remember.SESSION, bypass_secs=60))
    assert done.problem is not None
    assert "has stopped" in done.problem
    assert (await scene.store.grants(), await scene.store.bypasses()) == ([], [])


async def test_what_cannot_be_decided_says_so_as_ever() -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = await gate.submit(draft())
    with pytest.raises(DigestMismatch):
        await say(scene, replace(first, digest="0" * 64), ALWAYS)
    await say(scene, first, Wish())
    with pytest.raises(RequestClosed):
        await say(scene, first, ALWAYS)
    assert await scene.store.grants() == []


@pytest.mark.spec("REQ-51", "REQ-54")
async def test_every_remembered_thing_is_an_audit_record() -> None:
    scene = make_scene()
    gate = await scene.gate()
    await say(scene, await gate.submit(draft()), Wish(Remember.ALWAYS, bypass_secs=60))
    notes = [r for r in await scene.audit() if r["kind"] == "configuration"]
    assert [(r["by"], r["note"]) for r in notes] == [
        ("owner", "grant always: use send_mail, whatever its arguments"),
        ("owner", "bypass until its time: every call of this session that would ask"),
    ]
    verdicts = [r["reason"] for r in await scene.audit() if r["kind"] == "verdict"]
    assert verdicts == ["no-rule"]


@pytest.mark.spec("REQ-40", "REQ-54")
async def test_an_agent_can_make_nothing_of_it() -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = await gate.submit(draft())
    for wish in (ALWAYS, SESSION, Wish(bypass_secs=0)):
        with pytest.raises(NotEligible):
            await say(scene, first, wish, by=await scene.agent())
    kept = scene.broker.kept
    for act in (kept.grants, kept.bypasses, kept.clear, kept.clear_bypasses, kept.export):
        with pytest.raises(NotEligible):
            await act(await scene.agent())
    with pytest.raises(NotEligible):
        await kept.import_(await scene.agent(), b"{}")


@pytest.mark.spec("REQ-40", "REQ-54")
async def test_a_bypass_is_for_the_category_unless_told_otherwise() -> None:
    scene = make_scene()
    knowing(scene)
    gate = await scene.gate()
    command = {"command": "npm test"}
    await say(scene, await gate.submit(draft("Bash", arguments=command)), Wish(bypass_secs=900))
    (bypass,) = await scene.store.bypasses()
    assert (bypass.scope.extent, bypass.scope.name) == (Extent.CATEGORY, "shell")
    other = await gate.submit(draft("Bash", arguments={"command": "bash x.sh $X"}))
    assert (other.allowed, other.reason) == (True, "session-bypass")  # doubtful, too
    assert (await gate.submit(draft())).status == "pending"


@pytest.mark.spec("REQ-40", "REQ-54")
async def test_a_bypass_is_for_the_server_where_there_is_no_category() -> None:
    scene = make_scene()
    gate = await scene.gate()
    mail = draft("send", server="mail")
    await say(scene, await gate.submit(mail), Wish(bypass_secs=0))
    assert (await gate.submit(draft("read", server="mail"))).reason == "session-bypass"
    assert (await gate.submit(draft("read", server="disk"))).status == "pending"
    with pytest.raises(NotRemembered, match="has no category"):
        await say(
            scene, await gate.submit(draft("x", server="disk")),
            Wish(bypass_secs=0, bypass_scope=Extent.CATEGORY),
        )  # fmt: skip
    everything = Wish(bypass_secs=0, bypass_scope=Extent.ALL)
    await say(scene, await gate.submit(draft("y", server="disk")), everything)
    assert (await gate.submit(draft("z", server="net"))).reason == "session-bypass"
    assert len(await scene.store.bypasses()) == 2


@pytest.mark.spec("REQ-40", "REQ-54")
@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), 1e9])
async def test_a_time_that_is_none(seconds: float) -> None:
    scene = make_scene()
    first = await (await scene.gate()).submit(draft())
    with pytest.raises(NotRemembered, match="cannot be given"):
        await say(scene, first, Wish(bypass_secs=seconds))


@pytest.mark.spec("REQ-40", "REQ-54")
async def test_a_bypass_with_a_rejection_is_refused() -> None:
    scene = make_scene()
    first = await (await scene.gate()).submit(draft())
    with pytest.raises(NotRemembered, match="goes with an approve"):
        await say(scene, first, Wish(bypass_secs=0), Vote.REJECT)
    assert (await scene.request(first.call_id)).status is Status.PENDING


@pytest.mark.spec("REQ-54")
async def test_a_bypass_ends_at_its_time_whoever_uses_it() -> None:
    scene = make_scene()
    gate = await scene.gate()
    await say(scene, await gate.submit(draft()), Wish(bypass_secs=900))
    (bypass,) = await scene.store.bypasses()
    assert bypass.until == bypass.given_at + 900_000_000
    began = scene.clock.now

    def later(seconds: float) -> None:
        scene.clock.now = lambda: type(bypass.given_at)(  # type: ignore[method-assign]
            bypass.given_at + round(seconds * 1e6)
        )

    for n, seconds in enumerate((1, 500, 899.9)):
        later(seconds)
        assert (await gate.submit(draft(arguments={"n": n}))).reason == "session-bypass"
    later(900)
    assert (await gate.submit(draft(arguments={"n": "late"}))).status == "pending"
    assert await scene.broker.kept.bypasses(await scene.actor()) == []
    scene.clock.now = began  # type: ignore[method-assign]


@pytest.mark.spec("REQ-54", "REQ-21")
async def test_neither_another_session_nor_a_restart_inherits_a_bypass() -> None:
    scene = make_scene()
    gate, other = await scene.gate(), await scene.gate()
    first = await gate.submit(draft())
    await say(scene, first, Wish(bypass_secs=0))
    assert (await gate.submit(draft(arguments={"n": 1}))).reason == "session-bypass"
    assert (await other.submit(draft(arguments={"n": 1}))).status == "pending"
    assert len(await scene.broker.kept.bypasses(await scene.actor())) == 1
    await gate.host_started()
    assert (await gate.submit(draft(arguments={"n": 2}))).status == "pending"
    assert await scene.broker.kept.bypasses(await scene.actor()) == []
    await gate.stop()
    assert await scene.store.bypasses() == []


@pytest.mark.spec("REQ-50", "REQ-55")
async def test_what_can_only_be_approved_once_no_bypass_lifts() -> None:
    scene = make_scene()
    knowing(scene, ToolDescriptor("run_script", category="shell", remember=False))
    gate = await scene.gate()
    first = await gate.submit(draft("run_script"))
    assert offer_of(
        await scene.request(first.call_id), may_approve=True, may_reject=True, need=1
    ) == CardOffer()  # fmt: skip
    for scope in (None, Extent.ALL):
        with pytest.raises(NotRemembered, match="takes an answer once"):
            await say(scene, first, Wish(bypass_secs=0, bypass_scope=scope))
    other = await gate.submit(draft())
    await say(scene, other, Wish(bypass_secs=0, bypass_scope=Extent.ALL))
    assert (await gate.submit(draft(arguments={"to": "x"}))).reason == "session-bypass"
    assert (await gate.submit(draft("run_script", arguments={"n": 2}))).status == "pending"


@pytest.mark.spec("REQ-54", "REQ-55")
async def test_a_policy_that_takes_an_answer_once_offers_no_bypass_either() -> None:
    scene = make_scene(asks(remember=("once",)))
    first = await (await scene.gate()).submit(draft())
    request = await scene.request(first.call_id)
    assert offer_of(request, may_approve=True, may_reject=True, need=1) == CardOffer()
    with pytest.raises(NotRemembered, match="takes an answer once"):
        await say(scene, first, Wish(bypass_secs=0))
    assert (await scene.request(first.call_id)).status is Status.PENDING


async def test_a_veto_of_a_session_says_that_it_is_the_sessions() -> None:
    scene = make_scene()
    gate = await scene.gate()
    await say(scene, await gate.submit(draft()), SESSION, Vote.REJECT)
    again = await gate.submit(draft(arguments={"to": "bob"}))
    assert again.message == "rejected by owner in this session (do not repeat it)"


@pytest.mark.spec("REQ-56")
async def test_remembering_makes_no_rule_and_only_who_configures_makes_one() -> None:
    scene = make_scene(people=[OLGA])
    gate, owner = await scene.gate(), await scene.actor()
    before = await scene.broker.rules(owner)
    assert (await say(scene, await gate.submit(draft()), ALWAYS)).problem is None
    assert (
        await say(scene, await gate.submit(draft("deploy")), ALWAYS, Vote.REJECT)
    ).problem is None
    assert await scene.broker.rules(owner) == before
    made = replace(rule("allow", "send_mail"), origin=Origin.DATABASE)
    approver = await scene.actor(CredentialKind.APPROVER)
    for actor in (approver, await scene.actor(person_id="olga"), await scene.agent()):
        with pytest.raises(NotEligible):
            await scene.broker.put_rule(actor, made, new=True)
    assert await scene.broker.rules(owner) == before
    await scene.broker.put_rule(owner, made, new=True)
    assert len(await scene.broker.rules(owner)) == len(before) + 1
