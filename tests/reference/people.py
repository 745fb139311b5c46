"""Who may decide, and how many that are: slow, in the words of requests.md, sections 2 and 7.

Votes are counted by trying every way to give each voter one person to count as.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import Owner
from sayso.core.deciders import Approver, Deciders
from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.people.person import Person


def is_somebody(name: str, directory: Directory) -> bool:
    """Whether there is such a person today."""
    person = directory.people.get(name)
    return person is not None and person.enabled and not person.removed


def is_user(person: Person, owner: Owner) -> bool:
    """Whether the call is this person's own, whichever of their identities it came under."""
    return owner.user_id in {person.person_id, f"web:{person.person_id}", *person.identities}


def named(one: Deciders, person: Person, owner: Owner, directory: Directory) -> bool:
    """Whether a rule names the person: its list, else its role, else its word."""
    operates = person.operator and (person.agents is None or owner.agent_id in person.agents)
    if one.approvers is not None:
        mine = {person.person_id, f"web:{person.person_id}", *person.identities}
        return any(written in mine for written in one.approvers)
    if one.role is not None:
        role = directory.roles.get(one.role)
        return role is not None and role.enabled and person.person_id in role.members
    if one.approver is Approver.END_USER:
        return is_user(person, owner)
    if one.approver is Approver.OPERATOR:
        return operates or person.admin
    if one.approver is Approver.ADMIN:
        return person.admin
    return is_user(person, owner) or operates or person.admin


def in_own_right(name: str, asked: Asked, directory: Directory) -> bool:
    """Whether the person decides because of what they are, then and now."""
    if not is_somebody(name, directory):
        return False
    if asked.eligible is not None and name not in asked.eligible:
        return False
    person, policy = directory.people[name], asked.policy
    rules = words(policy)
    speaking = [
        r for r in rules if r.approvers is not None or r.role or r.approver is not Approver.ANY
    ]
    for one in speaking or [Deciders()]:
        if not named(one, person, asked.owner, directory):
            return False
    others_decide = any(
        r.approvers is not None or r.role or r.approver in (Approver.OPERATOR, Approver.ADMIN)
        for r in speaking
    )
    return not (others_decide and is_user(person, asked.owner) and not policy.self_approval)


def words(policy: ApprovalPolicy) -> list[Deciders]:
    """What each rule says of who decides."""
    own = Deciders(policy.approver, policy.role, policy.approvers, policy.quorum)
    return [own, *policy.also]


def whom(one: Deciders) -> tuple[object, ...]:
    """Whom a rule names: its list, else its role, else its word."""
    if one.approvers is not None:
        return ("list", one.approvers)
    return ("role", one.role) if one.role is not None else ("word", one.approver)


def stands_in_for(name: str, asked: Asked, directory: Directory, now: Moment) -> set[str]:
    """Everybody for whom the person stands in now, over at most three links, the user never on the way."""
    ways = {(name,)}
    for _ in range(3):
        ways = ways | {
            (*way, link.absent)
            for way in ways
            for link in directory.stand_ins
            if link.substitute == way[-1]
            and link.since <= now < link.until
            and link.absent not in way
            and len(way) <= 3
            and is_somebody(way[-1], directory)
            and not is_user(directory.people[way[-1]], asked.owner)
        }
    return {way[-1] for way in ways if len(way) > 1}


def as_whom(name: str, asked: Asked, directory: Directory, now: Moment) -> set[str]:
    """As whom the person's vote counts."""
    if in_own_right(name, asked, directory):
        return {name}
    if not is_somebody(name, directory):
        return set()
    return {
        absent
        for absent in stands_in_for(name, asked, directory, now)
        if in_own_right(absent, asked, directory)
    }


def how_many(givers: Iterable[str], asked: Asked, directory: Directory, now: Moment) -> int:
    """The most voters that can each count as somebody else."""
    choices = [[None, *as_whom(g, asked, directory, now)] for g in set(givers)]
    most = 0
    for choice in product(*choices):
        taken = [person for person in choice if person is not None]
        if len(set(taken)) == len(taken):
            most = max(most, len(taken))
    return most


def how_many_needed(asked: Asked, directory: Directory) -> int:
    """The highest quorum of any rule; a rule that states none has its role's, or one.

    All are those whom the rule itself would make eligible. Who was eligible when it was asked is
    known only for all rules together, so it says who these are where no other rule names anybody.
    """
    needs = [1]
    rules = words(asked.policy)
    for one in rules:
        only = all(whom(r) in (whom(one), whom(Deciders())) for r in rules)
        policy = ApprovalPolicy(
            approver=one.approver,
            role=one.role,
            approvers=one.approvers,
            self_approval=asked.policy.self_approval,
        )
        its_own = Asked(asked.owner, policy, asked.eligible if only else None)
        everybody = [p for p in directory.people if in_own_right(p, its_own, directory)]
        quorum = one.quorum
        role = (
            None if one.approvers is not None or one.role is None else directory.roles.get(one.role)
        )
        if quorum is None and role is not None:
            quorum = role.quorum
        needs.append(len(everybody) if quorum == "all" else quorum or 1)
    return max(needs)
