"""The one decision procedure. Pure: rules, grants, context, facts and the time are arguments.

Laws (tests/laws): deny_trumps_every_grant_and_mode · silence_is_ask · the_strictest_target_wins ·
an_error_in_a_rule_never_loosens · unreadable_shell_is_at_least_ask · same_inputs_same_verdict ·
a_grant_lifts_ask_and_nothing_else · a_grant_counts_only_if_its_giver_could_approve ·
a_grant_fits_one_digest · an_expired_grant_is_no_grant
"""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.asking import Unreachable
from sayso.core.call import ToolCall, digest_of
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.context import Context
from sayso.gate.lifting import approval_suffices, lifted, veto_on
from sayso.gate.verdict import Verdict
from sayso.policy.facts import Facts
from sayso.policy.ruleset import RuleSet, judge
from sayso.policy.spending import within_budget
from sayso.requests.grant import Grant


def decide(
    call: ToolCall,
    rules: RuleSet,
    grants: Sequence[Grant],
    context: Context,
    facts: Facts,
    now: Moment,
) -> Verdict:
    """Decide one call, in the order of gate.md, section 1."""
    digest = digest_of(call)
    if context.stopped:
        return Verdict(Effect.DENY, Reason.CANCELLED, digest)
    if context.frozen:
        return Verdict(Effect.DENY, Reason.FROZEN, digest)
    policy = judge(call, rules, facts, group=context.group)
    if rules.has_budgets:
        policy = within_budget(call, policy, context.spent)
    if policy.effect is not Effect.ASK:
        return Verdict(policy.effect, policy.reason, digest, policy)
    remembered = context.remembered
    veto = veto_on(call, policy, rules, facts, remembered) if remembered else None
    if veto is not None:  # it makes the ask a deny, which no approval lifts either
        return Verdict(Effect.DENY, Reason.SAVED_DENY, digest, policy, by=(veto,))
    fitting = [grant for grant in grants if grant.fits(digest, now)]
    if fitting and policy.reason is Reason.RULES_UNAVAILABLE:  # nothing lifts it
        return Verdict(Effect.ASK, policy.reason, digest, policy)
    for grant in fitting:
        if approval_suffices(grant, call, policy, context.people, now):
            lifted_by = grant.request_id
            return Verdict(Effect.ALLOW, grant.made, digest, policy, None, lifted_by)
    if fitting:
        return Verdict(Effect.ASK, Reason.NEEDS_FRESH_APPROVAL, digest, policy)
    if context.sticky is not None:
        earlier = context.sticky.resolution
        return Verdict(Effect.DENY, Reason.STICKY_DENY, digest, policy, earlier)
    people = context.people
    found = lifted(call, policy, rules, facts, remembered, people, now) if remembered else None
    if found is not None:
        return Verdict(Effect.ALLOW, found.reason, digest, policy, by=found.by)
    if not context.can_ask:
        return Verdict(Effect.DENY, Reason.NO_APPROVER, digest, policy)
    if context.nobody_reachable and policy.approval.unreachable is Unreachable.REFUSE:
        return Verdict(Effect.DENY, Reason.NOBODY_REACHABLE, digest, policy)
    return Verdict(Effect.ASK, policy.reason, digest, policy)
