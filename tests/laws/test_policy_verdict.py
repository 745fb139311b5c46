"""What holds of every verdict of policy, whatever the rules, the call and the machine."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target, TargetKind
from sayso.errors import RuleRefused
from sayso.policy.command_index import needs_no_allow
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.laws.policy_worlds import (
    COMMAND_PATTERNS,
    COMMANDS,
    PATTERNS,
    a_call,
    a_list_rule,
    a_machine,
    a_row,
    a_world,
    randoms,
)


def _decides(target: Target, said: PolicyOutcome) -> bool:
    """Whether it needs a rule of its own; what only runs another command does not, where one is found."""
    if not target.own:
        return False
    own = [outcome.target for outcome in said.targets if outcome.target.own]
    return not needs_no_allow(target.command) or all(needs_no_allow(t.command) for t in own)


BROKEN_CONDITIONS = ("input.nowhere > 1", "input.amount > true", "input |", "amount", "(")


@pytest.mark.spec("POL-22")
@given(r=randoms)
def test_silence_is_ask(r: random.Random) -> None:
    world = a_world(r)
    assert world.judged([], []).effect is Effect.ASK
    said = world.judged()
    for target in said.targets:
        matched = [match.rule.effect for match in (*target.lists, *target.table)]
        decides = _decides(target.target, said)
        if decides and Effect.ALLOW not in matched:
            assert target.effect is not Effect.ALLOW
            assert said.effect is not Effect.ALLOW
        if decides and not matched:
            assert target.effect is Effect.ASK


@pytest.mark.spec("POL-22", "POL-23")
@given(r=randoms)
def test_deny_wins(r: random.Random) -> None:
    world = a_world(r)
    allow = parse_text_rule("allow", r.choice(["tool(*)", "path(/**)", "shell(*)"]), Origin.SESSION)
    first = world.judged()
    if first.effect is Effect.DENY:
        assert world.judged([*world.lists, allow]).effect is Effect.DENY
    for target in first.targets:
        if any(match.rule.effect is Effect.DENY for match in target.lists):
            assert target.effect is first.effect is Effect.DENY
        if target.table and target.table[-1].rule.effect is Effect.DENY:
            assert target.effect is first.effect is Effect.DENY


@pytest.mark.spec("POL-22")
@given(
    r=randoms, field=st.sampled_from(["when", "unless"]), text=st.sampled_from(BROKEN_CONDITIONS)
)
def test_an_error_in_a_rule_never_loosens(r: random.Random, field: str, text: str) -> None:
    world = a_world(r, most=3)
    rules = r.choice([world.lists, world.table])
    make = a_list_rule if rules is world.lists else a_row
    rules.append(make(r, 100, world.call))
    place = r.randrange(len(rules))
    whole = replace(rules[place], when=None, unless=None)
    broken = replace(whole, **{field: text})  # type: ignore[arg-type]
    if r.random() < 0.3 and whole.path_pattern is not None:
        broken = replace(whole, path_pattern="a*/../..")
    effects = []
    # The rule as if the error made it apply, as if it made it not apply, and as it is.
    for version in ([whole], [], [broken]):
        changed = [*rules[:place], *version, *rules[place + 1 :]]
        lists, table = (changed, None) if rules is world.lists else (None, changed)
        effects.append(world.judged(lists, table).effect)
    applied, left_out, failed = effects
    if whole.effect is Effect.ALLOW:
        assert failed >= left_out
    else:
        assert failed >= max(applied, left_out)


@pytest.mark.spec("POL-10")
@given(word=st.none() | st.text(max_size=8))
def test_a_rule_states_its_effect(word: str | None) -> None:
    known = {"allow": Effect.ALLOW, "ask": Effect.ASK, "require": Effect.ASK, "deny": Effect.DENY}
    if word in known:
        assert parse_text_rule(word, "notify", Origin.GLOBAL).effect is known[word]
    else:
        with pytest.raises(RuleRefused):
            Effect.parse(word)
        with pytest.raises(RuleRefused):
            parse_text_rule(word, "notify", Origin.GLOBAL)  # type: ignore[arg-type]


@pytest.mark.spec("POL-10")
def test_every_written_effect_is_known() -> None:
    for word in ("allow", "ask", "require", "deny"):
        test_a_rule_states_its_effect.hypothesis.inner_test(word)  # type: ignore[attr-defined]


@pytest.mark.spec("POL-20")
@given(r=randoms, effect=st.sampled_from([Effect.DENY, Effect.ASK]))
def test_adding_a_deny_to_a_permission_list_never_loosens(r: random.Random, effect: Effect) -> None:
    world = a_world(r)
    added = a_list_rule(r, 100, world.call, effect)
    first, second = world.judged(), world.judged([*world.lists, added])
    assert second.effect >= first.effect
    if first.effect is second.effect is Effect.ASK:
        assert second.must_ask >= first.must_ask


@pytest.mark.spec("POL-3", "POL-22")
@given(r=randoms)
def test_the_strictest_target_wins(r: random.Random) -> None:
    said = a_world(r).judged()
    assert said.targets
    assert said.effect is max(target.effect for target in said.targets)
    assert any(t.target is said.target and t.effect is said.effect for t in said.targets)
    if said.effect is Effect.ASK:
        assert said.must_ask == any(
            target.must_ask for target in said.targets if target.effect is Effect.ASK
        )
    if said.effect is Effect.ALLOW:
        assert all(t.rule is not None for t in said.targets if _decides(t.target, said))


def unreadable(line: str) -> st.SearchStrategy[str]:
    """Lines that may run the given one and something that nobody can know."""
    return st.sampled_from(
        [
            f'{line}; eval "$X"',
            f"$X; {line}",
            f'{line} && "$CMD" x',
            f". ./setup; {line}",
            f'{line}; echo "not closed',
            f"{line} &&& ls",
            f'trap "$X" EXIT; {line}',
            f"{line}\nX=1; echo ${{X@P}}",
        ]
    )


@pytest.mark.spec("POL-3", "POL-31")
@given(
    r=randoms,
    command=st.sampled_from(COMMANDS).flatmap(unreadable)
    | st.integers()
    | st.none()
    | st.just(" "),
    concern=st.sampled_from(["shell", "path", "read", "write", "delete"]),
)
def test_unreadable_shell_is_at_least_ask(r: random.Random, command: object, concern: str) -> None:
    call = replace(a_call(r), tool="execute_cmd", server=None, arguments={"command": command})
    facts = a_machine(r)
    narrow = r.choice([p for p in COMMAND_PATTERNS if p != "*"])
    allows = [
        parse_text_rule("allow", text, Origin.GLOBAL)
        for text in (f"shell({narrow})", "path(/**)", "shell(*)", "tool(*)")
    ]
    only_narrow = judge(call, compile_ruleset(allows[:2], [], SHIPPED, facts=facts), facts)
    assert only_narrow.effect is Effect.ASK
    assert only_narrow.doubtful
    patterns = COMMAND_PATTERNS if concern == "shell" else PATTERNS
    strict = parse_text_rule(
        r.choice([Effect.DENY, Effect.ASK]), f"{concern}({r.choice(patterns)})", Origin.GLOBAL
    )
    said = judge(call, compile_ruleset([*allows, strict], [], SHIPPED, facts=facts), facts)
    assert said.effect >= Effect.ASK
    of_commands = [t.effect for t in said.targets if t.target.kind is TargetKind.COMMAND]
    assert max(of_commands) >= Effect.ASK


@pytest.mark.spec("POL-20", "POL-22")
@given(r=randoms)
def test_same_inputs_same_verdict(r: random.Random) -> None:
    world = a_world(r)
    ruleset = world.compiled()
    first = judge(world.call, ruleset, world.facts, group=world.group)
    for _ in range(3):
        judge(a_call(r), ruleset, world.facts)
    assert judge(world.call, ruleset, world.facts, group=world.group) == first
    r.shuffle(world.lists)
    r.shuffle(world.table)
    again = world.judged()
    assert again == first
    assert again.trace() == first.trace()


@pytest.mark.spec("POL-23")
@given(r=randoms)
def test_rules_that_cannot_be_loaded_allow_nothing(r: random.Random) -> None:
    world = a_world(r)
    known = world.judged()
    broken = compile_ruleset(
        world.lists, world.table, SHIPPED, facts=world.facts, unavailable="the file is gone"
    )
    said = judge(world.call, broken, world.facts, group=world.group)
    if known.effect is Effect.DENY:
        assert said == known
    else:
        assert said.effect is Effect.ASK
        assert said.must_ask
        assert said.reason is Reason.RULES_UNAVAILABLE
        assert any("the file is gone" in warning for warning in said.warnings)
