"""What an event does to a request, whole: its new value, its audit records and what every surface is told.

Whoever changes a request computes the change here, so that a resolution reads alike in the log and
on every card, whoever or whatever brought it about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact
from sayso.broker.attention_words import words_of
from sayso.broker.ports import Change, NewCall
from sayso.broker.records import call_record
from sayso.broker.world import World
from sayso.core.effect import Effect
from sayso.core.moment import Moment, seconds_between
from sayso.people.token import Credential
from sayso.requests.approval import ApprovalRequest, Resolution, Review, Status
from sayso.requests.event import EventKind, Notice
from sayso.requests.glass_events import GlassBroken, GlassOverdue, GlassReviewed
from sayso.requests.grant import allowed_as
from sayso.requests.lifecycle import (
    Approved,
    CallerJoined,
    CallerLeft,
    Cancelled,
    Claimed,
    Edit,
    Event,
    Expired,
    Finished,
    Lapsed,
    LeaseOver,
    Limited,
    OutcomeSaid,
    Refused,
    Rejected,
    Renewed,
    Reviewed,
    Superseded,
    Unreportable,
    apply,
)
from sayso.requests.quorum import Tally, raw_tally


def change_of(
    request: ApprovalRequest,
    event: Event,
    now: Moment,
    *,
    reviewer: Credential | None = None,
    channel: str | None = None,
    follow_up: NewCall | None = None,
    counted: Tally | None = None,
    people_version: int | None = None,
) -> Change:
    """The conditional write that makes the event so.

    `counted` is how the votes stand after a vote that does not decide yet. `reviewer`, `follow_up` and
    `people_version` are those of Change; `channel` is where a person's word on an outcome came from (a
    vote brings its own). Raises what lifecycle.apply raises.
    """
    changed = apply(request, event)
    return Change(
        changed,
        request.version,
        now,
        records=_records(changed, event, now, channel),
        notices=_notices(changed, event, now, counted),
        reviewer=reviewer,
        people_version=people_version,
        follow_up=follow_up,
        approves_definition=isinstance(event, Approved)
        and event.review is not None
        and request.call.definition is not None,
        breaks_glass=isinstance(event, GlassBroken),
    )


async def write(world: World, change: Change) -> ApprovalRequest:
    """Make the change durable, tell those who wait for it, and return the request as it now stands.

    Raises what Store.apply raises: LostRace, NotEligible.
    """
    await world.store.apply(change)
    world.meter.count(change.records)
    if change.follow_up is not None:
        world.meter.count(change.follow_up.records)
    new = () if change.follow_up is None else (change.follow_up.call.call_id,)
    if change.notices:
        world.feed.publish([change.request.request_id, *new])
    return change.request


def notice(kind: EventKind, request: ApprovalRequest, now: Moment, **data: object) -> Notice:
    """The event that tells every surface of a change of this request."""
    call = request.call
    return Notice(
        kind,
        now,
        request_id=request.request_id,
        session_id=call.session_id,
        root_session_id=call.root_session_id,
        user_id=call.user_id,
        agent_id=call.agent_id,
        eligible=request.eligible or (),
        version=request.version,
        data=dict(data),
    )


def _records(
    request: ApprovalRequest, event: Event, now: Moment, channel: str | None
) -> tuple[AuditRecord, ...]:
    words = words_of(event)
    if words is not None:
        glass = isinstance(event, GlassReviewed | GlassOverdue)
        kind = RecordKind.BREAK_GLASS if glass else RecordKind.ATTENTION
        record = _record(
            kind,
            request,
            now,
            words.what,
            by=words.by,
            channel=words.channel or channel,
            comment=words.comment,
        )
        return () if words.silent else (record,)
    match event:
        case CallerJoined() | CallerLeft() | Renewed() | Limited():
            return ()
        case Claimed():
            effect, reason = Effect.ALLOW.word, allowed_as(request).value
            return (_record(RecordKind.CLAIM, request, now, reason, effect=effect),)
        case Finished() | Unreportable():
            said, comment = request.outcome, None
        case OutcomeSaid(outcome):
            said, comment = outcome, None
        case LeaseOver(resolution):
            said, comment = None, resolution.comment
        case Reviewed(review, edit):
            return (*_edit(request, edit, review, now), _vote(request, review, now))
        case Approved(resolution, Review() as review, edit):
            return (
                *_edit(request, edit, review, now),
                _vote(request, review, now),
                _resolved(request, resolution, now),
            )
        case Rejected(resolution, review) | GlassBroken(resolution, review):
            return (_vote(request, review, now), _resolved(request, resolution, now))
        case (
            Approved(resolution)
            | Expired(resolution)
            | Cancelled(resolution)
            | Superseded(resolution)
            | Refused(resolution)
            | Lapsed(resolution)
        ):
            return (_resolved(request, resolution, now),)
        case _:
            return ()
    return (
        _record(
            RecordKind.OUTCOME,
            request,
            now,
            request.status.value,
            by=None if said is None else said.said_by,
            channel=channel,
            comment=comment,
            outcome=None if said is None else said.summary,
        ),
    )


def _vote(request: ApprovalRequest, review: Review, now: Moment) -> AuditRecord:
    return _record(
        RecordKind.REVIEW,
        request,
        now,
        review.vote.value,
        by=review.person_name,
        channel=review.channel,
        comment=review.comment,
        note=None if review.stands_for is None else f"standing in for {review.stands_for}",
    )


def _edit(
    request: ApprovalRequest, edit: Edit | None, review: Review, now: Moment
) -> tuple[AuditRecord, ...]:
    """The record of an edit, with both versions: as the agent made the call, and as it is now."""
    if edit is None or request.edited is None:
        return ()
    both = {"asked": request.edited.original.arguments, "edited": request.call.arguments}
    record = _record(
        RecordKind.EDIT,
        request,
        now,
        "edited",
        by=review.person_name,
        channel=review.channel,
        comment=f"instead of the call with the digest {request.edited.original_digest}",
    )
    return (replace(record, arguments=redact(both)),)


def _resolved(request: ApprovalRequest, resolution: Resolution, now: Moment) -> AuditRecord:
    return _record(
        RecordKind.RESOLUTION,
        request,
        now,
        resolution.reason.value,
        effect=(Effect.ALLOW if request.status is Status.APPROVED else Effect.DENY).word,
        by=resolution.by,
        channel=resolution.channel,
        comment=resolution.comment,
    )


def _record(
    kind: RecordKind, request: ApprovalRequest, now: Moment, reason: str, **more: Any
) -> AuditRecord:
    waited = seconds_between(request.created_at, now)
    return call_record(
        kind, request.call, request.digest, now, reason=reason, waited=waited, **more
    )


def _notices(
    request: ApprovalRequest, event: Event, now: Moment, counted: Tally | None
) -> tuple[Notice, ...]:
    words = words_of(event)
    if words is not None:
        if words.silent:
            return ()
        shown = words.what != "delivered"
        kind = EventKind.APPROVAL_CHANGED if shown else EventKind.DELIVERY_CHANGED
        more = {} if words.person_id is None else {"person_id": words.person_id}
        return (notice(kind, request, now, what=words.what, by=words.by, **more),)
    match event:
        case Renewed() | Limited():
            return ()
        case CallerJoined() | CallerLeft():
            caller = request.caller.value
            return (notice(EventKind.CALLER_CHANGED, request, now, caller=caller),)
        case Claimed() | Finished() | Unreportable() | LeaseOver() | OutcomeSaid():
            status = request.status.value
            return (notice(EventKind.CALL_OUTCOME, request, now, status=status),)
        case Reviewed(review, edit):
            counted = counted or raw_tally(request)
            told = notice(
                EventKind.APPROVAL_REVIEW,
                request,
                now,
                by=review.person_name,
                vote=review.vote.value,
                have=counted.have,
                need=counted.need,
                edited=edit is not None,
            )
        case (
            Approved(resolution)
            | Rejected(resolution)
            | Expired(resolution)
            | Cancelled(resolution)
            | Superseded(resolution)
            | Refused(resolution)
            | Lapsed(resolution)
            | GlassBroken(resolution)
        ):
            told = notice(
                EventKind.APPROVAL_RESOLVED,
                request,
                now,
                tool_name=request.call.written_name,
                approved=request.status is Status.APPROVED,
                reason=resolution.reason.value,
                by=resolution.by,
                edited=request.edited is not None,
            )
        case _:
            return ()
    return (told,)
