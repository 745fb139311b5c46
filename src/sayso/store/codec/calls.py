"""Calls, requests and votes as rows, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec import structs

from sayso.audit.redacted_call import Redaction, redacted_call
from sayso.broker.ports import Change, NewCall, StoredCall
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.core.withheld import Withheld
from sayso.people.token import CredentialKind
from sayso.requests.approval import (
    ApprovalRequest,
    Caller,
    Edited,
    Lease,
    Outcome,
    Resolution,
    Review,
    Status,
    Why,
)
from sayso.requests.attention import NO_ATTENTION, Attention
from sayso.requests.broken_glass import BrokenGlass
from sayso.requests.deadline import next_due
from sayso.requests.key import Key
from sayso.requests.lifecycle import FINAL
from sayso.requests.precondition import Changed, Precondition
from sayso.store.codec.document import Row, reader, written
from sayso.store.codec.logs import LogRows, log_rows


class _Asked(msgspec.Struct, omit_defaults=True):
    """What is frozen when a request is made."""

    policy: ApprovalPolicy
    why: Why
    action: str
    eligible: tuple[str, ...] | None = None
    previous: str | None = None
    preconditions: tuple[Precondition, ...] | None = None
    changed: tuple[Changed, ...] = ()
    keys: tuple[Key, ...] = ()
    tool_category: str | None = None
    once_only: bool = False


class _EditedCall(msgspec.Struct, omit_defaults=True):
    """What an approver made of the call, whole; the call as it was made stays in its own row."""

    call: ToolCall
    digest: str
    policy: ApprovalPolicy
    why: Why
    action: str
    by: str
    person_id: str
    at: Moment
    preconditions: tuple[Precondition, ...] | None = None
    eligible: tuple[str, ...] | None = None
    voided: int = 0


class _State(msgspec.Struct, omit_defaults=True):
    """What conditional writes replace, besides the columns."""

    reviews: tuple[Review, ...] = ()
    resolution: Resolution | None = None
    lease: Lease | None = None
    outcome: Outcome | None = None
    edited: _EditedCall | None = None
    attention: Attention = NO_ATTENTION
    glass: BrokenGlass | None = None


_call = reader(ToolCall)
_asked = reader(_Asked)
_state = reader(_State)


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
            "kept_since": new.at,
            "asked": None if new.request is None else _frozen(new.request),
            "document": written(new.call),
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
        "digest": request.asked_digest,
        "created_at": request.created_at,
        "sticky_lifted": int(request.sticky_lifted),
        **state_values(request),
    }


def _frozen(request: ApprovalRequest) -> str:
    return written(
        _Asked(
            request.policy,
            request.why,
            request.action,
            request.eligible,
            request.previous,
            request.preconditions,
            request.changed,
            request.keys,
            request.tool_category,
            request.once_only,
        )
    )


def state_values(request: ApprovalRequest) -> dict[str, Any]:
    """The columns that a change of a request writes."""
    resolution, lease, glass = request.resolution, request.lease, request.glass
    state = _State(
        request.reviews,
        resolution,
        lease,
        request.outcome,
        _edited_call(request),
        request.attention,
        request.glass,
    )
    return {
        "status": request.status.value,
        "version": request.version,
        "caller": request.caller.value,
        "caller_seen": request.caller_seen,
        "expires_at": request.expires_at,
        "approved_at": request.approved_at,
        "resolved_at": None if resolution is None else resolution.at,
        "lease_until": None if lease is None else lease.until,
        "review_count": len(request.reviews),
        "closed": int(request.status in FINAL),
        "due_at": next_due(request),
        "taken_until": 0,
        "review_by": None if glass is None or glass.review is not None else glass.review_by,
        "state": written(state),
    }


def _edited_call(request: ApprovalRequest) -> _EditedCall | None:
    edited = request.edited
    if edited is None:
        return None
    return _EditedCall(
        request.call,
        request.digest,
        request.policy,
        request.why,
        request.action,
        edited.by,
        edited.person_id,
        edited.at,
        request.preconditions,
        request.eligible,
        edited.voided,
    )


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
    request = ApprovalRequest(
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
        preconditions=asked.preconditions,
        changed=asked.changed,
        keys=asked.keys if state.edited is None else (),
        tool_category=asked.tool_category,
        once_only=asked.once_only,
        attention=state.attention,
        glass=state.glass,
    )
    found = state.edited
    if found is None:
        return request
    return replace(
        request,
        call=found.call,
        digest=found.digest,
        policy=found.policy,
        why=found.why,
        action=found.action,
        preconditions=found.preconditions,
        eligible=found.eligible,
        edited=Edited(request.call, digest, found.by, found.person_id, found.at, found.voided),
    )


def redacted_rows(
    call_text: str, asked_text: str | None, state_text: str | None, why: Withheld
) -> tuple[str, str | None, str | None]:
    """The documents of a call, of what it asked and of its request's state, in their redacted form.

    What is redacted already only gets the new mark.
    """
    call = _call(call_text)
    asked = None if asked_text is None else _asked(asked_text)
    state = None if state_text is None else _state(state_text)
    edited = None if state is None else state.edited
    texts = Redaction(*([call] if edited is None else [call, edited.call]))
    whole = call.withheld is None
    if asked is not None and whole:
        asked = structs.replace(
            asked,
            why=texts.why(asked.why),
            action=texts.text(asked.action),
            preconditions=texts.preconditions(asked.preconditions),
            changed=texts.changed(asked.changed),
        )
    if state is not None and edited is not None:
        edited = structs.replace(edited, call=redacted_call(edited.call, why, texts))
        if whole:
            edited = structs.replace(
                edited,
                why=texts.why(edited.why),
                action=texts.text(edited.action),
                preconditions=texts.preconditions(edited.preconditions),
            )
        state = structs.replace(state, edited=edited)
    return (
        written(redacted_call(call, why, texts)),
        None if asked is None else written(asked),
        None if state is None else written(state),
    )


def read_stored_call(row: Row) -> StoredCall:
    """A stored call from its id, digest, effect, reason and successor."""
    return StoredCall(*row)


def read_call(row: Row) -> tuple[StoredCall, ToolCall]:
    """A stored call and the call itself; the document comes last."""
    return StoredCall(*row[:-1]), _call(row[-1])
