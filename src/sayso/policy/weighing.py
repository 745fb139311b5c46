"""From the rules that match to an effect: one target, then the whole call (POL-22, POL-24)."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.outcome import Match, PolicyOutcome, TargetOutcome
from sayso.policy.rule import Origin, Rule

_ORIGINS = {origin: place for place, origin in enumerate(Origin)}
_NO_POLICY = ApprovalPolicy()


def weigh(
    target: Target,
    call: ToolCall,
    lists: Sequence[CompiledRule],
    table: Sequence[CompiledRule],
    doubts: Sequence[str] = (),
) -> TargetOutcome:
    """Weigh the rules that match one target; the table's in their order, `doubts` beside the target's.

    Where nothing matches the effect is ask and the rule None.
    """
    if not (lists or table or doubts or target.doubt is not None or target.opaque):
        return TargetOutcome(target, Effect.ASK, Reason.NO_RULE)
    notes: list[str] = []
    listed: Sequence[tuple[CompiledRule, Match]] = ()
    matches: tuple[Match, ...] = ()
    if len(lists) == 1 and not lists[0].guarded:
        matches = lists[0].match
        listed = ((lists[0], matches[0]),)
    elif lists:
        listed = _listed(call, lists, notes)
        matches = tuple([match for _, match in listed])
    first, rows, failed = _first_row(call, table, notes) if table else (None, (), ())
    denying: CompiledRule | None = None
    allowing: CompiledRule | None = None
    asks: list[CompiledRule] = []
    for rule, _ in listed:  # the first of each effect is the one to name
        if rule.denies:
            denying = denying or rule
        elif rule.strict:
            allowing = allowing or rule
        else:
            asks.append(rule)
    if first is not None:
        if first.denies:
            denying = denying or first
        elif first.strict:
            allowing = allowing or first
        elif first.firm or (not asks and allowing is None):
            asks.append(first)
    asks += failed
    told = (*doubts, *notes) if doubts or notes else ()
    if denying is not None:
        reason = Reason.PROTECTED if denying.rule.origin is Origin.BUILT_IN else Reason.RULE_DENY
        return TargetOutcome(
            target, Effect.DENY, reason, denying.rule, False, False, (), matches, rows, told
        )
    unknown = bool(doubts) or (target.doubt is not None and not target.opaque)
    doubtful = unknown or target.opaque
    if asks:
        deciding = asks[0] if len(asks) == 1 else min(asks, key=_rank)
        must_ask = deciding.must_ask
        return TargetOutcome(
            target,
            Effect.ASK,
            Reason.MUST_ASK if must_ask else Reason.RULE_ASK,
            deciding.rule,
            must_ask,
            doubtful,
            tuple([ask.rule for ask in asks]),
            matches,
            rows,
            told,
        )
    if allowing is not None and not unknown:
        return TargetOutcome(
            target, Effect.ALLOW, Reason.RULE_ALLOW, allowing.rule, False, False, (), matches, rows,
            told,
        )  # fmt: skip
    reason = Reason.DOUBTFUL if unknown else Reason.NO_RULE
    return TargetOutcome(target, Effect.ASK, reason, None, False, doubtful, (), matches, rows, told)


def combine(outcomes: Sequence[TargetOutcome], warnings: tuple[str, ...] = ()) -> PolicyOutcome:
    """The outcome of a call: that of its strictest target, with the policies of all asks merged."""
    deciding = outcomes[0] if len(outcomes) == 1 else max(outcomes, key=_strictness)
    effect, reason, rule = deciding.effect, deciding.reason, deciding.rule
    must_ask = doubtful = False
    policy = _NO_POLICY
    if effect is Effect.ASK:
        asks: list[Rule] = []
        for outcome in outcomes:
            if outcome.effect is Effect.ASK:
                must_ask = must_ask or outcome.must_ask
                doubtful = doubtful or outcome.doubtful
                asks += outcome.asks
        policy = merged_policy(asks)
    return PolicyOutcome(
        effect, reason, deciding.target, rule, must_ask, doubtful, policy, tuple(outcomes), warnings
    )


def merged_policy(asks: Sequence[Rule]) -> ApprovalPolicy:
    """The policies of all asks merged; an ask without one stands for the default policy."""
    if not any(rule.approval for rule in asks):
        return _NO_POLICY
    return merge([rule.approval or _NO_POLICY for rule in asks])


def _listed(
    call: ToolCall, lists: Sequence[CompiledRule], notes: list[str]
) -> list[tuple[CompiledRule, Match]]:
    found = []
    for rule in lists:
        if not rule.guarded:
            found.append((rule, rule.match[0]))
            continue
        holds, _, note = rule.holds(call)
        if not holds:
            notes.append(f"rule `{rule.rule.id}`: {note}")
            continue
        found.append((rule, Match(rule.rule, note)))
    # Lists have no order, so the trace and the merge need one that is always the same.
    if len(found) > 1:
        found.sort(key=lambda pair: _rank(pair[0]))
    return found


def _first_row(
    call: ToolCall, table: Sequence[CompiledRule], notes: list[str]
) -> tuple[CompiledRule | None, tuple[Match, ...], Sequence[CompiledRule]]:
    """The first row that applies, its match, and the asks before it whose condition failed.

    Such an ask counts as applying, yet it hides no row below it that is stricter.
    """
    failed: list[CompiledRule] = []
    matches: tuple[Match, ...] = ()
    for row in table:
        if not row.guarded:
            return row, (*matches, *row.match) if matches else row.match, failed
        holds, failing, note = row.holds(call)
        if not holds:
            notes.append(f"rule `{row.rule.id}`: {note}")
            continue
        matches = (*matches, Match(row.rule, note))
        if not failing or row.denies:
            return row, matches, failed
        failed.append(row)
    return None, matches, failed


def _rank(rule: CompiledRule) -> tuple[bool, int, str]:
    """Which of several rules of one effect is named: must_ask first, then by origin and id."""
    return (not rule.must_ask, _ORIGINS[rule.rule.origin], rule.rule.id)


def _strictness(outcome: TargetOutcome) -> tuple[Effect, bool, bool, bool]:
    return (outcome.effect, outcome.must_ask, outcome.doubtful, outcome.rule is not None)
