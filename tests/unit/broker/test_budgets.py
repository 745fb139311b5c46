"""Budgets of allow rules: claimed like what people approved, and booked in that write."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.ports import Claim, Standing
from sayso.broker.remembering import Wish
from sayso.broker.run import run
from sayso.core.budget import Budget
from sayso.errors import CallRejected
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.approval import Status, Vote
from sayso.requests.standing_grant import Remember
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, draft, make_scene, rule

DAY = 86_400.0


def allows(most: float = 2, argument: str | None = None, per: float = DAY) -> Rule:
    """An allow with a budget."""
    return replace(rule("allow", "send_mail"), budget=Budget(most, per, argument))


def mail(n: int, **arguments: Any) -> Any:
    return draft(arguments={"n": n, **arguments})


async def claimed(scene: Scene, gate: Any, given: Any) -> Claim | Standing:
    """Submit and claim: what comes of it."""
    standing = await gate.submit(given)
    if standing.status != "approved":
        return standing  # type: ignore[no-any-return]
    return await gate.claim(standing.call_id, standing.digest)  # type: ignore[no-any-return]


@pytest.mark.spec("REQ-37", "POL-10")
async def test_so_many_calls_run_without_a_question_and_then_it_asks() -> None:
    scene = make_scene(allows(2))
    gate = await scene.gate()
    for n in range(2):
        standing = await gate.submit(mail(n))
        assert (standing.status, standing.allowed, standing.by) == ("approved", False, None)
        assert standing.reason == "rule-allow"
        assert standing.message == "allowed: within the budget of a rule"
        taken = await gate.claim(standing.call_id, standing.digest)
        assert isinstance(taken, Claim)
        await gate.finish(taken.call_id, taken.token, True, "sent", 0.1)
        assert (await gate.wait(standing.call_id, 1)).reason == "rule-allow"
    third = await gate.submit(mail(3))
    assert (third.status, third.effect, third.reason) == ("pending", "ask", "budget-spent")
    told = [(r["kind"], r["reason"]) for r in await scene.audit() if r["kind"] != "outcome"]
    assert told == [
        ("verdict", "rule-allow"), ("claim", "rule-allow"),
        ("verdict", "rule-allow"), ("claim", "rule-allow"),
        ("verdict", "budget-spent"),
    ]  # fmt: skip
    assert scene.notifier.announced == []


@pytest.mark.spec("REQ-37")
async def test_the_loop_of_a_host_runs_it_like_any_other() -> None:
    scene = make_scene(allows(1))
    gate = await scene.gate()
    assert await run(gate, mail(1), scene.execute) == "sent"
    waiting = asyncio.ensure_future(run(gate, mail(2), scene.execute))
    await asyncio.sleep(0.1)
    (asked,) = await scene.store.pending()
    await scene.broker.review(await scene.actor(), asked.request_id, Vote.REJECT, comment="enough")
    with pytest.raises(CallRejected, match="enough"):
        await waiting
    assert len(scene.runs) == 1


@pytest.mark.spec("REQ-37")
async def test_so_much_of_an_argument_and_what_cannot_be_read_asks() -> None:
    scene = make_scene(allows(100, "amount"))
    gate = await scene.gate()
    assert isinstance(await claimed(scene, gate, mail(1, amount=60)), Claim)
    over = await claimed(scene, gate, mail(2, amount=41))
    assert isinstance(over, Standing)
    assert over.reason == "budget-spent"
    assert isinstance(await claimed(scene, gate, mail(3, amount=40)), Claim)
    for n, amount in enumerate(("7", True, None, -5, [1])):
        asked = await gate.submit(mail(10 + n, amount=amount))
        assert (asked.status, asked.reason) == ("pending", "budget-spent"), amount
    assert (await gate.submit(mail(4))).reason == "budget-spent"  # it has none at all


@pytest.mark.spec("REQ-37")
async def test_two_that_were_allowed_at_once_do_not_overspend() -> None:
    """Both fitted when they were judged; the claim's write books, and what no longer fits is asked about."""
    scene = make_scene(allows(1))
    gate = await scene.gate()
    one, two = await gate.submit(mail(1)), await gate.submit(mail(2))
    assert (one.status, two.status) == ("approved", "approved")
    first = await gate.claim(one.call_id, one.digest)
    second = await gate.claim(two.call_id, two.digest)
    assert isinstance(first, Claim)
    assert isinstance(second, Standing)
    assert (second.status, second.reason) == ("pending", "budget-spent")
    assert (await scene.request(two.call_id)).status is Status.SUPERSEDED
    again = await scene.request(second.call_id)
    assert again.previous == two.call_id


