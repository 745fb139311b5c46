"""Who may review what (REQ-11, REQ-64, REQ-65): the only place that answers this question."""

from __future__ import annotations

from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.call import Owner
from sayso.people.person import Person
from sayso.people.token import CONFIGURING, DECIDING, CredentialKind


def may_review(
    person: Person, kind: CredentialKind, owner: Owner, policy: ApprovalPolicy
) -> str | None:
    """Why this person with this kind of credential may not review; None if they may.

    A list, a role and an approver word that stand together come from different rules, and each must
    be met; one rule's own list decides before its role and its word (`merge` sees to it). An unknown
    role has no members. Where others than the session's user decide, that user counts only with
    `self_approval`.
    """
    if kind not in DECIDING:
        return "an agent's token can never decide"
    named, user = policy.approvers is not None, person.person_id == owner.user_id
    if named and not _is_named(person, policy):
        return "only the people named by the rule may decide"
    if policy.role is not None:
        return f"only members of the role `{policy.role}` may decide"
    operates = person.admin or person.operates(owner.agent_id)
    others_decide = named or policy.approver in (Approver.OPERATOR, Approver.ADMIN)
    if user and others_decide and not policy.self_approval:
        return "somebody else than the session's user has to decide"
    match policy.approver:
        case Approver.ANY:
            ok = named or user or operates
        case Approver.END_USER:
            ok = user
        case Approver.OPERATOR:
            ok = operates
        case Approver.ADMIN:
            ok = person.admin
    return None if ok else f"this needs the approver `{policy.approver.value}`"


def may_see(person: Person, owner: Owner) -> bool:
    """Whether the person may see requests of this owner at all."""
    return person.admin or person.person_id == owner.user_id or person.operates(owner.agent_id)


def may_configure(person: Person, kind: CredentialKind) -> bool:
    """Whether the person may change rules and tokens with this kind of credential."""
    return person.admin and kind in CONFIGURING


def _is_named(person: Person, policy: ApprovalPolicy) -> bool:
    named = policy.approvers or ()
    return person.person_id in named or f"web:{person.name}" in named
