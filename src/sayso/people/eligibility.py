"""Who may decide what (REQ-11, REQ-12, REQ-63 to REQ-66): the only place that answers this question.

In their own right people decide because of what they are: the session's user, an operator, an admin,
somebody named. Besides, they stand in for one another. Eligible is who was when it was asked **and**
is today: whoever is disabled, removed or taken out of a role counts no longer.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import Owner
from sayso.core.deciders import Approver, Deciders
from sayso.core.moment import Moment
from sayso.errors import PeopleRefused
from sayso.people.directory import Directory
from sayso.people.names import canonical_name, same_identity
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.token import CONFIGURING, DECIDING, CredentialKind


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be decided: whose call it is, under which policy, and who could decide when it was asked.

    `eligible` None means that it was asked of nobody in particular: who may today, may.
    """

    owner: Owner
    policy: ApprovalPolicy
    eligible: tuple[str, ...] | None = None


def may_review(
    person_id: str, kind: CredentialKind, asked: Asked, directory: Directory, now: Moment
) -> str | None:
    """Why this person with this kind of credential may not review; None if they may."""
    if kind not in DECIDING:
        return "an agent's token can never decide"
    person = directory.somebody(person_id)
    if person is None:
        return "this person was disabled or removed"
    if counts_as(person_id, asked, directory, now):
        return None
    refusal = _refusal(person, asked.owner, asked.policy, directory)
    return refusal or "whoever could not decide when it was asked cannot decide now"


def counts_as(person_id: str, asked: Asked, directory: Directory, now: Moment) -> tuple[str, ...]:
    """As whom a person's vote counts: themselves in their own right, else those they stand in for now.

    Empty if the vote does not count. A stand-in never is the session's user (REQ-66).
    """
    person = directory.somebody(person_id)
    if person is None:
        return ()
    if _eligible(person_id, asked, directory):
        return (person_id,)
    return tuple(
        absent
        for absent in directory.stood_in_for(person_id, now, never=asked.owner.user_id)
        if _eligible(absent, asked, directory)
    )


def eligible_people(asked: Asked, directory: Directory) -> tuple[str, ...]:
    """Who may decide in their own right, in the order of their ids."""
    return tuple(p for p in sorted(directory.people) if _eligible(p, asked, directory))


def nobody_because(policy: ApprovalPolicy, directory: Directory) -> str | None:
    """What is wrong with the roles that are to decide; None if nothing is."""
    for deciders in policy.deciders:
        if deciders.role is None:
            continue
        role = role_of(deciders.role, directory)
        if role is None:
            return f"the role `{deciders.role}` does not exist"
        if not role.enabled:
            return f"the role `{role.name}` is disabled"
        if not any(directory.somebody(member) for member in role.members):
            return f"the role `{role.name}` has no members"
    return None


def role_of(name: str, directory: Directory) -> Role | None:
    """The role that a rule names, however it spells the name."""
    try:
        return directory.roles.get(canonical_name(name))
    except PeopleRefused:
        return None


def may_see(person_id: str, asked: Asked, directory: Directory, now: Moment) -> bool:
    """Whether a person may see a request at all: theirs, their agents', theirs to decide; an admin any."""
    person, owner = directory.somebody(person_id), asked.owner
    return person is not None and (
        person.admin
        or person.is_called(owner.user_id)
        or person.operates(owner.agent_id)
        or bool(counts_as(person_id, asked, directory, now))
    )


def concerns(
    person_id: str, owner: Owner, eligible: tuple[str, ...], directory: Directory, now: Moment
) -> bool:
    """Whether a person may know that there is a request, `eligible` being who could decide it.

    Cheaper than may_see, and no looser than it was when the request was made.
    """
    person = directory.somebody(person_id)
    return person is not None and (
        person.admin
        or person.is_called(owner.user_id)
        or person.operates(owner.agent_id)
        or person_id in eligible
        or any(absent in eligible for absent in directory.stood_in_for(person_id, now))
    )


def may_configure(person: Person, kind: CredentialKind) -> bool:
    """Whether the person may change rules, people and tokens with this kind of credential."""
    return person.admin and person.counts and kind in CONFIGURING


def _eligible(person_id: str, asked: Asked, directory: Directory) -> bool:
    """Whether a person may decide in their own right: then, if that was written down, and now."""
    person = directory.somebody(person_id)
    return (
        person is not None
        and (asked.eligible is None or person_id in asked.eligible)
        and _refusal(person, asked.owner, asked.policy, directory) is None
    )


def _refusal(
    person: Person, owner: Owner, policy: ApprovalPolicy, directory: Directory
) -> str | None:
    """Why a person does not decide in their own right: each rule that names somebody has to name them.

    Where others than the session's user decide, that user counts only with `self_approval`.
    """
    telling = [one for one in policy.deciders if not one.says_nothing] or [Deciders()]
    for deciders in telling:
        refusal = _named_by(deciders, person, owner, directory)
        if refusal is not None:
            return refusal
    others = any(deciders.are_others for deciders in telling)
    if others and person.is_called(owner.user_id) and not policy.self_approval:
        return "somebody else than the session's user has to decide"
    return None


def _named_by(deciders: Deciders, person: Person, owner: Owner, directory: Directory) -> str | None:
    """Why one rule's word does not name a person; None if it does (REQ-10, REQ-11)."""
    if deciders.approvers is not None:
        mine = person.all_identities
        if any(same_identity(written, mine) for written in deciders.approvers):
            return None
        return "only the people named by the rule may decide"
    if deciders.role is not None:
        role = role_of(deciders.role, directory)
        if role is not None and role.enabled and person.person_id in role.members:
            return None
        return f"only members of the role `{deciders.role}` may decide"
    user, operates = person.is_called(owner.user_id), person.operates(owner.agent_id)
    match deciders.approver:
        case Approver.ANY:
            ok = user or operates or person.admin
        case Approver.END_USER:
            ok = user
        case Approver.OPERATOR:
            ok = operates or person.admin
        case Approver.ADMIN:
            ok = person.admin
    return None if ok else f"this needs the approver `{deciders.approver.value}`"
