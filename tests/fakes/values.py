"""Values of the core, made with as few words as a test needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall, digest_of
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.requests.approval import (
    ApprovalRequest,
    Lease,
    Outcome,
    Resolution,
    Review,
    Vote,
    Why,
)
from sayso.requests.broken_glass import BrokenGlass, SecondReview
from sayso.requests.lifecycle import (
    Approved,
    Cancelled,
    Claimed,
    Expired,
    Finished,
    Lapsed,
    LeaseOver,
    Refused,
    Rejected,
    Superseded,
    Unreportable,
    apply,
)

START = Moment(1_800_000_000_000_000)


def at(seconds: float) -> Moment:
    """The moment so many seconds after the beginning."""
    return plus(START, seconds)


def a_call(**changes: Any) -> ToolCall:
    """A call of the agent `coder` for the owner."""
    call = ToolCall(
        call_id="c1",
        tool="send_mail",
        arguments={"to": "alice@example.com"},
        session_id="s1",
        agent_id="coder",
        user_id="owner",
    )
    return replace(call, **changes)


def a_request(
    call: ToolCall | None = None, policy: ApprovalPolicy | None = None, **changes: Any
) -> ApprovalRequest:
    """A pending request for that call, made at the beginning."""
    call = a_call() if call is None else call
    request = ApprovalRequest(
        call=call,
        digest=digest_of(call),
        policy=ApprovalPolicy() if policy is None else policy,
        why=Why(Reason.RULE_ASK, "it asks"),
        action="Run send_mail?",
        created_at=START,
        caller_seen=START,
    )
    return replace(request, **changes)


def a_review(
    person_id: str = "owner",
    vote: Vote = Vote.APPROVE,
    digest: str | None = None,
    seconds: float = 1.0,
    comment: str | None = None,
) -> Review:
    """A vote of that person for the call of `a_call`, unless another digest is given."""
    shown = digest_of(a_call()) if digest is None else digest
    return Review(
        person_id, person_id, f"cred-{person_id}", "test", vote, shown, comment, at(seconds)
    )


def said(reason: Reason, seconds: float = 1.0, by: str | None = None) -> Resolution:
    """How a request ended."""
    return Resolution(reason, at(seconds), by)


def approved(request: ApprovalRequest | None = None, *people: str) -> ApprovalRequest:
    """The request, approved by these people (the owner, unless told otherwise) after a second."""
    request = a_request() if request is None else request
    *others, last = people or ("owner",)
    reviews = tuple(a_review(person, digest=request.digest) for person in others)
    request = replace(request, reviews=reviews)
    return apply(
        request,
        Approved(said(Reason.APPROVED, by=last), a_review(last, digest=request.digest)),
    )


def running(request: ApprovalRequest | None = None, seconds: float = 2.0) -> ApprovalRequest:
    """The approved request, claimed with the token `t1` for 30 seconds."""
    lease = Lease("t1", at(seconds + 30), "runner")
    return apply(approved() if request is None else request, Claimed(lease))


def outcome(ok: bool = True, seconds: float = 3.0, said_by: str | None = None) -> Outcome:
    """What came of a run."""
    return Outcome(ok, "sent", at(seconds), 0.5, said_by)


def a_glass(seconds: float = 1.0, **changes: Any) -> BrokenGlass:
    """The owner broke the glass at that moment, to be reviewed within an hour."""
    glass = BrokenGlass("owner", "owner", "the site is down", at(seconds), at(seconds + 3600))
    return replace(glass, **changes)


def a_second_review(person_id: str = "anna", justified: bool = True) -> SecondReview:
    """What somebody else says of it."""
    return SecondReview(person_id, person_id, f"cred-{person_id}", "test", justified, None, at(9))


def reviewed(glass: BrokenGlass) -> BrokenGlass:
    """The glass, after Anna has looked."""
    return replace(glass, review=a_second_review())


def in_every_state() -> dict[str, ApprovalRequest]:
    """One request in each state, each reached by the steps of the table."""
    pending = a_request()
    lost = apply(running(), LeaseOver(said(Reason.ERROR, 40)))
    return {
        "pending": pending,
        "approved": approved(),
        "rejected": apply(
            pending, Rejected(said(Reason.REJECTED, by="owner"), a_review(vote=Vote.REJECT))
        ),
        "expired": apply(pending, Expired(said(Reason.EXPIRED))),
        "cancelled": apply(pending, Cancelled(said(Reason.CANCELLED))),
        "running": running(),
        "superseded": apply(approved(), Superseded(said(Reason.NEEDS_FRESH_APPROVAL))),
        "refused": apply(approved(), Refused(said(Reason.DENY_ON_RESOLVE))),
        "lapsed": apply(approved(), Lapsed(said(Reason.LAPSED))),
        "done": apply(running(), Finished("t1", outcome())),
        "failed": apply(running(), Finished("t1", outcome(ok=False))),
        "unknown": lost,
        "unreported": apply(running(), Unreportable("t1")),
    }
