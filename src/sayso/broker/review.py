"""Reviewing: one person's approve or reject, as one conditional write (REQ-3, REQ-40 to REQ-42)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sayso.audit.redact import redact_text
from sayso.broker.access import Actor
from sayso.broker.change import change_of, write
from sayso.broker.edit import edit_of
from sayso.broker.ports import Change
from sayso.broker.world import World
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.core.withheld import must_be_whole
from sayso.errors import (
    CallInvalid,
    DigestMismatch,
    LostRace,
    NotEligible,
    NotNow,
    RequestClosed,
    RequestNotFound,
)
from sayso.people.asking import deciding
from sayso.people.counting import counted
from sayso.people.directory import Directory
from sayso.people.eligibility import counts_as, may_review, may_see
from sayso.requests.approval import (
    ApprovalRequest,
    Outcome,
    Resolution,
    Review,
    Status,
    Vote,
)
from sayso.requests.channel_cap import check_channel
from sayso.requests.deadline import due, is_over
from sayso.requests.lifecycle import (
    Approved,
    Edit,
    Event,
    Expired,
    OutcomeSaid,
    Rejected,
    Reviewed,
    closed,
    edited,
)
from sayso.requests.quorum import Tally, approving, asked_of, out_of_reach_of, tally

MAX_COMMENT = 4000


async def visible_request(world: World, actor: Actor, request_id: str) -> ApprovalRequest:
    """The request, if this actor may see it; raises RequestNotFound or NotEligible."""
    request = await _request(world, request_id)
    must_be_visible(world, actor, request, await world.store.directory())
    return request


async def _request(world: World, request_id: str) -> ApprovalRequest:
    request = await world.store.request(request_id)
    if request is None:
        raise RequestNotFound(
            f"no request has the id `{request_id[:64]}`", "look at the inbox for what waits"
        )
    return request


def must_be_visible(
    world: World, actor: Actor, request: ApprovalRequest, people: Directory
) -> None:
    """Raise NotEligible unless this actor may see the request, by the people there are."""
    if not may_see(actor.person.person_id, asked_of(request), people, world.clock.now()):
        raise NotEligible("this request is not yours", "ask its owner or an admin")


async def review(
    world: World,
    actor: Actor,
    request_id: str,
    vote: Vote,
    *,
    digest: str | None,
    comment: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    set_digest: str | None = None,
) -> ApprovalRequest:
    """Record one person's vote and return the request as it now stands.

    With `arguments` the call is edited first, and the vote is for the edited call (broker/edit.py).
    `set_digest` is that of the ordered set that the vote was given for (broker/sets.py).

    Raises RequestNotFound, NotEligible, RequestClosed (with the resolution) if it was resolved or
    has expired, DigestMismatch unless an approve carries the digest of what was shown, NotNow while
    rules cannot be loaded, ArgumentsWithheld for an approve of what cannot be shown whole.
    """
    while True:
        request = await _request(world, request_id)
        people = await world.store.directory()
        must_be_visible(world, actor, request, people)
        change = await change_by_vote(
            world,
            actor,
            request,
            people,
            vote,
            digest=digest,
            comment=comment,
            arguments=arguments,
            set_digest=set_digest,
        )
        try:
            return await write(world, change)
        except LostRace:
            continue  # somebody else changed it: look again, and say so if it is closed now


async def change_by_vote(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    people: Directory,
    vote: Vote,
    *,
    digest: str | None,
    comment: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    set_digest: str | None = None,
) -> Change:
    """What one person's vote would change, not written yet; raises what review raises but RequestNotFound.

    `people` were read after the request, and the write holds only with them.
    """
    if comment is not None and len(comment) > MAX_COMMENT:
        raise CallInvalid(f"the note is longer than {MAX_COMMENT} characters", "shorten it")
    now = world.clock.now()
    await check(world, actor, request, vote, digest, people, now)
    edit = None
    if arguments is not None:
        if vote is Vote.REJECT:
            raise CallInvalid(
                "a rejection cannot change the arguments",
                "approve with other arguments, or reject",
            )
        edit = await edit_of(world, actor, request, arguments, people, now)
    voted = request if edit is None else edited(request, edit)
    voted_digest = digest if edit is None else edit.digest
    given = vote_of(actor, voted, vote, voted_digest, comment, people, now)
    given = replace(given, set_digest=set_digest)
    check_channel(request, given)
    event, votes = _event(voted, given, people, edit)
    return change_of(
        request,
        event,
        now,
        reviewer=actor.credential,
        counted=votes,
        people_version=people.version,
    )


def vote_of(
    actor: Actor,
    request: ApprovalRequest,
    vote: Vote,
    digest: str | None,
    comment: str | None,
    people: Directory,
    now: Moment,
) -> Review:
    """The vote of somebody who may decide, in their own right or for somebody absent.

    Of several absent people it is for the one as whom it is counted beside the votes there are.
    """
    me, asked = actor.person.person_id, asked_of(request)
    counts = counts_as(me, asked, people, now)
    paired = counted((*approving(request), me), asked, people, now)
    return Review(
        me,
        actor.person.name,
        actor.credential.credential_id,
        actor.channel,
        vote,
        digest,
        comment or None,
        now,
        stands_for=None if me in counts else paired.get(me, counts[0]),
    )


def why_not(actor: Actor, request: ApprovalRequest, people: Directory, now: Moment) -> str | None:
    """Why this actor may not decide the request; None if they may."""
    return may_review(actor.person.person_id, actor.kind, asked_of(request), people, now)


async def settle(
    world: World, actor: Actor, request_id: str, *, ok: bool, summary: str
) -> ApprovalRequest:
    """A person says what came of a run whose outcome is unknown; running it again is a new call."""
    while True:
        request = await visible_request(world, actor, request_id)
        now, people = world.clock.now(), await world.store.directory()
        refusal = why_not(actor, request, people, now)
        if refusal is not None:
            raise NotEligible(refusal)
        outcome = Outcome(ok, redact_text(summary[:MAX_COMMENT]), now, said_by=actor.person.name)
        change = change_of(
            request,
            OutcomeSaid(outcome),
            now,
            reviewer=actor.credential,
            channel=actor.channel,
            people_version=people.version,
        )
        try:
            return await write(world, change)
        except LostRace:
            continue


async def check(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    vote: Vote,
    digest: str | None,
    people: Directory,
    now: Moment,
) -> None:
    """Raise what keeps this actor from voting so, by all that can be known before it is written."""
    refusal = why_not(actor, request, people, now)
    if refusal is not None:
        raise NotEligible(refusal, "ask somebody who may")
    if request.status is not Status.PENDING:
        raise closed(request)
    if is_over(request, now):
        eligible = deciding(asked_of(request), people, now)
        event = due(request, now, out_of_reach_of(request, people), eligible)
        assert isinstance(event, Expired | Approved), "a request that is over has something due"
        by_time = isinstance(event, Approved)
        raise RequestClosed(
            "it is too late: nobody decided in time, and the policy allows it then"
            if by_time
            else "it has expired: nobody decided in time",
            "stop its session if it must not run"
            if by_time
            else "ask again with a new call if it is still wanted",
            status=(Status.APPROVED if by_time else Status.EXPIRED).value,
            resolution=event.resolution.to_json(),
        )
    if vote is Vote.REJECT:
        return
    must_be_whole(request.withheld)
    if digest is None:
        raise DigestMismatch(
            "an approve needs the digest of what was shown", "send the digest of the card"
        )
    if digest != request.digest:
        raise DigestMismatch(
            "the digest is not the one of this call", "look at the card again and decide on that"
        )
    unavailable = (await world.rules.current(request.call.workspace)).unavailable
    if unavailable:
        raise NotNow(
            f"nothing can be approved while rules cannot be loaded: {unavailable}",
            "mend the rules, then approve",
        )


def _event(
    request: ApprovalRequest, given: Review, people: Directory, edit: Edit | None
) -> tuple[Event, Tally]:
    """What a vote brings about, and how the votes stand with it; `request` is as the edit makes it."""
    before = tally(request, people, given.at)
    votes = tally(replace(request, reviews=(*request.reviews, given)), people, given.at)
    if given.vote is Vote.REJECT:
        resolution = Resolution(
            Reason.REJECTED, given.at, given.person_name, given.channel, given.comment
        )
        return Rejected(resolution, given), votes
    if votes.approved:  # also where it was the others' leaving that made the votes enough
        resolution = Resolution(
            Reason.APPROVED, given.at, given.person_name, given.channel, given.comment
        )
        return Approved(resolution, given, edit), votes
    if votes.have == before.have:
        raise RequestClosed(
            "you have approved this already; nobody counts twice"
            if given.person_id in approving(request)
            else "the one you stand in for counts already; nobody counts twice",
            f"{votes.have} of {votes.need} have approved; others must do the rest",
            status=request.status.value,
        )
    return Reviewed(given, edit), votes
