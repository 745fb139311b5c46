"""Promises of what people had remembered: grants for a key, vetoes and bypasses."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.broker.ports import Claim, Standing
from sayso.broker.remembering import Wish
from sayso.core.budget import Budget
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.parts import offered_keys, parts_of
from sayso.gate.verdict import Verdict
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.people.person import OWNER, owner
from sayso.policy.descriptors import Descriptors, ToolDescriptor
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.approval import Vote
from sayso.requests.key import Key, KeyKind
from sayso.requests.standing_grant import (
    Bypass,
    BypassScope,
    Extent,
    KeyGrant,
    Remember,
    Remembered,
)
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call, at
from tests.fakes.virtual_time import run_virtual
from tests.fakes.world import compiled, draft, make_scene, rule
from tests.laws.gate_worlds import IDS, NOW, GateWorld, gate_worlds
from tests.reference.people import how_many, how_many_needed

LIFTED = (Reason.SESSION_GRANT, Reason.SAVED_GRANT, Reason.SESSION_BYPASS)


def all_there_could_be(world: GateWorld, givers: tuple[str, ...] = IDS) -> Remembered:
    """Everything that these people could have had remembered for the call."""
    call = world.call
    key = Key(KeyKind.TOOL, (call.tool, ""))
    grants = [
        KeyGrant(f"{giver} {session}", key, call.user_id, session, giver, giver, at(-60))
        for giver in givers
        for session in (None, call.session_id)
    ]
    bypasses = [
        Bypass(giver, BypassScope(Extent.ALL), "uma", call.session_id, "h1", giver, giver, at(-60))
        for giver in givers
    ]
    return Remembered(tuple(grants), tuple(bypasses), "h1")


def with_remembered(world: GateWorld, remembered: Remembered) -> GateWorld:
    """The same world, in which that and nothing else is remembered."""
    return replace(world, grants=(), context=replace(world.context, remembered=remembered))


@pytest.mark.spec("REQ-55")
@given(gate_worlds())
def test_a_grant_lifts_ask_and_nothing_else(world: GateWorld) -> None:
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    without = with_remembered(world, Remembered()).decide()
    verdict = with_remembered(world, all_there_could_be(world)).decide()
    if verdict.reason in LIFTED:
        assert policy.effect is Effect.ASK
        assert not policy.must_ask
        assert policy.reason is not Reason.RULES_UNAVAILABLE
        asked = Asked(world.call.owner, policy.approval)
        assert how_many_needed(asked, world.context.people) == 1
        assert world.call.attended
        assert not world.context.stopped
        assert without.reason not in (Reason.STICKY_DENY, Reason.CANCELLED)
        assert verdict.by
    else:
        assert verdict == without


@given(gate_worlds(), st.sampled_from(["*", "{tool}"]))
def test_deny_trumps_every_grant(world: GateWorld, pattern: str) -> None:
    deny = rule("deny", pattern.format(tool=world.call.tool))
    world = replace(world, rules=(*world.rules, deny))
    verdict = with_remembered(world, all_there_could_be(world)).decide()
    assert verdict.effect is Effect.DENY
    assert verdict.reason in (Reason.RULE_DENY, Reason.CANCELLED)
    assert verdict.by == ()


@given(gate_worlds())
def test_a_grant_counts_only_if_its_giver_could_approve(world: GateWorld) -> None:
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    asked, people = Asked(world.call.owner, policy.approval), world.context.people
    need = how_many_needed(asked, people)
    able = tuple(giver for giver in people.people if how_many([giver], asked, people, NOW) >= need)
    unable = tuple(giver for giver in (*IDS, "somebody") if giver not in able)
    without = with_remembered(world, Remembered()).decide()
    assert with_remembered(world, all_there_could_be(world, unable)).decide() == without
    for giver in able:
        verdict = with_remembered(world, all_there_could_be(world, (giver,))).decide()
        assert {grant.giver for grant in verdict.by} <= {giver}
        if (without.effect, without.reason) == (Effect.ASK, policy.reason):
            lifts = not policy.must_ask and world.call.attended
            assert (verdict.reason in LIFTED) == lifts


@given(gate_worlds(), st.integers(0, 10**9))
def test_an_expired_grant_is_no_grant(world: GateWorld, later: int) -> None:
    """A bypass ends at its time, whoever uses it; it is also nothing after a restart, or elsewhere."""
    given_now = all_there_could_be(world).bypasses
    without = with_remembered(world, Remembered()).decide()

    def verdict(*bypasses: Bypass, started: str = "h1") -> object:
        there = with_remembered(world, Remembered((), bypasses, started))
        return there.decide()

    ended = [replace(bypass, until=type(NOW)(NOW - later)) for bypass in given_now]
    assert verdict(*ended) == without
    assert verdict(*given_now, started="h2") == without
    assert verdict(*given_now, started="") == without
    elsewhere = [replace(bypass, session_id="s9") for bypass in given_now]
    assert verdict(*elsewhere) == without
    lasting = [replace(bypass, until=type(NOW)(NOW + 1 + later)) for bypass in given_now]
    got = with_remembered(world, Remembered((), tuple(lasting), "h1")).decide()
    whole = with_remembered(world, Remembered((), given_now, "h1")).decide()
    assert (got.effect, got.reason) == (whole.effect, whole.reason)


@pytest.mark.spec("REQ-51")
@given(gate_worlds(), st.booleans())
def test_a_veto_refuses_an_ask_and_touches_no_allow(world: GateWorld, always: bool) -> None:
    policy = judge(world.call, world.ruleset, NOTHING_KNOWN)
    mine = all_there_could_be(world)
    veto = replace(
        mine.grants[0],
        grant_id="v",
        veto=True,
        giver="somebody",
        comment="never",
        session_id=None if always else world.call.session_id,
    )
    everything = replace(mine, grants=(*mine.grants, veto))
    before = with_remembered(world, Remembered()).decide()
    verdict = with_remembered(world, everything).decide()
    asks = policy.effect is Effect.ASK and policy.reason is not Reason.RULES_UNAVAILABLE
    if asks and not world.context.stopped:
        assert (verdict.effect, verdict.reason) == (Effect.DENY, Reason.SAVED_DENY)
        assert verdict.by == (veto,)
    else:
        assert verdict == before
    theirs = replace(veto, user_id="anna")
    for other in (theirs, replace(veto, session_id="s9")):
        assert with_remembered(world, Remembered((other,))).decide() == before


@given(gate_worlds())
def test_what_is_anothers_lifts_nothing(world: GateWorld) -> None:
    without = with_remembered(world, Remembered()).decide()
    mine = all_there_could_be(world)
    for changed in (
        [replace(grant, user_id="anna") for grant in mine.grants],
        [replace(grant, session_id="s9") for grant in mine.grants],
        [replace(grant, definition="another") for grant in mine.grants],
        [replace(grant, key=Key(KeyKind.TOOL, (world.call.tool, "x"))) for grant in mine.grants],
        [replace(grant, key=Key(KeyKind.TOOL, ("wipe", ""))) for grant in mine.grants],
        [replace(grant, key=Key(KeyKind.FORGED, (world.call.tool,))) for grant in mine.grants],
    ):
        assert with_remembered(world, Remembered(tuple(changed))).decide() == without


LINES = ("npm test", "git status", "rm -rf build", "ls")


@pytest.mark.spec("REQ-50")
@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(LINES), max_size=4, unique=True),
    st.sampled_from([" && ", "; ", " || ", " | ", " & "]),
)
def test_a_grant_lifts_no_part_that_it_does_not_cover(
    parts: list[str], granted: list[str], join: str
) -> None:
    """What was granted command by command lifts a line only if each was, and nothing flows between."""
    facts = FakeFacts()
    line = join.join(parts)
    call = a_call(tool="Bash", arguments={"command": line}, workspace="/w")
    rules = compile_ruleset([], [], SHIPPED, facts=facts)

    def keys(text: str) -> tuple[Key, ...]:
        alone = replace(call, arguments={"command": text})
        return offered_keys(parts_of(alone, judge(alone, rules, facts), SHIPPED, facts))

    kept = [
        KeyGrant(f"{text} {n}", key, "owner", None, "owner", "owner", at(-60))
        for text in granted
        for n, key in enumerate(keys(text))
    ]
    context = Context(people=Directory({OWNER: owner()}), remembered=Remembered(tuple(kept)))
    verdict = decide(call, rules, (), context, facts, NOW)
    covered = set(parts) <= set(granted) and (len(parts) == 1 or join not in (" | ", " & "))
    assert (verdict.reason is Reason.SAVED_GRANT) == covered
    assert verdict.effect is (Effect.ALLOW if covered else Effect.ASK)

    whole = [
        KeyGrant(f"line {n}", key, "owner", "s1", "owner", "owner", at(-60))
        for n, key in enumerate(keys(line))
    ]
    context = replace(context, remembered=Remembered(tuple(whole)))
    assert decide(call, rules, (), context, facts, NOW).reason is Reason.SESSION_GRANT


@pytest.mark.spec("REQ-50")
@given(gate_worlds(), st.booleans(), st.integers(0, 1))
def test_what_can_only_be_approved_once_nothing_lifts(
    world: GateWorld, named: bool, most_rules: int
) -> None:
    """Neither a grant nor a bypass: such a call is asked about as if nothing were remembered."""
    tool = world.call.tool if named else "another"
    known = Descriptors([ToolDescriptor(tool, remember=False)])
    # what stands in the way of every grant, whatever the tool, is left out
    call = replace(world.call, attended=True)
    context = replace(world.context, stopped=False, sticky=None)
    written = world.rules[:most_rules]
    rules = compile_ruleset(written, (), known, facts=NOTHING_KNOWN)

    def verdict(remembered: Remembered) -> Verdict:
        there = replace(context, remembered=remembered)
        return decide(call, rules, (), there, NOTHING_KNOWN, NOW)

    everything = verdict(all_there_could_be(world))
    if named:
        assert everything == verdict(Remembered())
    else:
        whole = compile_ruleset(written, (), Descriptors(), facts=NOTHING_KNOWN)
        there = replace(context, remembered=all_there_could_be(world))
        assert everything.reason is decide(call, whole, (), there, NOTHING_KNOWN, NOW).reason


amounts = st.one_of(st.integers(-2, 6), st.floats(0, 6), st.sampled_from(["3", None, True, [1]]))


@pytest.mark.spec("REQ-37", "POL-10")
@given(amounts, st.none() | st.floats(0, 6), st.booleans())
def test_a_spent_budget_is_an_ask(amount: object, spent: float | None, denied: bool) -> None:
    """What is not known, and what cannot be read as a number, is spent; a deny stays one."""
    allow = replace(rule("allow", "send_mail"), budget=Budget(5, 60, "amount"))
    rules = compiled([allow, rule("deny")] if denied else [allow])
    call = a_call(arguments={"amount": amount})
    known = {} if spent is None else {allow.id: spent}
    verdict = decide(call, rules, (), Context(spent=known), NOTHING_KNOWN, NOW)
    number = isinstance(amount, (int, float)) and not isinstance(amount, bool)
    fits = number and spent is not None and 0 <= amount <= 5 - spent + 1e-9  # type: ignore[operator]
    if denied:
        assert verdict.reason is Reason.RULE_DENY
    elif fits:
        assert (verdict.effect, verdict.reason) == (Effect.ALLOW, Reason.RULE_ALLOW)
    else:
        assert (verdict.effect, verdict.reason) == (Effect.ASK, Reason.BUDGET_SPENT)


@pytest.mark.spec("REQ-37")
@given(st.lists(st.integers(1, 5), min_size=2, max_size=6), st.integers(1, 8))
def test_racing_claims_do_not_overspend(takes: list[int], most: int) -> None:
    """All were allowed before any was claimed; what ran together is never more than the budget."""

    async def story() -> None:
        allow = replace(rule("allow", "send_mail"), budget=Budget(most, 3600, "amount"))
        scene = make_scene(allow)
        gate = await scene.gate()
        drafts = [draft(arguments={"n": n, "amount": take}) for n, take in enumerate(takes)]
        standings = [await gate.submit(one) for one in drafts]
        taken = await asyncio.gather(
            *(
                scene.another_broker().gate(gate.session_id).claim(one.call_id, one.digest)
                for one in standings
                if one.status == "approved"
            )
        )
        ran = [claim.call_id for claim in taken if isinstance(claim, Claim)]
        spent = sum(take for take, one in zip(takes, standings, strict=True) if one.call_id in ran)
        assert spent <= most
        assert await scene.store.spent(allow.id, at(-1)) == spent

    run_virtual(story())


@pytest.mark.spec("REQ-37")
@given(
    st.integers(1, 3),
    st.integers(1, 5),
    st.sampled_from([Wish(Remember.SESSION), Wish(Remember.ALWAYS), Wish(bypass_secs=0)]),
    st.booleans(),
)
def test_what_lifts_the_rest_of_a_line_leaves_the_budget_on(
    most: int, times: int, wish: Wish, at_once: bool
) -> None:
    """Each line takes of the budget of its one part, whatever lifts the other; then only a bypass lifts on."""

    async def story() -> None:
        facts, scene = FakeFacts(), make_scene()
        build = parse_text_rule("allow", "shell(npm test)", Origin.GLOBAL, rule_id="build")
        build = replace(build, budget=Budget(most, 3600))
        scene.rules._compiled = compile_ruleset([build], (), SHIPPED, facts=facts)
        object.__setattr__(scene.world, "facts", facts)
        gate = scene.broker.gate((await scene.session(workspace="/w")).session_id)
        asked = await gate.submit(draft("Bash", arguments={"command": "git push"}))
        await scene.broker.answer(
            await scene.actor(), asked.call_id, Vote.APPROVE, digest=asked.digest, wish=wish
        )

        async def runs(standing: Standing) -> bool:
            if standing.status != "approved":
                return standing.allowed
            return isinstance(await gate.claim(standing.call_id, standing.digest), Claim)

        line = {"command": "npm test; git push"}
        lines = [draft("Bash", arguments=line, external_id=str(n)) for n in range(times)]
        if at_once:
            standings = [await gate.submit(one) for one in lines]
            ran = [await runs(standing) for standing in standings]
        else:
            ran = [await runs(await gate.submit(one)) for one in lines]
        assert await scene.store.spent("build", at(-1)) == min(times, most)
        assert sum(ran) == (times if wish.bypass_secs is not None else min(times, most))

    run_virtual(story())
