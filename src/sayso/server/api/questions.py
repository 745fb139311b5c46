"""Questions: asked and awaited by agents, answered by people, and the task lists of sessions."""

from __future__ import annotations

from typing import Annotated, cast

import msgspec
from litestar import get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from sayso.broker import ports
from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.session_gate import SessionGate
from sayso.channels.display import show, shown_json
from sayso.core.session import CallDraft
from sayso.errors import RequestNotFound
from sayso.people.token import CredentialKind
from sayso.questions.clarification import read_items
from sayso.questions.question import Kind, QuestionDraft
from sayso.questions.todo import TaskStatus, read_tasks
from sayso.server.answering import (
    answer_clarification,
    answer_elicitation,
    answer_plan,
    clarification,
    elicitation,
    plan_review,
)
from sayso.server.api.calls import standing
from sayso.server.auth import Who
from sayso.server.config import MAX_CALL_BODY
from sayso.server.documents import Shown, Standing
from sayso.server.injected import Asked, TheBroker, TheBuckets, TheClosing
from sayso.server.live.polling import while_present
from sayso.server.question_bodies import (
    AskApprovalBody,
    AskBody,
    ClarificationBody,
    ElicitationBody,
    EnterPlanBody,
    PlanBody,
    TasksBody,
)
from sayso.server.question_documents import (
    Clarification,
    Elicitation,
    Planning,
    PlanReview,
    QuestionStanding,
    TaskList,
    TaskShown,
)
from sayso.server.routes import route

MAX_WAIT = 55.0


@post(
    "/questions",
    status_code=200,
    operation_id="askQuestion",
    tags=["questions"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 409, 429, body=True),
)
async def ask_question(
    request: Asked, data: JSONBody[AskBody], broker: TheBroker, buckets: TheBuckets
) -> QuestionStanding:
    """Ask people something that is no approval; `refused` tells why nobody was asked."""
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, data.session_id)
    return _standing(await gate.ask(_draft(data)))


@post(
    "/questions/approval",
    status_code=200,
    operation_id="askApproval",
    tags=["questions"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 409, 429, body=True),
)
async def ask_for_approval(
    request: Asked, data: JSONBody[AskApprovalBody], broker: TheBroker, buckets: TheBuckets
) -> Standing:
    """Ask for approval of something that is no tool call; it is awaited like a call, and never claimed."""
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, data.session_id)
    draft = CallDraft(data.tool, data.arguments, external_id=data.external_id)
    return standing(await gate.ask_approval(draft, data.timeout))


@get(
    "/questions/{question_id:str}/wait",
    operation_id="waitForAnswer",
    tags=["questions"],
    **route(Who.AGENT, 404),
)
async def wait_for_answer(
    request: Asked,
    question_id: FromPath[str],
    broker: TheBroker,
    closing: TheClosing,
    timeout: Annotated[
        float, QueryParameter(ge=0, le=MAX_WAIT, description="how long to wait, in seconds")
    ] = 30.0,
) -> QuestionStanding:
    """Wait until the question is answered or ended, or the time is over; shows that the agent waits."""
    gate = await _gate_of(broker, request.user, question_id)
    waited = await while_present(request, closing, gate.wait_for_answer(question_id, timeout))
    return _standing(waited or await gate.wait_for_answer(question_id, 0))


@post(
    "/questions/{question_id:str}/done",
    status_code=204,
    operation_id="doneWithQuestion",
    tags=["questions"],
    **route(Who.AGENT, 404),
)
async def done_with_question(request: Asked, question_id: FromPath[str], broker: TheBroker) -> None:
    """Say that the agent needs it no more: what waits is cancelled, a sealed answer is erased."""
    gate = await _gate_of(broker, request.user, question_id)
    await gate.done_with(question_id)


