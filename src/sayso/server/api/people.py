"""People and their stand-ins."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody

from sayso.core.moment import Moment, from_rfc3339
from sayso.errors import CallInvalid
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.people_bodies import PersonBody, PersonChangeBody, StandInBody
from sayso.server.people_documents import (
    CodeMade,
    PersonAdded,
    PersonListed,
    StandInShown,
    people_listed,
    person_listed,
    stand_in_shown,
)
from sayso.server.routes import route


@get("/people", operation_id="people", tags=["people"], **route(Who.CONFIGURES))
async def read_people(request: Asked, broker: TheBroker) -> list[PersonListed]:
    """Everybody who can decide, with roles and stand-ins; for admins."""
    return people_listed(await broker.people.directory(request.user))


@post("/people", operation_id="addPerson", tags=["people"], **route(Who.CONFIGURES, 404, body=True))
async def add_person(request: Asked, data: JSONBody[PersonBody], broker: TheBroker) -> PersonAdded:
    """Add somebody; the answer holds the code with which they choose a passphrase, this once."""
    person, code = await broker.people.add(
        request.user,
        data.name,
        admin=data.admin,
        operator=data.operator,
        agents=data.agents,
        identities=data.identities,
    )
    there = await broker.people.directory(request.user)
    return PersonAdded(person=person_listed(person, there), code=code)


@put(
    "/people/{person_id:str}",
    operation_id="changePerson",
    tags=["people"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def change_person(
    request: Asked, person_id: FromPath[str], data: JSONBody[PersonChangeBody], broker: TheBroker
) -> PersonListed:
    """Change somebody's rights or identities, or disable them; what is left out stays."""
    what: dict[str, Any] = msgspec.to_builtins(data)
    if isinstance(what.get("agents"), list):
        what["agents"] = tuple(what["agents"])
    person = await broker.people.change(request.user, person_id, **what)
    return person_listed(person, await broker.people.directory(request.user))


@delete(
    "/people/{person_id:str}",
    status_code=204,
    operation_id="removePerson",
    tags=["people"],
    **route(Who.CONFIGURES, 404),
)
async def remove_person(request: Asked, person_id: FromPath[str], broker: TheBroker) -> None:
    """Remove somebody for good, with every credential, membership and stand-in."""
    await broker.people.remove(request.user, person_id)


@post(
    "/people/{person_id:str}/code",
    operation_id="newCode",
    tags=["people"],
    **route(Who.CONFIGURES, 404),
)
async def new_code(request: Asked, person_id: FromPath[str], broker: TheBroker) -> CodeMade:
    """A code with which somebody chooses a new passphrase, once, within three days."""
    return CodeMade(code=await broker.people.new_code(request.user, person_id))


@post(
    "/people/{person_id:str}/stand-in",
    operation_id="nameStandIn",
    tags=["people"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def name_stand_in(
    request: Asked, person_id: FromPath[str], data: JSONBody[StandInBody], broker: TheBroker
) -> list[StandInShown]:
    """Let somebody stand in for a time: for oneself, with a login, or for anybody, by an admin's word."""
    since = None if data.since is None else _moment("since", data.since)
    until = _moment("until", data.until)
    there = await broker.people.stand_in(request.user, person_id, data.substitute, since, until)
    return [stand_in_shown(link) for link in there.stand_ins]


@delete(
    "/people/{person_id:str}/stand-in",
    status_code=204,
    operation_id="endStandIn",
    tags=["people"],
    **route(Who.CONFIGURES, 404),
)
async def end_stand_in(
    request: Asked,
    person_id: FromPath[str],
    broker: TheBroker,
    substitute: FromQuery[str | None] = None,
) -> None:
    """Let nobody, or not this one, stand in for somebody any more."""
    await broker.people.end_stand_in(request.user, person_id, substitute)


def _moment(field: str, written: str) -> Moment:
    try:
        return from_rfc3339(written)
    except (ValueError, OverflowError) as error:
        raise CallInvalid(
            f"{field} `{written}` is not a time", "write RFC 3339, as 2030-01-02T03:04:05Z"
        ) from error
