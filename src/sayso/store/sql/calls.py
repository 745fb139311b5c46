"""What the SQL stores do with calls and requests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sayso.broker.ports import Change, NewCall, Records, StoredCall
from sayso.core.call import Owner, ToolCall
from sayso.core.moment import Moment
from sayso.requests.approval import ApprovalRequest
from sayso.store.codec.calls import change_rows, new_rows, read_call, read_request, read_stored_call
from sayso.store.codec.document import Row
from sayso.store.codec.logs import log_rows
from sayso.store.guard import check_next, far
from sayso.store.sql.access import Access, number
from sayso.store.units import calls as units
from sayso.store.units.logs import write

_TOUCHED_AT_ONCE = 1024


class Calls(Access):
    """The part of a SQL store that keeps calls and requests."""

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call, or return the one that has its owner and external id."""
        rows = new_rows(new, self._keys)
        add = self._append if rows.request is None and not rows.log.notices else self._write
        return await add(lambda tx: units.submit(tx, rows))

    async def apply(self, change: Change) -> None:
        """Write a change of a request, whole or not at all."""
        check_next(change)
        rows = change_rows(change, self._keys)
        await self._write(lambda tx: units.apply(tx, change, rows))

    async def spent(self, rule_id: str, since: Moment) -> float:
        """How much was booked on a rule's budget after a moment, and by what is not over yet."""
        values = {"rule_id": rule_id, "since": since}
        return await self._one(self._q.spent, values, lambda row: float(row[0])) or 0.0

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""
        return await self._one(self._q.request, {"request_id": request_id}, self._read_request)

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""
        return await self._one(
            self._q.call, {"call_id": call_id}, partial(read_call, keys=self._keys)
        )

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""
        return await self._one(
            self._q.call_by_external_id,
            {**_owned(owner), "external_id": external_id},
            read_stored_call,
        )

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The open requests of that owner for exactly that digest, oldest first."""
        return await self._few(
            self._q.open_twins, {**_owned(owner), "digest": digest}, self._read_request
        )

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""
        return await self._one(
            self._q.last_rejection,
            {**_owned(owner), "digest": digest, "since": since},
            self._read_request,
        )

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""
        values, log = {"the_id": request_id}, log_rows(records)
        await self._write(lambda tx: write(tx, self._q.lift_sticky, values, log))

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""
        return await self._many(self._q.pending, {}, self._read_request)

    async def pending_count(self) -> int:
        """How many requests are pending."""
        return await self._one(self._q.pending_count, {}, number) or 0

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""
        return await self._many(self._q.recent, {"limit": limit}, self._read_request)

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open requests of a session, oldest first."""
        return await self._many(self._q.of_session, {"session_id": session_id}, self._read_request)

    async def take_due(self, now: Moment, until: Moment, limit: int) -> Sequence[ApprovalRequest]:
        """The requests whose timer has run out, taken until a moment."""
        values = {"now": now, "too_far": far(now, until)}
        if not await self._few(self._q.anything_due, values, tuple):
            return ()  # most of the time; a look costs less than a transaction
        return await self._write(
            lambda tx: units.take_due(tx, now, until, limit, self._read_request)
        )

    async def unseen(self, caller_before: Moment) -> Sequence[ApprovalRequest]:
        """The requests whose caller should have shown itself since."""
        return await self._many(
            self._q.unseen, {"caller_before": caller_before}, self._read_request
        )

    async def unreviewed(self) -> Sequence[ApprovalRequest]:
        """The requests whose broken glass waits for its second review."""
        return await self._many(self._q.unreviewed, {}, self._read_request)

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait."""
        ids = tuple(request_ids)
        for start in range(0, len(ids), _TOUCHED_AT_ONCE):  # others write in between
            part = ids[start : start + _TOUCHED_AT_ONCE]
            await self._write(partial(units.touch, request_ids=part, now=now))

    def _read_request(self, row: Row) -> ApprovalRequest:
        return read_request(row, self._keys)


def _owned(owner: Owner) -> dict[str, Any]:
    return {
        "user_id": owner.user_id,
        "agent_id": owner.agent_id,
        "session_id": owner.session_id,
    }
