"""What the API takes about questions: asking them, and answering them (SRV-1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from sayso.server.bodies import Body, Id

_Answer = Annotated[str, Meta(max_length=8000, examples=["the second one"])]
_Selected = Annotated[list[Annotated[str, Meta(max_length=8000)]], Meta(max_length=50)]


class ItemBody(Body):
    """One question; `multi_select` needs options."""

    question: Annotated[str, Meta(max_length=4000, examples=["Which database?"])]
    options: Annotated[list[Annotated[str, Meta(max_length=500)]], Meta(max_length=50)] | None = (
        None
    )
    multi_select: bool = False


class AskBody(Body):
    """What an agent asks of people: `items`, or a `plan`, or a `message` with a `schema` or a `url`.

    `answer_key` is the public half of an X25519 key in base64, needed where the form asks for a secret;
    `timeout` is in seconds. With an `external_id` this is idempotent.
    """

    session_id: Id
    kind: Literal["clarification", "elicitation", "plan"]
    items: Annotated[list[ItemBody], Meta(min_length=1, max_length=8)] | None = None
    plan: str | None = None
    message: str | None = None
    schema: dict[str, Any] | None = None
    url: str | None = None
    server: Annotated[str, Meta(max_length=512, examples=["github"])] | None = None
    external_id: Annotated[str, Meta(max_length=512)] | None = None
    timeout: Annotated[float, Meta(gt=0, le=2592000, examples=[600])] | None = None
    answer_key: Annotated[str, Meta(max_length=64)] | None = None


class ClarificationBody(Body):
    """`answer` in words, or `selected` options word for word, to the question whose turn it is.

    `answers` are those to all questions that are open, in their order, each text or a list of options.
    With `version` the answer counts only for the question as it was looked at; one of several needs it.
    """

    answer: _Answer | None = None
    selected: _Selected | None = None
    answers: Annotated[list[_Answer | _Selected], Meta(min_length=1, max_length=8)] | None = None
    version: int | None = None


class ElicitationBody(Body):
    """Accept with the `content` of the form (none for a URL), decline, or cancel."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = None


class PlanBody(Body):
    """One of the plan's `answers`; anything else is feedback, and the agent goes on planning."""

    answer: Annotated[str, Meta(max_length=8000, examples=["carry-out"])]
    feedback: Annotated[str, Meta(max_length=8000, examples=["start with the tests"])] | None = None


class AskApprovalBody(Body):
    """What a person is to approve, as `arguments` of a call that never runs; `timeout` is in seconds."""

    session_id: Id
    tool: Annotated[str, Meta(max_length=512, examples=["ask_approval"])]
    arguments: Annotated[dict[str, Any], Meta(examples=[{"action": "Publish the post"}])]
    external_id: Annotated[str, Meta(max_length=512)] | None = None
    timeout: Annotated[float, Meta(gt=0, le=2592000, examples=[600])] | None = None


class EnterPlanBody(Body):
    """Why the agent wants to plan first; for people."""

    reason: Annotated[str, Meta(max_length=2000, examples=["this touches many files"])] | None = (
        None
    )


class TaskBody(Body):
    """A task of a list; words of other programs for its status are understood."""

    content: Annotated[str, Meta(max_length=1000, examples=["write the tests"])]
    status: Annotated[str, Meta(max_length=40, examples=["in_progress"])]


class TasksBody(Body):
    """The whole task list, in place of the one before."""

    items: Annotated[list[TaskBody], Meta(max_length=50)]
