"""What a channel may approve at most, checked when a review is made and again where it is written (CH-16)."""

from __future__ import annotations

from sayso.errors import NotEligible
from sayso.requests.approval import ApprovalRequest, Review, Vote


def check_channel(request: ApprovalRequest, review: Review) -> None:
    """Check that an approval came through a channel that may approve what is as grave.

    Rejecting is possible everywhere. Raises NotEligible.
    """
    if review.vote is not Vote.APPROVE or request.policy.may_approve_through(review.channel):
        return
    raise NotEligible(
        f"severity `{request.policy.severity.word}` may not be approved over `{review.channel}`",
        "approve it over another channel; rejecting works here",
    )
