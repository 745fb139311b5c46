"""How the in-memory store keeps calls and requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.broker.ports import Change, NewCall, Records, StoredCall
from sayso.core.budget import Booking
from sayso.core.call import Owner, ToolCall
from sayso.core.moment import Moment, plus
from sayso.errors import StoreError
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.deadline import next_due
from sayso.requests.lifecycle import OPEN
from sayso.store.guard import (
    NOT_OVER,
    WAITING_FOR_PEOPLE,
    check_budget,
    check_eligible,
    check_glass,
    check_next,
    check_reviewer,
    check_reviews,
    check_waiting,
    far,
    is_unseen,
    lost_race,
    people_changed,
    resolution_order,
    resolved_at,
)
from sayso.store.memory.people import People
from sayso.store.memory.tools import Tools


class Calls(People, Tools):
    """The part of the in-memory store that keeps calls and requests."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[str, tuple[StoredCall, ToolCall]] = {}
        self._external: dict[tuple[Owner, str], str] = {}
        self._requests: dict[str, ApprovalRequest] = {}
        self._taken: dict[str, Moment] = {}
        self._booked: list[tuple[str, Booking, Moment]] = []
        self._kept: dict[str, Moment] = {}

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call, or return the one that has its owner and external id."""
        call = new.call
        with self._lock:
            if call.external_id is not None:
                known = self._external.get((call.owner, call.external_id))
                if known is not None:
                    return self._calls[known][0]
            self._check_new(new)
            full = new.at_most is not None and len(self._requests) >= new.at_most
            if full and new.request is not None and new.request.waits:
                same = [r for r in self._requests.values() if r.call.session_id == call.session_id]
                check_waiting(1 + sum(r.waits for r in same), new.at_most)
            self._add(new)
            if call.external_id is not None:
                self._external[call.owner, call.external_id] = call.call_id
        return None

    async def apply(self, change: Change) -> None:
        """Write a change of a request, whole or not at all."""
        check_next(change)
        new = change.request
        with self._lock:
            old = self._requests.get(new.request_id)
            stored = None
            if change.reviewer is not None:
                stored = self._credentials.get(change.reviewer.credential_id)
                check_reviewer(stored, change.at)
            if old is None or old.version != change.expected_version:
                raise lost_race(new.request_id)
            if change.people_version not in (None, self._directory.version):
                raise people_changed()
            review = check_reviews(new, len(old.reviews), stored)
            if review is not None:
                check_eligible(new, review, self._directory, change.at)
            if change.breaks_glass:
                broken = (r.glass for r in self._requests.values() if r.glass is not None)
                check_glass(next((glass for glass in broken if glass.overdue(change.at)), None))
            if change.follow_up is not None:
                self._check_new(change.follow_up)
            for booking in change.bookings:
                since = plus(change.at, -booking.budget.per)
                check_budget(booking, self._spent(booking.rule_id, since))
            self._booked += [(new.request_id, booking, change.at) for booking in change.bookings]
            self._requests[new.request_id] = replace(
                new,
                caller_seen=max(new.caller_seen, old.caller_seen),
                sticky_lifted=old.sticky_lifted,
            )
            self._taken.pop(new.request_id, None)
            self._append(change.records, change.notices)
            self._rules_version += change.approves_definition and self._tools.approve(new.call)
            if change.follow_up is not None:
                self._add(change.follow_up)
                stored_call, call = self._calls[new.request_id]
                self._calls[new.request_id] = (
                    replace(stored_call, superseded_by=change.follow_up.call.call_id),
                    call,
                )

    async def spent(self, rule_id: str, since: Moment) -> float:
        """How much was booked on a rule's budget after a moment, and by what is not over yet."""
        with self._lock:
            return self._spent(rule_id, since)

    def _spent(self, rule_id: str, since: Moment) -> float:
        return sum(
            booking.amount
            for request_id, booking, at in self._booked
            if booking.rule_id == rule_id
            and (at > since or self._requests[request_id].status in NOT_OVER)
        )

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""
        return self._requests.get(request_id)

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""
        return self._calls.get(call_id)

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""
        with self._lock:
            call_id = self._external.get((owner, external_id))
            return None if call_id is None else self._calls[call_id][0]

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The open requests of that owner for exactly that digest, oldest first."""
        return self._find(
            lambda r: r.status in OPEN and r.asked_digest == digest and r.call.owner == owner
        )

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""
        found = self._find(
            lambda r: (
                r.status is Status.REJECTED
                and r.asked_digest == digest
                and r.call.owner == owner
                and not r.sticky_lifted
                and resolved_at(r) >= since
            )
        )
        return max(found, key=resolution_order, default=None)

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""
        with self._lock:
            self._append(records, ())
            old = self._requests.get(request_id)
            if old is not None:
                self._requests[request_id] = replace(old, sticky_lifted=True)

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""
        return self._find(lambda r: r.status in WAITING_FOR_PEOPLE)

    async def pending_count(self) -> int:
        """How many requests are pending."""
        return len(self._find(lambda r: r.status is Status.PENDING))

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""
        found = self._find(
            lambda r: r.resolution is not None and r.status not in WAITING_FOR_PEOPLE
        )
        return sorted(found, key=resolution_order, reverse=True)[:limit]

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open requests of a session, oldest first."""
        return self._find(lambda r: r.status in OPEN and r.call.session_id == session_id)

    async def take_due(self, now: Moment, until: Moment, limit: int) -> Sequence[ApprovalRequest]:
        """The requests whose timer has run out, taken until a moment."""
        too_far = far(now, until)
        with self._lock:
            timers = [(next_due(r), r) for r in self._requests.values()]
            found = sorted(
                (due, r.request_id)
                for due, r in timers
                if due is not None
                and due <= now
                and not now < self._taken.get(r.request_id, now) <= too_far
            )
            for _, request_id in found[:limit]:
                self._taken[request_id] = until
            return [self._requests[request_id] for _, request_id in found[:limit]]

    async def unseen(self, caller_before: Moment) -> Sequence[ApprovalRequest]:
        """The requests whose caller should have shown itself since."""
        return self._find(lambda r: is_unseen(r, caller_before))

    async def unreviewed(self) -> Sequence[ApprovalRequest]:
        """The requests whose broken glass waits for its second review."""
        found = [
            (r.glass.review_by, r.request_id, r)
            for r in self._find(lambda r: r.glass is not None and r.glass.review is None)
            if r.glass is not None
        ]
        return [request for *_, request in sorted(found, key=lambda row: row[:2])]

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait."""
        with self._lock:
            for request_id in request_ids:
                old = self._requests.get(request_id)
                if old is not None and old.caller_seen < now:
                    self._requests[request_id] = replace(old, caller_seen=now)

    # ── inside the lock ────────────────────────────────────────────────────────────────────────

    def _find(self, wanted: Callable[[ApprovalRequest], bool]) -> list[ApprovalRequest]:
        with self._lock:
            found = [request for request in self._requests.values() if wanted(request)]
        return sorted(found, key=lambda r: (r.created_at, r.request_id))

    def _check_new(self, new: NewCall) -> None:
        if new.call.call_id in self._calls:
            raise StoreError(f"the call `{new.call.call_id}` exists already")

    def _add(self, new: NewCall) -> None:
        call = new.call
        stored = StoredCall(call.call_id, new.digest, new.effect, new.reason)
        self._calls[call.call_id] = (stored, call)
        self._kept[call.call_id] = new.at
        if new.request is not None:
            self._requests[call.call_id] = new.request
        self._append(new.records, new.notices)
