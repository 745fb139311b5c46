"""An answer with more to it than a vote: what of it is remembered, and for how long (REQ-40, REQ-51 to REQ-55).

The keys are those that stood on the card. What would be remembered is held against the very call first,
so that nothing is ever saved that would not have lifted, or refused, just this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact_text
from sayso.broker import review as reviewing
from sayso.broker.access import Actor
from sayso.broker.ports import Given
from sayso.broker.world import World, decide_call
from sayso.core.effect import Effect
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.core.session import Session
from sayso.errors import NotRemembered, SaysoError
from sayso.gate.parts import category_of
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.event import EventKind, Notice
from sayso.requests.standing_grant import (
    Bypass,
    BypassScope,
    Extent,
    KeyGrant,
    Remember,
    Remembered,
)

_log = structlog.get_logger("sayso.broker")

MAX_BYPASS_SECONDS = 7 * 24 * 3600.0
"""The longest time a bypass may be given for; one for the session has no time."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants remembered with a vote.

    `bypass_secs` None is no bypass, 0 one until the session ends; `bypass_scope` None is the narrowest
    there is: the tool's category, else its MCP server, else all.
    """

    remember: Remember = Remember.ONCE
    bypass_secs: float | None = None
    bypass_scope: Extent | None = None

    @property
    def only_once(self) -> bool:
        """Whether nothing is to be remembered."""
        return self.remember is Remember.ONCE and self.bypass_secs is None


NOTHING_MORE = Wish()
"""A vote, and nothing more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A vote with all that may go with it; the first four are those of review.review."""

    vote: Vote
    digest: str | None
    comment: str | None = None
    arguments: Mapping[str, Any] | None = None
    wish: Wish = NOTHING_MORE


@dataclass(frozen=True, slots=True)
class Answered:
    """How the request stands after a vote; `saved` says in words what is remembered, `problem` why not."""

    request: ApprovalRequest
    saved: tuple[str, ...] = ()
    problem: str | None = None


async def answer(world: World, actor: Actor, request_id: str, said: Answer) -> Answered:
    """Record a vote, and then what is to be remembered with it.

    Raises NotRemembered, before anything is decided, where the wish cannot be met; else what
    review.review raises. A save that fails does not undo the vote (REQ-52).
    """
    given: Given | None = None
    vote = said.vote
    if not said.wish.only_once:
        if said.arguments is not None:
            raise NotRemembered(
                "an answer to a call with other arguments is not remembered", "approve it once"
            )
        request = await reviewing.visible_request(world, actor, request_id)
        now, people = world.clock.now(), await world.store.directory()
        await reviewing.check(world, actor, request, vote, said.digest, people, now)
        given = await _given(world, actor, request, said, now)
    decided = await reviewing.review(
        world,
        actor,
        request_id,
        vote,
        digest=said.digest,
        comment=said.comment,
        arguments=said.arguments,
    )
    if given is None:
        return Answered(decided)
    try:
        await world.store.remember(given)
    except Exception as error:  # whatever it was, the vote stands and the call runs (REQ-52)
        _log.warning("what was to be remembered could not be saved", error=str(error))
        why = error.message if isinstance(error, SaysoError) else type(error).__name__
        voted = "approved" if vote is Vote.APPROVE else "rejected"
        what = "grant" if vote is Vote.APPROVE else "veto"
        return Answered(decided, problem=f"{voted}, but saving the {what} failed: {why}")
    world.feed.publish(["rules"])
    return Answered(decided, saved=tuple(_labels(given)))


async def _given(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    answer: Answer,
    now: Moment,
) -> Given:
    call, approves, wish = request.call, answer.vote is Vote.APPROVE, answer.wish
    session = await world.store.session(call.session_id)
    if session is None or not call.attended:
        raise NotRemembered("nothing is remembered of an unattended session", "answer it once")
    found = await decide_call(world, session, call, thawed=True) if approves else None
    if found is not None and found.reason is Reason.SAVED_DENY:
        raise NotRemembered(
            "there is a veto on this call, so it will not run and nothing is granted with it",
            "take the veto back first: sayso grants list",
        )
    grants: tuple[KeyGrant, ...] = ()
    bypass: Bypass | None = None
    if wish.remember is not Remember.ONCE:
        grants = _grants(
            world, actor, request, wish.remember, answer.comment, now, veto=not approves
        )
    if wish.bypass_secs is not None:
        if not approves:
            raise NotRemembered("a bypass goes with an approve", "reject without a bypass")
        bypass = await _bypass(world, actor, request, session, wish, now)
    if approves:
        kept = () if bypass is None else (bypass,)
        await _must_lift(world, session, request, Remembered(grants, (), session.host_start))
        await _must_lift(world, session, request, Remembered((), kept, session.host_start))
    said = Given(actor.credential, now, grants, bypass)
    return replace(said, records=tuple(_records(actor, request, said)), notices=(_changed(now),))


def _grants(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    remember: Remember,
    comment: str | None,
    now: Moment,
    *,
    veto: bool,
) -> tuple[KeyGrant, ...]:
    if remember.value not in request.policy.remember:
        raise NotRemembered(
            f"the rule does not let an answer be remembered for `{remember.value}`",
            f"it offers: {', '.join(request.policy.remember) or 'nothing'}",
        )
    if not request.keys:
        raise NotRemembered(
            "this call can only be decided once: it has no key that says what it is",
            "decide it once, or have somebody who may make a rule",
        )
    call = request.call
    return tuple(
        KeyGrant(
            grant_id=world.ids.new_id(now),
            key=key,
            user_id=call.user_id,
            session_id=call.session_id if remember is Remember.SESSION else None,
            giver=actor.person.person_id,
            giver_name=actor.person.name,
            given_at=now,
            request_id=request.request_id,
            veto=veto,
            comment=comment if veto else None,
            definition=call.definition,
        )
        for key in request.keys
    )


async def _bypass(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    session: Session,
    wish: Wish,
    now: Moment,
) -> Bypass:
    seconds = wish.bypass_secs or 0.0
    if not 0 <= seconds <= MAX_BYPASS_SECONDS:
        raise NotRemembered(
            f"a bypass of `{seconds:g}` seconds cannot be given",
            f"give one of up to {MAX_BYPASS_SECONDS:g} seconds, or 0 for the session",
        )
    if not request.may_be_bypassed:
        raise NotRemembered(
            "what asks about this call takes an answer once, so no bypass goes with it",
            "approve it once",
        )
    rules = await world.rules.current(session.workspace, session.rules)
    category = category_of(request.call, rules.descriptors)
    return Bypass(
        bypass_id=world.ids.new_id(now),
        scope=_scope(wish.bypass_scope, category, request.call.server),
        user_id=session.user_id,
        session_id=session.session_id,
        host_start=session.host_start,
        giver=actor.person.person_id,
        giver_name=actor.person.name,
        given_at=now,
        until=plus(now, seconds) if seconds else None,
        request_id=request.request_id,
    )


def _scope(extent: Extent | None, category: str | None, server: str | None) -> BypassScope:
    """The scope that was wished for; else the category, else the server, else all (REQ-40)."""
    if extent is None:
        extent = Extent.CATEGORY if category else Extent.MCP_SERVER if server else Extent.ALL
    name = {Extent.CATEGORY: category, Extent.MCP_SERVER: server, Extent.ALL: ""}[extent]
    if name is None:
        word = "category" if extent is Extent.CATEGORY else "MCP server"
        raise NotRemembered(f"this call's tool has no {word}", "leave the scope out, or take `all`")
    return BypassScope(extent, name)


async def _must_lift(
    world: World, session: Session, request: ApprovalRequest, remembered: Remembered
) -> None:
    """Hold what would be remembered against the very call: it has to lift it, by itself (REQ-55)."""
    if not remembered:
        return
    verdict = await decide_call(world, session, request.call, trying=remembered, thawed=True)
    if verdict.effect is not Effect.ALLOW:
        raise NotRemembered(
            "what you would grant would not lift this very call, so it is not saved",
            "approve it once",
        )


def _labels(given: Given) -> Sequence[str]:
    words = [grant.key.label for grant in given.grants]
    return words if given.bypass is None else [*words, given.bypass.scope.label]


def _records(actor: Actor, request: ApprovalRequest, given: Given) -> Sequence[AuditRecord]:
    """An audit record for each thing that is remembered."""
    words = []
    for grant in given.grants:
        what = "veto" if grant.veto else "grant"
        how_long = "always" if grant.session_id is None else "for the session"
        words.append(f"{what} {how_long}: {grant.key.label}")
    if given.bypass is not None:
        until = "the session's end" if given.bypass.until is None else "its time"
        words.append(f"bypass until {until}: {given.bypass.scope.label}")
    call = request.call
    return [
        AuditRecord(
            RecordKind.CONFIGURATION,
            given.at,
            call_id=call.call_id,
            session_id=call.session_id,
            agent_id=call.agent_id,
            user_id=call.user_id,
            source=call.source,
            tool=call.written_name,
            digest=request.digest,
            by=actor.person.name,
            channel=actor.channel,
            note=redact_text(word),
        )
        for word in words
    ]


def _changed(now: Moment) -> Notice:
    return Notice(EventKind.SETTINGS_CHANGED, now)
