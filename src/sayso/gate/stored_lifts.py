"""What people had remembered, held against a call that asks: vetoes refuse it, grants lift parts of it."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.reason import Reason
from sayso.gate.asked_call import AskedCall
from sayso.gate.givers import suffice
from sayso.gate.implied import AnyGrant, Lifts
from sayso.gate.parts import category_of, keys_by_target, parts_of
from sayso.policy.outcome import TargetOutcome
from sayso.requests.standing_grant import KeyGrant


def veto_on(ask: AskedCall) -> KeyGrant | None:
    """The veto on one of the parts that ask, the newest of several; None if there is none.

    While rules cannot be loaded nothing says which parts ask, and nothing can be approved either.
    """
    call, policy = ask.call, ask.policy
    vetoes = [
        grant for grant in ask.context.remembered.grants if grant.veto and grant.concerns(call)
    ]
    if not vetoes or policy.reason is Reason.RULES_UNAVAILABLE:
        return None
    parts = parts_of(call, policy, ask.rules.descriptors, ask.facts)
    keys = {key for part in parts for key in part.keys}
    found = [veto for veto in vetoes if veto.key in keys]
    return max(found, key=lambda veto: (veto.given_at, veto.grant_id), default=None)


def session_grants(ask: AskedCall) -> Lifts | None:
    """What was granted for this session, by key."""
    return _by_key(ask, _given(ask, Reason.SESSION_GRANT))


def saved_grants(ask: AskedCall) -> Lifts | None:
    """What was granted for always, by key."""
    return _by_key(ask, _given(ask, Reason.SAVED_GRANT))


def bypasses(ask: AskedCall) -> Lifts | None:
    """A bypass of this session that lasts, whose scope the call lies in."""
    remembered = ask.context.remembered
    if not remembered.bypasses:
        return None
    category = category_of(ask.call, ask.rules.descriptors)
    for bypass in remembered.bypasses:
        concerns = bypass.concerns(ask.call, category, remembered.host_start, ask.now)
        if concerns and _may_give(ask, bypass.giver):
            found = bypass
            return lambda outcome: found
    return None


def _may_give(ask: AskedCall, giver: str) -> bool:
    return suffice((giver,), ask.call, ask.policy.approval, ask.context.people, ask.now)


def _given(ask: AskedCall, reason: Reason) -> list[KeyGrant]:
    return [
        grant
        for grant in ask.context.remembered.grants
        if grant.reason is reason and grant.concerns(ask.call) and _may_give(ask, grant.giver)
    ]


def _by_key(ask: AskedCall, grants: Sequence[KeyGrant]) -> Lifts | None:
    if not grants:
        return None
    by_key = {grant.key: grant for grant in grants}
    keys_of = keys_by_target(ask.call, ask.policy, ask.rules.descriptors, ask.facts)

    def lifts(outcome: TargetOutcome) -> AnyGrant | None:
        return next((by_key[key] for key in keys_of(outcome) if key in by_key), None)

    return lifts
