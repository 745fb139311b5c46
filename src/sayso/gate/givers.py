"""Whether those who gave something could approve the call it lifts: as they are, under today's policy."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.approval_policy import ApprovalPolicy, may_end_in_allow
from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.people.counting import counted, needed
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.policy.outcome import PolicyOutcome
from sayso.requests.grant import Grant


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


def session_user(call: ToolCall, people: Directory) -> str | None:
    """The id of the person whose session it is, under whichever identity; None if they are nobody today."""
    if people.somebody(call.user_id) is not None:
        return call.user_id
    return next(
        (p.person_id for p in people.people.values() if p.counts and p.is_called(call.user_id)),
        None,
    )


def user_alone_decides(
    call: ToolCall, policy: ApprovalPolicy, people: Directory, now: Moment
) -> str | None:
    """The session's user, where the ask is theirs alone to decide; None where it is not.

    An ask that is routed to an operator, an admin, a role or a list is not, even where the user happens to
    be one of them and may approve for themselves: that is for them to click (gate.md, section 1, step 6).
    """
    if any(one.are_others for one in policy.deciders):
        return None
    user = session_user(call, people)
    return user if user is not None and suffice((user,), call, policy, people, now) else None
