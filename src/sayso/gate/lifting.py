"""What people had remembered, held against a call that asks: vetoes refuse it, grants may lift it.

A grant counts only if its giver alone could approve this request (gate.md, section 1, step 6): so it
never lifts what is routed to others, or takes more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.core.approval_policy import ApprovalPolicy, may_end_in_allow
from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.parts import Part, category_of, may_be_remembered, parts_of
from sayso.people.counting import counted, needed
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.ruleset import RuleSet
from sayso.requests.grant import Grant
from sayso.requests.standing_grant import Bypass, KeyGrant, Remembered


@dataclass(frozen=True, slots=True)
class Lifted:
    """That every part that asks is covered: by which grants, reported as which reason."""

    reason: Reason
    by: tuple[KeyGrant | Bypass, ...]


def approval_suffices(
    grant: Grant, call: ToolCall, outcome: PolicyOutcome, people: Directory, now: Moment
) -> bool:
    """Whether what approved this very call still counts under today's policy.

    Its votes as people are today, or what stood in their place where today's policy permits that:
    the end of the time, or somebody who may decide and broke the glass.
    """
    policy = outcome.approval
    match grant.made:
        case Reason.EXPIRED_ALLOW:
            return may_end_in_allow(policy) and not (outcome.must_ask or outcome.doubtful)
        case Reason.BREAK_GLASS:
            asked = Asked(call.owner, policy, grant.eligible)
            return policy.break_glass is not None and bool(
                counted(grant.givers, asked, people, now)
            )
        case _:
            return suffice(grant.givers, call, policy, people, now, grant.eligible)


def suffice(
    givers: Sequence[str],
    call: ToolCall,
    policy: ApprovalPolicy,
    people: Directory,
    now: Moment,
    eligible: tuple[str, ...] | None = None,
) -> bool:
    """Whether the givers, as they are today, could approve under today's policy and are enough.

    `eligible` are those who could when it was asked, None where nobody was asked.
    """
    asked = Asked(call.owner, policy, eligible)
    return len(counted(givers, asked, people, now)) >= needed(asked, people)


def veto_on(
    call: ToolCall, policy: PolicyOutcome, rules: RuleSet, facts: Facts, remembered: Remembered
) -> KeyGrant | None:
    """The veto on one of the parts that ask, the newest of several; None if there is none.

    While rules cannot be loaded nothing says which parts ask, and nothing can be approved either.
    """
    vetoes = [grant for grant in remembered.grants if grant.veto and grant.concerns(call)]
    if not vetoes or not call.attended or policy.reason is Reason.RULES_UNAVAILABLE:
        return None
    keys = {key for part in parts_of(call, policy, rules.descriptors, facts) for key in part.keys}
    found = [veto for veto in vetoes if veto.key in keys]
    return max(found, key=lambda veto: (veto.given_at, veto.grant_id), default=None)


def lifted(
    call: ToolCall,
    policy: PolicyOutcome,
    rules: RuleSet,
    facts: Facts,
    remembered: Remembered,
    people: Directory,
    now: Moment,
) -> Lifted | None:
    """The grants by which nothing of the call asks any more; None where something still does.

    What must be asked, what stands because rules cannot be loaded, the calls of unattended sessions,
    and those of a tool that can only be approved once (REQ-50) no such grant lifts.
    """
    if policy.must_ask or policy.reason is Reason.RULES_UNAVAILABLE or not call.attended:
        return None
    if not may_be_remembered(call, rules.descriptors):
        return None

    def may_give(giver: str) -> bool:
        return suffice((giver,), call, policy.approval, people, now)

    grants = [
        grant
        for grant in remembered.grants
        if not grant.veto and grant.concerns(call) and may_give(grant.giver)
    ]
    if grants:
        parts = parts_of(call, policy, rules.descriptors, facts)
        for reasons in ((Reason.SESSION_GRANT,), (Reason.SESSION_GRANT, Reason.SAVED_GRANT)):
            by = _covering(parts, [grant for grant in grants if grant.reason in reasons])
            if by is not None:
                return Lifted(reasons[-1], by)
    category = category_of(call, rules.descriptors)
    for bypass in remembered.bypasses:
        concerns = bypass.concerns(call, category, remembered.host_start, now)
        if concerns and may_give(bypass.giver):
            return Lifted(Reason.SESSION_BYPASS, (bypass,))
    return None


def _covering(parts: Sequence[Part], grants: Sequence[KeyGrant]) -> tuple[KeyGrant, ...] | None:
    """A grant for each part; None if one has none."""
    by_key = {grant.key: grant for grant in grants}
    found: dict[str, KeyGrant] = {}
    for part in parts:
        grant = next((by_key[key] for key in part.keys if key in by_key), None)
        if grant is None:
            return None
        found[grant.grant_id] = grant
    return tuple(found.values()) or None
