"""Freezing what a call is approved for, and reading it again at the claim (REQ-34)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.world import World
from sayso.core.call import ToolCall
from sayso.core.session import Session
from sayso.gate.verdict import Verdict
from sayso.people.eligibility import Asked, may_review
from sayso.people.token import SESSION
from sayso.policy.facts import Facts
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.precondition import (
    UNKNOWN,
    Changed,
    ChangeKind,
    Files,
    Precondition,
    PreconditionKind,
    compare,
    files_of,
    places_of,
)


async def preconditions(
    world: World, session: Session, call: ToolCall, verdict: Verdict
) -> tuple[Precondition, ...]:
    """What has to be as it is now for an approval of this call to count."""
    found: list[Precondition] = []
    known = (await world.rules.current(session.workspace, session.rules)).definitions_of(call)
    if known is not None:
        found.append(Precondition(PreconditionKind.DEFINITION, call.written_name, known.current))
    if verdict.policy is None:
        return tuple(found)
    targets = [outcome.target for outcome in verdict.policy.targets]
    found += places_of(targets)
    files = files_of(targets)
    if files:
        found += await asyncio.to_thread(_contents, world, files)
    return tuple(found)


async def changes_since(
    world: World, session: Session, request: ApprovalRequest, verdict: Verdict
) -> list[Changed]:
    """What an approved request was approved for and is no longer so, whatever the verdict says."""
    if request.preconditions is None:
        return []
    now = await preconditions(world, session, request.call, verdict)
    return compare(request.preconditions, now)


async def why_not_enough(world: World, request: ApprovalRequest, verdict: Verdict) -> list[Changed]:
    """Why the approvals that were given no longer suffice: people who may not decide now, or the rules."""
    assert verdict.policy is not None, "only an ask of policy needs an approval"
    people, now = await world.store.directory(), world.clock.now()
    asked = Asked(request.call.owner, verdict.policy.approval, request.eligible)
    changed = []
    for review in request.votes:
        if review.vote is not Vote.APPROVE or review.digest != request.digest:
            continue
        why = may_review(review.person_id, SESSION, asked, people, now)
        if why is not None:
            words = f"the approval of {review.person_name} no longer counts: {why}"
            changed.append(Changed(ChangeKind.APPROVER, words))
    if not changed:
        changed.append(Changed(ChangeKind.POLICY, "the rules ask for more than was approved"))
    return changed


def checkable(world: World, frozen: Sequence[Precondition]) -> tuple[Precondition, ...]:
    """Those that whoever runs the call can look at once more with no rules at hand.

    Where a path leads is one of them if it can be told from its name alone, without the `..` in it.
    """
    return tuple(
        one
        for one in frozen
        if (one.kind is PreconditionKind.CONTENT and one.value != UNKNOWN)
        or (
            one.kind is PreconditionKind.LEADS_TO
            and one.value is not None
            and world.facts.resolve(one.subject) == one.value
        )
    )


def recheck(facts: Facts, files: Files, held: Sequence[Precondition]) -> list[Changed]:
    """What of a claim's preconditions no longer holds on this machine; blocks while it reads."""
    now = []
    for one in held:
        if one.kind is PreconditionKind.CONTENT:
            now.append(replace(one, value=files.fingerprint(one.subject)))
        elif one.kind is PreconditionKind.LEADS_TO:
            now.append(replace(one, value=facts.resolve(one.subject)))
    return compare(held, now)


def in_words(changed: Sequence[Changed]) -> str:
    """Changes in one sentence."""
    return "; ".join(one.words for one in changed)


def _contents(world: World, files: Sequence[str]) -> list[Precondition]:
    return [
        Precondition(PreconditionKind.CONTENT, path, world.files.fingerprint(path))
        for path in files
    ]