@pytest.mark.spec("REQ-37")
async def test_racing_claims_of_several_brokers_do_not_overspend() -> None:
    scene = make_scene(allows(3))
    gates = [await scene.gate() for _ in range(4)]
    standings = [(gate, await gate.submit(mail(n))) for n, gate in enumerate(gates * 3)]
    taken = await asyncio.gather(
        *(
            scene.another_broker().gate(gate.session_id).claim(s.call_id, s.digest)
            for gate, s in standings
            if s.status == "approved"
        )
    )
    assert sum(isinstance(one, Claim) for one in taken) == 3


@pytest.mark.spec("REQ-37")
async def test_the_window_passes_and_what_is_unknown_keeps_its_part() -> None:
    scene = make_scene(allows(2, per=60))
    gate = await scene.gate()
    done, lost = await claimed(scene, gate, mail(1)), await claimed(scene, gate, mail(2))
    assert isinstance(done, Claim)
    assert isinstance(lost, Claim)
    await gate.finish(done.call_id, done.token, False, "failed", 0.1)
    await asyncio.sleep(61)
    assert isinstance(await claimed(scene, gate, mail(3)), Claim)  # the first one's part is free
    blocked = await claimed(scene, gate, mail(4))  # the second may still run
    assert isinstance(blocked, Standing)
    assert blocked.reason == "budget-spent"


@pytest.mark.spec("REQ-37")
async def test_a_person_lets_one_more_run_and_that_takes_nothing() -> None:
    scene = make_scene(allows(1))
    gate = await scene.gate()
    assert isinstance(await claimed(scene, gate, mail(1)), Claim)
    asked = await gate.submit(mail(2))
    actor = await scene.actor()
    wish = Wish(Remember.SESSION)
    await scene.broker.answer(actor, asked.call_id, Vote.APPROVE, digest=asked.digest, wish=wish)
    assert isinstance(await gate.claim(asked.call_id, asked.digest), Claim)
    assert (await gate.submit(mail(3))).reason == "session-grant"
    assert await scene.store.spent(allows().id, scene.clock.now() - 1) == 1.0


@pytest.mark.spec("REQ-37")
async def test_a_deny_or_changed_rules_are_obeyed_at_the_claim() -> None:
    scene = make_scene(allows(1))
    gate = await scene.gate()
    standing = await gate.submit(mail(1))
    scene.rules.say(rule("deny"))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "refused"
    scene.rules.say(allows(1))
    standing = await gate.submit(mail(2))
    scene.rules.say(rule("ask"))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert taken.status == "pending"
    assert await scene.store.spent(allows().id, scene.clock.now() - 1) == 0.0


async def test_an_allow_with_a_budget_is_no_allow_for_who_only_asks() -> None:
    scene = make_scene(allows(1))
    gate = await scene.gate()
    assert (await gate.decide(mail(1))).effect == "allow"
    assert isinstance(await claimed(scene, gate, mail(1)), Claim)
    assert (await gate.decide(mail(2))).reason == "budget-spent"


LINE = "npm publish; git push"


