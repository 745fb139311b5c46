"""What policy says of a call that is about to run although it asks, once it is known where its hosts lead."""

from __future__ import annotations

from sayso.core.effect import Effect
from sayso.core.target import TargetKind
from sayso.gate.asked_call import AskedCall
from sayso.policy.host_weighing import where_it_leads
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.weighing import combine


def with_addresses_known(ask: AskedCall) -> PolicyOutcome:
    """The same outcome, or a stricter one where a rule is about the addresses of a host."""
    policy = ask.policy
    if not any(outcome.target.kind is TargetKind.HOST for outcome in policy.targets):
        return policy
    plan = ask.rules.plan(ask.call, ask.context.group)
    outcomes = [
        where_it_leads(outcome, ask.call, ask.facts, plan)
        if outcome.target.kind is TargetKind.HOST and outcome.effect is Effect.ASK
        else outcome
        for outcome in policy.targets
    ]
    if all(now is before for now, before in zip(outcomes, policy.targets, strict=True)):
        return policy
    return combine(outcomes, policy.warnings)
