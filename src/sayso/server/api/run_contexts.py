"""Run contexts, and the mode of a session."""

from __future__ import annotations

from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody

from sayso.broker.sessions import mode_named
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.routes import route
from sayso.server.run_context_bodies import (
    ModeBody,
    ModeShown,
    RunContextBody,
    RunContextChangeBody,
    RunContextShown,
    fields_of,
    mode_shown,
    run_context_shown,
)


@get("/run-contexts", operation_id="runContexts", tags=["run contexts"], **route(Who.PERSON))
async def read_run_contexts(request: Asked, broker: TheBroker) -> list[RunContextShown]:
    """The run contexts by id; `default` is always among them."""
    return [run_context_shown(one) for one in await broker.run_contexts.all(request.user)]


@post(
    "/run-contexts",
    operation_id="addRunContext",
    tags=["run contexts"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def add_run_context(
    request: Asked, data: JSONBody[RunContextBody], broker: TheBroker
) -> RunContextShown:
    """Add a run context; agents' sessions may name it once a token allows it."""
    added = await broker.run_contexts.add(request.user, data.id, fields_of(data))
    return run_context_shown(added)


@put(
    "/run-contexts/{run_context_id:str}",
    operation_id="changeRunContext",
    tags=["run contexts"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def change_run_context(
    request: Asked,
    run_context_id: FromPath[str],
    data: JSONBody[RunContextChangeBody],
    broker: TheBroker,
) -> RunContextShown:
    """Change a run context; what is left out stays, and sessions under it follow from their next call."""
    changed = await broker.run_contexts.change(request.user, run_context_id, fields_of(data))
    return run_context_shown(changed)


@delete(
    "/run-contexts/{run_context_id:str}",
    status_code=204,
    operation_id="deleteRunContext",
    tags=["run contexts"],
    **route(Who.CONFIGURES, 404),
)
async def delete_run_context(
    request: Asked, run_context_id: FromPath[str], broker: TheBroker
) -> None:
    """Delete a run context: calls of sessions that name it are refused from now on."""
    await broker.run_contexts.delete(request.user, run_context_id)


@get(
    "/sessions/{session_id:str}/mode",
    operation_id="mode",
    tags=["sessions"],
    **route(Who.ANY_CREDENTIAL, 403),
)
async def read_mode(request: Asked, session_id: FromPath[str], broker: TheBroker) -> ModeShown:
    """The mode that counts in a session; for its people and the agent that opened it."""
    return mode_shown(await broker.modes.of(request.user, session_id))


@post(
    "/sessions/{session_id:str}/mode",
    status_code=200,
    operation_id="switchMode",
    tags=["sessions"],
    **route(Who.PERSON, body=True),
)
async def switch_mode(
    request: Asked, session_id: FromPath[str], data: JSONBody[ModeBody], broker: TheBroker
) -> ModeShown:
    """Switch a session's mode, from its next call on; only its user and admins do."""
    mode = None if data.mode is None else mode_named(data.mode)
    return mode_shown(await broker.modes.switch(request.user, session_id, mode))
