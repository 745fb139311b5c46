"""What people had remembered: grants, vetoes and bypasses, a person's own and for an admin anyone's."""

from __future__ import annotations

from litestar import delete, get, post
from litestar.params import FromPath, JSONBody

from sayso.broker.remembering import Wish
from sayso.core.moment import to_rfc3339
from sayso.errors import NotEligible, RequestNotFound
from sayso.requests.approval import Vote
from sayso.requests.standing_grant import Bypass, KeyGrant, Remember
from sayso.server.auth import Who
from sayso.server.bodies import PermissionBody
from sayso.server.card_documents import BypassShown, Card, GrantShown
from sayso.server.cards import text_shown
from sayso.server.injected import Asked, TheBroker, TheCards
from sayso.server.routes import route


@get("/grants", operation_id="grants", tags=["grants"], **route(Who.PERSON))
async def read_grants(request: Asked, broker: TheBroker) -> list[GrantShown]:
    """What is granted for your calls, and what you granted, newest first."""
    return [_grant(found) for found in await broker.kept.grants(request.user, vetoes=False)]


@delete(
    "/grants", status_code=204, operation_id="clearGrants", tags=["grants"], **route(Who.PERSON)
)
async def clear_grants(request: Asked, broker: TheBroker) -> None:
    """Take all your grants back; an admin everybody's."""
    await broker.kept.clear(request.user, vetoes=False)


@delete(
    "/grants/{grant_id:str}",
    status_code=204,
    operation_id="revokeGrant",
    tags=["grants"],
    **route(Who.PERSON, 404),
)
async def revoke_grant(request: Asked, grant_id: FromPath[str], broker: TheBroker) -> None:
    """Take one grant back; from the next call on it asks again."""
    await broker.kept.revoke(request.user, grant_id, veto=False)


@get("/vetoes", operation_id="vetoes", tags=["grants"], **route(Who.PERSON))
async def read_vetoes(request: Asked, broker: TheBroker) -> list[GrantShown]:
    """What is refused for your calls, and what you refused, newest first."""
    return [_grant(found) for found in await broker.kept.grants(request.user, vetoes=True)]


@delete(
    "/vetoes", status_code=204, operation_id="clearVetoes", tags=["grants"], **route(Who.PERSON)
)
async def clear_vetoes(request: Asked, broker: TheBroker) -> None:
    """Take all your vetoes back; an admin everybody's."""
    await broker.kept.clear(request.user, vetoes=True)


@delete(
    "/vetoes/{veto_id:str}",
    status_code=204,
    operation_id="revokeVeto",
    tags=["grants"],
    **route(Who.PERSON, 404),
)
async def revoke_veto(request: Asked, veto_id: FromPath[str], broker: TheBroker) -> None:
    """Take one veto back; from the next call on it asks again."""
    await broker.kept.revoke(request.user, veto_id, veto=True)


@get("/bypasses", operation_id="bypasses", tags=["grants"], **route(Who.PERSON))
async def read_bypasses(request: Asked, broker: TheBroker) -> list[BypassShown]:
    """The bypasses in your sessions that last, newest first."""
    return [_bypass(found) for found in await broker.kept.bypasses(request.user)]


@delete(
    "/bypasses", status_code=204, operation_id="clearBypasses", tags=["grants"], **route(Who.PERSON)
)
async def clear_bypasses(request: Asked, broker: TheBroker) -> None:
    """Take all your bypasses back; an admin everybody's."""
    await broker.kept.clear_bypasses(request.user)


@delete(
    "/bypasses/{bypass_id:str}",
    status_code=204,
    operation_id="revokeBypass",
    tags=["grants"],
    **route(Who.PERSON, 404),
)
async def revoke_bypass(request: Asked, bypass_id: FromPath[str], broker: TheBroker) -> None:
    """Take one bypass back, before its time."""
    await broker.kept.revoke_bypass(request.user, bypass_id)


@post(
    "/sessions/{session_id:str}/permissions/{request_id:str}",
    status_code=200,
    operation_id="permit",
    tags=["grants"],
    **route(Who.PERSON, 404, 409, body=True),
)
async def permit(
    request: Asked,
    session_id: FromPath[str],
    request_id: FromPath[str],
    data: JSONBody[PermissionBody],
    broker: TheBroker,
    cards: TheCards,
) -> Card:
    """The end user's own answer to a request of their session, once or for always."""
    actor = request.user
    found = await broker.request(actor, request_id)
    if found.call.session_id != session_id:
        raise RequestNotFound(
            f"this session has no request `{request_id[:64]}`", "look at the inbox"
        )
    if not (actor.person.admin or actor.person.is_called(found.call.user_id)):
        raise NotEligible("this is for the session's user and for admins", "answer it in the inbox")
    word, how_long = data.decision.split("_")
    answered = await broker.answer(
        actor,
        request_id,
        Vote.APPROVE if word == "allow" else Vote.REJECT,
        digest=data.digest,
        wish=Wish(Remember(how_long)),
    )
    return await cards.answered(actor, answered)


def _grant(grant: KeyGrant) -> GrantShown:
    return GrantShown(
        id=grant.grant_id,
        label=text_shown(grant.key.label),
        veto=grant.veto,
        user=text_shown(grant.user_id),
        session_id=grant.session_id,
        by=text_shown(grant.giver_name),
        added=to_rfc3339(grant.given_at),
        request_id=grant.request_id or None,
        comment=None if grant.comment is None else text_shown(grant.comment),
    )


def _bypass(bypass: Bypass) -> BypassShown:
    return BypassShown(
        id=bypass.bypass_id,
        scope=bypass.scope.extent.value,
        label=text_shown(bypass.scope.label),
        user=text_shown(bypass.user_id),
        session_id=bypass.session_id,
        by=text_shown(bypass.giver_name),
        added=to_rfc3339(bypass.given_at),
        until=None if bypass.until is None else to_rfc3339(bypass.until),
        request_id=bypass.request_id or None,
    )
