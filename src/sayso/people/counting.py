"""Counting distinct people: how many votes count, how many are needed, and whether that can still be (REQ-12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.deciders import ALL, Deciders, Quorum
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.people.eligibility import (
    Asked,
    counts_as,
    eligible_people,
    nobody_because,
    role_of,
)


def counted(
    givers: Iterable[str], asked: Asked, directory: Directory, now: Moment
) -> dict[str, str]:
    """Whose votes count, and as whom: no person gives twice, and none is stood in for twice.

    As many as can be paired at once; the pairing is the same whatever order the votes came in.
    """
    stands_for: dict[str, str] = {}  # who is counted → whose vote it is
    choices = {giver: counts_as(giver, asked, directory, now) for giver in sorted(set(givers))}

    def place(giver: str, tried: set[str]) -> bool:
        for person in choices[giver]:
            if person in tried:
                continue
            tried.add(person)
            held_by = stands_for.get(person)
            if held_by is None or place(held_by, tried):
                stands_for[person] = giver
                return True
        return False

    for giver in choices:
        place(giver, set())
    return {giver: person for person, giver in stands_for.items()}


def needed(asked: Asked, directory: Directory) -> int:
    """How many distinct people have to approve: the most that any of the rules wants, at least one."""
    return max(1, *(_needed_by(one, asked, directory) for one in asked.policy.deciders))


def _needed_by(one: Deciders, asked: Asked, directory: Directory) -> int:
    quorum = _quorum(one.quorum, one.role, directory)
    return _all_of(one, asked, directory) if quorum == ALL else quorum


def settled(policy: ApprovalPolicy, directory: Directory) -> ApprovalPolicy:
    """The policy with the quorums that its roles have today written into it."""
    own, *also = policy.deciders
    return replace(
        policy,
        quorum=_quorum(own.quorum, own.role, directory),
        also=tuple(replace(one, quorum=_quorum(one.quorum, one.role, directory)) for one in also),
    )


def out_of_reach(asked: Asked, directory: Directory) -> str | None:
    """Why the quorum cannot be reached any more, whoever votes; None if it can."""
    wrong = nobody_because(asked.policy, directory)
    if wrong is not None:
        return wrong
    able, need = len(eligible_people(asked, directory)), needed(asked, directory)
    if able >= need:
        return None
    return f"{need} of those who may decide have to approve, and there {_are(able)}"


def _all_of(one: Deciders, asked: Asked, directory: Directory) -> int:
    """How many people all of them are for one rule: those whom it alone makes eligible (POL-24).

    Never those whom several rules name together: a second rule would make the first one looser. Who
    was eligible when it was asked is written down for all rules together only, so it says who these
    are only where no other rule names anybody; else they are those of today.
    """
    others = [other for other in asked.policy.deciders if not other.says_nothing]
    if not all(_same_people(one, other) for other in others):
        alone = replace(
            asked.policy, approver=one.approver, role=one.role, approvers=one.approvers, also=()
        )
        asked = replace(asked, policy=alone, eligible=None)
    return len(eligible_people(asked, directory))


def _same_people(one: Deciders, other: Deciders) -> bool:
    return replace(one, quorum=None) == replace(other, quorum=None)


def _quorum(own: Quorum | None, role: str | None, directory: Directory) -> Quorum:
    if own is not None:
        return own
    found = None if role is None else role_of(role, directory)
    return 1 if found is None else found.quorum


def _are(count: int) -> str:
    return {0: "is nobody", 1: "is one"}.get(count, f"are {count}")
