"""Calls on which hooks have a word: how they stand, run, are repeated and recorded."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.broker import Broker
from sayso.broker.consultant import Consultant
from sayso.broker.ports import Claim
from sayso.broker.run import run
from sayso.channels.card import card_of
from sayso.channels.display import restore
from sayso.core.advice import SUMMARY_SECONDS, Advice
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.asking import ContextWanted
from sayso.core.budget import Budget
from sayso.errors import CallDenied, ExternalIdReused, StoreUnavailable
from sayso.gate.answer import Answer, Decision
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.advice import FAILED, FakeAdvice
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, at, draft, make_scene, rule

ALLOWS = Answer(Decision.ALLOW, "it is a test address")
DENIES = Answer(Decision.DENY, "no mail on Sundays")


def advised(advice: FakeAdvice, *rules: Rule, **more: Any) -> Scene:
    """A world with these hooks, in which no rule says anything but these."""
    scene = make_scene(*rules, **more)
    consultant = Consultant(advice, advice, advice, scene.clock, scene.ids)
    scene.broker = Broker(replace(scene.world, consultant=consultant))
    return scene


def hooked(answer: Answer | Exception, **more: Any) -> FakeAdvice:
    advice = FakeAdvice(**more)
    advice.with_hook("guard", answer)
    return advice


def table(asking: Rule) -> RuleSet:
    """The rule as the only row of the rule table: there an ask need not always go to a person."""
    return compile_ruleset((), [asking], SHIPPED, facts=NOTHING_KNOWN)


async def verdicts(scene: Scene) -> list[dict[str, Any]]:
    return [record for record in await scene.audit() if record["kind"] == "verdict"]


async def test_what_a_hook_allows_runs_and_nobody_is_asked() -> None:
    scene = advised(hooked(ALLOWS))
    gate = await scene.gate()
    assert await run(gate, draft(), scene.execute) == "sent"
    assert await scene.store.pending() == []
    (record,) = await verdicts(scene)
    assert (record["effect"], record["reason"]) == ("allow", "hook-allow")
    assert record["comment"] == "it is a test address"
    assert record["note"] == "the hook guard allowed it"


async def test_what_a_hook_refuses_is_refused_with_its_words() -> None:
    scene = advised(hooked(DENIES))
    gate = await scene.gate()
    with pytest.raises(CallDenied) as error:
        await run(gate, draft(), scene.execute)
    assert error.value.reason == "hook-deny"
    assert "no mail on Sundays" in error.value.message
    assert scene.runs == []
    assert await scene.store.pending() == []


@pytest.mark.spec("GATE-4")
async def test_a_hook_that_fails_passes_on_to_a_person_with_the_reason_of_the_rule() -> None:
    for answer in (FAILED, ValueError("a defect"), Answer(Decision.PASS)):
        scene = advised(hooked(answer))
        standing = await (await scene.gate()).submit(draft())
        assert (standing.effect, standing.reason) == ("ask", "no-rule"), answer
        assert standing.status == "pending"
        assert len(await scene.store.pending()) == 1


async def test_only_what_the_user_alone_could_approve_is_put_to_a_hook() -> None:
    quorum, admin = ApprovalPolicy(quorum=2), ApprovalPolicy(approver=Approver.ADMIN)
    for asking in (
        table(rule("ask", must_ask=True)),
        table(rule("ask", approval=quorum)),
        table(rule("ask", approval=admin)),
        table(rule("deny")),
        table(rule("allow")),
    ):
        advice = hooked(ALLOWS)
        scene = advised(advice)
        scene.rules._compiled = asking
        standing = await (await scene.gate()).submit(draft())
        assert advice.asked == [], asking
        assert standing.reason != "hook-allow"
    advice = hooked(ALLOWS)
    scene = advised(advice)
    scene.rules._compiled = table(rule("ask"))
    assert (await (await scene.gate()).submit(draft())).reason == "hook-allow"
    advice = hooked(ALLOWS)
    scene = advised(advice)
    scene.rules.say(unavailable="the disk is full")
    standing = await (await scene.gate()).submit(draft())
    assert (standing.reason, advice.asked) == ("rules-unavailable", [])
    advice = hooked(ALLOWS)
    scene = advised(advice)
    session = await scene.session(attended=False, source="cron")
    standing = await scene.broker.gate(session.session_id).submit(draft())
    assert (standing.status, advice.asked) == ("pending", [])


@pytest.mark.spec("GATE-1")
async def test_asking_for_the_verdict_alone_asks_no_hook() -> None:
    advice = hooked(ALLOWS)
    scene = advised(advice)
    standing = await (await scene.gate()).decide(draft())
    assert (standing.effect, advice.asked) == ("ask", [])


async def test_where_nobody_could_be_asked_a_hook_still_decides() -> None:
    scene = advised(hooked(ALLOWS))
    scene.notifier.can_ask = False
    assert (await (await scene.gate()).submit(draft())).reason == "hook-allow"
    scene = advised(hooked(FAILED))
    scene.notifier.can_ask = False
    assert (await (await scene.gate()).submit(draft())).reason == "no-approver"


async def test_what_changes_while_a_hook_thinks_is_obeyed() -> None:
    async def thinking(change: Any) -> tuple[Scene, Any]:
        advice = hooked(ALLOWS)
        scene = advised(advice)
        gate = await scene.gate()

        async def meanwhile() -> None:
            await change(scene, gate)

        advice.meanwhile = meanwhile
        return scene, await gate.submit(draft())

    async def stopped(scene: Scene, gate: Any) -> None:
        await gate.stop()

    async def denied(scene: Scene, gate: Any) -> None:
        scene.rules.say(rule("deny"))

    async def must(scene: Scene, gate: Any) -> None:
        scene.rules.say(rule("ask", must_ask=True))

    async def routed(scene: Scene, gate: Any) -> None:
        operator = ApprovalPolicy(approver=Approver.OPERATOR)
        scene.rules._compiled = table(rule("ask", approval=operator))

    for change, reason in (
        (stopped, "cancelled"),
        (denied, "rule-deny"),
        (must, "must-ask"),
        (routed, "rule-ask"),
    ):
        _, standing = await thinking(change)
        assert standing.reason == reason, change
        assert standing.effect != "allow"


async def test_a_hook_that_is_no_longer_named_has_no_word() -> None:
    advice = hooked(ALLOWS)
    scene = advised(advice)

    async def meanwhile() -> None:
        advice.says = replace(advice.says, hooks=())

    advice.meanwhile = meanwhile
    assert (await (await scene.gate()).submit(draft())).status == "pending"


async def test_the_store_is_free_and_time_goes_on_while_a_hook_is_waited_for() -> None:
    advice = hooked(Answer(Decision.PASS), takes=9)
    scene = advised(advice, rule("allow", "other"))
    gate = await scene.gate()
    waiting = asyncio.create_task(gate.submit(draft()))
    await asyncio.sleep(1)
    assert (await gate.submit(draft("other"))).effect == "allow"
    standing = await waiting
    request = await scene.request(standing.call_id)
    assert (scene.clock.now() - request.created_at) == 0, "it is asked now, not then"


@pytest.mark.spec("GATE-3")
async def test_a_caller_that_is_cancelled_does_not_wait_for_the_hook() -> None:
    scene = advised(hooked(ALLOWS, takes=9))
    running = asyncio.create_task(run(await scene.gate(), draft(), scene.execute))
    await asyncio.sleep(1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert scene.clock.now() == at(6)
    await asyncio.sleep(30)
    assert (scene.runs, await scene.audit()) == ([], [])


# ── again ──


async def test_a_call_that_is_sent_again_stands_as_it_did_whatever_the_hook_says_now() -> None:
    for first, then in ((ALLOWS, DENIES), (DENIES, ALLOWS), (Answer(Decision.PASS), ALLOWS)):
        advice = hooked(first)
        scene = advised(advice)
        gate = await scene.gate()
        once = await gate.submit(draft(external_id="x1"))
        advice.hooks_say["guard"] = then
        again = await gate.submit(draft(external_id="x1"))
        assert (again.call_id, again.effect, again.reason, again.message) == (
            once.call_id, once.effect, once.reason, once.message,
        )  # fmt: skip
        assert len(advice.asked) == 1
        assert (await gate.wait(once.call_id, 0)).effect == once.effect
        with pytest.raises(ExternalIdReused):
            await gate.submit(draft(external_id="x1", arguments={"to": "bob"}))


async def test_the_same_call_sent_twice_at_once_is_asked_about_once_and_is_one_call() -> None:
    advice = hooked(ALLOWS, takes=3)
    scene = advised(advice)
    gate = await scene.gate()
    one, other = await asyncio.gather(
        gate.submit(draft(external_id="x1")), gate.submit(draft(external_id="x1"))
    )
    assert one.call_id == other.call_id
    assert (one.effect, other.effect, len(advice.asked)) == ("allow", "allow", 1)


@pytest.mark.parametrize("winner", [ALLOWS, DENIES, Answer(Decision.PASS)])
async def test_of_two_replicas_that_hear_different_words_one_is_written(winner: Answer) -> None:
    """What is written first stands, so that one id never means two things."""
    advice = hooked(winner, takes=1)
    scene = advised(advice)
    session = await scene.session()
    slow = hooked(ALLOWS if winner is not ALLOWS else DENIES, takes=2)
    second = Broker(
        replace(scene.world, consultant=Consultant(slow, slow, slow, scene.clock, scene.ids))
    )
    one, other = await asyncio.gather(
        scene.broker.gate(session.session_id).submit(draft(external_id="x1")),
        second.gate(session.session_id).submit(draft(external_id="x1")),
    )
    assert len(slow.asked) == len(advice.asked) == 1
    assert (one.call_id, one.effect, one.reason) == (other.call_id, other.effect, other.reason)


async def test_an_allow_that_the_rules_no_longer_bear_is_not_given_a_second_time() -> None:
    advice = hooked(ALLOWS)
    scene = advised(advice)
    gate = await scene.gate()
    await gate.submit(draft(external_id="x1"))
    scene.rules.say(rule("ask", must_ask=True))
    again = await gate.submit(draft(external_id="x1"))
    assert (again.effect, again.reason) == ("deny", "must-ask")


@pytest.mark.spec("REQ-37")
async def test_a_call_that_takes_of_a_budget_besides_is_claimed_without_the_hook() -> None:
    facts = FakeFacts()
    advice = hooked(ALLOWS)
    scene = advised(advice, facts=facts)
    publish = parse_text_rule("allow", "shell(npm publish)", Origin.GLOBAL, rule_id="publish")
    publish = replace(publish, budget=Budget(1, 86_400.0))
    scene.rules._compiled = compile_ruleset([publish], (), SHIPPED, facts=facts)
    gate = scene.broker.gate((await scene.session(workspace="/w")).session_id)
    both = draft("Bash", arguments={"command": "git push && npm publish"})
    standing = await gate.submit(both)
    assert (standing.status, standing.reason) == ("approved", "hook-allow")
    advice.hooks_say["guard"] = DENIES
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Claim)
    assert len(advice.asked) == 1
    assert await scene.store.spent("publish", at(-1)) == 1
    await gate.finish(taken.call_id, taken.token, True, "done", 0.1)
    advice.hooks_say["guard"] = ALLOWS
    again = await gate.submit(replace(both, external_id="x2"))
    assert again.allowed, "the hook has allowed it whole, also what the budget has no room for"
    assert await scene.store.spent("publish", at(-1)) == 1


@pytest.mark.spec("REQ-33")
async def test_the_calls_of_a_batch_are_asked_about_at_once_and_stand_in_their_order() -> None:
    advice = hooked(ALLOWS, takes=8)
    scene = advised(advice)
    gate = await scene.gate()
    drafts = [draft(arguments={"n": number}) for number in range(8)]
    made = await gate.submit_batch("turn", drafts)
    assert [standing.reason for standing in made.standings] == ["hook-allow"] * 8
    assert scene.clock.now() == at(8)
    again = await gate.submit_batch("turn", drafts)
    assert [one.call_id for one in again.standings] == [one.call_id for one in made.standings]
    assert len(advice.asked) == 8


async def test_a_batch_waits_no_longer_than_one_call_may() -> None:
    advice = hooked(ALLOWS, takes=9)
    scene = advised(advice)
    drafts = [draft(arguments={"n": number}) for number in range(100)]
    made = await (await scene.gate()).submit_batch("turn", drafts)
    reasons = [standing.reason for standing in made.standings]
    assert scene.clock.now() == at(117)
    assert reasons == ["hook-allow"] * 100
    advice.takes, advice.asked = 1000, []
    made = await (await scene.gate()).submit_batch("turn", drafts)
    assert {standing.status for standing in made.standings} == {"pending"}


@pytest.mark.spec("GATE-4")
async def test_a_verdict_that_cannot_be_recorded_lets_nothing_run() -> None:
    scene = advised(hooked(ALLOWS))
    gate = await scene.gate()

    async def full(*_: Any) -> None:
        raise StoreUnavailable("the disk is full")

    scene.store.submit = full
    with pytest.raises(StoreUnavailable):
        await run(gate, draft(), scene.execute)
    assert scene.runs == []
    assert await scene.audit() == []


# ── summaries ──

TALK = {"messages": [{"role": "user", "content": "mail Alice; my token is ghp_" + "a1B2" * 9}]}
WANTS = ApprovalPolicy(context=ContextWanted(summary=True))


@pytest.mark.spec("REV-4")
async def test_the_model_sums_up_the_dialogue_for_the_card_which_says_who_wrote_it() -> None:
    advice = FakeAdvice(Advice(model="some:model"), model_says=["Alice shall get a mail."])
    scene = advised(advice, rule("ask", approval=WANTS))
    gate = await scene.gate()
    standing = await gate.submit(draft(context=TALK))
    ((_, prompt),) = advice.prompts
    assert "ghp_" not in prompt.data
    request = await scene.request(standing.call_id)
    card = card_of(request, now=scene.clock.now())
    assert card.context is not None
    assert card.context.to_json()["summary_by"] == "some:model"
    assert card.context.summary_words == "summary, written by some:model"
    assert card.context.summary is not None
    assert restore(card.context.summary.content) == "Alice shall get a mail."
    assert card.context.messages == ()
    (record,) = await verdicts(scene)
    assert record["note"] == "for the summary some:model read 100 tokens and wrote 10"
    await gate.submit(draft(context=TALK, arguments={"to": "bob"}))
    assert len(advice.prompts) == 1, "it is the same dialogue"


@pytest.mark.spec("REV-4")
async def test_without_a_summary_the_turns_are_shown_and_an_agent_s_own_is_left_alone() -> None:
    for says in (FAILED, "", " "):
        advice = FakeAdvice(Advice(model="some:model"), model_says=[says])
        scene = advised(advice, rule("ask", approval=WANTS))
        standing = await (await scene.gate()).submit(draft(context=TALK))
        kept = (await scene.request(standing.call_id)).context
        assert kept is not None
        assert (kept.summary, kept.summary_by) == (None, "")
        assert kept.user_request is not None
    advice = FakeAdvice(Advice(model="some:model"), takes=1000)
    scene = advised(advice, rule("ask", approval=WANTS))
    standing = await (await scene.gate()).submit(draft(context=TALK))
    assert standing.status == "pending"
    assert scene.clock.now() == at(SUMMARY_SECONDS)
    for told, more in (
        ({**TALK, "summary": "mine"}, WANTS),
        (TALK, ApprovalPolicy()),
        (None, WANTS),
    ):
        advice = FakeAdvice(Advice(model="some:model"))
        scene = advised(advice, rule("ask", approval=more))
        standing = await (await scene.gate()).submit(draft(context=told))
        assert advice.prompts == []
        kept = (await scene.request(standing.call_id)).context
        assert kept is None or kept.summary_by == ""


async def test_a_session_that_is_stopped_while_the_summary_is_written_asks_nobody() -> None:
    advice = FakeAdvice(Advice(model="some:model"), model_says=["Alice shall get a mail."])
    scene = advised(advice, rule("ask", approval=WANTS))
    gate = await scene.gate()
    advice.meanwhile = gate.stop
    standing = await gate.submit(draft(context=TALK))
    assert (standing.effect, standing.reason) == ("deny", "cancelled")
    assert await scene.store.pending() == []


@pytest.mark.spec("POL-63", "GATE-5")
async def test_an_allow_counts_no_more_once_the_settings_that_name_its_hook_are_broken() -> None:
    advice = hooked(ALLOWS)
    scene = advised(advice)
    gate = await scene.gate()

    async def broken() -> None:
        advice.says = replace(advice.says, may_allow=False)

    first = await gate.submit(draft(external_id="first"))
    assert first.reason == "hook-allow"
    advice.meanwhile = broken
    second = await gate.submit(draft(external_id="second", arguments={"n": 2}))
    assert (second.effect, second.reason) == ("ask", "no-rule"), "they broke while it was asked"
    again = await gate.submit(draft(external_id="first"))
    assert (again.effect, again.reason) == ("deny", "no-rule"), "nor where it was heard before"
    advice.hooks_say["guard"] = DENIES
    third = await gate.submit(draft(external_id="third", arguments={"n": 3}))
    assert (third.effect, third.reason) == ("deny", "hook-deny"), "a refusal counts all the same"
