"""What a session left open is gated again when its client returns (REQ-32)."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from sayso.broker.change import change_of, write
from sayso.broker.ports import Unfinished
from sayso.broker.wait import leave
from sayso.broker.world import World, decide_call, standing_of_request
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.session import CallDraft, Session
from sayso.errors import LostRace, RequestClosed
from sayso.gate.explain import verdict_message
from sayso.requests.approval import ApprovalRequest, Resolution, Status
from sayso.requests.lifecycle import Refused

_log = structlog.get_logger("sayso.broker")


async def unfinished(world: World, session: Session) -> Sequence[Unfinished]:
    """The calls of the session that wait or were approved, oldest first, each decided again.

    Who waited for them before is gone: the client that returns makes them again, with the same external
    id or the same arguments, and so takes their place. What a rule denies by now is refused here.
    What is here in its redacted form only cannot be handed out as it was made: it stays in the inbox.
    """
    found = []
    for request in await world.store.of_session(session.session_id):
        if request.status is Status.RUNNING or request.no_claim:
            continue  # it has a runner, or its lease ends and a person is told
        await leave(world, session.session_id, request.request_id)
        if request.withheld is not None:
            why = request.withheld.words
            _log.warning("a call cannot be resumed", request_id=request.request_id, why=why)
            continue
        again = await _gated(world, session, request.request_id)
        if again is not None and again.status in (Status.PENDING, Status.APPROVED):
            found.append(Unfinished(_draft(again), standing_of_request(again)))
    return found


async def _gated(world: World, session: Session, request_id: str) -> ApprovalRequest | None:
    while True:
        request = await world.store.request(request_id)
        if request is None or request.status is not Status.PENDING:
            return request  # what was approved is decided again at its claim
        verdict = await decide_call(world, session, request.call)
        policy = verdict.policy
        if policy is None or policy.effect is not Effect.DENY:
            # A twin that was rejected, or an approver who is away, says nothing against this call.
            return request
        now = world.clock.now()
        why = Resolution(Reason.DENY_ON_RESOLVE, now, comment=verdict_message(verdict))
        try:
            return await write(world, change_of(request, Refused(why), now))
        except (LostRace, RequestClosed):
            continue


def _draft(request: ApprovalRequest) -> CallDraft:
    """The call as its agent made it; what a person made of it comes with the claim."""
    call = request.call if request.edited is None else request.edited.original
    return CallDraft(
        tool=call.tool,
        arguments=call.arguments,
        server=call.server,
        external_id=call.external_id,
        detail=call.detail,
        diff=call.diff,
        definition=call.definition,
        batch_id=call.batch_id,
    )
