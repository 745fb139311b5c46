"""What a client says over the socket: who it is, and what it decides (SRV-2)."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.remembering import Wish
from sayso.core.strict_json import parse_json
from sayso.questions.question import Kind
from sayso.requests.approval import Vote
from sayso.requests.standing_grant import Remember
from sayso.server.answering import answer_clarification, answer_elicitation, answer_plan
from sayso.server.bodies import Body, Digest, Id, Note, body_invalid
from sayso.server.cards import Cards
from sayso.server.question_bodies import ClarificationBody, ElicitationBody, PlanBody

Ref: TypeAlias = Annotated[str, Meta(max_length=128)]
Secret: TypeAlias = Annotated[str, Meta(max_length=512)]


class Hello(Body, tag="hello", tag_field="type"):
    """The first message. A page says the `csrf` half of its login; others a `token`, unless a header did."""

    csrf: Secret | None = None
    token: Secret | None = None
    last_event_id: Annotated[int, Meta(ge=0, le=2**62)] | None = None


class ApproveTool(Body, tag="approve_tool", tag_field="type"):
    """Approve what was shown; `ref` comes back with the reply."""

    request_id: Id
    digest: Digest
    note: Note | None = None
    bypass_secs: Annotated[float, Meta(ge=0, le=604800)] | None = None
    ref: Ref | None = None


class ApproveWrite(ApproveTool, tag="approve_write", tag_field="type"):
    """The same, as older clients say it."""


class RejectTool(Body, tag="reject_tool", tag_field="type"):
    """Reject."""

    request_id: Id
    note: Note | None = None
    ref: Ref | None = None


class RejectWrite(RejectTool, tag="reject_write", tag_field="type"):
    """The same, as older clients say it."""


class Answer(Body, tag="answer", tag_field="type"):
    """Answer a question, with the fields that its kind takes over HTTP."""

    request_id: Id
    answer: str | UnsetType = UNSET
    selected: list[str] | UnsetType = UNSET
    answers: list[Any] | UnsetType = UNSET
    version: int | UnsetType = UNSET
    action: str | UnsetType = UNSET
    content: dict[str, Any] | UnsetType = UNSET
    feedback: str | UnsetType = UNSET
    ref: Ref | None = None


class Stop(Body, tag="stop", tag_field="type"):
    """Stop a session: everything that waits in it is cancelled."""

    session_id: Id
    ref: Ref | None = None


Command: TypeAlias = ApproveTool | ApproveWrite | RejectTool | RejectWrite | Answer | Stop


def read_hello(text: str) -> Hello:
    """The first message; raises CallInvalid for text that is not strict JSON, Refusal for another shape."""
    found: Hello = _read(text, Hello)
    return found


def read_command(text: str) -> Command:
    """A later message; raises as `read_hello` does."""
    found: Command = _read(text, Command)
    return found


def _read(text: str, kind: Any) -> Any:
    try:
        return msgspec.convert(parse_json(text.encode()), kind, strict=True)
    except msgspec.ValidationError as error:
        raise body_invalid(error) from error


async def carry_out(command: Command, actor: Actor, broker: Broker, cards: Cards) -> Any:
    """Do what a person said; the document that the route for it answers, None for a stop."""
    match command:
        case ApproveTool():
            wish = Wish(Remember.ONCE, command.bypass_secs, None)
            return await cards.answered(
                actor,
                await broker.answer(
                    actor,
                    command.request_id,
                    Vote.APPROVE,
                    digest=command.digest,
                    comment=command.note,
                    wish=wish,
                ),
            )
        case RejectTool():
            rejected = await broker.answer(
                actor, command.request_id, Vote.REJECT, comment=command.note
            )
            return await cards.answered(actor, rejected)
        case Answer():
            return await _answer(command, actor, broker)
        case Stop():
            await broker.stop_session(actor, command.session_id)
            return None


async def _answer(command: Answer, actor: Actor, broker: Broker) -> Any:
    found = await broker.questions.question(actor, command.request_id)
    said = msgspec.structs.asdict(command)
    fields = {
        name: value
        for name, value in said.items()
        if name not in ("request_id", "ref") and value is not UNSET
    }
    try:
        match found.kind:
            case Kind.CLARIFICATION:
                clarified = msgspec.convert(fields, ClarificationBody, strict=True)
                return await answer_clarification(broker, actor, command.request_id, clarified)
            case Kind.ELICITATION:
                filled = msgspec.convert(fields, ElicitationBody, strict=True)
                return await answer_elicitation(broker, actor, command.request_id, filled)
            case Kind.PLAN:
                reviewed = msgspec.convert(fields, PlanBody, strict=True)
                return await answer_plan(broker, actor, command.request_id, reviewed)
    except msgspec.ValidationError as error:
        raise body_invalid(error) from error
