"""Promises about time, and about what people do with a request besides voting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.broker.sweep import sweep
from sayso.core.approval_policy import ApprovalPolicy, OnTimeout, Severity
from sayso.core.asking import Escalation
from sayso.core.reason import Reason
from sayso.errors import NotEligible
from sayso.people.person import Person
from sayso.requests.approval import Status, Why
from sayso.requests.attention import Attention, Delivery
from sayso.requests.deadline import due, next_due, nudge
from sayso.requests.lifecycle import CallerLeft, apply
from tests.fakes.values import a_request, at
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import draft, make_scene, rule

PEOPLE = {"owner": Person("owner", "owner", admin=True), "anna": Person("anna", "Anna", admin=True),
          "nils": Person("nils", "Nils")}  # fmt: skip
seconds = st.integers(1, 2000).map(float)

severities = st.sampled_from(Severity)
deliveries = st.lists(
    st.builds(Delivery, st.just("chat"), st.sampled_from(["anna", "nils", "gone"]), st.just(at(1))),
    max_size=3,
).map(tuple)
policies = st.builds(
    ApprovalPolicy,
    severity=severities,
    timeout=st.none() | seconds,
    on_timeout=st.sampled_from(OnTimeout),
    acknowledge_high_risk=st.booleans(),
    reminders=st.lists(seconds, max_size=4).map(lambda times: tuple(sorted(set(times)))),
    escalate=st.none() | st.builds(Escalation, st.just(("admin",)), st.none() | seconds),
)
whys = st.builds(
    Why,
    st.sampled_from([Reason.RULE_ASK, Reason.RULES_UNAVAILABLE]),
    st.just("it asks"),
    must_ask=st.booleans(),
    doubtful=st.booleans(),
)


@pytest.mark.spec("REQ-16")
@given(policies, st.lists(seconds, min_size=1, max_size=8))
def test_reminders_never_approve(policy: ApprovalPolicy, looks: list[float]) -> None:
    """Whenever anybody looks, in whatever order clocks are set: telling people decides nothing."""
    request = a_request(policy=policy)
    for look in looks:
        while (event := nudge(request, at(look))) is not None:
            before = request
            request = apply(request, event)
            assert request.status is Status.PENDING
            assert (request.reviews, request.resolution) == (before.reviews, before.resolution)
        assert request.attention.reminders <= len(policy.reminders)


@given(policies, deliveries, whys, st.sampled_from([(), ("anna",), ("anna", "nils")]))
def test_on_timeout_allow_needs_a_confirmed_delivery(
    policy: ApprovalPolicy, delivered: tuple[Delivery, ...], why: Why, eligible: tuple[str, ...]
) -> None:
    request = a_request(
        policy=policy, why=why, expires_at=at(600), attention=Attention(deliveries=delivered)
    )
    event = due(request, at(600), None, eligible)
    assert event is not None
    after = apply(request, event)
    told = any(delivery.person_id in eligible for delivery in delivered)
    grave = policy.severity is Severity.HIGH and not policy.acknowledge_high_risk
    lifted = why.must_ask or why.doubtful or why.reason is Reason.RULES_UNAVAILABLE
    timed = policy.timeout is not None  # where it is none, only a quorum out of reach ends it
    allows = policy.on_timeout is OnTimeout.ALLOW and timed and told and not grave and not lifted
    assert (after.status is Status.APPROVED) == allows
    assert due(request, at(600)) != event or not allows, "nobody is known, and time approved"


@pytest.mark.spec("ST-5")
@given(policies, seconds, st.booleans())
def test_a_timer_is_set_to_the_next_thing_that_time_brings(
    policy: ApprovalPolicy, wait: float, expires: bool
) -> None:
    """Nothing is due before the timer, and something is at it: no timer is missed or runs idle."""
    request = a_request(policy=policy, expires_at=at(wait) if expires else None)
    for _ in range(20):
        moment = next_due(request)
        if moment is None:
            assert nudge(request, at(10**7)) is None
            return
        early = due(request, type(moment)(moment - 1))
        assert early is None or isinstance(early, CallerLeft)
        assert nudge(request, type(moment)(moment - 1)) is None
        event = due(request, moment)
        if event is None or isinstance(event, CallerLeft):
            event = nudge(request, moment)
        assert event is not None
        request = apply(request, event)
    raise AssertionError("the timers of one request never end")


@given(st.lists(st.tuples(seconds, st.integers(1, 3)), min_size=1, max_size=6))
def test_replicas_that_sweep_at_any_moments_remind_of_each_time_once(
    sweeps: list[tuple[float, int]],
) -> None:
    async def story() -> None:
        policy = ApprovalPolicy(timeout="none", reminders=(100.0, 200.0, 300.0))
        scene = make_scene(rule("ask", approval=policy))
        standing = await (await scene.gate()).submit(draft())
        for pause, replicas in sweeps:
            await scene.clock.sleep(pause)
            for _ in range(replicas):
                await sweep(scene.another_broker().world)
        request = await scene.request(standing.call_id)
        passed = sum(sum(pause for pause, _ in sweeps) >= moment for moment in (100, 200, 300))
        assert request.attention.reminders == passed
        reminded = [r for r in await scene.audit() if r["reason"] == "reminded"]
        assert len(reminded) <= passed
        assert len({r["comment"] for r in reminded}) == len(reminded)
        assert request.status is Status.PENDING

    run_virtual(story())


# ── breaking the glass ──

TEAM = [Person(name, name, admin=True) for name in ("anna", "bob", "eva")]
ACTS = ("break", "review", "review own", "wait", "sweep")


@pytest.mark.spec("REQ-68")
@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from(TEAM)), min_size=1, max_size=12))
def test_break_glass_never_without_a_second_review(acts: list[tuple[str, Person]]) -> None:
    """While one was not reviewed in time, no other is broken; and nobody reviews their own."""

    async def story() -> None:
        policy = ApprovalPolicy(quorum=3, timeout="none", break_glass=100.0)
        scene = make_scene(rule("ask", approval=policy), people=TEAM)
        gate, made = await scene.gate(), 0
        broken: dict[str, tuple[str, float]] = {}
        for act, person in acts:
            actor = await scene.actor(person_id=person.person_id)
            clock = scene.clock.now() / 1e6
            overdue = any(clock >= until for _, until in broken.values())
            if act == "wait":
                await scene.clock.sleep(60)
            elif act == "sweep":
                await sweep(scene.another_broker().world)
            elif act == "break":
                made += 1
                standing = await gate.submit(draft(f"t{made}"))
                doing = scene.broker.attention.break_glass(
                    actor, standing.call_id, digest=standing.digest, why="now"
                )
                if overdue:
                    with pytest.raises(NotEligible):
                        await doing
                    assert (await scene.request(standing.call_id)).status is Status.PENDING
                else:
                    assert (await doing).status is Status.APPROVED
                    broken[standing.call_id] = (person.person_id, clock + 100)
            elif broken:
                request_id, (breaker, _) = next(iter(broken.items()))
                own = act == "review own"
                who = await scene.actor(person_id=breaker) if own else actor
                mine = who.person.person_id == breaker
                doing = scene.broker.attention.review_glass(
                    who, request_id, justified=True, comment=None
                )
                if mine:
                    with pytest.raises(NotEligible):
                        await doing
                else:
                    await doing
                    del broken[request_id]

    run_virtual(story())
