"""An approver's edit of arguments: checked, judged again, and bound to a digest of its own (REQ-14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.preconditions import preconditions
from sayso.broker.submit import request_about
from sayso.broker.world import World, decide_call
from sayso.core.approval_policy import merge
from sayso.core.argument_schema import check_against
from sayso.core.call import ToolCall, canonical, check_arguments
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.errors import CallInvalid, EditRefused, NotEligible
from sayso.gate.explain import verdict_message
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, eligible_people, may_review
from sayso.requests.approval import ApprovalRequest
from sayso.requests.lifecycle import Edit


async def edit_of(
    world: World,
    actor: Actor,
    request: ApprovalRequest,
    arguments: Mapping[str, Any],
    people: Directory,
    now: Moment,
) -> Edit | None:
    """The edited call with all that follows from it; None where the arguments are as they were.

    The edited call has to be allowed to be asked about under today's rules, and what they ask for is
    asked beside what was asked for already. Raises EditRefused where the policy has no edits, nothing runs or
    a rule denies the edited call, CallInvalid for arguments that do not fit the tool, NotEligible where the
    actor may not decide the edited call.
    """
    if request.no_claim:
        raise EditRefused(
            "what an agent asks to be agreed to is not edited, since nothing runs by it",
            "reject it and say what should be different",
        )
    if not request.policy.allow_edit:
        raise EditRefused(
            "the arguments of this call may not be edited",
            "approve it as it is, or reject it and say what should be different",
        )
    changed = check_arguments(arguments)
    # Not as Python compares: to it 1 is True, and to the tool it is not.
    if canonical(changed) == canonical(dict(request.call.arguments)):
        return None
    await _check(world, request.call, changed)
    # The change that the calling program described is the one of the call as it was.
    call = replace(request.call, arguments=changed, diff=None)
    session = await world.store.session(call.session_id)
    if session is None:
        raise EditRefused("the call's session is gone")
    verdict = await decide_call(world, session, call, thawed=True)
    if verdict.effect is Effect.DENY or verdict.policy is None:
        raise EditRefused(
            f"the edited call may not run: {verdict_message(verdict)}",
            "other arguments may do; a deny is final",
        )
    asked = request_about(call, verdict, people, now)
    policy, why = request.policy, asked.why
    if verdict.effect is Effect.ASK:
        policy = merge([request.policy, asked.policy])
    else:  # nothing asks about the edited call, and yet it is this person who lets it run
        why = replace(why, reason=request.why.reason, sentence=request.why.sentence)
    who = Asked(call.owner, policy, request.eligible)
    refusal = may_review(actor.person.person_id, actor.kind, who, people, now)
    if refusal is not None:
        raise NotEligible(f"you may not decide the edited call: {refusal}", "leave it as it is")
    return Edit(
        call=call,
        digest=verdict.digest,
        policy=policy,
        why=why,
        action=asked.action,
        eligible=None if request.eligible is None else eligible_people(who, people),
        preconditions=await preconditions(world, session, call, verdict),
        by=actor.person.name,
        person_id=actor.person.person_id,
        at=now,
    )


async def _check(world: World, call: ToolCall, arguments: Mapping[str, Any]) -> None:
    """Check the arguments against the tool's schema; where none is known their names have to stay."""
    tool = await world.store.tool(call.server, call.tool)
    if tool is not None and tool.input_schema:
        check_against(tool.input_schema, arguments)
    elif set(arguments) != set(call.arguments):
        raise CallInvalid(
            "the tool's schema is not known, so its arguments can be changed, not added or left out",
            f"give exactly these: {', '.join(sorted(call.arguments)) or 'none'}",
        )
