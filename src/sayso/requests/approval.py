"""The durable question whether a call may run, as a value (REQ-2). Only lifecycle.py changes its status."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.dialogue import Dialogue
from sayso.core.moment import Moment, to_rfc3339
from sayso.core.reason import Reason
from sayso.core.withheld import Withheld
from sayso.requests.attention import NO_ATTENTION, Attention
from sayso.requests.broken_glass import BrokenGlass
from sayso.requests.key import Key
from sayso.requests.precondition import Changed, Precondition

NEVER = Moment(0)

LAPSE_SECONDS = 600.0
"""How long an approval waits to be claimed unless set otherwise (GATE-3)."""


class Status(StrEnum):
    """The states of an approval request (REQ-3)."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    RUNNING = "running"
    SUPERSEDED = "superseded"
    REFUSED = "refused"
    LAPSED = "lapsed"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    UNREPORTED = "unreported"


class Caller(StrEnum):
    """Whether anybody still waits for the call's result."""

    WAITING = "waiting"
    GONE = "gone"


class Vote(StrEnum):
    """What a person says of an approval."""

    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Review:
    """One person's vote, with the credential and channel it came through and the digest of what was shown.

    `stands_for` is whom they stood in for, if they decided as a stand-in (REQ-66). `set_digest` is that of
    the ordered set it was given for, if it was given for one (REQ-36).
    """

    person_id: str
    person_name: str
    credential_id: str
    channel: str
    vote: Vote
    digest: str | None
    comment: str | None
    at: Moment
    stands_for: str | None = None
    set_digest: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The review as plain data; credentials stay inside."""
        return {
            "by": self.person_name,
            "person_id": self.person_id,
            "stands_for": self.stands_for,
            "channel": self.channel,
            "vote": self.vote.value,
            "comment": self.comment,
            "at": to_rfc3339(self.at),
        }


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a request ended: a reason code, by whom (a person's name, or None for sayso itself), why."""

    reason: Reason
    at: Moment
    by: str | None = None
    channel: str | None = None
    comment: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The resolution as plain data."""
        return {
            "reason": self.reason.value,
            "by": self.by,
            "channel": self.channel,
            "comment": self.comment,
            "at": to_rfc3339(self.at),
        }


@dataclass(frozen=True, slots=True)
class Lease:
    """The fenced right to run an approved call: a token that only its runner knows, until a moment."""

    token: str
    until: Moment
    runner: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the run: ok or not, a short text, how long it took in seconds."""

    ok: bool
    summary: str
    at: Moment
    seconds: float | None = None
    said_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "ok": self.ok,
            "summary": self.summary,
            "at": to_rfc3339(self.at),
            "seconds": self.seconds,
            "said_by": self.said_by,
        }


@dataclass(frozen=True, slots=True)
class Why:
    """Why the request was made, frozen when it was: reason, rule, target and the sentence for people.

    `message` is what the policy's own template says of it.
    """

    reason: Reason
    sentence: str
    rule: dict[str, Any] | None = None
    targets: tuple[dict[str, Any], ...] = ()
    must_ask: bool = False
    doubtful: bool = False
    explain: str = ""
    message: str = ""

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {
            "reason": self.reason.value,
            "sentence": self.sentence,
            "rule": self.rule,
            "targets": list(self.targets),
            "must_ask": self.must_ask,
            "doubtful": self.doubtful,
            "explain": self.explain,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Edited:
    """What an approver made of the call: who, when, and the call as the agent made it (REQ-14).

    The first `voided` reviews were given before, and count no more: not even if it is edited back.
    """

    original: ToolCall
    original_digest: str
    by: str
    person_id: str
    at: Moment
    voided: int = 0


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """One approval: the call exactly as it would run, who may decide, what was said, how it stands.

    `request_id` is the call's id. `version` grows by one with every change and is what conditional
    writes compare. `eligible` are the people who could decide when it was made (None: an older version
    made it and wrote down nobody). `caller_seen` is when the caller last showed it still waits;
    `previous` is the request this one asks again, and `changed` what has changed since that one was
    approved. `preconditions` are what has to be as it was when this request was made; None if nothing
    was noted. Where `edited` is set, `call` and `digest` are the edited ones, and all votes for other
    digests count no more. With `no_claim` nothing runs after it: an
    approval is its end (Q-4). `lapse_after` is for how many
    seconds an approval waits to be claimed. `context` is what was kept of the dialogue that it came from, the agent's
    side's words.
    """

    call: ToolCall
    digest: str
    policy: ApprovalPolicy
    why: Why
    action: str
    created_at: Moment
    expires_at: Moment | None = None
    status: Status = Status.PENDING
    version: int = 1
    caller: Caller = Caller.WAITING
    caller_seen: Moment = NEVER
    eligible: tuple[str, ...] | None = None
    reviews: tuple[Review, ...] = ()
    resolution: Resolution | None = None
    lease: Lease | None = None
    outcome: Outcome | None = None
    previous: str | None = None
    approved_at: Moment | None = None
    sticky_lifted: bool = False
    keys: tuple[Key, ...] = ()
    tool_category: str | None = None
    once_only: bool = False
    preconditions: tuple[Precondition, ...] | None = None
    changed: tuple[Changed, ...] = ()
    edited: Edited | None = None
    attention: Attention = NO_ATTENTION
    glass: BrokenGlass | None = None
    context: Dialogue | None = None
    no_claim: bool = False
    lapse_after: float = LAPSE_SECONDS

    @property
    def ended_approved(self) -> bool:
        """Whether it was approved and that was all: nothing claims it, and nothing lapses."""
        return self.no_claim and self.status is Status.APPROVED

    @property
    def may_be_bypassed(self) -> bool:
        """Whether an approve may lift more than this call for a time: not of what is decided once (REQ-55)."""
        return not self.once_only and any(word != "once" for word in self.policy.remember)

    @property
    def asked_digest(self) -> str:
        """The digest of the call as the agent made it: what a retry of the agent's is known by."""
        return self.digest if self.edited is None else self.edited.original_digest

    @property
    def votes(self) -> tuple[Review, ...]:
        """The reviews that count: those since the call was edited last."""
        return self.reviews if self.edited is None else self.reviews[self.edited.voided :]

    @property
    def request_id(self) -> str:
        """The durable id of the request, the same as its call's."""
        return self.call.call_id

    @property
    def withheld(self) -> Withheld | None:
        """Why the call, or what it was before its edit, is here in its redacted form only; None if it is whole."""
        before = None if self.edited is None else self.edited.original.withheld
        return self.call.withheld or before

    @property
    def waits(self) -> bool:
        """Whether people may still decide."""
        return self.status is Status.PENDING
