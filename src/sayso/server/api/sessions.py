"""The sessions of agents: opening and stopping them, and the tools they are offered."""

from __future__ import annotations

from litestar import post
from litestar.params import FromPath, JSONBody

from sayso.broker.sessions import mode_named
from sayso.core.observed_tool import ObservedTool
from sayso.server.auth import Who
from sayso.server.bodies import SessionBody, ToolBody, ToolsBody
from sayso.server.config import MAX_CALL_BODY
from sayso.server.documents import SessionOpened, ToolNamed, ToolsVisible
from sayso.server.injected import Asked, TheBroker, TheBuckets
from sayso.server.routes import route


@post(
    "/sessions", operation_id="openSession", tags=["sessions"], **route(Who.AGENT, 429, body=True)
)
async def open_session(
    request: Asked,
    data: JSONBody[SessionBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> SessionOpened:
    """Open a session; user and agent are those of the token, and no call can change them."""
    buckets.take(request.user.credential.credential_id)
    session = await broker.open_session(
        request.user,
        source=data.source,
        workspace=data.workspace,
        attended=data.attended,
        context_label=data.context_label,
        ask=data.ask,
        deny=data.deny,
        run_context=data.run_context,
        mode=None if data.mode is None else mode_named(data.mode),
    )
    now = await broker.modes.of(request.user, session.session_id)
    return SessionOpened(
        session_id=session.session_id,
        user_id=session.user_id,
        agent_id=session.agent_id,
        mode=now.mode.value,
        mode_note=now.note,
    )


@post(
    "/sessions/{session_id:str}/stop",
    status_code=204,
    operation_id="stopSession",
    tags=["sessions"],
    **route(Who.ANY_CREDENTIAL, 403),
)
async def stop_session(request: Asked, session_id: FromPath[str], broker: TheBroker) -> None:
    """Stop a session: everything that waits in it is cancelled, and its later calls are refused."""
    await broker.stop_session(request.user, session_id)


@post(
    "/sessions/{session_id:str}/tools",
    status_code=200,
    operation_id="seeTools",
    tags=["sessions"],
    request_max_body_size=MAX_CALL_BODY,
    **route(Who.AGENT, 429, body=True),
)
async def see_tools(
    request: Asked,
    session_id: FromPath[str],
    data: JSONBody[ToolsBody],
    broker: TheBroker,
    buckets: TheBuckets,
) -> ToolsVisible:
    """Say which tools the session is offered, and learn which of them a model may be shown."""
    buckets.take(request.user.credential.credential_id, len(await request.body()))
    gate = await broker.gate_for(request.user, session_id)
    shown = await gate.see_tools([_observed(tool) for tool in data.tools])
    return ToolsVisible(visible=[ToolNamed(server=tool.server, name=tool.name) for tool in shown])


def _observed(tool: ToolBody) -> ObservedTool:
    return ObservedTool(
        server=tool.server,
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=tool.annotations,
    )
