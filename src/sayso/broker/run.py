"""The loop that authorizes and runs a call, over any gate port: embedded or remote (GATE-1, GATE-2).

It is for whoever runs the tool. The MCP gateway sends calls on instead, has to answer its client in
time, and has a loop of its own (adapters/mcp_gateway/hold.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import structlog

from sayso.broker.ports import Claim, GatePort, Standing
from sayso.broker.settled import settled
from sayso.core.call import check_arguments
from sayso.core.reason import Reason
from sayso.core.session import CallDraft
from sayso.errors import (
    CallAlreadyRan,
    CallDenied,
    CallRejected,
    ClaimLost,
    SaysoError,
)

T = TypeVar("T")

_log = structlog.get_logger("sayso.run")

WAIT_SECONDS = 50.0
"""How long one wait lasts before it is renewed; it keeps the caller present."""

SETTLE_SECONDS = 5.0
"""How long a caller that is cancelled waits for its call to have been made, so that it can be left."""

RETRY_SECONDS = 1.0
"""How long until an approved call that could not be claimed is tried again."""

_NOBODY = "run it on a terminal, let the gate wait for the inbox, or make it a server's client"
_RAN = ("done", "failed", "unknown", "unreported")


Recheck = Callable[[Claim], Awaitable[str]]
"""What has changed since the claim was given, in words; empty if nothing has."""

OnAsked = Callable[[Standing], Awaitable[None]]
"""Told once, when a call waits for people: a host can show it."""


OnQuestion = Callable[[Standing], Awaitable[str | None]]
"""Answers what a person asked back (`standing.question`); None says that the agent cannot answer."""


async def authorize(
    port: GatePort,
    draft: CallDraft,
    *,
    on_asked: OnAsked | None = None,
    on_question: OnQuestion | None = None,
) -> Standing:
    """Ask the gate and wait until the call is decided; raises nothing for a refusal.

    If the caller is cancelled while it waits, the request stays and shows that the caller is gone.
    """
    standing = await _submit(port, draft)
    if on_asked is not None and standing.status == "pending":
        await on_asked(standing)
    return await await_decision(port, standing, on_question)


async def await_decision(
    port: GatePort, standing: Standing, on_question: OnQuestion | None = None
) -> Standing:
    """Wait until a submitted call is neither pending nor running elsewhere.

    What a person asks back meanwhile is answered with `on_question`; without one, or if it fails, the
    person is told that this agent cannot answer. It is answered beside the waiting, and given up once
    the call is decided: no decision waits for an answer.
    """
    asked: set[str] = set()
    answering: list[asyncio.Task[None]] = []
    try:
        while standing.goes_on:
            standing = await port.wait(standing.call_id, WAIT_SECONDS)
            question = standing.question
            if question is not None and question.question_id not in asked:
                asked.add(question.question_id)
                answer = _answer(port, standing, question.question_id, on_question)
                answering.append(asyncio.create_task(answer))
    except asyncio.CancelledError:
        await _leave(port, standing.call_id)
        raise
    finally:
        for task in answering:
            task.cancel()  # and not waited for: it may not heed that
    return standing


async def run(
    port: GatePort,
    draft: CallDraft,
    execute: Callable[[Mapping[str, Any]], Awaitable[T]],
    *,
    describe: Callable[[T], str] = lambda _: "done",
    on_asked: OnAsked | None = None,
    on_edited: OnAsked | None = None,
    on_question: OnQuestion | None = None,
    recheck: Recheck | None = None,
) -> T:
    """Authorize a call, claim it, run it at most once, and record what came of it.

    `execute` gets the arguments that were judged and nothing else: where a person changed them, those.
    Then `on_edited` is told before it runs, so that the agent can be told with the result. `recheck`
    looks once more at what the approval was given for, right before the call runs, where that can be
    seen here. Raises CallDenied or CallRejected if it may not run, CallAlreadyRan if an identical call
    that lost its caller has run it.
    """
    # A copy of our own: what the caller's objects become while a person thinks does not matter.
    draft = replace(draft, arguments=check_arguments(draft.arguments))
    standing = await authorize(port, draft, on_asked=on_asked, on_question=on_question)
    while True:
        if standing.allowed:
            return await _execute(port, standing.call_id, None, draft, execute, describe)
        if standing.status != "approved":
            raise refusal(standing)
        taken = await _claim(port, standing)
        if isinstance(taken, Standing) and taken.frozen:
            await _leave(port, taken.call_id)  # the approval stays for an identical call
            raise refusal(taken)
        if isinstance(taken, Claim):
            if taken.arguments is not None:  # a person changed them: these run, and no others
                draft = replace(draft, arguments=taken.arguments)
            async with renewed(port, taken):
                await _still_so(port, taken, recheck)
                if taken.arguments is not None and on_edited is not None:
                    await _told(on_edited, standing)
                return await _execute(port, taken.call_id, taken.token, draft, execute, describe)
        if taken.status == "approved":
            taken = await _later(port, taken)  # the rules cannot be loaded just now, say
        standing = await await_decision(port, taken, on_question)


async def _answer(
    port: GatePort, standing: Standing, question_id: str, on_question: OnQuestion | None
) -> None:
    """Hand the agent's answer in; a question that nobody answers stops no call."""
    text: str | None = None
    if on_question is not None:
        try:
            text = await on_question(standing)
        except Exception as error:  # an agent that fails to answer has not answered
            _log.warning("a question was not answered", error=repr(error))
    try:
        await port.answer(standing.call_id, question_id, text)
    except Exception as error:  # the call waits on, and there the same error shows if it lasts
        _log.warning("an answer was not taken", error=str(error))


