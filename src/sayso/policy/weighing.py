"""From the rules that match to an effect: one target, then the whole call (POL-22, POL-24)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.outcome import Match, PolicyOutcome, TargetOutcome
from sayso.policy.rule import Origin, Rule

_ORIGINS = {origin: place for place, origin in enumerate(Origin)}


def weigh(
    target: Target,
    call: ToolCall,
    lists: Iterable[CompiledRule],
    table: Iterable[CompiledRule],
    doubts: Sequence[str] = (),
) -> TargetOutcome:
    """Weigh the rules that match one target; the table's in their order, `doubts` beside the target's.

    Where nothing matches the effect is ask and the rule None.
    """
    notes = list(doubts)
    listed = _listed(call, lists, notes)
    first, rows = _first_row(call, table, notes)
    matches = tuple(match for _, match in listed)
    by_effect: dict[Effect, list[CompiledRule]] = {Effect.DENY: [], Effect.ASK: [], Effect.ALLOW: []}
    for rule, _ in listed:
        by_effect[rule.effect].append(rule)
    if first is not None and first.denies:
        by_effect[Effect.DENY].append(first)
    if by_effect[Effect.DENY]:
        denying = min(by_effect[Effect.DENY], key=_rank).rule
        reason = Reason.PROTECTED if denying.origin is Origin.BUILT_IN else Reason.RULE_DENY
        return TargetOutcome(
            target, Effect.DENY, reason, denying, lists=matches, table=rows, notes=tuple(notes)
        )
    asks = by_effect[Effect.ASK]
    if first is not None and first.effect is Effect.ASK and first.firm:
        asks.append(first)
    allowing = min(by_effect[Effect.ALLOW], key=_rank) if by_effect[Effect.ALLOW] else None
    if not asks and allowing is None and first is not None:
        if first.strict:
            allowing = first
        else:
            asks.append(first)
    doubtful = bool(target.doubt or doubts)
    if asks:
        deciding = min(asks, key=_rank)
        must_ask = any(ask.must_ask for ask in asks)
        return TargetOutcome(
            target,
            Effect.ASK,
            Reason.MUST_ASK if must_ask else Reason.RULE_ASK,
            deciding.rule,
            must_ask,
            doubtful,
            tuple(ask.rule for ask in asks),
            matches,
            rows,
            tuple(notes),
        )
    if allowing is not None and not (doubts or (target.doubt and not target.opaque)):
        return TargetOutcome(
            target, Effect.ALLOW, Reason.RULE_ALLOW, allowing.rule,
            lists=matches, table=rows, notes=tuple(notes),
        )  # fmt: skip
    unknown = bool(doubts or (target.doubt and not target.opaque))
    return TargetOutcome(
        target,
        Effect.ASK,
        Reason.DOUBTFUL if unknown else Reason.NO_RULE,
        doubtful=doubtful,
        lists=matches,
        table=rows,
        notes=tuple(notes),
    )


def combine(outcomes: Sequence[TargetOutcome], warnings: tuple[str, ...] = ()) -> PolicyOutcome:
    """The outcome of a call: that of its strictest target, with the policies of all asks merged."""
    deciding = outcomes[0] if len(outcomes) == 1 else max(outcomes, key=_strictness)
    if deciding.effect is not Effect.ASK:
        return PolicyOutcome(
            deciding.effect,
            deciding.reason,
            deciding.target,
            deciding.rule,
            targets=tuple(outcomes),
            warnings=warnings,
        )
    asking = [outcome for outcome in outcomes if outcome.effect is Effect.ASK]
    return PolicyOutcome(
        Effect.ASK,
        deciding.reason,
        deciding.target,
        deciding.rule,
        any(outcome.must_ask for outcome in asking),
        any(outcome.doubtful for outcome in asking),
        merged_policy(rule for outcome in asking for rule in outcome.asks),
        tuple(outcomes),
        warnings,
    )


def merged_policy(asks: Iterable[Rule]) -> ApprovalPolicy:
    """The policies of all asks merged; an ask without one stands for the default policy."""
    return merge(rule.approval or ApprovalPolicy() for rule in asks)


def _listed(
    call: ToolCall, lists: Iterable[CompiledRule], notes: list[str]
) -> list[tuple[CompiledRule, Match]]:
    found = []
    for rule in lists:
        note = None
        if rule.guarded:
            holds, note = rule.holds(call)
            if not holds:
                notes.append(f"rule `{rule.rule.id}`: {note}")
                continue
        found.append((rule, Match(rule.rule, note)))
    if len(found) > 1:  # lists have no order, so the trace and the merge need one that is always the same
        found.sort(key=lambda pair: _rank(pair[0]))
    return found


def _first_row(
    call: ToolCall, table: Iterable[CompiledRule], notes: list[str]
) -> tuple[CompiledRule | None, tuple[Match, ...]]:
    for rule in table:
        note = None
        if rule.guarded:
            holds, note = rule.holds(call)
            if not holds:
                notes.append(f"rule `{rule.rule.id}`: {note}")
                continue
        return rule, (Match(rule.rule, note),)
    return None, ()


def _rank(rule: CompiledRule) -> tuple[bool, int, str]:
    """Which of several rules of one effect is named: must_ask first, then by origin and id."""
    return (not rule.must_ask, _ORIGINS[rule.rule.origin], rule.rule.id)


def _strictness(outcome: TargetOutcome) -> tuple[Effect, bool, bool, bool]:
    return (outcome.effect, outcome.must_ask, outcome.doubtful, outcome.rule is not None)
