"""For whom a request waits, in words: where others than the one who looks have to decide, or several (REQ-11)."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.deciders import Approver, Deciders
from sayso.requests.quorum import Tally

MOST_NAMED = 5
"""So many people are named; the others are counted."""

_WORDS = {
    Approver.END_USER: "the session's user",
    Approver.OPERATOR: "an operator",
    Approver.ADMIN: "an admin",
}


def waiting_words(
    policy: ApprovalPolicy, counted: Tally, names: Sequence[str], *, may_decide: bool
) -> str:
    """For whom a request waits; nothing where it waits just for the one who looks at it.

    `names` are the people whose approval would still count.
    """
    if counted.need > 1:
        whom = f" · waiting for: {_named(names)}" if names else ""
        return f"{counted.have} of {counted.need} approved{whom}"
    if may_decide:
        return ""
    telling = [one for one in policy.deciders if not one.says_nothing]
    return f"waiting for {' and '.join(_who(one, names) for one in telling) or _named(names)}"


def who_decides(policy: ApprovalPolicy) -> str:
    """Who decides as the rules name them: whoever does has to be named by each of them (POL-24)."""
    telling = [one for one in policy.deciders if not one.says_nothing]
    named = list(dict.fromkeys(map(_as_named, telling)))
    if len(named) > 1:  # a list of names beside others is held together
        named = [f"({one})" if ", " in one else one for one in named]
    return " and ".join(named) or Approver.ANY.value


def _as_named(one: Deciders) -> str:
    if one.approvers is not None:
        return ", ".join(one.approvers) or "nobody"
    return one.role or one.approver.value


def _who(one: Deciders, names: Sequence[str]) -> str:
    if one.approvers is not None:
        return _named(names)
    if one.role is not None:
        return f"the role {one.role}"
    return _WORDS[one.approver]


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    said = ", ".join(names[:MOST_NAMED])
    return f"{said} and {more} more" if more > 0 else said or "nobody"
