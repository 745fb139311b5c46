"""Which parts of a call a few text rules allow, read as strictly as any allow (POL-13)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.core.effect import Effect
from sayso.errors import SaysoError
from sayso.gate.asked_call import AskedCall
from sayso.policy.command_index import needs_no_allow
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.text_rule import parse_text_rule


def permitted_targets(
    ask: AskedCall, texts: Sequence[str], kinds: Iterable[str] | None = None
) -> frozenset[int]:
    """The ids of those of the call's outcomes that these rules allow, of these kinds where any are named.

    A rule that cannot be read allows nothing. The call is judged by them alone: a part has to be matched
    by one of them itself, as by an allow in a list, and what is in doubt is never allowed.
    """
    rules = [rule for rule in map(_read, texts) if rule is not None]
    if kinds is not None:
        rules = [rule for rule in rules if rule.kind in tuple(kinds)]
    if not rules:
        return frozenset()
    alone = compile_ruleset(
        rules, (), ask.rules.descriptors, facts=ask.facts, definitions=ask.rules.definitions
    )
    said = judge(ask.call, alone, ask.facts).targets
    if [outcome.target for outcome in said] != [o.target for o in ask.policy.targets]:
        return frozenset()  # another call than the one that asks: nothing is known of it
    return frozenset(
        id(outcome)
        for outcome, permitted in zip(ask.policy.targets, said, strict=True)
        if permitted.effect is Effect.ALLOW
        and (permitted.rule is not None or needs_no_allow(permitted.target.command))
    )


def _read(text: str) -> Rule | None:
    try:
        return parse_text_rule(Effect.ALLOW, text, Origin.SESSION)
    except SaysoError:
        return None