def refusal(standing: Standing) -> SaysoError:
    """The exception that says why a call does not run, as a value to raise or to read."""
    if standing.status in _RAN:
        return CallAlreadyRan(
            f"this call already ran: {standing.message}",
            "make a new call if it should run again",
            status=standing.status,
            summary=standing.summary or "",
            request_id=standing.call_id,
        )
    if standing.status in (None, "refused") or standing.frozen:
        hint = _NOBODY if standing.reason == "no-approver" else None
        return CallDenied(
            standing.message, hint, reason=standing.reason, request_id=standing.call_id
        )
    return CallRejected(
        standing.message, reason=standing.reason, request_id=standing.call_id, by=standing.by
    )


@contextlib.asynccontextmanager
async def renewed(port: GatePort, claim: Claim) -> AsyncIterator[None]:
    """Keep a claim's lease alive while its call runs; losing it does not stop what already runs."""
    beat = asyncio.create_task(_renew(port, claim))
    try:
        yield
    finally:
        beat.cancel()
        await asyncio.wait([beat])


async def _renew(port: GatePort, claim: Claim) -> None:
    while True:
        await asyncio.sleep(claim.lease_seconds / 3)
        try:
            await port.renew(claim)
        except ClaimLost:
            return
        except Exception:  # the store or server may come back before the lease ends
            continue


async def _submit(port: GatePort, draft: CallDraft) -> Standing:
    """Submit so that a caller that is cancelled meanwhile is shown as gone at once."""
    task = asyncio.ensure_future(port.submit(draft))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=SETTLE_SECONDS)
        task.cancel()  # then a hook or the reviewer is still asked, and nothing has been written
        with contextlib.suppress(SaysoError, asyncio.CancelledError):
            standing = await task
            if standing.status is not None:
                await _leave(port, standing.call_id)
        raise


async def _claim(port: GatePort, standing: Standing) -> Claim | Standing:
    """Claim so that a cancelled caller never leaves a taken claim behind without a word."""

    async def hand_back(taken: Claim | Standing) -> None:
        if isinstance(taken, Claim):
            await port.finish(
                taken.call_id, taken.token, False, "not started: the caller had left", 0.0
            )
        else:
            await _leave(port, standing.call_id)

    return await settled(port.claim(standing.call_id, standing.digest), hand_back)


async def _later(port: GatePort, standing: Standing) -> Standing:
    """How an approved call that cannot be claimed yet stands after a moment."""
    try:
        await asyncio.sleep(RETRY_SECONDS)
        return await port.wait(standing.call_id, 0)
    except asyncio.CancelledError:
        await _leave(port, standing.call_id)
        raise


async def _execute(
    port: GatePort,
    call_id: str,
    token: str | None,
    draft: CallDraft,
    execute: Callable[[Mapping[str, Any]], Awaitable[T]],
    describe: Callable[[T], str],
) -> T:
    start = time.perf_counter()
    try:
        result = await execute(draft.arguments)
    except BaseException as error:
        cancelled = isinstance(error, asyncio.CancelledError)
        what = "cancelled while it ran" if cancelled else f"failed: {type(error).__name__}"
        finishing = asyncio.ensure_future(
            port.finish(call_id, token, False, what, time.perf_counter() - start)
        )
        with contextlib.suppress(SaysoError, asyncio.CancelledError):
            await asyncio.shield(finishing)
        raise
    seconds = time.perf_counter() - start
    try:
        summary = describe(result)
    except Exception as error:  # what cannot be described has run all the same
        summary = f"done; its result cannot be described: {type(error).__name__}"
    finishing = asyncio.ensure_future(port.finish(call_id, token, True, summary, seconds))
    with contextlib.suppress(SaysoError):
        # It has run: the caller gets the result even if the outcome cannot be recorded; the lease
        # then ends as `unknown` and a person is told.
        await asyncio.shield(finishing)
    return result


async def _still_so(port: GatePort, claim: Claim, recheck: Recheck | None) -> None:
    """Hand the claim back unrun and raise CallRejected if what it was given for has changed since."""
    if recheck is None or not claim.preconditions:
        return
    try:
        changed = await recheck(claim)
    except Exception as error:  # what cannot be looked at does not hold
        changed = f"it cannot be looked at: {type(error).__name__}"
    if not changed:
        return
    with contextlib.suppress(SaysoError):
        await port.finish(claim.call_id, claim.token, False, f"not started: {changed}", 0.0)
    raise CallRejected(
        f"it was not run, because something it was approved for has changed: {changed}",
        "make the call again: a person is asked anew",
        reason=Reason.NEEDS_FRESH_APPROVAL.value,
        request_id=claim.call_id,
    )


async def _told(on_edited: OnAsked, standing: Standing) -> None:
    """Tell the host; a host that cannot be told does not lose a call that a person approved."""
    with contextlib.suppress(Exception):
        await on_edited(standing)


async def _leave(port: GatePort, call_id: str) -> None:
    leaving = asyncio.ensure_future(port.leave(call_id))
    with contextlib.suppress(SaysoError, asyncio.CancelledError):
        await asyncio.shield(leaving)
