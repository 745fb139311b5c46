"""Values to rows and back: documents are JSON, written and read straight into the core's types.

A document that does not fit its type any more raises StoreCorrupt; fields added to a type later need
a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import msgspec

from sayso.audit.chain import Entry, body_of
from sayso.audit.record import AuditRecord
from sayso.broker.ports import Change, NewCall, StoredCall
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.core.session import Session
from sayso.errors import StoreCorrupt, StoreError
from sayso.people.person import Person
from sayso.people.token import Credential, CredentialKind
from sayso.policy.defaults import pattern_key
from sayso.policy.rule import Rule
from sayso.requests.approval import (
    ApprovalRequest,
    Caller,
    Lease,
    Outcome,
    Resolution,
    Review,
    Status,
    Why,
)
from sayso.requests.event import Notice
from sayso.requests.lifecycle import FINAL

Row = Sequence[Any]
Values = Mapping[str, Any]
T = TypeVar("T")


class _Asked(msgspec.Struct, omit_defaults=True):
    """What is frozen when a request is made."""

    policy: ApprovalPolicy
    why: Why
    action: str
    eligible: tuple[str, ...] = ()
    previous: str | None = None


class _State(msgspec.Struct, omit_defaults=True):
    """What conditional writes replace, besides the columns."""

    reviews: tuple[Review, ...] = ()
    resolution: Resolution | None = None
    lease: Lease | None = None
    outcome: Outcome | None = None


_ENCODER = msgspec.json.Encoder()


def _write(value: object) -> str:
    try:
        return _ENCODER.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"a value cannot be stored: {error}") from error


def _reader(kind: type[T]) -> Callable[[str], T]:
    decode = msgspec.json.Decoder(kind).decode

    def read(text: str) -> T:
        try:
            return decode(text)
        except msgspec.MsgspecError as error:
            raise StoreCorrupt(
                f"a stored {kind.__name__.lstrip('_')} cannot be read: {error}",
                "keep a copy of the database file, then restore a backup",
            ) from error

    return read


_call = _reader(ToolCall)
_asked = _reader(_Asked)
_state = _reader(_State)
_notice = _reader(Notice)
_session = _reader(Session)
_rule = _reader(Rule)
_person = _reader(Person)
_tool = _reader(ObservedTool)


# ── to rows ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class LogRows:
    """Audit records, still without their place in the chain, and events without their number."""

    records: list[tuple[Any, ...]]
    notices: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class NewRows:
    """The rows of a new call, ready to be written."""

    call: dict[str, Any]
    request: dict[str, Any] | None
    log: LogRows


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """What a change of a request writes; `request` holds the values of the conditional write."""

    request: dict[str, Any]
    log: LogRows
    follow_up: NewRows | None


def new_rows(new: NewCall) -> NewRows:
    """The rows that a new call is written as."""
    return NewRows(
        call={
            "call_id": new.call.call_id,
            "user_id": new.call.user_id,
            "agent_id": new.call.agent_id,
            "session_id": new.call.session_id,
            "external_id": new.call.external_id,
            "digest": new.digest,
            "effect": new.effect,
            "reason": new.reason,
            "superseded_by": None,
            "asked": None if new.request is None else _frozen(new.request),
            "document": _write(new.call),
        },
        request=None if new.request is None else request_row(new.request),
        log=log_rows(new.records, new.notices),
    )


def change_rows(change: Change) -> ChangeRows:
    """The rows that a change of a request is written as.

    The call that asks again leaves the external id to the call it follows, which names it.
    """
    follow_up = None if change.follow_up is None else new_rows(change.follow_up)
    if follow_up is not None:
        follow_up.call["external_id"] = None
    values = state_values(change.request)
    values["seen"] = values.pop("caller_seen")
    values["the_id"] = change.request.request_id
    values["expected_version"] = change.expected_version
    return ChangeRows(values, log_rows(change.records, change.notices), follow_up)


def request_row(request: ApprovalRequest) -> dict[str, Any]:
    """The row of a new request; its call is a row of its own."""
    return {
        "request_id": request.request_id,
        "session_id": request.call.session_id,
        "digest": request.digest,
        "created_at": request.created_at,
        "expires_at": request.expires_at,
        "sticky_lifted": int(request.sticky_lifted),
        **state_values(request),
    }


def _frozen(request: ApprovalRequest) -> str:
    return _write(
        _Asked(request.policy, request.why, request.action, request.eligible, request.previous)
    )


def state_values(request: ApprovalRequest) -> dict[str, Any]:
    """The columns that a change of a request writes."""
    resolution, lease = request.resolution, request.lease
    return {
        "status": request.status.value,
        "version": request.version,
        "caller": request.caller.value,
        "caller_seen": request.caller_seen,
        "approved_at": request.approved_at,
        "resolved_at": None if resolution is None else resolution.at,
        "lease_until": None if lease is None else lease.until,
        "review_count": len(request.reviews),
        "closed": int(request.status in FINAL),
        "state": _write(_State(request.reviews, resolution, lease, request.outcome)),
    }


def review_row(
    request_id: str, number: int, review: Review, kind: CredentialKind
) -> dict[str, Any]:
    """The row of a vote; `kind` is that of the stored credential."""
    return {
        "request_id": request_id,
        "number": number,
        "person_id": review.person_id,
        "credential_id": review.credential_id,
        "kind": kind.value,
        "channel": review.channel,
        "vote": review.vote.value,
        "at": review.at,
    }


def log_rows(records: Iterable[AuditRecord], notices: Iterable[Notice] = ()) -> LogRows:
    """The rows of audit records and events."""
    return LogRows(
        record_rows(records), [(notice.request_id, _write(notice)) for notice in notices]
    )


def record_rows(records: Iterable[AuditRecord]) -> list[tuple[Any, ...]]:
    """The rows of audit records: the columns from `at` to `body`."""
    return [(r.at, r.call_id, r.tool, r.by, r.reason, body_of(r)) for r in records]


def session_row(session: Session) -> dict[str, Any]:
    """The row of a session."""
    return {
        "session_id": session.session_id,
        "user_id": session.user_id,
        "agent_id": session.agent_id,
        "opened_at": session.opened_at,
        "stopped_at": session.stopped_at,
        "document": _write(session),
    }


def rule_row(rule: Rule) -> dict[str, Any]:
    """The row of a rule; its position is given by the store."""
    return {
        "rule_id": rule.id,
        "group_id": rule.group_id,
        "pattern_key": pattern_key(rule),
        "seed_key": None,
        "document": _write(rule),
    }


def seed_row(rule: Rule) -> dict[str, Any]:
    """The row of a seed, which stays known by its pattern whatever becomes of it."""
    row = rule_row(rule)
    return {**row, "seed_key": row["pattern_key"]}


def credential_row(credential: Credential) -> dict[str, Any]:
    """The row of a credential."""
    return {
        "credential_id": credential.credential_id,
        "kind": credential.kind.value,
        "person_id": credential.person_id,
        "secret_hash": credential.secret_hash,
        "created_at": credential.created_at,
        "expires_at": credential.expires_at,
        "revoked_at": credential.revoked_at,
        "agent_id": credential.agent_id,
        "name": credential.name,
    }


def tool_row(tool: ObservedTool, now: Moment) -> dict[str, Any]:
    """The row of an observed tool."""
    return {
        "server": tool.server or "",
        "name": tool.name,
        "first_seen": now,
        "changed_at": now,
        "document": _write(tool),
        "definition": tool.definition,
    }


def definition_row(call: ToolCall, at: Moment) -> dict[str, Any]:
    """The row of the definition under which a call was approved."""
    return {"server": call.server, "name": call.tool, "definition": call.definition, "at": at}


# ── from rows: each takes the columns in the order of its query in queries.py ──────────────────


def read_request(row: Row) -> ApprovalRequest:
    """A request from a row of REQUEST_COLUMNS."""
    (
        status,
        version,
        caller,
        caller_seen,
        created_at,
        expires_at,
        approved_at,
        sticky_lifted,
        digest,
        state_text,
        asked_text,
        call_text,
    ) = row
    asked = _asked(asked_text)
    state = _state(state_text)
    return ApprovalRequest(
        call=_call(call_text),
        digest=digest,
        policy=asked.policy,
        why=asked.why,
        action=asked.action,
        created_at=created_at,
        expires_at=expires_at,
        status=Status(status),
        version=version,
        caller=Caller(caller),
        caller_seen=caller_seen,
        eligible=asked.eligible,
        reviews=state.reviews,
        resolution=state.resolution,
        lease=state.lease,
        outcome=state.outcome,
        previous=asked.previous,
        approved_at=approved_at,
        sticky_lifted=bool(sticky_lifted),
    )


def read_stored_call(row: Row) -> StoredCall:
    """A stored call from its id, digest, effect, reason and successor."""
    return StoredCall(*row)


def read_call(row: Row) -> tuple[StoredCall, ToolCall]:
    """A stored call and the call itself; the document comes last."""
    return StoredCall(*row[:-1]), _call(row[-1])


def read_notice(row: Row) -> Notice:
    """An event from its number and document."""
    return replace(_notice(row[1]), event_id=row[0])


def read_session(row: Row) -> Session:
    """A session from its document and the moment it was stopped."""
    session = _session(row[0])
    return session if row[1] is None else replace(session, stopped_at=row[1])


def read_rule(row: Row) -> Rule:
    """A rule from its document."""
    return _rule(row[0])


def read_person(row: Row) -> Person:
    """A person from the document."""
    return _person(row[0])


def read_credential(row: Row) -> Credential:
    """A credential from its columns, in the order of the type."""
    credential_id, kind, *rest = row
    return Credential(credential_id, CredentialKind(kind), *rest)


def read_tool(row: Row) -> ObservedTool:
    """An observed tool from its document."""
    return _tool(row[0])


def read_known_tool(row: Row) -> KnownTool:
    """A known tool from its columns."""
    return KnownTool(_tool(row[0]), *row[1:])


def read_definitions(rows: Iterable[Row]) -> list[Definitions]:
    """What is known of each tool, from one row for each definition that is approved."""
    current: dict[tuple[str, str], str | None] = {}
    approved: dict[tuple[str, str], set[str]] = {}
    for server, name, last, definition in rows:
        current[server, name] = last
        approved.setdefault((server, name), set()).add(definition)
    return [Definitions(*key, current[key], frozenset(found)) for key, found in approved.items()]


def read_entry(row: Row) -> Entry:
    """An audit entry from its columns."""
    return Entry(*row)
