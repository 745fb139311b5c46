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
    request_status: Status | Literal["answered", "declined"] | UnsetType = UNSET
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
    """A session, bound to the agent's credential it was opened with; `mode_note` says why another mode counts."""

    session_id: Id
    user_id: Annotated[str, Meta(examples=["owner"])]
    agent_id: Annotated[str, Meta(examples=["claude"])]
    mode: Annotated[str, Meta(examples=["default"])]
    mode_note: str | None


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
    budget: dict[str, Any] | None
    seeded: bool
    place: str | None


class Health(Document):
    """Whether the server works."""

    status: Literal["ok"]
