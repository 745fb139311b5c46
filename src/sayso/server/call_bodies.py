"""What the API takes of agents and hosts: calls, their batches and dialogues, claims and outcomes (SRV-1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from sayso.server.bodies import Body, Digest, Id


class MessageBody(Body):
    """A message of a dialogue."""

    role: Literal["user", "assistant", "tool", "system"]
    content: str


class DialogueBody(Body):
    """The dialogue that a call came from, for people to understand it; no part of the call.

    The approval policy says what of it is kept. Texts that are too long are cut, and the card says so.
    """

    user_request: Annotated[str, Meta(examples=["Tell Alice that I am late"])] | None = None
    summary: str | None = None
    messages: list[MessageBody] | None = None


class CallBody(Body):
    """One tool call that an agent wants to make; `arguments` is at most 1 MiB.

    `definition` is the SHA-256 of `[description, input_schema]` as its server offered the tool last, in
    JSON with sorted keys, without blanks, ASCII only.
    """

    session_id: Id
    tool: Annotated[str, Meta(max_length=512, examples=["write_file"])]
    arguments: Annotated[dict[str, Any], Meta(examples=[{"path": "notes.txt", "content": "hello"}])]
    server: Annotated[str, Meta(max_length=512, examples=["filesystem"])] | None = None
    external_id: Annotated[str, Meta(max_length=512, examples=["toolu_01A"])] | None = None
    detail: str | None = None
    diff: str | None = None
    definition: Digest | None = None
    context: DialogueBody | None = None


class BatchCallBody(Body):
    """One call of a batch; as a call of its own, but for its session."""

    tool: Annotated[str, Meta(max_length=512, examples=["write_file"])]
    arguments: Annotated[dict[str, Any], Meta(examples=[{"path": "notes.txt", "content": "hello"}])]
    server: Annotated[str, Meta(max_length=512, examples=["filesystem"])] | None = None
    external_id: Annotated[str, Meta(max_length=512, examples=["toolu_01A"])] | None = None
    detail: str | None = None
    diff: str | None = None
    definition: Digest | None = None
    context: DialogueBody | None = None


class BatchBody(Body):
    """The calls of one turn, in their order; `name` is the host's own for the turn.

    `context` is the dialogue of each call that has none of its own.
    """

    session_id: Id
    name: Annotated[str, Meta(max_length=512, examples=["turn-7"])]
    calls: Annotated[list[BatchCallBody], Meta(min_length=1, max_length=100)]
    context: DialogueBody | None = None


class TurnBody(Body):
    """Take the right to continue a turn, or say with its token that it was continued."""

    act: Literal["take", "end"]
    token: Annotated[str, Meta(max_length=256)] | None = None


class ClaimBody(Body):
    """Which call is meant to run: exactly the one with this digest; `audience` asks for a receipt."""

    digest: Digest
    audience: Annotated[str, Meta(max_length=512, examples=["payments"])] | None = None


class RenewBody(Body):
    """The claim that goes on, for so many seconds more."""

    token: Annotated[str, Meta(max_length=256)]
    lease_seconds: Annotated[float, Meta(gt=0, le=3600, examples=[30.0])]


class AnswerBody(Body):
    """The agent's words on what a person asked back; `text` null says that this side cannot answer."""

    question_id: Id
    text: Annotated[str, Meta(max_length=4000, examples=["the customer was charged twice"])] | None


class OutcomeBody(Body):
    """What came of a run; `token` is the claim's, left out for a call that policy allowed."""

    ok: bool
    summary: Annotated[str, Meta(examples=["wrote 12 bytes"])]
    token: Annotated[str, Meta(max_length=256)] | None = None
    seconds: Annotated[float, Meta(ge=0, examples=[0.3])] | None = None
