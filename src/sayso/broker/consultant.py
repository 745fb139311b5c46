"""Asking permission hooks and the reviewer, and what became of that, as an Opinion for `decide` (step 8, REV-1..4).

Nobody's answer is taken for more than it is: whatever fails, takes too long or cannot be read passes on to a
person (GATE-4). Nothing is held while somebody is waited for, neither the store nor the loop.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import structlog

from sayso.audit.redact import hidden_in, redact, redact_text
from sayso.audit.redacted_call import Redaction
from sayso.broker.led_here import kept_of
from sayso.broker.ports.advice import AdviceSource, Hooks, Model, Told
from sayso.broker.ports.world import Clock, Ids
from sayso.core.advice import HOOKS_SECONDS, REVIEW_SECONDS, SUMMARY_SECONDS, Advice, Hook
from sayso.core.asking import MAX_TURNS, ContextWanted
from sayso.core.call import ToolCall
from sayso.core.dialogue import Dialogue, Role, Said
from sayso.core.moment import Moment, plus, seconds_between
from sayso.core.reason import Reason
from sayso.errors import AdviceFailed
from sayso.gate.answer import Answer, Decision, read_answer
from sayso.gate.opinion import Opinion
from sayso.gate.picture import picture_of
from sayso.gate.review_prompt import LAST_MESSAGES, review_prompt, summary_prompt
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.patterns.tool import compile_tool_pattern
from sayso.requests.grant import STICKY_SECONDS

T = TypeVar("T")

_log = structlog.get_logger("sayso.advice")

MAX_DENIED = 1000
"""So many refusals of the reviewer are known again."""

NO_MODEL = "no model is named for the reviewer; name one as `model` in [permissions.auto]"
BROKEN = "the settings that name the reviewer are broken"
HIDES = "what looks like a secret in the call could be more than that, and would be hidden from the reviewer"
TOO_LONG = "the call is too long to be shown to the reviewer whole"
NO_VERDICT = "the reviewer answered something else than a verdict"

_ONLY_SECRET = re.compile(r"[A-Za-z0-9._~+/=@:%-]{0,200}")
"""What a secret is written with; anything else that is masked could be a program, and would run unseen."""

MAX_SUMMARIES = 16
"""So many summaries are known again: the calls of one turn come from one dialogue."""

MAX_SUMMARY = 2000
"""So many characters of a summary are kept."""

PAUSE_SECONDS = 60.0
"""For so long no summary is tried again that could not be written."""

_ALL = ContextWanted(user_request=True, recent_turns=MAX_TURNS, summary=False)
_SHOWN = ContextWanted(user_request=True, recent_turns=LAST_MESSAGES, summary=False)
_Question = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Consultation:
    """A call that a person would be asked about, and who may be asked before.

    `kind` is what sort of tool it is, None where that is not known.
    """

    call: ToolCall
    digest: str
    policy: PolicyOutcome
    kind: str | None
    dialogue: Dialogue | None
    hooks: bool
    reviewer: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said: None where everybody passed. `notes` tell for the audit log who was asked, and how it went."""

    opinion: Opinion | None
    notes: tuple[str, ...]


