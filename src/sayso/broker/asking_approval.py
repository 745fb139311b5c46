"""`ask_approval`: a person approves something that is no tool call (Q-4).

It is a request like any other, with the rules' word on who decides; but nothing runs after it, so it is
never claimed, and ends at approved or rejected. It is ergonomics, not a boundary: what an agent does
afterwards passes the gate by itself.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from sayso.broker.offering import Offered
from sayso.broker.ports import Standing
from sayso.broker.questions import owner_of, why_nobody
from sayso.broker.records import verdict_record
from sayso.broker.submit import bound, new_call, repeat
from sayso.broker.world import (
    World,
    decide_call,
    recorded,
    standing_of_request,
    standing_of_verdict,
)
from sayso.core.approval_policy import OnTimeout
from sayso.core.call import digest_of
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.session import CallDraft, Session
from sayso.errors import QuestionInvalid, TooManyWait
from sayso.gate.verdict import Verdict
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked
from sayso.questions.question import MAX_TIMEOUT, WHO_MAY_ANSWER

ASK_APPROVAL = "ask_approval"
"""The name that rules see."""

TITLE = "Approve what the agent describes?"
"""What stands on the card: the agent's own words stand below, and never in the title (CH-17)."""


async def ask_approval(
    world: World, session: Session, draft: CallDraft, timeout: float | None
) -> Standing:
    """Ask people for their approval; a standing without a status says why nobody was asked.

    What would refuse a call refuses it (a rule, a veto, a mode, a freeze), and nothing that would let one run
    approves it: neither a rule, a mode or a grant nor the time. Raises QuestionInvalid for a timeout that is
    none and for other arguments than an `action` and `details`, and what submitting raises.
    """
    if not draft.arguments.keys() <= {"action", "details"}:
        raise QuestionInvalid(
            "it takes an `action` and `details` alone", "what a tool is called with, call it with"
        )
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:
        raise QuestionInvalid("the timeout is no number of seconds", "from above 0 on")
    now = world.clock.now()
    call = await bound(world, session, draft, now)
    digest = digest_of(call)
    if call.external_id is not None:
        earlier = await world.store.by_external_id(call.owner, call.external_id)
        if earlier is not None:
            return await repeat(world, session, call, digest, earlier)
    refusal = await why_nobody(world, session, Asked(owner_of(session), WHO_MAY_ANSWER))
    if refusal is not None:
        nobody = Verdict(Effect.DENY, Reason.NO_APPROVER, digest)
        await recorded(world, verdict_record(call, nobody, now))
        return replace(standing_of_verdict(call.call_id, nobody), message=refusal)
    verdict = await decide_call(world, session, call)
    people = Directory()
    if verdict.effect is not Effect.DENY:
        verdict = _asking(verdict, timeout)
        people = await world.store.directory()
    new = new_call(
        call,
        verdict,
        people,
        now,
        remember=Offered(once_only=True),
        at_most=world.pending_limit,
        title=TITLE,
    )
    try:
        earlier = await world.store.submit(new)
    except TooManyWait:
        verdict = Verdict(Effect.DENY, Reason.FLOOD, digest, verdict.policy)
        new = new_call(call, verdict, people, now)
        earlier = await world.store.submit(new)
    if earlier is not None:
        return await repeat(world, session, call, digest, earlier)
    world.meter.count(new.records)
    if new.request is None:
        return standing_of_verdict(call.call_id, verdict)
    world.feed.publish([call.call_id])
    return standing_of_request(new.request)


def _asking(verdict: Verdict, timeout: float | None) -> Verdict:
    """The verdict that asks a person, with the rules' own policy where they ask anyway."""
    policy = verdict.policy
    assert policy is not None, "what is not denied comes from policy"
    approval = replace(policy.approval, on_timeout=OnTimeout.REJECT)
    if timeout is not None:
        approval = replace(approval, timeout=timeout)
    reason = verdict.reason if verdict.effect is Effect.ASK else Reason.MUST_ASK
    asked = structs.replace(policy, effect=Effect.ASK, reason=reason, approval=approval)
    return Verdict(Effect.ASK, reason, verdict.digest, asked)