@post(
    "/sessions/{session_id:str}/plan",
    status_code=200,
    operation_id="enterPlanMode",
    tags=["questions"],
    **route(Who.AGENT, 429, body=True),
)
async def enter_plan_mode(
    request: Asked,
    session_id: FromPath[str],
    data: JSONBody[EnterPlanBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> Planning:
    """Begin to plan: only reads pass from now on, until people approve the plan."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_for(request.user, session_id)
    refused = await gate.enter_plan_mode(data.reason)
    return Planning(planning=refused is None, refused=refused)


@put(
    "/sessions/{session_id:str}/tasks",
    status_code=204,
    operation_id="setTasks",
    tags=["questions"],
    **route(Who.AGENT, 429, body=True),
)
async def set_tasks(
    request: Asked,
    session_id: FromPath[str],
    data: JSONBody[TasksBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> None:
    """Keep the session's task list, and show it to people."""
    buckets.take(request.user.credential.credential_id)
    gate = await broker.gate_for(request.user, session_id)
    await gate.set_tasks(read_tasks(msgspec.to_builtins(data.items)))


@get(
    "/sessions/{session_id:str}/tasks",
    operation_id="tasks",
    tags=["questions"],
    **route(Who.PERSON, 404),
)
async def read_task_list(request: Asked, session_id: FromPath[str], broker: TheBroker) -> TaskList:
    """The task list of a session."""
    tasks = await broker.questions.tasks(request.user, session_id)
    return TaskList(
        items=[
            TaskShown(
                content=cast("Shown", shown_json(show(task.content))), status=task.status.value
            )
            for task in tasks
        ],
        done=sum(task.status is TaskStatus.DONE for task in tasks),
        total=len(tasks),
    )


@get(
    "/inbox/clarifications/{request_id:str}",
    operation_id="clarification",
    tags=["inbox"],
    **route(Who.PERSON, 404),
)
async def read_clarification(
    request: Asked, request_id: FromPath[str], broker: TheBroker
) -> Clarification:
    """One clarification, whether it still waits or not."""
    found = await broker.questions.question(request.user, request_id, Kind.CLARIFICATION)
    return await clarification(broker, request.user, found)


@post(
    "/inbox/clarifications/{request_id:str}/resolve",
    status_code=200,
    operation_id="resolveClarification",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve_clarification(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[ClarificationBody],
    broker: TheBroker,
) -> Clarification:
    """Answer the question whose turn it is, or all that are open."""
    return await answer_clarification(broker, request.user, request_id, data)


@get(
    "/inbox/elicitations/{request_id:str}",
    operation_id="elicitation",
    tags=["inbox"],
    **route(Who.PERSON, 404),
)
async def read_elicitation(
    request: Asked, request_id: FromPath[str], broker: TheBroker
) -> Elicitation:
    """One elicitation, whether it still waits or not; nothing of its answer."""
    found = await broker.questions.question(request.user, request_id, Kind.ELICITATION)
    return await elicitation(broker, request.user, found)


@post(
    "/inbox/elicitations/{request_id:str}/resolve",
    status_code=200,
    operation_id="resolveElicitation",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve_elicitation(
    request: Asked,
    request_id: FromPath[str],
    data: JSONBody[ElicitationBody],
    broker: TheBroker,
) -> Elicitation:
    """Accept with the form's content, decline or cancel; secrets go to whoever waits and are never kept."""
    return await answer_elicitation(broker, request.user, request_id, data)


@get(
    "/inbox/plans/{request_id:str}",
    operation_id="plan",
    tags=["inbox"],
    **route(Who.PERSON, 404),
)
async def read_plan(request: Asked, request_id: FromPath[str], broker: TheBroker) -> PlanReview:
    """One plan, whether it still waits or not."""
    found = await broker.questions.question(request.user, request_id, Kind.PLAN)
    return await plan_review(broker, request.user, found)


@post(
    "/inbox/plans/{request_id:str}/resolve",
    status_code=200,
    operation_id="resolvePlan",
    tags=["inbox"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def resolve_plan(
    request: Asked, request_id: FromPath[str], data: JSONBody[PlanBody], broker: TheBroker
) -> PlanReview:
    """Approve a plan, which ends planning, or say what to change."""
    return await answer_plan(broker, request.user, request_id, data)


async def _gate_of(broker: Broker, actor: Actor, question_id: str) -> SessionGate:
    question = await broker.world.store.question(question_id)
    if question is None or actor.kind is not CredentialKind.AGENT:
        raise RequestNotFound(f"no question has the id `{question_id[:64]}`")
    return await broker.gate_for(actor, question.session_id)


def _draft(data: AskBody) -> QuestionDraft:
    items = [msgspec.to_builtins(item) for item in data.items or ()]
    return QuestionDraft(
        kind=Kind(data.kind),
        items=read_items(questions=items) if items else (),
        plan=data.plan,
        message=data.message,
        schema=data.schema,
        url=data.url,
        server=data.server,
        external_id=data.external_id,
        timeout=data.timeout,
        answer_key=data.answer_key,
    )


def _standing(found: ports.QuestionStanding) -> QuestionStanding:
    return msgspec.convert(found, QuestionStanding, from_attributes=True)
