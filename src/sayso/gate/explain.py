"""A verdict in words: for the people who decide, for the agent that asked, and in full with what would change it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target, TargetKind
from sayso.gate.refused_words import lifted_by, refused_because, what_would_help
from sayso.gate.trace_lines import target_lines, words_of
from sayso.gate.verdict import Verdict
from sayso.policy.command_index import needs_no_allow
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin, Rule
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.grant import WITHOUT_VOTES
from sayso.requests.sentence import on_one_line
from sayso.requests.standing_grant import KeyGrant

MOST_NAMED = 5
"""So many of the things that ask are named where an allow for each is missing."""

_VERIFIABLE = "a call that can be verified, or a person's approval of exactly this one"

_ORIGIN_WORDS = {
    Origin.BUILT_IN: "sayso's built-in protection",
    Origin.GLOBAL: "your settings",
    Origin.WORKSPACE: "the settings of this workspace",
    Origin.PROJECT: "the project's settings",
    Origin.FLAG: "a flag",
    Origin.SESSION: "this session's rules",
    Origin.TOOL_POLICY: "the tool's policy",
    Origin.DATABASE: "the rule table",
}


def why_sentence(policy: PolicyOutcome) -> str:
    """Why a call asks, in one or two sentences for the card, on one line."""
    leads = policy.target.leads_to
    return on_one_line(_why(policy) + ("" if leads is None else f" It leads to {leads}."))


def _why(policy: PolicyOutcome) -> str:
    target = policy.target.text
    match policy.reason:
        case Reason.RULES_UNAVAILABLE:
            why = "; ".join(policy.warnings) or "the rules could not be loaded"
            return f"Nothing can be allowed or approved now: {why}."
        case Reason.NO_RULE:
            return f"No rule says anything about {target}, and silence is ask."
        case Reason.DOUBTFUL:
            doubt = policy.target.doubt or "it cannot be checked part by part"
            return f"{target} cannot be verified: {doubt}."
        case _:
            rule = policy.rule
            if rule is None:
                return f"{target} needs a person."
            if rule.seeded:  # a row of the defaults, which nobody wrote
                return f"No rule allows {target}, so a person is asked."
            must = " A person is always asked." if policy.must_ask else ""
            said = f" {rule.justification}" if rule.justification else ""
            return f"{target} matches {rule_words(rule)}.{must}{said}"


def rule_words(rule: Rule) -> str:
    """A rule with its effect and where it stands, as people read it."""
    place = f", {rule.place}" if rule.place else ""
    return f"{rule.effect.word} {rule.text} in {_ORIGIN_WORDS[rule.origin]}{place}"


def verdict_message(verdict: Verdict) -> str:
    """What the agent is told of a verdict; it never names a way to give the approval (AD-4)."""
    if verdict.effect is Effect.ALLOW:
        return "allowed"
    if verdict.effect is Effect.ASK:
        return "a person is asked; wait, or go on with something that does not depend on it"
    match verdict.reason:
        case Reason.STICKY_DENY:
            earlier = verdict.earlier
            by = earlier.by if earlier is not None and earlier.by else "a person"
            comment = f": {earlier.comment}" if earlier is not None and earlier.comment else ""
            return f"rejected by {by}{comment} (the identical call was rejected before; do not repeat it)"
        case Reason.SAVED_DENY:
            return _refused_before(verdict)
        case Reason.NO_APPROVER:
            return "refused: this needs a person and there is nobody to ask"
        case Reason.NOBODY_REACHABLE:
            return (
                "refused: this needs a person, and none of those who may decide can be reached now"
            )
        case Reason.CANCELLED:
            return "cancelled: the session was stopped"
        case _ if (told := refused_because(verdict)) is not None:
            return told
        case _:
            rule = verdict.policy.rule if verdict.policy is not None else None
            said = f": {rule.justification}" if rule is not None and rule.justification else ""
            what = f" by the rule {rule.effect.word} {rule.text}" if rule is not None else ""
            return f"denied by policy{what}{said}"


def _refused_before(verdict: Verdict) -> str:
    """Who refused it how long, and why: a veto of one session says nothing of the next one."""
    veto = next((found for found in verdict.by if isinstance(found, KeyGrant)), None)
    by = f" by {veto.giver_name}" if veto is not None and veto.giver_name else ""
    said = f": {veto.comment}" if veto is not None and veto.comment else ""
    of_session = veto is not None and veto.session_id is not None
    how_long = "in this session" if of_session else "for good"
    return f"rejected{by} {how_long}{said} (do not repeat it)"


BY_A_RULE = frozenset({Reason.DENY_ON_RESOLVE, Reason.RULE_DENY, Reason.PROTECTED})
"""Why a request was refused after it was asked, where it was a rule that refused it."""

MAX_EDIT_TOLD = 2000
"""So many characters of changed arguments stand in a message; the rest is counted."""

_LET_RUN = frozenset(
    {Status.APPROVED, Status.RUNNING, Status.DONE, Status.FAILED, Status.UNKNOWN, Status.UNREPORTED}
)


def request_message(request: ApprovalRequest) -> str:
    """What the agent is told of how its request stands (REQ-41), and with which arguments it runs (REQ-14)."""
    said = _request_message(request)
    if request.edited is None or request.status not in _LET_RUN:
        return said
    return f"{said}; {edit_sentence(request.edited.by, request.call.arguments)}"


def edit_sentence(by: str, arguments: Mapping[str, Any]) -> str:
    """What the agent is told of arguments that a person changed."""
    written = json.dumps(dict(arguments), ensure_ascii=False)
    if len(written) > MAX_EDIT_TOLD:
        written = f"{written[:MAX_EDIT_TOLD]}… ({len(written) - MAX_EDIT_TOLD:,} more characters)"
    return f"the arguments were changed by {by}, and what runs is {written}"


def _request_message(request: ApprovalRequest) -> str:
    """How the request stands: by a person, by policy, expired, cancelled."""
    resolution = request.resolution
    by = resolution.by if resolution is not None and resolution.by else None
    comment = f": {resolution.comment}" if resolution is not None and resolution.comment else ""
    match request.status:
        case Status.PENDING:
            return "approval pending: a person has been asked and has not decided yet"
        case Status.APPROVED if resolution is not None and resolution.reason in WITHOUT_VOTES:
            how = "nobody decided in time, and the policy allows it then"
            return (
                f"approved: {how}" if by is None else f"approved by {by} in an emergency{comment}"
            )
        case Status.APPROVED:
            if by:
                return f"approved by {by}{comment}"
            # people approved it whose names are not told, or nobody had to
            return f"{'approved' if request.reviews else 'allowed'}{comment}"
        case Status.REJECTED:
            return f"rejected by {by or 'a person'}{comment}"
        case Status.EXPIRED:
            if resolution is not None and resolution.reason is Reason.QUORUM_UNREACHABLE:
                return f"refused: not enough people who may decide it are left{comment}"
            return "expired: nobody decided in time"
        case Status.CANCELLED:
            return f"cancelled: the session was stopped{comment}"
        case Status.RUNNING:
            return "running"
        case Status.SUPERSEDED:
            return f"the approval no longer counts and it is asked again{comment}"
        case Status.REFUSED:
            by_rule = resolution is None or resolution.reason in BY_A_RULE
            how = "denied by policy: a rule that denies it appeared after it was asked"
            return f"{how if by_rule else 'refused when it was decided again'}{comment}"
        case Status.LAPSED:
            return "the approval lapsed because nobody ran the call in time"
        case Status.DONE:
            return "done"
        case Status.FAILED:
            return "it ran and failed"
        case Status.UNKNOWN:
            return (
                "it was started, and whether it ran to its end is unknown; a person has been told"
            )
        case Status.UNREPORTED:
            return "it was handed over to run; its outcome is not reported"


def explain(verdict: Verdict) -> str:
    """The verdict in full for people: each target, what matched, and what would change it (POL-24).

    Names and doubts come from the call: none of them can begin a line of its own.
    """
    lines = [f"{verdict.effect.word}: {verdict.reason.value}"]
    policy = verdict.policy
    if policy is None:
        return "\n".join(lines)
    lines += [f"warning: {warning}" for warning in policy.warnings]
    for outcome in policy.targets:
        lines += target_lines(outcome, rule_words)
    lines += lifted_by(verdict)
    lines.append(f"what would change it: {what_would_help(verdict) or what_would_change(policy)}")
    return "\n".join(map(on_one_line, lines))


def what_would_change(policy: PolicyOutcome) -> str:
    """What would give the call another effect."""
    rule = policy.rule
    match policy.effect, policy.reason:
        case Effect.ALLOW, _:
            return "a deny or ask rule that matches it"
        case Effect.DENY, _ if rule is not None:
            if rule.origin is Origin.BUILT_IN:
                return "nothing: this protection is built in"
            return f"only taking away {rule_words(rule)}; a deny is final"
        case _, Reason.RULES_UNAVAILABLE:
            return "mending what keeps the rules from loading"
        case _, Reason.RULE_ASK if rule is not None and rule.seeded:
            # To take away a row of the defaults changes nothing: silence is ask too.
            return _lacking(policy)
        case _, Reason.NO_RULE:
            return _lacking(policy)
        case _, Reason.DOUBTFUL:
            return _VERIFIABLE
        case _ if rule is not None and rule.origin is Origin.BUILT_IN:
            return "a person's approval of this call: this protection is built in"
        case _ if rule is not None:
            return f"taking away {rule_words(rule)}, or a deny; a person's approval lifts it for this call"
        case _:
            return "a person's approval"


def _lacking(policy: PolicyOutcome) -> str:
    """What would do where nothing but silence, or a row of the defaults, asks."""
    if any(outcome.target.opaque and outcome.effect is Effect.ASK for outcome in policy.targets):
        return _VERIFIABLE
    return f"an allow rule that covers {_asking(policy)}"


def _asking(policy: PolicyOutcome) -> str:
    """What an allow has to cover so that nothing asks any more, as far as nothing else asks."""
    texts = [
        _covered(outcome.target)
        for outcome in policy.targets
        if outcome.effect is Effect.ASK
        and (outcome.reason is Reason.NO_RULE or (outcome.rule is not None and outcome.rule.seeded))
        and (outcome.target.own or outcome.target.redirected)
        and not needs_no_allow(outcome.target.command)
    ]
    texts = list(dict.fromkeys(texts)) or [policy.target.text]
    more = len(texts) - MOST_NAMED
    shown = [*texts[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _covered(target: Target) -> str:
    """A target as an allow for it would name it."""
    if target.redirected:
        return f"writing {target.text}"
    if target.kind is TargetKind.COMMAND and target.command is not None:
        return words_of(target.command) or target.text
    return target.text
