"""A call that policy asks about, with all that can lift, refuse or hold the ask; and which parts of it ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.policy.command_index import needs_no_allow
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome, TargetOutcome
from sayso.policy.ruleset import RuleSet
from sayso.policy.targets import identity_of
from sayso.requests.grant import Grant


@dataclass(frozen=True, slots=True)
class AskedCall:
    """The arguments of `decide` once policy has said ask; each step of the pipeline takes it."""

    call: ToolCall
    digest: str
    policy: PolicyOutcome
    rules: RuleSet
    grants: Sequence[Grant]
    context: Context
    facts: Facts
    now: Moment

    @property
    def circumstances(self) -> Circumstances:
        """What the session's user, workspace and run context imply."""
        return self.context.circumstances

    @property
    def descriptor(self) -> ToolDescriptor | None:
        """What is known of the call's tool."""
        return descriptor_of(self.call, self.rules)


def descriptor_of(call: ToolCall, rules: RuleSet) -> ToolDescriptor | None:
    """The descriptor of the call's tool."""
    identity = identity_of(call.server, call.tool)
    return rules.descriptors.find(identity.tool or "", identity.server)


def asking_targets(policy: PolicyOutcome) -> tuple[TargetOutcome, ...]:
    """The targets that ask for themselves.

    What a call touches besides, and no rule speaks of, asks because the call does (POL-24), and does no
    longer when the call's own targets are lifted.
    """
    own = [outcome for outcome in policy.targets if outcome.target.own]
    deciding = [o for o in own if not needs_no_allow(o.target.command)] or own[:1]
    ids = {id(outcome) for outcome in deciding}
    return tuple(
        outcome
        for outcome in policy.targets
        if outcome.effect is Effect.ASK
        and (
            id(outcome) in ids
            or outcome.rule is not None
            or outcome.doubtful
            or outcome.target.redirected
        )
    )
