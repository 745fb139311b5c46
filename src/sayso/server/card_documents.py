"""What the API answers of requests: cards, the inbox, and what was remembered of answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from sayso.server.documents import (
    Code,
    Digest,
    Document,
    Effect,
    Id,
    Resolution,
    Shown,
    Status,
    Time,
)
from sayso.server.question_documents import Clarification, Elicitation, PlanReview


class WhyShown(Document):
    """Why people are asked."""

    sentence: Shown
    reason: str
    must_ask: bool
    rule: dict[str, Any] | None
    explain: Shown


class ChangeShown(Document):
    """One thing that has changed since the call was approved before."""

    kind: Literal["leads-to", "content", "definition", "targets", "approver", "policy", "set"]
    text: Shown


class ArgumentShown(Document):
    """One argument of the call."""

    name: Shown
    value: Shown
    kind: Literal["text", "json"]


class TargetShown(Document):
    """One thing the call touches, and what policy says of it."""

    kind: str
    text: Shown
    effect: Effect
    decides: bool


class WhatShown(Document):
    """Exactly what would run; nothing of it is cut."""

    arguments: list[ArgumentShown]
    diff: Shown | None
    targets: list[TargetShown]
    hidden: int
    lines: int
    note: str


class ReviewShown(Document):
    """One person's vote."""

    by: str
    channel: str
    vote: Literal["approve", "reject"]
    comment: str | None
    at: Time


class EditShown(Document):
    """What an approver changed: who, when, and the arguments as the agent gave them."""

    by: Shown
    at: Time
    arguments: list[ArgumentShown]


class WhoShown(Document):
    """Who may decide, and what was said; with `may_edit` an approve may come with other arguments.

    `waiting` says for whom it waits, where that is not just its reader, and `out_of_reach` why not
    enough people can approve it any more.
    """

    approver: str
    have: int
    need: int
    may_decide: bool
    may_edit: bool
    waiting: Annotated[str, Meta(examples=["1 of 2 approved · waiting for: anna"])]
    out_of_reach: str | None
    reviews: list[ReviewShown]


class QuestionShown(Document):
    """What a person asked back, and what the agent answered; `answer` null with a time: it cannot."""

    by: str
    text: Shown
    at: Time
    answer: Shown | None
    answered_at: Time | None


class GlassShown(Document):
    """Who ran it without its votes and why, and what a second person said of it."""

    by: str
    why: Shown
    at: Time
    review_by: Time
    reviewed_by: str | None
    justified: bool | None
    comment: Shown | None


class AskingShown(Document):
    """Whether anybody can answer, what was asked back, and what you may do besides voting.

    `nobody` says that nobody can answer. With `confirms` the policy lets the time approve, once
    somebody who may decide has been shown the card: say so with `shown`.
    """

    nobody: str | None
    escalated: bool
    confirms: bool
    snoozed_until: Time | None
    questions: list[QuestionShown]
    may_ask_back: bool
    glass: GlassShown | None
    may_break_glass: bool
    may_review_glass: bool


class WordsShown(Document):
    """What somebody is said to have said; with `cut` only its beginning was kept."""

    content: Shown
    cut: bool


class MessageShown(Document):
    """A message of the dialogue."""

    role: Literal["user", "assistant", "tool", "system"]
    content: Shown
    cut: bool


class DialogueShown(Document):
    """The dialogue that the call came from, as the agent's side tells it, not checked; it never runs.

    `summary_by` is the model that wrote the summary, null where the agent's side did.
    """

    user_request: WordsShown | None
    summary: WordsShown | None
    summary_by: str | None
    messages: list[MessageShown]


class OutcomeShown(Document):
    """What came of the run."""

    ok: bool
    summary: str
    at: Time
    seconds: float | None
    said_by: str | None


class BypassOffered(Document):
    """A scope that an approve can lift for a time, and what it covers."""

    scope: Literal["category", "mcp_server", "all"]
    label: Shown


class Offer(Document):
    """What can be remembered with an answer; `covers` is all that a grant or a veto would cover."""

    covers: list[Shown]
    approve: list[Literal["session", "always"]]
    reject: list[Literal["session", "always"]]
    bypass: list[BypassOffered]


class RememberedShown(Document):
    """What was remembered with an answer, or why it could not be saved; the answer counts all the same."""

    saved: list[Shown]
    problem: Shown | None


class GrantShown(Document):
    """A grant or a veto; `session_id` null means that it counts always."""

    id: Id
    label: Shown
    veto: bool
    user: Shown
    session_id: Id | None
    by: Shown
    added: Time
    request_id: Id | None
    comment: Shown | None


class BypassShown(Document):
    """A bypass that lasts; `until` null means as long as its session."""

    id: Id
    scope: Literal["category", "mcp_server", "all"]
    label: Shown
    user: Shown
    session_id: Id
    by: Shown
    added: Time
    until: Time | None
    request_id: Id | None


class Card(Document):
    """What every surface shows of a request."""

    request_id: Id
    version: int
    status: Status
    severity: Literal["low", "medium", "high"]
    action: Shown
    tool: Shown
    runs: bool
    server: Shown | None
    code: Code
    digest: Digest
    agent: Shown
    user: Shown
    session_id: Id
    batch_id: Id | None
    source: str
    context_label: Shown | None
    workspace: Shown | None
    created_at: Time
    expires_at: Time | None
    caller: Literal["waiting", "gone"]
    why: WhyShown
    what: WhatShown
    previous: Id | None
    changed: list[ChangeShown]
    edited: EditShown | None
    agent_words: Shown | None
    context: DialogueShown | None
    who: WhoShown
    asking: AskingShown
    approve_refused: str | None
    resolution: Resolution | None
    outcome: OutcomeShown | None
    result: str | None
    offer: Offer
    remembered: RememberedShown | None


class ByRuleShown(Document):
    """A call that policy alone allowed or denied."""

    at: str
    call_id: str
    agent: Shown
    tool: Shown
    targets: list[Shown]
    effect: Literal["allow", "deny"]
    reason: str
    rule: Shown


class FreezeShown(Document):
    """A brake that a person has put on; `agent_id` null means that it holds every agent."""

    agent_id: Annotated[str, Meta(examples=["coder"])] | None
    agent: Shown | None
    by: Shown
    channel: str
    at: Time
    reason: Shown | None
    may_thaw: bool


class Frozen(Document):
    """The brakes that are on, oldest first."""

    freezes: list[FreezeShown]


class Inbox(Document):
    """Everything that waits for the person who asks, and what was decided last.

    `problems` says what is wrong with settings files, where something may not count as it is written,
    and that a broken glass was not reviewed in time. `snoozed` is what you put off, and is not counted.
    `freezes` are the brakes that are on.
    """

    total: int
    approvals: list[Card]
    clarifications: list[Clarification]
    elicitations: list[Elicitation]
    plans: list[PlanReview]
    snoozed: list[Card]
    recent: list[Card]
    problems: list[Shown]
    freezes: list[FreezeShown]