class Consultant:
    """Asks whom the user's settings name; one for a process."""

    def __init__(
        self, source: AdviceSource, hooks: Hooks, model: Model, clock: Clock, ids: Ids
    ) -> None:
        self._source = source
        self._hooks = hooks
        self._model = model
        self._clock = clock
        self._ids = ids
        self._under_way: dict[tuple[str, str], asyncio.Task[Heard]] = {}
        self._denied: OrderedDict[_Question, tuple[Opinion, Moment]] = OrderedDict()
        self._summaries: OrderedDict[_Question, tuple[Told, Moment]] = OrderedDict()

    def has_hooks(self, call: ToolCall) -> bool:
        """Whether there is a hook for a call now."""
        return any(_concerned(self._source.advice(call.workspace), call))

    def may_allow(self, call: ToolCall) -> bool:
        """Whether an allow of theirs counts now, however long ago it was heard."""
        return self._source.advice(call.workspace).may_allow

    async def heard(self, about: Consultation) -> Heard:
        """Ask the hooks in their order, then the reviewer; the first that does not pass is heard.

        A call that is sent again while it is still asked about is not asked about twice: its external id
        stands for one question.
        """
        external_id = about.call.external_id
        if external_id is None:
            return await self._hear(about)
        key = about.digest, external_id
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._hear(about), name="sayso-advice")
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        return await asyncio.shield(task)

    async def summarised(
        self, call: ToolCall, dialogue: Dialogue
    ) -> tuple[Dialogue, tuple[str, ...]]:
        """The dialogue with a summary by the reviewer's model, and notes for the audit log (REV-4).

        Where none is named, or it fails or takes too long, the dialogue is as it was.
        """
        model = self._source.advice(call.workspace).model
        shown = kept_of(call, dialogue, _ALL)
        if model is None or shown is None:
            return dialogue, ()
        key = (model, shown)
        known = self._summaries.get(key)
        now = self._clock.now()
        if known is None or now >= known[1]:
            try:
                prompt = summary_prompt(shown, self._ids.secret().hex())
                told = await self._within(SUMMARY_SECONDS, self._model.ask(model, prompt))
            except Exception as error:  # people see the turns themselves then
                _log.warning("no summary was written", error=str(error))
                told = Told("")
            known = told, plus(self._clock.now(), STICKY_SECONDS if told.text else PAUSE_SECONDS)
            self._summaries[key] = known
            while len(self._summaries) > MAX_SUMMARIES:
                self._summaries.popitem(last=False)
        told, text = known[0], redact_text(known[0].text.strip())
        if not text:
            return dialogue, ("no summary was written",)
        said = Said(text[:MAX_SUMMARY], cut=len(text) > MAX_SUMMARY)
        took = f"read {told.tokens_in} tokens and wrote {told.tokens_out}"
        with_it = replace(dialogue, summary=said, summary_by=model)
        return with_it, (f"for the summary {model} {took}",)

    async def _hear(self, about: Consultation) -> Heard:
        advice = self._source.advice(about.call.workspace)
        notes: list[str] = []
        opinion = None
        if about.hooks:
            opinion = await self._ask_hooks(advice, about, notes)
        if opinion is None and about.reviewer:
            opinion = await self._review(advice, about, notes)
        return Heard(opinion, tuple(map(redact_text, notes)))

    async def _ask_hooks(
        self, advice: Advice, about: Consultation, notes: list[str]
    ) -> Opinion | None:
        call = about.call
        question = {
            "event": "permission_request",
            "call_id": call.call_id,
            "session_id": call.session_id,
            "user": call.user_id,
            "source": call.source,
            # as a person would see it: who decides about a call has to know what runs
            **picture_of(call, about.policy, about.kind, call.arguments),
        }
        until = plus(self._clock.now(), HOOKS_SECONDS)
        for hook in _concerned(advice, call):
            left = seconds_between(self._clock.now(), until)
            if left <= 0:
                notes.append("further hooks were not asked: the time for hooks is over")
                break
            try:
                asked = self._hooks.ask(hook, question)
                answer = await self._within(min(left, hook.timeout), asked)
            except Exception as error:  # whatever it raises: it has not allowed anything
                answer = None
                _log.warning("a hook gave no answer", hook=hook.name, error=str(error))
                notes.append(f"the hook {hook.name} gave no answer: {error}")
            opinion = None if answer is None else _of_hook(hook, answer, advice, about, notes)
            if opinion is not None:
                return opinion
        return None

    async def _review(self, advice: Advice, about: Consultation, notes: list[str]) -> Opinion:
        def failed(why: str) -> Opinion:
            _log.warning("the reviewer gave no verdict", error=why)
            notes.append(f"the reviewer gave no verdict: {why}")
            return Opinion(Reason.AUTO_ERROR, about.digest, redact_text(why))

        if not advice.may_allow:
            return failed(BROKEN)
        if advice.model is None:
            return failed(NO_MODEL)
        dialogue = kept_of(about.call, about.dialogue, _SHOWN)
        now = self._clock.now()
        key = about.digest, advice.model, advice.environment, *_words_of_user(dialogue)
        known = self._denied.get(key)
        if known is not None and now < known[1]:
            notes.append("the reviewer has refused it before, and the user has said nothing since")
            return known[0]
        try:
            told = await self._within(REVIEW_SECONDS, self._ask(advice, about, dialogue))
        except Exception as error:  # whatever it raises: it has not allowed anything
            return failed(str(error) or type(error).__name__)
        notes.append(
            f"the reviewer {advice.model} read {told.tokens_in} tokens and wrote {told.tokens_out}"
        )
        answer = read_answer(told.text)
        if answer is None or answer.decision is Decision.PASS:
            return failed(NO_VERDICT)
        if answer.decision is Decision.ALLOW:
            return Opinion(Reason.AUTO_ALLOW, about.digest, redact_text(answer.reason))
        opinion = Opinion(Reason.AUTO_DENY, about.digest, redact_text(answer.reason))
        # Who asks a model again and again until it says yes gets the same no for a while (as REQ-35).
        self._denied[key] = opinion, plus(now, STICKY_SECONDS)
        while len(self._denied) > MAX_DENIED:
            self._denied.popitem(last=False)
        return opinion

    async def _ask(self, advice: Advice, about: Consultation, dialogue: Dialogue | None) -> Told:
        if not all(_ONLY_SECRET.fullmatch(part) for part in hidden_in(about.call.arguments)):
            raise AdviceFailed(HIDES)
        hide = Redaction(about.call).text
        arguments: Any = redact(about.call.arguments)
        picture = picture_of(about.call, about.policy, about.kind, arguments, hide)
        boundary = self._ids.secret().hex()
        prompt = review_prompt(picture, dialogue, advice.environment, boundary)
        if prompt is None or advice.model is None:
            raise AdviceFailed(TOO_LONG)
        return await self._model.ask(advice.model, prompt)

    async def _within(self, seconds: float, asking: Coroutine[Any, Any, T]) -> T:
        """What is answered within so many seconds; what takes longer is given up, and not waited for."""
        task = asyncio.ensure_future(asking)
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise AdviceFailed(f"no answer within {seconds:g} s")
            return task.result()
        finally:
            timer.cancel()
            if not task.done():
                task.cancel()
                task.add_done_callback(_forget)


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # it came too late to matter


def _concerned(advice: Advice, call: ToolCall) -> Iterator[Hook]:
    for hook in advice.hooks:
        patterns = map(compile_tool_pattern, hook.tools)
        if any(pattern.covers(call.server, call.tool, wide=True) for pattern in patterns):
            yield hook


def _of_hook(
    hook: Hook, answer: Answer, advice: Advice, about: Consultation, notes: list[str]
) -> Opinion | None:
    if answer.decision is Decision.PASS:
        notes.append(f"the hook {hook.name} passed")
        return None
    if answer.decision is Decision.ALLOW and not advice.may_allow:
        notes.append(f"the hook {hook.name} would allow it, but the settings are broken")
        return None
    allows = answer.decision is Decision.ALLOW
    notes.append(f"the hook {hook.name} {'allowed' if allows else 'refused'} it")
    reason = Reason.HOOK_ALLOW if allows else Reason.HOOK_DENY
    return Opinion(reason, about.digest, redact_text(answer.reason))


def _words_of_user(dialogue: Dialogue | None) -> Sequence[str]:
    """What the user has said, as it is shown: after a new word the reviewer is asked anew."""
    if dialogue is None:
        return ()
    said = [one for one in dialogue.texts if one.role is Role.USER]
    return [one.content for one in said]
