"""What the API answers: the documents of the contract, for responses and for the OpenAPI schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Time = Annotated[str, Meta(description="RFC 3339 in UTC", examples=["2030-01-02T03:04:05.000000Z"])]
Id = Annotated[str, Meta(examples=["0688kvg1u5n2s9pbd4c7b0e1o2m3f4g5h6i7"])]
Digest = Annotated[
    str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
]
Code = Annotated[str, Meta(examples=["amber otter seven lake"])]
Effect = Literal["allow", "ask", "deny"]
Status = Literal[
    "pending",
    "approved",
    "rejected",
    "expired",
    "cancelled",
    "running",
    "superseded",
    "refused",
    "lapsed",
    "done",
    "failed",
    "unknown",
    "unreported",
]


class Document(Struct, kw_only=True):
    """A document of the API."""


class Resolution(Document):
    """How a request ended; `by` is a person's name, or null where sayso itself decided."""

    reason: Annotated[str, Meta(examples=["approved"])]
    by: str | None
    channel: str | None
    comment: str | None
    at: Time


class Problem(Document, omit_defaults=True):
    """An error (RFC 9457); `type` is stable, `hint` names the next action."""

    type: Annotated[str, Meta(examples=["urn:sayso:problem:request-closed"])]
    title: Annotated[str, Meta(examples=["request closed"])]
    status: Annotated[int, Meta(examples=[409])]
    detail: Annotated[str, Meta(examples=["it was approved by owner already"])]
    hint: Annotated[str, Meta(examples=["look at the inbox for what waits"])] | UnsetType = UNSET
    resolution: Resolution | UnsetType = UNSET
    request_status: Status | UnsetType = UNSET
    retry_after: Annotated[float, Meta(description="seconds")] | UnsetType = UNSET
    column: int | UnsetType = UNSET
    place: str | UnsetType = UNSET


class PersonShown(Document):
    """Who is logged in."""

    person_id: Annotated[str, Meta(examples=["owner"])]
    name: Annotated[str, Meta(examples=["owner"])]
    admin: bool


class LoggedIn(Document):
    """A login; `csrf` is the half of it that is not in the cookie, said only once."""

    csrf: str


class Me(Document):
    """Whom the credential stands for."""

    person: PersonShown
    kind: Literal["agent", "approver", "admin", "session"]


class SessionOpened(Document):
    """A session, bound to the agent's credential it was opened with."""

    session_id: Id
    user_id: Annotated[str, Meta(examples=["owner"])]
    agent_id: Annotated[str, Meta(examples=["claude"])]


class ToolNamed(Document):
    """A tool by its identity: the server it stands on, and its own name."""

    server: str | None
    name: Annotated[str, Meta(examples=["write_file"])]


class ToolsVisible(Document):
    """The tools a model may be shown, of those that were offered."""

    visible: list[ToolNamed]


class QuestionAsked(Document):
    """What a person wants to know of the agent before deciding; answer it with `answer`."""

    question_id: Id
    by: str
    text: str


class Standing(Document):
    """How a call stands, for the side that made it; `message` is for the agent."""

    call_id: Id
    digest: Digest
    code: Code
    effect: Effect
    reason: Annotated[str, Meta(examples=["rule-ask"])]
    message: str
    status: Status | None
    by: str | None
    comment: str | None
    summary: str | None
    verdict: dict[str, Any] | None
    arguments: dict[str, Any] | None
    edited_by: str | None
    question: QuestionAsked | None = None


class PreconditionTold(Document):
    """One thing that has to be as it was: where a path leads, or what a file holds."""

    kind: Literal["leads-to", "content", "definition"]
    subject: str
    value: str | None


class ClaimTaken(Document):
    """The single-use right to run a call, for so many seconds unless it is renewed.

    What `preconditions` say held when it was given, on the server's machine. `arguments` are set where a
    person changed them: exactly these run.
    """

    call_id: Id
    token: str
    lease_seconds: float
    preconditions: list[PreconditionTold]
    arguments: dict[str, Any] | None
    receipt: str | None


class ClaimAnswer(Document):
    """Either the claim, or how the call stands instead."""

    claim: ClaimTaken | None
    standing: Standing | None


class Run(Document, omit_defaults=True):
    """A piece of shown text: `text` as it is, with `warn` where a look-alike is odd; or `mark` and
    `name` of a character that cannot be seen. Joined, the runs are exactly the original."""

    text: str | UnsetType = UNSET
    warn: str | UnsetType = UNSET
    mark: Annotated[str, Meta(examples=["U+202E"])] | UnsetType = UNSET
    name: Annotated[str, Meta(examples=["RIGHT-TO-LEFT OVERRIDE"])] | UnsetType = UNSET


Shown = list[Run]


class RuleShown(Document):
    """A rule, of a permission list or of the rule table; `text` is it as people read it."""

    id: str
    effect: Effect
    origin: str
    text: str
    kind: str | None
    tool_pattern: str
    path_pattern: str | None
    pattern: str | None
    agent_id: str | None
    source: str | None
    user_id: str | None
    when: str | None
    unless: str | None
    priority: int
    group_id: str
    must_ask: bool
    note: str
    justification: str
    examples: list[str]
    counter_examples: list[str]
    policy: dict[str, Any] | None
    seeded: bool
    place: str | None


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
    """Who may decide, and what was said; with `may_edit` an approve may come with other arguments."""

    approver: str
    have: int
    need: int
    may_decide: bool
    may_edit: bool
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
    server: Shown | None
    code: Code
    digest: Digest
    agent: Shown
    user: Shown
    session_id: Id
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


class Inbox(Document):
    """Everything that waits for the person who asks, and what was decided last.

    `problems` says what is wrong with settings files, where something may not count as it is written,
    and that a broken glass was not reviewed in time. `snoozed` is what you put off, and is not counted.
    """

    total: int
    approvals: list[Card]
    clarifications: list[Card]
    elicitations: list[Card]
    plans: list[Card]
    snoozed: list[Card]
    recent: list[Card]
    problems: list[Shown]


class Health(Document):
    """Whether the server works."""

    status: Literal["ok"]
