"""Whose word on a call is heard before a person is asked, and which word counts (gate.md, section 1, step 8)."""

from __future__ import annotations

from enum import StrEnum

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.asked_call import AskedCall
from sayso.gate.context import Context
from sayso.gate.givers import user_alone_decides
from sayso.gate.opinion import ALLOWING, FROM_HOOKS, FROM_THE_REVIEWER, Opinion
from sayso.gate.verdict import Verdict
from sayso.policy.outcome import PolicyOutcome


class Voice(StrEnum):
    """Who may say something of a call that would go to a person."""

    HOOKS = "hooks"
    REVIEWER = "reviewer"


NOBODY_ANSWERS = frozenset({Reason.NO_APPROVER, Reason.NOBODY_REACHABLE, Reason.FLOOD})
"""Refusals for want of a person: a hook or the reviewer may still decide the call."""


def voices(call: ToolCall, verdict: Verdict, context: Context, now: Moment) -> tuple[Voice, ...]:
    """Who is to be asked about the verdict of a call, in this order; nobody where no word of theirs counts.

    `context` is the one it was decided with, its `people` those of today. The first that does not pass
    makes the Opinion with which the call is decided again.
    """
    policy = verdict.policy
    if policy is None or context.opinion is not None:
        return ()
    if verdict.reason is Reason.NEEDS_FRESH_APPROVAL:
        return ()  # people have decided it once, and are asked again
    if verdict.effect is not Effect.ASK and verdict.reason not in NOBODY_ANSWERS:
        return ()
    return _heard(call, policy, context, now)


def counting_opinion(ask: AskedCall) -> Opinion | None:
    """The opinion that the call was decided with, if it is about this very call and would be asked for today."""
    opinion = ask.context.opinion
    if opinion is None or opinion.digest != ask.digest:
        return None
    if opinion.reason in ALLOWING and not ask.circumstances.may_allow:
        return None
    voice = _voice_of(opinion)
    heard = _heard(ask.call, ask.policy, ask.context, ask.now)
    return opinion if voice in heard else None


def _heard(
    call: ToolCall, policy: PolicyOutcome, context: Context, now: Moment
) -> tuple[Voice, ...]:
    """Whose word counts: for what the session's user alone could approve, and nothing that is in doubt."""
    there = context.circumstances
    able = {
        Voice.HOOKS: there.hooks,
        Voice.REVIEWER: there.reviewer and there.mode is Mode.AUTO,
    }
    if not call.attended or not any(able.values()):
        return ()
    if policy.effect is not Effect.ASK or policy.must_ask or policy.doubtful:
        return ()
    if user_alone_decides(call, policy.approval, context.people, now) is None:
        return ()
    return tuple(voice for voice, there in able.items() if there)


def _voice_of(opinion: Opinion) -> Voice | None:
    if opinion.reason in FROM_HOOKS:
        return Voice.HOOKS
    return Voice.REVIEWER if opinion.reason in FROM_THE_REVIEWER else None
