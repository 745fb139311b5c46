"""Logging in with the passphrase, logging out, and who is logged in."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get, post
from litestar.params import JSONBody

from sayso.server.auth import WEB, Who, ended_cookie, halves, session_cookie
from sayso.server.bodies import LoginBody
from sayso.server.config import ServerConfig
from sayso.server.documents import LoggedIn, Me, PersonShown
from sayso.server.injected import Asked, TheBroker, TheConfig
from sayso.server.people_bodies import EnrolBody
from sayso.server.people_documents import Enrolled, LoginAsks
from sayso.server.routes import route


@get("/login", operation_id="loginAsks", tags=["login"], **route(Who.EVERYBODY))
async def login_asks(broker: TheBroker) -> LoginAsks:
    """What a login has to say: a name too, once there are several people."""
    return LoginAsks(name=await broker.access.several_people())


@post(
    "/enrol",
    status_code=200,
    operation_id="enrol",
    tags=["login"],
    **route(Who.EVERYBODY, 401, 403, body=True),
)
async def enrol(data: JSONBody[EnrolBody], broker: TheBroker) -> Enrolled:
    """Choose a passphrase with the code that an admin was shown; it counts once."""
    return Enrolled(name=await broker.access.enrol(data.code, data.passphrase, WEB))


@post(
    "/login",
    status_code=200,
    operation_id="logIn",
    tags=["login"],
    **route(Who.EVERYBODY, 401, 403, 409, 429, body=True),
)
async def log_in(
    request: Request[Any, Any, Any],
    data: JSONBody[LoginBody],
    broker: TheBroker,
    config: TheConfig,
) -> Response[LoggedIn]:
    """Log in with the passphrase; the answer sets the cookie `sayso_session`, one half of the login.

    The other half, `csrf`, is said only here and sent as `X-CSRF-Token` with every request.
    """
    token, _ = await broker.access.login(data.passphrase, WEB, name=data.name)
    return Response(
        LoggedIn(csrf=halves(token)[1]),
        cookies=[session_cookie(token, secure=_secure(request, config))],
        status_code=200,
    )


@post("/logout", status_code=204, operation_id="logOut", tags=["login"], **route(Who.LOGIN))
async def log_out(
    request: Asked,
    broker: TheBroker,
    config: TheConfig,
) -> Response[None]:
    """End this login."""
    actor = request.user
    await broker.access.revoke(actor, actor.credential.credential_id)
    return Response(None, cookies=[ended_cookie(secure=_secure(request, config))], status_code=204)


@get("/me", operation_id="me", tags=["login"], **route(Who.ANY_CREDENTIAL))
async def me(request: Asked) -> Me:
    """Whom the credential stands for."""
    actor = request.user
    return Me(
        person=PersonShown(
            person_id=actor.person.person_id, name=actor.person.name, admin=actor.person.admin
        ),
        kind=actor.kind.value,
    )


def _secure(request: Request[Any, Any, Any], config: ServerConfig) -> bool:
    """Whether the browser speaks TLS: to this server, or to a trusted proxy that says so."""
    return config.secure or request.scope["scheme"] == "https"
