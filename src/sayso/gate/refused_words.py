"""Why a mode, a run context, a hook or the want of somebody to ask refused a call, and what would help.

What the agent is told never names a way to give the approval (AD-4); what people are told does.
"""

from __future__ import annotations

from sayso.core.freeze import Freeze
from sayso.core.reason import Reason
from sayso.gate.verdict import Verdict
from sayso.requests.sentence import on_one_line

_TO_THE_AGENT = {
    Reason.MODE_PLAN: (
        "refused: the session is in plan mode, where only calls that only read, questions and the plan tools "
        "pass; go on planning"
    ),
    Reason.MODE_DONT_ASK: (
        "refused: this needs a person, and in the session's mode dont-ask nobody is asked; go on without it"
    ),
    Reason.FLOOD: (
        "refused: too many calls of this session wait for people already; wait until they are decided"
    ),
}

_TO_PEOPLE = {
    Reason.MODE_PLAN: "another mode than plan, which holds back whatever does not only read",
    Reason.MODE_DONT_ASK: "an allow rule, a grant, or another mode than dont-ask, in which nobody is asked",
    Reason.FLOOD: "deciding what waits in this session",
    Reason.NO_APPROVER: "an allow rule, or somebody to ask: a terminal, the inbox or another channel",
    Reason.NOBODY_REACHABLE: "a channel by which one of those who may decide can be reached",
    Reason.UNATTENDED_REFUSED: (
        'adding it to `permissions` of the run context, or `unattended = "ask_inbox"`, by which it waits for people'
    ),
    Reason.HOOK_DENY: "another answer of the permission hook, which is in the user's settings",
    Reason.AUTO_DENY: "another mode than auto, in which a person is asked",
}


def refused_because(verdict: Verdict) -> str | None:
    """What the agent is told of a refusal that no rule and no person made; None for all others."""
    said = "" if verdict.opinion is None else on_one_line(verdict.opinion.said).strip()
    why = f": {said}" if said else ""
    match verdict.reason:
        case Reason.FROZEN:
            return _frozen(verdict.frozen)
        case Reason.UNATTENDED_REFUSED:
            what = on_one_line(verdict.lacking)
            return (
                f"refused: `{what}` isn't among this unattended run's permissions; go on without it"
            )
        case Reason.HOOK_DENY:
            return f"refused by a permission hook of the user{why}"
        case Reason.AUTO_DENY:
            return f"refused by the automatic review{why}"
        case _:
            return _TO_THE_AGENT.get(verdict.reason)


def _frozen(freeze: Freeze | None) -> str:
    """Who froze it and why, so that the agent tells its user instead of trying on."""
    if freeze is None:  # this id stands for what was said of the call then
        return "refused: it was frozen when this call was made; make it anew, as another call"
    whom = "every agent" if freeze.agent_id is None else f"the agent {freeze.agent_id}"
    why = f": {freeze.reason}" if freeze.reason else ""
    said = f"refused: {whom} was frozen by {freeze.by}{why}"
    return on_one_line(f"{said} (nothing runs until a person ends that; do not go on trying)")


def what_would_help(verdict: Verdict) -> str | None:
    """What people could change so that such a refusal is none; None where policy itself says it."""
    return _TO_PEOPLE.get(verdict.reason)


def lifted_by(verdict: Verdict) -> list[str]:
    """A line for each grant that lifted the ask, or the veto; and what a hook or the reviewer said."""
    lines = []
    for grant in verdict.by:
        found = grant.to_json()
        what = "refused by the veto on" if found.get("veto") else "lifted by"
        lines.append(f"{what} {found['label']}")
    if verdict.opinion is not None:
        said = verdict.opinion.said or "nothing more"
        lines.append(f"{verdict.opinion.reason.value}: {said}")
    return lines
