"""The card: one neutral picture of a request that every surface renders in the same order (CH-1).

It holds everything a person needs to decide, complete and faithful: all text from the call goes
through `display.show`, nothing is cut, and what the agent says of its reasons stands apart, never
in the title (CH-17). The JSON form is the one of docs/reference/http-api.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from sayso.channels.card_asking import NOT_KNOWN, CardAsking, Viewed, asking_of
from sayso.channels.card_dialogue import CardDialogue, dialogue_of
from sayso.channels.card_offer import NOTHING, CardOffer, offer_of
from sayso.channels.card_parts import (
    CardArgument,
    CardChange,
    CardEdit,
    CardReview,
    CardTarget,
    CardWhat,
    CardWho,
    CardWhy,
)
from sayso.channels.card_redaction import as_shown
from sayso.channels.display import (
    Shown,
    count_words,
    hidden_in,
    restore,
    safe,
    show,
    shown_json,
    warned_in,
)
from sayso.channels.result import result_line
from sayso.channels.waiting import waiting_words, who_decides
from sayso.core.code_words import code_of
from sayso.core.moment import Moment, to_rfc3339
from sayso.people.directory import Directory
from sayso.requests.approval import ApprovalRequest, Edited, Outcome, Resolution, Status
from sayso.requests.deadline import is_over
from sayso.requests.quorum import out_of_reach_of, raw_tally, tally, waiting_for

RULES_UNAVAILABLE = "rules cannot be loaded"
TIME_OVER = "the time to decide is over"
CHANNEL_CAPPED = "its severity is above what may be approved here: approve it elsewhere"


@dataclass(frozen=True, slots=True)
class Card:
    """The neutral picture of a request, for one viewer at one moment.

    `previous` is the request that this one asks again, and `changed` what has changed since that one
    was approved; `edited` is what an approver changed. `context` is the dialogue, as the agent's side
    tells it. `approve_refused` says why approving is not
    offered (None if it is); `result` is the line that stands where the card was once it is resolved. `runs`
    is false where an agent asks for approval of something that is no call: nothing runs after it (Q-4).
    """

    request_id: str
    version: int
    status: str
    severity: str
    action: Shown
    tool: Shown
    server: Shown | None
    code: str
    digest: str
    agent: Shown
    user: Shown
    session_id: str
    batch_id: str | None
    source: str
    context_label: Shown | None
    workspace: Shown | None
    created_at: Moment
    expires_at: Moment | None
    caller: str
    why: CardWhy
    what: CardWhat
    previous: str | None
    changed: tuple[CardChange, ...]
    edited: CardEdit | None
    agent_words: Shown | None
    who: CardWho
    asking: CardAsking
    approve_refused: str | None
    resolution: Resolution | None
    outcome: Outcome | None
    result: str | None
    offer: CardOffer = NOTHING
    context: CardDialogue | None = None
    runs: bool = True

    @property
    def waits(self) -> bool:
        """Whether people may still decide."""
        return self.status == Status.PENDING.value

    @property
    def may_approve(self) -> bool:
        """Whether approving is offered to this viewer."""
        return self.waits and self.who.may_decide and self.approve_refused is None

    @property
    def may_reject(self) -> bool:
        """Whether rejecting is offered to this viewer; what cannot be approved can be rejected."""
        return self.waits and self.who.may_decide

    def to_json(self) -> dict[str, Any]:
        """The card exactly as docs/reference/http-api.md shows it."""
        return {
            "request_id": self.request_id,
            "version": self.version,
            "status": self.status,
            "severity": self.severity,
            "action": shown_json(self.action),
            "tool": shown_json(self.tool),
            "runs": self.runs,
            "server": _optional_json(self.server),
            "code": self.code,
            "digest": self.digest,
            "agent": shown_json(self.agent),
            "user": shown_json(self.user),
            "session_id": self.session_id,
            "batch_id": self.batch_id,
            "source": self.source,
            "context_label": _optional_json(self.context_label),
            "workspace": _optional_json(self.workspace),
            "created_at": to_rfc3339(self.created_at),
            "expires_at": None if self.expires_at is None else to_rfc3339(self.expires_at),
            "caller": self.caller,
            "why": self.why.to_json(),
            "what": self.what.to_json(),
            "previous": self.previous,
            "changed": [change.to_json() for change in self.changed],
            "edited": None if self.edited is None else self.edited.to_json(),
            "agent_words": _optional_json(self.agent_words),
            "context": None if self.context is None else self.context.to_json(),
            "who": self.who.to_json(),
            "asking": self.asking.to_json(),
            "offer": self.offer.to_json(),
            "remembered": None,
            "approve_refused": self.approve_refused,
            "resolution": None if self.resolution is None else self.resolution.to_json(),
            "outcome": None if self.outcome is None else self.outcome.to_json(),
            "result": self.result,
        }


def card_of(
    request: ApprovalRequest,
    *,
    now: Moment,
    refusal: str | None = None,
    rules_unavailable: bool = False,
    channel: str | None = None,
    viewed: Viewed = NOT_KNOWN,
    zone: tzinfo | None = None,
    people: Directory | None = None,
) -> Card:
    """The card of a request for one viewer.

    `refusal` says why the viewer may not decide, None if they may. With `rules_unavailable` nothing
    can be approved (POL-23). `people` are those of today; without them votes count as they were given.
    `channel` is the one it is shown on, which the policy may cap. `viewed` is what else differs for
    this viewer. `zone` is the viewer's: with it the result line tells the time of day.
    """
    request = as_shown(request)
    call = request.call
    may_decide = refusal is None and not is_over(request, now)
    who = _who(request, people, now, may_decide=may_decide)
    refused = _approve_refused(request, refusal, now, channel, rules_unavailable=rules_unavailable)
    return Card(
        request_id=request.request_id,
        version=request.version,
        status=request.status.value,
        severity=request.policy.severity.word,
        action=show(request.action),
        tool=show(call.tool),
        server=_optional(call.server),
        code=code_of(request.digest),
        digest=request.digest,
        agent=show(call.agent_id),
        user=show(call.user_id),
        session_id=call.session_id,
        batch_id=call.batch_id,
        source=safe(call.source),
        context_label=_optional(call.context_label),
        workspace=_optional(call.workspace),
        created_at=request.created_at,
        expires_at=request.expires_at,
        caller=request.caller.value,
        why=CardWhy(
            sentence=show(" ".join(filter(None, (request.why.sentence, request.why.message)))),
            reason=request.why.reason.value,
            must_ask=request.why.must_ask,
            rule=request.why.rule,
            explain=show(request.why.explain),
        ),
        what=_what(request),
        previous=request.previous,
        changed=tuple(
            CardChange(change.kind.value, show(change.words)) for change in request.changed
        ),
        edited=_edited(request.edited),
        agent_words=_optional(call.detail or None),
        who=who,
        asking=asking_of(request, viewed, may_decide=may_decide),
        approve_refused=refused,
        resolution=_resolution(request.resolution),
        outcome=_outcome(request.outcome),
        result=result_line(request, zone),
        offer=offer_of(
            request,
            may_approve=who.may_decide and refused is None,
            may_reject=who.may_decide,
            need=who.need,
        ),
        context=dialogue_of(request.context),
        runs=not request.no_claim,
    )


def _approve_refused(
    request: ApprovalRequest,
    refusal: str | None,
    now: Moment,
    channel: str | None,
    *,
    rules_unavailable: bool,
) -> str | None:
    if not request.waits:
        return None
    if request.withheld is not None:
        return request.withheld.words
    if rules_unavailable:
        return RULES_UNAVAILABLE
    if is_over(request, now):
        return TIME_OVER
    if refusal is None and channel is not None and not request.policy.may_approve_through(channel):
        return CHANNEL_CAPPED
    return refusal


def _what(request: ApprovalRequest) -> CardWhat:
    arguments = tuple(_argument(name, value) for name, value in request.call.arguments.items())
    diff = _optional(request.call.diff or None)
    texts = [part for argument in arguments for part in (argument.name, argument.value)]
    values = [argument.value for argument in arguments]
    if diff is not None:
        texts.append(diff)
        values.append(diff)
    hidden = sum(map(hidden_in, texts))
    lines = sum(restore(value).removesuffix("\n").count("\n") + 1 for value in values)
    note = note_sentence(hidden, sum(map(warned_in, texts)), lines)
    if request.withheld is not None:  # what is shown is not what the agent wrote
        words = request.withheld.words
        note = f"{words[0].upper()}{words[1:]}."
    return CardWhat(
        arguments=arguments,
        diff=diff,
        targets=tuple(_target(target) for target in request.why.targets),
        hidden=hidden,
        lines=lines,
        note=note,
    )


def note_sentence(hidden: int, warned: int, lines: int) -> str:
    """What a person should know of the text shown: boxes, look-alikes, how many lines, nothing cut."""
    said = []
    if hidden:
        said.append(
            "1 hidden character is shown as a box."
            if hidden == 1
            else f"{hidden:,} hidden characters are shown as boxes."
        )
    if warned:
        said.append(
            "1 look-alike is marked." if warned == 1 else f"{warned:,} look-alikes are marked."
        )
    said.append("No arguments." if not lines else f"{count_words(lines, 'line')}, nothing cut.")
    return " ".join(said)


def _edited(edited: Edited | None) -> CardEdit | None:
    if edited is None:
        return None
    before = edited.original.arguments.items()
    return CardEdit(
        show(edited.by), edited.at, tuple(_argument(name, value) for name, value in before)
    )


def _argument(name: str, value: object) -> CardArgument:
    if isinstance(value, str):
        return CardArgument(show(name), show(value), "text")
    pretty = json.dumps(value, ensure_ascii=False, indent=2)
    return CardArgument(show(name), show(pretty), "json")


def _target(data: Mapping[str, Any]) -> CardTarget:
    kind, text = str(data.get("kind", "")), str(data.get("text", ""))
    if data.get("resolved") is not None:  # a link: what is touched is where it leads
        text = f"{text} → {data['resolved']}"
    return CardTarget(
        kind=kind,
        text=show(text, host=kind == "host" and "/" not in text and ":" not in text),
        effect=str(data.get("effect", "")),
        decides=bool(data.get("decides", False)),
    )


def _who(
    request: ApprovalRequest, people: Directory | None, now: Moment, *, may_decide: bool
) -> CardWho:
    policy, today = request.policy, people is not None and request.waits
    counted = tally(request, people, now) if people and today else raw_tally(request)
    may_decide = may_decide and request.waits
    waiting, out_of_reach = "", None
    if people is not None and request.waits:
        names = waiting_for(request, people, now)
        waiting = waiting_words(policy, counted, names, may_decide=may_decide)
        out_of_reach = out_of_reach_of(request, people)
    return CardWho(
        approver=who_decides(policy),
        have=counted.have,
        need=counted.need,
        may_decide=may_decide,
        reviews=tuple(
            CardReview(
                by=safe(review.person_name),
                channel=review.channel,
                vote=review.vote.value,
                comment=None if review.comment is None else safe(review.comment),
                at=review.at,
            )
            for review in request.reviews
        ),
        may_edit=may_decide and policy.allow_edit,
        waiting=safe(waiting),
        out_of_reach=None if out_of_reach is None else safe(out_of_reach),
    )


def _resolution(resolution: Resolution | None) -> Resolution | None:
    """The resolution with texts that are safe on any surface."""
    if resolution is None:
        return None
    comment = None if resolution.comment is None else safe(resolution.comment)
    by = None if resolution.by is None else safe(resolution.by)
    return Resolution(resolution.reason, resolution.at, by, resolution.channel, comment)


def _outcome(outcome: Outcome | None) -> Outcome | None:
    if outcome is None:
        return None
    said_by = None if outcome.said_by is None else safe(outcome.said_by)
    return Outcome(outcome.ok, safe(outcome.summary), outcome.at, outcome.seconds, said_by)


def _optional(text: str | None) -> Shown | None:
    return None if text is None else show(text)


def _optional_json(shown: Iterable[Any] | None) -> list[dict[str, Any]] | None:
    return None if shown is None else shown_json(shown)
