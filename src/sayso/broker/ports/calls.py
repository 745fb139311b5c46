"""What the broker needs of calls and requests: the values it writes, and how it finds them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.audit.record import AuditRecord
from sayso.broker.ports.audit import Records
from sayso.core.budget import Booking
from sayso.core.call import Owner, ToolCall
from sayso.core.moment import Moment
from sayso.people.token import Credential
from sayso.requests.approval import ApprovalRequest
from sayso.requests.event import Notice


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call that was submitted: its digest, the effect that was said, and what replaced it, if anything."""

    call_id: str
    digest: str
    effect: str
    reason: str
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class NewCall:
    """Everything a submitted call writes in one transaction; `request` only if it asks.

    `at` is when it was submitted, from when on its full arguments are kept (AUD-1a). A request is not
    written while `at_most` of its session wait already (GATE-9); None is no limit.
    """

    call: ToolCall
    digest: str
    effect: str
    reason: str
    request: ApprovalRequest | None
    records: tuple[AuditRecord, ...]
    notices: tuple[Notice, ...]
    at: Moment
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One conditional write: it happens whole if the stored version is `expected_version`, else not at all.

    `reviewer` is the credential a review came with: the same transaction checks that it exists, is
    of a deciding kind and is neither revoked nor expired at `at` (REQ-64). `follow_up` is the call
    that asks again, written in the same transaction. With `approves_definition` a person has approved
    the call under its tool's definition, which counts as approved from then on (POL-46).
    `people_version` is that of the people, roles and stand-ins it was computed from: with others it
    does not happen. Whoever reviews is looked up among those there are in that transaction (REQ-12).
    With `breaks_glass` nothing is written while a glass was broken and not reviewed in time (REQ-68).
    """

    request: ApprovalRequest
    expected_version: int
    at: Moment
    records: tuple[AuditRecord, ...] = ()
    notices: tuple[Notice, ...] = ()
    reviewer: Credential | None = None
    follow_up: NewCall | None = None
    approves_definition: bool = False
    bookings: tuple[Booking, ...] = ()
    people_version: int | None = None
    breaks_glass: bool = False


class CallStore(Protocol):
    """Calls and requests; see Store."""

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call; if its owner used its external id before, write nothing and return that call."""

    async def apply(self, change: Change) -> None:
        """Write a change of a request.

        Raises LostRace if the stored version is another, NotEligible if `reviewer` may not review or
        the glass may not be broken.
        """

    async def spent(self, rule_id: str, since: Moment) -> float:
        """How much was booked on a rule's budget after a moment, and before by what is not over yet."""

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The requests of that owner for exactly that digest that are pending, approved or running, oldest first."""

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""

    async def pending_count(self) -> int:
        """How many requests are pending."""

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open (pending, approved, running) requests of a session."""

    async def take_due(self, now: Moment, until: Moment, limit: int) -> Sequence[ApprovalRequest]:
        """The requests whose timer (deadline.next_due) has run out by now, the longest first (ST-5).

        Each is taken: nobody else is given it before `until`, unless it changes. A taking that ends
        later than `until` was made under another clock and does not count.
        """

    async def unseen(self, caller_before: Moment) -> Sequence[ApprovalRequest]:
        """The pending and approved requests whose caller waits and was last seen before that moment."""

    async def unreviewed(self) -> Sequence[ApprovalRequest]:
        """The requests whose broken glass waits for its second review, the most urgent first (REQ-68)."""

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait; changes no version."""
