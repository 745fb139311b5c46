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

    A named list or a role decides before the approver word does; an unknown role has no members.
    """
    if kind not in DECIDING:
        return "an agent's token can never decide"
    if policy.approvers is not None:
        named = person.person_id in policy.approvers or f"web:{person.name}" in policy.approvers
        return None if named else "only the people named by the rule may decide"
    if policy.role is not None:
        return f"only members of the role `{policy.role}` may decide"
    user = person.person_id == owner.user_id
    match policy.approver:
        case Approver.ANY:
            ok = user or person.admin or person.operates(owner.agent_id)
        case Approver.END_USER:
            ok = user
        case Approver.OPERATOR:
            ok = (person.admin or person.operates(owner.agent_id)) and (
                policy.self_approval or not user
            )
        case Approver.ADMIN:
            ok = person.admin and (policy.self_approval or not user)
    return None if ok else f"this needs the approver `{policy.approver.value}`"


def may_see(person: Person, owner: Owner) -> bool:
    """Whether the person may see requests of this owner at all."""
    return person.admin or person.person_id == owner.user_id or person.operates(owner.agent_id)


def may_configure(person: Person, kind: CredentialKind) -> bool:
    """Whether the person may change rules and tokens with this kind of credential."""
    return person.admin and kind in CONFIGURING
