"""Calls, requests and votes as rows, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec import structs

from sayso.audit.redacted_call import Redaction, redacted_call
from sayso.broker.ports import Change, NewCall, StoredCall
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall, digest_of
from sayso.core.dialogue import Dialogue
from sayso.core.moment import Moment
from sayso.core.withheld import Withheld
from sayso.requests.approval import (
    LAPSE_SECONDS,
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
from sayso.store.sealing import NO_KEYS, CallKeys


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
    context: Dialogue | None = None
    no_claim: bool = False
    lapse_after: float = LAPSE_SECONDS


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


class _Whole(msgspec.Struct):
    """What is sealed of a call: itself, and what it asked."""

    call: ToolCall
    asked: _Asked | None


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
_whole = reader(_Whole)
_edit = reader(_EditedCall)


@dataclass(frozen=True, slots=True)
class NewRows:
    """The rows of a new call, ready to be written."""

    call: dict[str, Any]
    request: dict[str, Any] | None
    log: LogRows
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """What a change of a request writes; `request` holds the values of the conditional write."""

    request: dict[str, Any]
    log: LogRows
    follow_up: NewRows | None


def new_rows(new: NewCall, keys: CallKeys = NO_KEYS) -> NewRows:
    """The rows that a new call is written as; with keys the whole of it is sealed."""
    asked = None if new.request is None else _frozen(new.request)
    texts = written(new.call), None if asked is None else written(asked)
    sealed = None
    if keys.seals:
        sealed = keys.seal(written(_Whole(new.call, asked)), new.call.call_id, new.digest)
        texts = redacted_rows(*texts, None, Withheld.SEALED)[:2]
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
            "document": texts[0],
            "asked": texts[1],
            "sealed": sealed,
        },
        request=None if new.request is None else request_row(new.request, keys),
        log=log_rows(new.records, new.notices),
        at_most=new.at_most,
    )


def change_rows(change: Change, keys: CallKeys = NO_KEYS) -> ChangeRows:
    """The rows that a change of a request is written as.

    The call that asks again leaves the external id to the call it follows, which names it.
    """
    follow_up = None if change.follow_up is None else new_rows(change.follow_up, keys)
    if follow_up is not None:
        follow_up.call["external_id"] = None
    values = state_values(change.request, keys)
    values["seen"] = values.pop("caller_seen")
    values["the_id"] = change.request.request_id
    values["expected_version"] = change.expected_version
    return ChangeRows(values, log_rows(change.records, change.notices), follow_up)


def request_row(request: ApprovalRequest, keys: CallKeys = NO_KEYS) -> dict[str, Any]:
    """The row of a new request; its call is a row of its own."""
    return {
        "request_id": request.request_id,
        "session_id": request.call.session_id,
        "digest": request.asked_digest,
        "created_at": request.created_at,
        "sticky_lifted": int(request.sticky_lifted),
        **state_values(request, keys),
    }


def _frozen(request: ApprovalRequest) -> _Asked:
    return _Asked(
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
        request.context,
        request.no_claim,
        request.lapse_after,
    )


def state_values(request: ApprovalRequest, keys: CallKeys = NO_KEYS) -> dict[str, Any]:
    """The columns that a change of a request writes.

    `sealed_edit` None leaves there what is there: an edit that could not be opened is not lost.
    """
    resolution, lease, glass = request.resolution, request.lease, request.glass
    edited, sealed_edit = _edited_call(request), None
    if edited is not None and keys.seals and request.withheld is None:
        sealed_edit = keys.seal(written(edited), request.request_id, edited.digest, "edit")
        edited = _redacted_edit(edited, Redaction(*_versions(request)), Withheld.SEALED)
    state = _State(
        request.reviews,
        resolution,
        lease,
        request.outcome,
        edited,
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
        "closed": int(request.status in FINAL or request.ended_approved),
        "due_at": next_due(request),
        "taken_until": 0,
        "review_by": None if glass is None or glass.review is not None else glass.review_by,
        "state": written(state),
        "sealed_edit": sealed_edit,
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


def read_request(row: Row, keys: CallKeys = NO_KEYS) -> ApprovalRequest:
    """A request from a row of REQUEST_COLUMNS; what no key opens is in its redacted form."""
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
        sealed_edit,
        asked_text,
        call_text,
        call_id,
        sealed,
    ) = row
    call, asked = _call(call_text), _asked(asked_text)
    whole = None if sealed is None else _opened(keys, sealed, call_id, digest)
    if whole is not None and whole.asked is not None:
        call, asked = whole.call, whole.asked
    state = _state(state_text)
    request = ApprovalRequest(
        call=call,
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
        context=asked.context,
        no_claim=asked.no_claim,
        lapse_after=asked.lapse_after,
        attention=state.attention,
        glass=state.glass,
    )
    found = state.edited
    if found is None:
        return request
    if sealed_edit is not None and call.withheld is None:
        text = keys.open(sealed_edit, call_id, found.digest, "edit")
        edit = None if text is None else _edit(text)
        if edit is not None and digest_of(edit.call) == edit.digest == found.digest:
            found = edit
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


def _opened(keys: CallKeys, sealed: str, call_id: str, digest: str) -> _Whole | None:
    """The whole call, if a key opens it and it is the call that was decided on."""
    text = keys.open(sealed, call_id, digest)
    whole = None if text is None else _whole(text)
    if whole is None or whole.call.call_id != call_id or digest_of(whole.call) != digest:
        return None
    return whole


def _versions(request: ApprovalRequest) -> list[ToolCall]:
    return [request.call, *([] if request.edited is None else [request.edited.original])]


def _redacted_edit(edited: _EditedCall, texts: Redaction, why: Withheld) -> _EditedCall:
    if edited.call.withheld is None:
        edited = structs.replace(
            edited,
            why=texts.why(edited.why),
            action=texts.text(edited.action),
            preconditions=texts.preconditions(edited.preconditions),
        )
    return structs.replace(edited, call=redacted_call(edited.call, why, texts))


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
    if asked is not None and call.withheld is None:
        asked = structs.replace(
            asked,
            why=texts.why(asked.why),
            action=texts.text(asked.action),
            preconditions=texts.preconditions(asked.preconditions),
            changed=texts.changed(asked.changed),
        )
    if state is not None and edited is not None:
        state = structs.replace(state, edited=_redacted_edit(edited, texts, why))
    return (
        written(redacted_call(call, why, texts)),
        None if asked is None else written(asked),
        None if state is None else written(state),
    )


def read_stored_call(row: Row) -> StoredCall:
    """A stored call from its id, digest, effect, reason and successor."""
    return StoredCall(*row)


def read_call(row: Row, keys: CallKeys = NO_KEYS) -> tuple[StoredCall, ToolCall]:
    """A stored call and the call itself, whole if a key opens it; its sealed and its plain document come last."""
    *rest, sealed, text = row
    stored = StoredCall(*rest)
    whole = None if sealed is None else _opened(keys, sealed, stored.call_id, stored.digest)
    return stored, _call(text) if whole is None else whole.call
