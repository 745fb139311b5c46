"""The statements about calls and requests."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    update,
)

from sayso.requests.approval import Caller, Status
from sayso.requests.lifecycle import OPEN
from sayso.store import tables as t
from sayso.store.guard import WAITING_FOR_PEOPLE
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import word, words

REQUEST_COLUMNS = (
    t.REQUESTS.c.status,
    t.REQUESTS.c.version,
    t.REQUESTS.c.caller,
    t.REQUESTS.c.caller_seen,
    t.REQUESTS.c.created_at,
    t.REQUESTS.c.expires_at,
    t.REQUESTS.c.approved_at,
    t.REQUESTS.c.sticky_lifted,
    t.REQUESTS.c.digest,
    t.REQUESTS.c.state,
    t.REQUESTS.c.sealed_edit,
    t.CALLS.c.asked,
    t.CALLS.c.document,
    t.CALLS.c.call_id,
    t.CALLS.c.sealed,
)
"""What a request is read from; see codec.read_request."""

_STORED_CALL = (
    t.CALLS.c.call_id,
    t.CALLS.c.digest,
    t.CALLS.c.effect,
    t.CALLS.c.reason,
    t.CALLS.c.superseded_by,
)

_CHANGED = (
    "status",
    "version",
    "caller",
    "expires_at",
    "approved_at",
    "resolved_at",
    "lease_until",
    "review_count",
    "due_at",
    "taken_until",
    "review_by",
    "state",
)


IDS_AT_ONCE = 64
"""How many requests one statement touches."""


class Calls(Compiler):
    """The statements about calls and requests."""

    def _calls(self) -> None:
        c = t.CALLS.c
        owned = and_(
            c.session_id == bindparam("session_id"),
            c.external_id == bindparam("external_id"),
            c.user_id == bindparam("user_id"),
            c.agent_id == bindparam("agent_id"),
        )
        values: dict[str, Any] = {column.name: bindparam(column.name) for column in t.CALLS.columns}
        self.add_call = self._compile(
            self._upsert(t.CALLS)
            .values(values)
            .on_conflict_do_nothing(
                index_elements=t.EXTERNAL_IDS.columns,
                index_where=c.external_id.is_not(None),
            )
        )
        self.call = self._compile(
            select(*_STORED_CALL, c.sealed, c.document).where(c.call_id == bindparam("call_id"))
        )
        self.call_by_external_id = self._compile(select(*_STORED_CALL).where(owned))
        self.supersede = self._compile(
            update(t.CALLS)
            .where(c.call_id == bindparam("old_id"))
            .values(superseded_by=bindparam("new_id"))
        )

    def _requests(self) -> None:
        r, c = t.REQUESTS.c, t.CALLS.c
        read: Select[Any] = select(*REQUEST_COLUMNS).join_from(
            t.REQUESTS, t.CALLS, c.call_id == r.request_id
        )
        request_id = self._text(r.request_id)
        oldest_first = (r.created_at, request_id)
        zero, one = literal_column("0", Integer), literal_column("1", Integer)
        the_one = r.request_id == bindparam("the_id")
        of_owner = and_(
            r.session_id == bindparam("session_id"),
            r.digest == bindparam("digest"),
            c.user_id == bindparam("user_id"),
            c.agent_id == bindparam("agent_id"),
        )
        seen = bindparam("seen", type_=r.caller_seen.type)
        not_closed = r.closed == zero
        self.add_request = self._insert(t.REQUESTS)
        self.request = self._compile(read.where(r.request_id == bindparam("request_id")))
        self.request_standing = self._compile(
            select(r.version, r.review_count).where(r.request_id == bindparam("request_id"))
        )
        change = (
            update(t.REQUESTS)
            .where(
                the_one,
                r.version == bindparam("expected_version"),
                r.review_count == bindparam("reviews_before"),
            )
            .values(
                caller_seen=case((r.caller_seen > seen, r.caller_seen), else_=seen),
                # an edit that could not be opened is left as it is
                sealed_edit=func.coalesce(bindparam("sealed_edit", type_=Text), r.sealed_edit),
            )
        )
        self.change_request = self._compile(change, list(_CHANGED))
        self.close_request = self._compile(change, [*_CHANGED, "closed"])
        self.touch_request = self._compile(
            update(t.REQUESTS).where(the_one, r.caller_seen < seen).values(caller_seen=seen)
        )
        several: list[Any] = [bindparam(f"id_{n}") for n in range(IDS_AT_ONCE)]
        self.touch_requests = self._compile(
            update(t.REQUESTS)
            .where(r.request_id.in_(several), r.caller_seen < seen)
            .values(caller_seen=seen)
        )
        self.lift_sticky = self._compile(
            update(t.REQUESTS).where(the_one).values(sticky_lifted=one)
        )
        self.open_twins = self._compile(
            read.where(of_owner, r.status.in_(words(OPEN))).order_by(*oldest_first)
        )
        self.last_rejection = self._compile(
            read.where(
                of_owner,
                r.status == word(Status.REJECTED),
                r.sticky_lifted == zero,
                r.resolved_at >= bindparam("since"),
            )
            .order_by(r.resolved_at.desc(), request_id.desc())
            .limit(1)
        )
        self.pending = self._compile(
            read.where(not_closed, r.status.in_(words(WAITING_FOR_PEOPLE))).order_by(*oldest_first)
        )
        self.pending_count = self._compile(
            select(func.count(r.request_id)).where(not_closed, r.status == word(Status.PENDING))
        )
        self.recent = self._compile(
            read.where(r.resolved_at.is_not(None), r.status.not_in(words(WAITING_FOR_PEOPLE)))
            .order_by(r.resolved_at.desc(), request_id.desc())
            .limit(bindparam("limit", type_=Integer))
        )
        self.of_session = self._compile(
            read.where(r.session_id == bindparam("session_id"), r.status.in_(words(OPEN))).order_by(
                *oldest_first
            )
        )
        self.waiting_in_session = self._compile(
            select(func.count(r.request_id)).where(
                r.session_id == bindparam("session_id"),
                r.status == word(Status.PENDING),
                not_closed,
            )
        )
        pending, approved = r.status == word(Status.PENDING), r.status == word(Status.APPROVED)
        self.unseen = self._compile(
            read.where(
                not_closed,
                or_(pending, approved),
                r.caller == word(Caller.WAITING),
                r.caller_seen <= bindparam("caller_before"),
            ).order_by(*oldest_first)
        )
        free = and_(
            r.due_at <= bindparam("now"),
            or_(r.taken_until <= bindparam("now"), r.taken_until > bindparam("too_far")),
        )
        self.anything_due = self._compile(select(r.request_id).where(free).limit(one))
        self.due = self._compile(
            read.where(free)
            .order_by(r.due_at, r.request_id)
            .limit(bindparam("limit", type_=Integer))
            .with_for_update(of=t.REQUESTS, skip_locked=True)
        )
        self.take = self._compile(
            update(t.REQUESTS).where(the_one).values(taken_until=bindparam("until"))
        )
        overdue = r.review_by <= bindparam("now")
        self.unreviewed = self._compile(
            read.where(r.review_by.is_not(None)).order_by(r.review_by, r.request_id)
        )
        self.overdue_review = self._compile(select(r.request_id).where(overdue).limit(one))
        self.add_review = self._insert(t.REVIEWS)
