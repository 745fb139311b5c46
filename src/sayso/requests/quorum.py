"""Counting reviews: distinct people who may still decide, one rejection rejects, recounted from all (REQ-12)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.deciders import ALL
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.people.counting import counted, needed, out_of_reach
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, eligible_people
from sayso.requests.approval import ApprovalRequest, Review, Vote


@dataclass(frozen=True, slots=True)
class Tally:
    """How the votes stand: `have` of `need` distinct people approve; `rejected` is who rejected."""

    have: int
    need: int
    rejected: Review | None = None

    @property
    def approved(self) -> bool:
        """Whether the quorum is reached and nobody rejected."""
        return self.rejected is None and self.have >= self.need


def asked_of(request: ApprovalRequest) -> Asked:
    """What is to be decided about a request, for those who say who may."""
    return Asked(request.call.owner, request.policy, request.eligible)


def approving(request: ApprovalRequest) -> tuple[str, ...]:
    """Who approved exactly what the request is about, by their ids, each once."""
    return tuple(
        sorted(
            {
                review.person_id
                for review in request.votes
                if review.vote is Vote.APPROVE and review.digest == request.digest
            }
        )
    )


def tally(request: ApprovalRequest, directory: Directory, now: Moment) -> Tally:
    """Count the reviews of a request: each person once, as they may decide today."""
    asked = asked_of(request)
    rejected = next((r for r in request.reviews if r.vote is Vote.REJECT), None)
    have = len(counted(approving(request), asked, directory, now))
    return Tally(have, needed(asked, directory), rejected)


def out_of_reach_of(request: ApprovalRequest, directory: Directory) -> str | None:
    """Why the quorum of a request that waits cannot be reached any more; None if it can."""
    return out_of_reach(asked_of(request), directory)


def raw_tally(request: ApprovalRequest) -> Tally:
    """The votes as they were given, for a request that is over, whoever the voters are today.

    Where several rules say who decides, it is not known any more whom each of them meant with `all`;
    what was not approved needed more than it had.
    """
    rejected = next((r for r in request.reviews if r.vote is Vote.REJECT), None)
    everybody = len(request.eligible or ())
    quorums = [one.quorum for one in request.policy.deciders]
    need = max(1, *(everybody if quorum == ALL else quorum or 1 for quorum in quorums))
    have, ended = len(approving(request)), request.resolution
    approved = ended is not None and ended.reason is Reason.APPROVED
    if ALL in quorums and request.policy.also and not approved:
        need = max(need, have + 1)
    return Tally(have, need, rejected)


def waiting_for(request: ApprovalRequest, directory: Directory, now: Moment) -> tuple[str, ...]:
    """The people whose approval would still count, by their names, who have not given it."""
    asked = asked_of(request)
    have = set(counted(approving(request), asked, directory, now).values())
    return tuple(person for person in eligible_people(asked, directory) if person not in have)
