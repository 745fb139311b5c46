"""The grants of a call that asks, stored and implied, in the order in which they are reported.

Each target that asks may be lifted by another grant; the call is allowed when none still asks. Whatever
lifts has a giver, and counts only if that giver alone could approve this request (gate.md, section 1, step 6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.reason import Reason
from sayso.gate.asked_call import AskedCall, asking_targets
from sayso.gate.givers import user_alone_decides
from sayso.gate.implied import AnyGrant, Lifts
from sayso.gate.implied_lifts import (
    accepted_edits,
    auto_policy,
    bypassing,
    low_severity,
    paths_of_the_context,
    permissions,
    read_only,
)
from sayso.gate.parts import may_be_remembered
from sayso.gate.stored_lifts import bypasses, saved_grants, session_grants
from sayso.policy.outcome import TargetOutcome


@dataclass(frozen=True, slots=True)
class Lifted:
    """What of a call still asks, and by which grants the rest does not: the last of them names the reason."""

    by: tuple[AnyGrant, ...]
    asking: tuple[TargetOutcome, ...]
    reason: Reason | None = None


Source = Callable[[AskedCall], Lifts | None]

STORED = frozenset({session_grants, saved_grants, bypasses})
"""Those with a giver of their own; all others act for the session's user."""

ATTENDED: tuple[Source, ...] = (
    bypassing,
    read_only,
    auto_policy,
    session_grants,
    saved_grants,
    accepted_edits,
    bypasses,
    paths_of_the_context,
    low_severity,
)
UNATTENDED: tuple[Source, ...] = (read_only, paths_of_the_context, permissions)
"""What counts where nobody attends: nothing that people granted, and no mode (gate.md, section 1, step 4)."""


def lift(ask: AskedCall) -> Lifted:
    """Hold every grant against the targets that ask, in order.

    What must be asked, what stands because rules cannot be loaded, and a tool that can only be approved
    once (REQ-50) no such grant lifts.
    """
    policy, call = ask.policy, ask.call
    asking = asking_targets(policy)
    if policy.must_ask or policy.reason is Reason.RULES_UNAVAILABLE:
        return Lifted((), asking)
    if not may_be_remembered(call, ask.rules.descriptors):
        return Lifted((), asking)
    by: dict[AnyGrant, None] = {}
    reason: Reason | None = None
    user: str | None = None
    for source in ATTENDED if call.attended else UNATTENDED:
        if not asking:
            break
        lifts = source(ask)
        if lifts is None:
            continue
        if source not in STORED:
            user = user or user_alone_decides(call, policy.approval, ask.context.people, ask.now)
            if user is None:
                continue
        left: list[TargetOutcome] = []
        for outcome in asking:
            grant = lifts(outcome)
            if grant is None:
                left.append(outcome)
            else:
                by[grant] = None
                reason = reason_of(grant)
        asking = tuple(left)
    return Lifted(tuple(by), asking, reason)


def reason_of(grant: AnyGrant) -> Reason:
    """What a grant makes of an ask."""
    return getattr(grant, "reason", Reason.SESSION_BYPASS)