async def with_push(wish: Wish, most: float = 1) -> tuple[Scene, Any]:
    """A budget for `npm publish`, and the wish given with an approve of `git push`."""
    scene = make_scene()
    facts = FakeFacts()
    publish = parse_text_rule("allow", "shell(npm publish)", Origin.GLOBAL, rule_id="publish")
    publish = replace(publish, budget=Budget(most, DAY))
    scene.rules._compiled = compile_ruleset([publish], (), SHIPPED, facts=facts)
    object.__setattr__(scene.world, "facts", facts)
    gate = scene.broker.gate((await scene.session(workspace="/w")).session_id)
    asked = await gate.submit(draft("Bash", arguments={"command": "git push"}))
    actor = await scene.actor()
    await scene.broker.answer(actor, asked.call_id, Vote.APPROVE, digest=asked.digest, wish=wish)
    return scene, gate


def line(n: int) -> Any:
    return draft("Bash", arguments={"command": LINE}, external_id=f"n{n}")


@pytest.mark.spec("REQ-37")
@pytest.mark.parametrize(
    ("wish", "reason"),
    [(Wish(Remember.ALWAYS), "saved-grant"), (Wish(Remember.SESSION), "session-grant")],
)
async def test_what_is_granted_for_one_part_leaves_the_budget_of_the_rest(
    wish: Wish, reason: str
) -> None:
    scene, gate = await with_push(wish)
    first = await gate.submit(line(1))
    assert (first.status, first.allowed, first.reason) == ("approved", False, reason)
    assert isinstance(await gate.claim(first.call_id, first.digest), Claim)
    assert await scene.store.spent("publish", scene.clock.now() - 1) == 1.0
    claims = [r["reason"] for r in await scene.audit() if r["kind"] == "claim"]
    assert claims == [reason]
    second = await gate.submit(line(2))
    assert (second.status, second.reason) == ("pending", "budget-spent")


@pytest.mark.spec("REQ-37")
async def test_two_granted_calls_that_were_allowed_at_once_do_not_overspend() -> None:
    scene, gate = await with_push(Wish(Remember.ALWAYS))
    one, two = await gate.submit(line(1)), await gate.submit(line(2))
    assert isinstance(await gate.claim(one.call_id, one.digest), Claim)
    second = await gate.claim(two.call_id, two.digest)
    assert isinstance(second, Standing)
    assert (second.status, second.reason) == ("pending", "budget-spent")
    assert await scene.store.spent("publish", scene.clock.now() - 1) == 1.0


@pytest.mark.spec("REQ-37")
async def test_what_lifts_a_spent_budget_too_books_nothing_of_it() -> None:
    """A bypass lifts what is over the budget; a claim that booked it could never come through."""
    scene, gate = await with_push(Wish(bypass_secs=0))
    one, two = await gate.submit(line(1)), await gate.submit(line(2))
    assert isinstance(await gate.claim(one.call_id, one.digest), Claim)
    assert isinstance(await asyncio.wait_for(gate.claim(two.call_id, two.digest), 30), Claim)
    third = await gate.submit(line(3))
    assert (third.allowed, third.reason) == (True, "session-bypass")
    assert await scene.store.spent("publish", scene.clock.now() - 1) == 1.0


@pytest.mark.spec("REQ-37", "REQ-55")
async def test_a_grant_for_the_rest_of_a_line_is_tried_with_what_is_spent() -> None:
    """The card offers one key, for the part that asks: with all budgets taken as spent it lifted nothing."""
    scene, gate = await with_push(Wish())
    asked = await gate.submit(line(1))
    assert [key.parts[1] for key in (await scene.request(asked.call_id)).keys] == ["git push"]
    done = await scene.broker.answer(
        await scene.actor(), asked.call_id, Vote.APPROVE, digest=asked.digest,
        wish=Wish(Remember.ALWAYS),
    )  # fmt: skip
    assert (len(done.saved), done.problem) == (1, None)
