"""What the API answers about questions: clarifications, elicitations, plans, and how they stand for an agent.

Texts are runs of shown text; joined, the runs of an option are exactly what `selected` takes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from sayso.server.documents import Document, Id, Resolution, Shown, Time

QuestionStatus = Literal["pending", "answered", "declined", "expired", "cancelled"]


class AskedOfPeople(Document):
    """What every question has; `version` counts its changes.

    `refused` is why you may not answer it. `title` is the beginning of its text, in one line.
    """

    request_id: Id
    version: int
    status: QuestionStatus
    title: Shown
    agent: Shown
    user: Shown
    session_id: Id
    source: str
    context_label: Shown | None
    created_at: Time
    expires_at: Time | None
    may_answer: bool
    refused: str | None
    resolution: Resolution | None


class ItemShown(Document):
    """One question: with `options` radio buttons or (`multi_select`) check boxes, and always own words."""

    question: Shown
    options: list[Shown]
    multi_select: bool
    answer: Shown | None


class Clarification(AskedOfPeople):
    """One question of an agent, or several that are answered in turn."""

    kind: Literal["clarification"]
    items: list[ItemShown]


class ChoiceShown(Document):
    """A value that can be chosen, and what is read for it."""

    value: str
    label: Shown


class FieldShown(Document):
    """A field of a form; `secret` ones are masked while typed, and never shown again.

    `constraints` are those of its schema (`minLength`, `pattern`, `minimum` …), for help while typing: the
    server checks the answer.
    """

    name: str
    kind: Literal["string", "number", "integer", "boolean", "array"]
    label: Shown
    description: Shown | None
    required: bool
    secret: bool
    format: str | None
    choices: list[ChoiceShown]
    default: Any
    constraints: dict[str, Any]


class UrlShown(Document):
    """A URL that a server wants opened; `host` is where it leads. `href` null: it is not to be a link."""

    text: Shown
    host: Shown
    href: str | None


class Elicitation(AskedOfPeople):
    """What an MCP server wants to be told: a form, or a URL to be opened."""

    kind: Literal["elicitation"]
    message: Shown
    server: Shown | None
    mode: Literal["form", "url"]
    fields: list[FieldShown]
    url: UrlShown | None


class PlanChoice(Document):
    """An answer to a plan, and what is read for it."""

    answer: Literal["carry-out", "accept-edits", "keep-planning"]
    label: str


class PlanReview(AskedOfPeople):
    """A plan to be approved; `answer` is what was said to it, the resolution's comment the feedback."""

    kind: Literal["plan"]
    plan: Shown
    answers: list[PlanChoice]
    answer: Literal["carry-out", "accept-edits", "keep-planning"] | None


class ReplyTold(Document):
    """An answer, for the agent; `selected` where several could be chosen."""

    answer: str
    selected: list[str] | None


class QuestionStanding(Document):
    """How a question stands, for the side that asked; `message` is for the agent.

    `refused`: nobody was asked. `sealed` is an answer to a form that only the holder of the answer key can open.
    """

    question_id: str
    kind: Literal["clarification", "elicitation", "plan"]
    status: Annotated[str, Meta(examples=["pending"])]
    message: str
    replies: list[ReplyTold]
    content: dict[str, Any] | None
    sealed: str | None
    plan_answer: Literal["carry-out", "accept-edits", "keep-planning"] | None
    by: str | None
    comment: str | None


class Planning(Document):
    """Whether the session plans now, and why not."""

    planning: bool
    refused: str | None


class TaskShown(Document):
    """A task of a list."""

    content: Shown
    status: Literal["pending", "in_progress", "done"]


class TaskList(Document):
    """The task list of a session, with how much of it is done."""

    items: list[TaskShown]
    done: int
    total: int
