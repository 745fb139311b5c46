"""Roles and their members."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from sayso.core.deciders import parse_quorum
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.people_bodies import MemberBody, RoleBody, RoleChangeBody
from sayso.server.people_documents import RoleShown, role_shown, roles_shown
from sayso.server.routes import route


@get("/roles", operation_id="roles", tags=["people"], **route(Who.CONFIGURES))
async def read_roles(request: Asked, broker: TheBroker) -> list[RoleShown]:
    """The roles, with their members; for admins."""
    return roles_shown(await broker.people.directory(request.user))


@post("/roles", operation_id="addRole", tags=["people"], **route(Who.CONFIGURES, 404, body=True))
async def add_role(request: Asked, data: JSONBody[RoleBody], broker: TheBroker) -> RoleShown:
    """Add a role."""
    quorum = parse_quorum(data.quorum)
    return role_shown(await broker.people.add_role(request.user, data.name, quorum, data.members))


@put(
    "/roles/{role:str}",
    operation_id="changeRole",
    tags=["people"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def change_role(
    request: Asked, role: FromPath[str], data: JSONBody[RoleChangeBody], broker: TheBroker
) -> RoleShown:
    """Change a role's quorum, or whether it is enabled; what is left out stays."""
    what: dict[str, Any] = msgspec.to_builtins(data)
    if "quorum" in what:
        what["quorum"] = parse_quorum(what["quorum"])
    return role_shown(await broker.people.change_role(request.user, role, **what))


@delete(
    "/roles/{role:str}",
    status_code=204,
    operation_id="removeRole",
    tags=["people"],
    **route(Who.CONFIGURES, 404),
)
async def remove_role(request: Asked, role: FromPath[str], broker: TheBroker) -> None:
    """Remove a role: what still names it can be decided by nobody."""
    await broker.people.remove_role(request.user, role)


@post(
    "/roles/{role:str}/members",
    operation_id="addMember",
    tags=["people"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def add_member(
    request: Asked, role: FromPath[str], data: JSONBody[MemberBody], broker: TheBroker
) -> RoleShown:
    """Make somebody a member, by any of their identities."""
    return role_shown(await broker.people.add_member(request.user, role, data.member))


@delete(
    "/roles/{role:str}/members",
    status_code=204,
    operation_id="removeMember",
    tags=["people"],
    **route(Who.CONFIGURES, 404),
)
async def remove_member(
    request: Asked,
    role: FromPath[str],
    broker: TheBroker,
    member: Annotated[str, QueryParameter(description="an identity, as `ym:login`")],
) -> None:
    """Take somebody out of a role."""
    await broker.people.remove_member(request.user, role, member)
