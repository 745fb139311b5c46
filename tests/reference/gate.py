"""The gate as a table: slow, obvious, and exactly one row is right for any call.

What policy says is asked of `judge`, and who may approve of `people.py`; both are references of their
own (`policy.py`). It knows calls with one target: a tool without arguments, a file tool, a plain `ls`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.asking import Unreachable
from sayso.core.call import ToolCall, digest_of
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.context import Context
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin
from sayso.policy.ruleset import RuleSet, judge
from sayso.requests.grant import Grant
from sayso.requests.standing_grant import Extent, KeyGrant
from tests.reference.people import how_many, how_many_needed, is_somebody, words


@dataclass(frozen=True)
class Row:
    """One row: what has to be so (None: it does not matter), and what the gate then says.

    `reason` None is the reason that policy gave, `lifted_by` and `word` None in the columns of those names
    mean that they do not matter.
    """

    effect: Effect
    reason: Reason | None
    stopped: bool | None = None
    frozen: bool | None = None
    policy: Effect | None = None
    held_by_plan: bool | None = None
    rules_loaded: bool | None = None
    vetoed: bool | None = None
    grant_for_this_call: bool | None = None
    grant_suffices: bool | None = None
    rejected_lately: bool | None = None
    lifted_by: str | None = None
    refused_unattended: bool | None = None
    dont_ask: bool | None = None
    word: str | None = None
    somebody_to_ask: bool | None = None
    out_of_reach: bool | None = None
    flooded: bool | None = None


ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY

LIFTING = (
    Reason.MODE_BYPASS,
    Reason.READ_ONLY,
    Reason.AUTO_POLICY,
    Reason.SESSION_GRANT,
    Reason.SAVED_GRANT,
    Reason.MODE_ACCEPT_EDITS,
    Reason.SESSION_BYPASS,
    Reason.RUN_CONTEXT,
    Reason.AUTO_SEVERITY,
    Reason.UNATTENDED_PERMITTED,
)
"""What lifts an ask of more than one call, in the order in which it is reported."""

GOES_ON: dict[str, Any] = {"stopped": False, "frozen": False}
ASKS: dict[str, Any] = {**GOES_ON, "policy": ASK, "held_by_plan": False}
NO_VETO: dict[str, Any] = {**ASKS, "vetoed": False}
STALE: dict[str, Any] = {
    **NO_VETO, "rules_loaded": True, "grant_for_this_call": True, "grant_suffices": False,
}  # fmt: skip
UNDECIDED: dict[str, Any] = {**NO_VETO, "grant_for_this_call": False, "rejected_lately": False}
STILL_ASKS: dict[str, Any] = {**UNDECIDED, "lifted_by": "nothing"}
MAY_ASK: dict[str, Any] = {**STILL_ASKS, "refused_unattended": False, "dont_ask": False}
TO_PEOPLE: dict[str, Any] = {**MAY_ASK, "somebody_to_ask": True, "out_of_reach": False}

TABLE = (
    Row(DENY, Reason.CANCELLED, stopped=True),
    Row(DENY, Reason.FROZEN, stopped=False, frozen=True),
    Row(DENY, None, **GOES_ON, policy=DENY),
    Row(DENY, Reason.MODE_PLAN, **GOES_ON, policy=ALLOW, held_by_plan=True),
    Row(DENY, Reason.MODE_PLAN, **GOES_ON, policy=ASK, held_by_plan=True),
    Row(ALLOW, None, **GOES_ON, policy=ALLOW, held_by_plan=False),
    Row(DENY, Reason.SAVED_DENY, **ASKS, vetoed=True),
    Row(
        ALLOW, Reason.APPROVED, **NO_VETO, rules_loaded=True, grant_for_this_call=True,
        grant_suffices=True,
    ),
    Row(DENY, Reason.UNATTENDED_REFUSED, **STALE, refused_unattended=True),
    Row(DENY, Reason.MODE_DONT_ASK, **STALE, refused_unattended=False, dont_ask=True),
    Row(ASK, Reason.NEEDS_FRESH_APPROVAL, **STALE, refused_unattended=False, dont_ask=False),
    Row(ASK, Reason.RULES_UNAVAILABLE, **NO_VETO, rules_loaded=False, grant_for_this_call=True),
    Row(DENY, Reason.STICKY_DENY, **NO_VETO, grant_for_this_call=False, rejected_lately=True),
    *(Row(ALLOW, reason, **UNDECIDED, lifted_by=reason.value) for reason in LIFTING),
    Row(DENY, Reason.UNATTENDED_REFUSED, **STILL_ASKS, refused_unattended=True),
    Row(DENY, Reason.MODE_DONT_ASK, **STILL_ASKS, refused_unattended=False, dont_ask=True),
    Row(ALLOW, Reason.HOOK_ALLOW, **MAY_ASK, word="hook-allow"),
    Row(DENY, Reason.HOOK_DENY, **MAY_ASK, word="hook-deny"),
    Row(ALLOW, Reason.AUTO_ALLOW, **MAY_ASK, word="auto-allow"),
    Row(DENY, Reason.AUTO_DENY, **MAY_ASK, word="auto-deny"),
    *(
        row
        for word, reason in (("nothing", None), ("auto-error", Reason.AUTO_ERROR))
        for row in (
            Row(DENY, Reason.NO_APPROVER, **MAY_ASK, word=word, somebody_to_ask=False),
            Row(
                DENY, Reason.NOBODY_REACHABLE, **MAY_ASK, word=word, somebody_to_ask=True,
                out_of_reach=True,
            ),
            Row(DENY, Reason.FLOOD, **TO_PEOPLE, word=word, flooded=True),
            Row(ASK, reason, **TO_PEOPLE, word=word, flooded=False),
        )
    ),
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
    mode = context.circumstances.mode
    mine = [g for g in grants if g.digest == digest_of(call) and now < g.until]
    unavailable = said.reason is Reason.RULES_UNAVAILABLE
    state = {
        "stopped": context.stopped,
        "frozen": bool(context.frozen),
        "policy": said.effect,
        "held_by_plan": mode is Mode.PLAN and not only_reads(call, context),
        "rules_loaded": not unavailable,
        "vetoed": not unavailable
        and any(is_on(veto, call) for veto in context.remembered.grants if veto.veto),
        "grant_for_this_call": bool(mine),
        "grant_suffices": any(enough(g, call, said, context.people, now) for g in mine),
        "rejected_lately": context.sticky is not None,
        "lifted_by": lifts(call, said, context, now),
        "refused_unattended": not call.attended and refuses(context),
        "dont_ask": mode is Mode.DONT_ASK,
        "word": word(call, said, context, now),
        "somebody_to_ask": context.can_ask,
        "out_of_reach": context.nobody_reachable
        and said.approval.unreachable is Unreachable.REFUSE,
        "flooded": context.flooded,
    }
    row = the_row(tuple(state.items()))
    return row.effect, row.reason or said.reason


@functools.cache
def the_row(state: tuple[tuple[str, Any], ...]) -> Row:
    """The one row that fits this state."""
    known = dict(state)
    rows = [
        row
        for row in TABLE
        if all(
            wanted is None or known[name] == wanted
            for name, wanted in vars(row).items()
            if name not in _ANSWERS
        )
    ]
    assert len(rows) == 1, f"{len(rows)} rows fit {known}"
    return rows[0]


def only_reads(call: ToolCall, context: Context) -> bool:
    """Whether plan mode lets the call pass: of those that are known here, one that reads a file, or `ls`."""
    return call.tool in ("read_file", "ask_user", "todo") or is_ls(call, context)


def is_ls(call: ToolCall, context: Context) -> bool:
    """Whether it is a plain `ls` in a folder that may be read."""
    readable = (*context.circumstances.readable, *context.circumstances.writable)
    return call.arguments.get("command") == "ls" and call.workspace in readable


def refuses(context: Context) -> bool:
    """Whether an unattended run is refused what it is not permitted, and not asked about it."""
    run = context.circumstances.run_context
    return run.unattended == "refuse" or (run.unattended is None and run.permissions is not None)


def is_on(grant: KeyGrant, call: ToolCall) -> bool:
    """Whether a remembered answer is for this call."""
    theirs = grant.user_id == call.user_id and grant.session_id in (None, call.session_id)
    if call.tool == "write_file":
        mine = grant.key.text == f"write:{call.workspace}"
    elif call.tool == "Bash":
        mine = grant.key.text.startswith("cmd:")
    else:
        mine = grant.key.text == f"tool:{call.tool}:"
    return theirs and mine


def lifts(call: ToolCall, said: PolicyOutcome, context: Context, now: Moment) -> str:
    """What of all that is remembered or implied lifts the ask; `nothing` if nothing does."""
    if said.must_ask or said.reason is Reason.RULES_UNAVAILABLE:
        return "nothing"
    own = is_the_users_own(call, said, context.people, now)
    for reason in LIFTING:
        if _lifts(reason, call, said, context, now, own=own):
            return reason.value
    return "nothing"


def _lifts(
    reason: Reason,
    call: ToolCall,
    said: PolicyOutcome,
    context: Context,
    now: Moment,
    *,
    own: bool,
) -> bool:
    def alone(giver: str) -> bool:
        asked = Asked(call.owner, said.approval)
        return how_many([giver], asked, context.people, now) >= how_many_needed(
            asked, context.people
        )

    there = context.circumstances
    if reason in (Reason.SESSION_GRANT, Reason.SAVED_GRANT):
        return (
            call.attended
            and not said.doubtful
            and any(
                is_on(grant, call) and alone(grant.giver)
                for grant in context.remembered.grants
                if not grant.veto and (grant.session_id is None) == (reason is Reason.SAVED_GRANT)
            )
        )
    if reason is Reason.SESSION_BYPASS:
        return call.attended and any(
            bypass.session_id == call.session_id
            and bypass.host_start == context.remembered.host_start
            and (bypass.until is None or now < bypass.until)
            and bypass.scope.extent is Extent.ALL
            and alone(bypass.giver)
            for bypass in context.remembered.bypasses
        )
    # the rest is implied: it acts for the session's user
    if not own:
        return False
    if reason is Reason.MODE_BYPASS:
        return call.attended and there.mode is Mode.BYPASS and there.sandboxed
    if said.doubtful:
        return False
    inside = str(call.arguments.get("path", "")).startswith("/w/")
    if reason is Reason.READ_ONLY:
        return there.read_only_defaults and is_ls(call, context)
    if reason is Reason.AUTO_POLICY:
        listed = "shell(ls)" in there.auto_approve_commands
        return call.attended and listed and call.arguments.get("command") == "ls"
    if reason is Reason.MODE_ACCEPT_EDITS:
        edits = call.tool == "write_file" and inside
        return call.attended and there.mode is Mode.ACCEPT_EDITS and edits
    if reason is Reason.RUN_CONTEXT:
        reads = call.tool == "read_file" and "/w" in (*there.readable, *there.writable)
        writes = call.tool == "write_file" and "/w" in there.writable
        own_row = any(
            r.origin is Origin.DATABASE and not r.seeded for t in said.targets for r in t.asks
        )
        return inside and (reads or writes) and not own_row
    if reason is Reason.AUTO_SEVERITY:
        highest = there.run_context.auto_approve_severity
        return call.attended and highest is not None and said.approval.severity <= highest
    permitted = there.run_context.permissions or ()
    return not call.attended and f"tool({call.tool})" in permitted


def is_the_users_own(call: ToolCall, said: PolicyOutcome, people: Directory, now: Moment) -> bool:
    """Whether the session's user decides it, and nobody else has to."""
    others = any(
        one.approvers is not None
        or one.role is not None
        or one.approver.value in ("operator", "admin")
        for one in words(said.approval)
    )
    mine = [
        name
        for name, person in people.people.items()
        if is_somebody(name, people) and call.user_id in {name, f"web:{name}", *person.identities}
    ]
    asked = Asked(call.owner, said.approval)
    enough_alone = how_many(mine[:1], asked, people, now) >= how_many_needed(asked, people)
    return not others and bool(mine) and enough_alone


def word(call: ToolCall, said: PolicyOutcome, context: Context, now: Moment) -> str:
    """What a hook or the reviewer said of it, where that counts; else `nothing`."""
    there, opinion = context.circumstances, context.opinion
    if opinion is None or opinion.digest != digest_of(call) or not call.attended:
        return "nothing"
    if said.must_ask or said.doubtful or said.reason is Reason.RULES_UNAVAILABLE:
        return "nothing"
    if not is_the_users_own(call, said, context.people, now):
        return "nothing"
    by_hook = opinion.reason.value.startswith("hook-") and there.hooks
    reviewed = there.mode is Mode.AUTO and there.reviewer
    by_reviewer = opinion.reason.value.startswith("auto-") and reviewed
    return opinion.reason.value if by_hook or by_reviewer else "nothing"


def enough(
    grant: Grant, call: ToolCall, said: PolicyOutcome, people: Directory, now: Moment
) -> bool:
    """Whether as many of the grant's givers as policy wants today may approve the call today."""
    asked = Asked(call.owner, said.approval, grant.eligible)
    return how_many(grant.givers, asked, people, now) >= how_many_needed(asked, people)
