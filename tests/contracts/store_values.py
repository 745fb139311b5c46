"""What the contract tests write into stores: whole lives of requests, in as few words as possible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sayso.audit.chain import Verification, verify
from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.ports import Change, NewCall
from sayso.core.call import ToolCall, digest_of
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.people.token import Credential, CredentialKind
from sayso.requests.approval import ApprovalRequest, Lease, Vote
from sayso.requests.event import EventKind, Notice
from sayso.requests.glass_events import GlassBroken, GlassReviewed
from sayso.requests.lifecycle import Approved, Claimed, Event, Finished, Rejected, apply
from tests.fakes.values import (
    START,
    a_call,
    a_glass,
    a_request,
    a_review,
    a_second_review,
    at,
    outcome,
    said,
)

OWNERS = Credential("cred-owner", CredentialKind.SESSION, "owner", "hash-owner", START)


def record(kind: RecordKind, call_id: str = "c1", **more: Any) -> AuditRecord:
    return AuditRecord(kind, more.pop("at", START), call_id=call_id, **more)


def notice(request_id: str = "c1", version: int = 1, **more: Any) -> Notice:
    kind = more.pop("kind", EventKind.APPROVAL_REQUESTED)
    return Notice(kind, START, request_id, "s1", "s1", "owner", "coder", version, **more)


def new(request: ApprovalRequest | None = None, call: ToolCall | None = None) -> NewCall:
    """A new call; it asks if a request is given."""
    call = request.call if request is not None else a_call() if call is None else call
    effect, reason = ("ask", "rule-ask") if request is not None else ("allow", "rule-allow")
    return NewCall(
        call=call,
        digest=digest_of(call),
        effect=effect,
        reason=reason,
        request=request,
        records=(record(RecordKind.VERDICT, call.call_id, tool=call.tool, reason=reason),),
        notices=() if request is None else (notice(call.call_id),),
        at=START if request is None else request.created_at,
    )


def asks(call_id: str = "c1", **changes: Any) -> NewCall:
    """A new call that asks; the changes are the call's."""
    return new(a_request(a_call(call_id=call_id, **changes)))


def step(request: ApprovalRequest, event: Event, **more: Any) -> Change:
    """The change that an event makes, with an audit record of its kind."""
    kinds = {Claimed: RecordKind.CLAIM, Finished: RecordKind.OUTCOME}
    kind = kinds.get(type(event), RecordKind.RESOLUTION)
    changed = apply(request, event)
    values = {
        "at": at(1),
        "records": (record(kind, request.request_id),),
        "notices": (notice(request.request_id, changed.version),),
        **more,
    }
    return Change(request=changed, expected_version=request.version, **values)


def approve(
    request: ApprovalRequest, reviewer: Credential | None = OWNERS, seconds: float = 1, **more: Any
) -> Change:
    review = a_review(digest=request.digest, seconds=seconds)
    event = Approved(said(Reason.APPROVED, seconds, by="owner"), review)
    return step(request, event, reviewer=reviewer, at=at(seconds), **more)


def reject(request: ApprovalRequest, seconds: float = 1) -> Change:
    review = a_review(vote=Vote.REJECT, digest=request.digest, seconds=seconds, comment="no")
    event = Rejected(said(Reason.REJECTED, seconds, by="owner"), review)
    return step(request, event, reviewer=OWNERS, at=at(seconds))


def breaks(request: ApprovalRequest, seconds: float = 1, review_by: Moment | None = None) -> Change:
    """The owner breaks the glass."""
    review = a_review(digest=request.digest, seconds=seconds)
    glass = a_glass(seconds, review_by=at(seconds + 3600) if review_by is None else review_by)
    event = GlassBroken(said(Reason.BREAK_GLASS, seconds, by="owner"), review, glass)
    return step(request, event, reviewer=OWNERS, at=at(seconds), breaks_glass=True)


def looks(request: ApprovalRequest) -> Change:
    """Anna reviews it; the credential does not matter here."""
    return step(request, GlassReviewed(a_second_review()))


def claim(request: ApprovalRequest, token: str = "t1", until: float = 30) -> Change:
    return step(request, Claimed(Lease(token, at(until), "runner")))


def finish(request: ApprovalRequest, ok: bool = True) -> Change:
    return step(request, Finished("t1", outcome(ok)))


async def live(store: Any, request_id: str) -> ApprovalRequest:
    found = await store.request(request_id)
    assert found is not None
    return found  # type: ignore[no-any-return]


async def whole_life(store: Any, call_id: str) -> ApprovalRequest:
    """Submit, approve, claim and finish one request, each step awaited."""
    submitted = asks(call_id)
    assert submitted.request is not None
    await store.submit(submitted)
    request = submitted.request
    for make in (approve, claim, finish):
        change = make(request)
        await store.apply(change)
        request = change.request
    return request


async def chain(store: Any) -> Verification:
    """The store's audit chain, checked from its beginning."""
    return verify(await store.audit_chain(0, 1_000_000))


async def everything(store: Any) -> tuple[Any, ...]:
    """What a refused write must leave as it is."""
    return (
        list(await store.recent(1000)),
        list(await store.pending()),
        list(await store.notices(0, 10_000)),
        list(await store.audit_chain(0, 10_000)),
        list(await store.credentials()),
        await store.rules(),
    )


def credential(
    who: str,
    kind: CredentialKind = CredentialKind.SESSION,
    person_id: str = "owner",
    **more: Any,
) -> Credential:
    values = {"created_at": START, **more}
    return Credential(f"cred-{who}", kind, person_id, f"hash-{who}", **values)


def by_other(change: Change, other: Credential) -> Change:
    """The same change, its last review and reviewer with another credential."""
    *rest, last = change.request.reviews
    last = replace(last, credential_id=other.credential_id, person_id=other.person_id)
    return replace(change, request=replace(change.request, reviews=(*rest, last)), reviewer=other)
