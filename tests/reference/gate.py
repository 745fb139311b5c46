"""The gate as a table: slow, obvious, and exactly one row is right for any call.

What policy says is asked of `judge`, and who may approve of `people.py`; both are references of their
own (`policy.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.call import ToolCall, digest_of
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.context import Context
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.ruleset import RuleSet, judge
from sayso.requests.grant import Grant
from sayso.requests.standing_grant import Extent, KeyGrant
from tests.reference.people import how_many, how_many_needed


@dataclass(frozen=True)
class Row:
    """One row: what has to be so (None: it does not matter), and what the gate then says.

    `reason` None is the reason that policy gave.
    """

    effect: Effect
    reason: Reason | None
    stopped: bool | None = None
    policy: Effect | None = None
    rules_loaded: bool | None = None
    grant_for_this_call: bool | None = None
    grant_suffices: bool | None = None
    vetoed: bool | None = None
    rejected_lately: bool | None = None
    lifted_by: str | None = None
    somebody_to_ask: bool | None = None


ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY

ASKS: dict[str, Any] = {"stopped": False, "policy": ASK}
NO_VETO: dict[str, Any] = {**ASKS, "vetoed": False}
UNDECIDED: dict[str, Any] = {**NO_VETO, "grant_for_this_call": False, "rejected_lately": False}

TABLE = (
    Row(DENY, Reason.CANCELLED, stopped=True),
    Row(DENY, None, stopped=False, policy=DENY),
    Row(ALLOW, None, stopped=False, policy=ALLOW),
    Row(DENY, Reason.SAVED_DENY, **ASKS, vetoed=True),
    Row(
        ALLOW, Reason.APPROVED, **NO_VETO, rules_loaded=True, grant_for_this_call=True,
        grant_suffices=True,
    ),
    Row(
        ASK, Reason.NEEDS_FRESH_APPROVAL, **NO_VETO, rules_loaded=True, grant_for_this_call=True,
        grant_suffices=False,
    ),
    Row(ASK, Reason.RULES_UNAVAILABLE, **NO_VETO, rules_loaded=False, grant_for_this_call=True),
    Row(DENY, Reason.STICKY_DENY, **NO_VETO, grant_for_this_call=False, rejected_lately=True),
    Row(ALLOW, Reason.SESSION_GRANT, **UNDECIDED, lifted_by="session-grant"),
    Row(ALLOW, Reason.SAVED_GRANT, **UNDECIDED, lifted_by="saved-grant"),
    Row(ALLOW, Reason.SESSION_BYPASS, **UNDECIDED, lifted_by="session-bypass"),
    Row(DENY, Reason.NO_APPROVER, **UNDECIDED, lifted_by="nothing", somebody_to_ask=False),
    Row(ASK, None, **UNDECIDED, lifted_by="nothing", somebody_to_ask=True),
)  # fmt: skip

_ANSWERS = ("effect", "reason")


def look_up(
    call: ToolCall,
    rules: RuleSet,
    grants: Sequence[Grant],
    context: Context,
    facts: Facts,
    now: Moment,
) -> tuple[Effect, Reason]:
    """Effect and reason of the one row that fits; fails if none does or more than one."""
    said = judge(call, rules, facts, group=context.group)
    mine = [g for g in grants if g.digest == digest_of(call) and now < g.until]
    state = {
        "stopped": context.stopped,
        "policy": said.effect,
        "rules_loaded": said.reason is not Reason.RULES_UNAVAILABLE,
        "grant_for_this_call": bool(mine),
        "grant_suffices": any(enough(g, call, said, context.people, now) for g in mine),
        "vetoed": said.reason is not Reason.RULES_UNAVAILABLE
        and any(is_on(veto, call) for veto in context.remembered.grants if veto.veto),
        "rejected_lately": context.sticky is not None,
        "lifted_by": lifts(call, said, context, now),
        "somebody_to_ask": context.can_ask,
    }
    rows = [
        row
        for row in TABLE
        if all(
            wanted is None or state[name] == wanted
            for name, wanted in vars(row).items()
            if name not in _ANSWERS
        )
    ]
    assert len(rows) == 1, f"{len(rows)} rows fit {state}"
    return rows[0].effect, rows[0].reason or said.reason


def is_on(grant: KeyGrant, call: ToolCall) -> bool:
    """Whether a remembered answer is for this call, of a tool without arguments that say what it touches."""
    theirs = grant.user_id == call.user_id and grant.session_id in (None, call.session_id)
    return call.attended and theirs and grant.key.text == f"tool:{call.tool}:"


def lifts(call: ToolCall, said: PolicyOutcome, context: Context, now: Moment) -> str:
    """What of all that is remembered lifts the ask; `nothing` if nothing does."""
    if said.must_ask or said.reason is Reason.RULES_UNAVAILABLE or not call.attended:
        return "nothing"

    def alone(giver: str) -> bool:
        asked = Asked(call.owner, said.approval)
        return how_many([giver], asked, context.people, now) >= how_many_needed(
            asked, context.people
        )

    kept = [
        g for g in context.remembered.grants if not g.veto and is_on(g, call) and alone(g.giver)
    ]
    if any(grant.session_id is not None for grant in kept):
        return "session-grant"
    if kept:
        return "saved-grant"
    for bypass in context.remembered.bypasses:
        mine = bypass.session_id == call.session_id
        started = bypass.host_start == context.remembered.host_start
        lasts = bypass.until is None or now < bypass.until
        if mine and started and lasts and bypass.scope.extent is Extent.ALL and alone(bypass.giver):
            return "session-bypass"
    return "nothing"


def enough(
    grant: Grant, call: ToolCall, said: PolicyOutcome, people: Directory, now: Moment
) -> bool:
    """Whether as many of the grant's givers as policy wants today may approve the call today."""
    asked = Asked(call.owner, said.approval, grant.eligible)
    return how_many(grant.givers, asked, people, now) >= how_many_needed(asked, people)
