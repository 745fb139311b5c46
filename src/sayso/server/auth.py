"""Who asks: bearer tokens and the page's login, the proof against forged requests, and who may call what (SRV-3)."""

from __future__ import annotations

from enum import Enum

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard

from sayso.broker.access import LOGIN_SECONDS, Access, Actor
from sayso.errors import NotAuthenticated, NotEligible
from sayso.people.token import CONFIGURING, DECIDING, CredentialKind

COOKIE = "sayso_session"
CSRF_HEADER = "X-CSRF-Token"
HALF = 32
"""So many characters of a login's secret, 128 bits, are in the header and not in the cookie."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

WEB = "web"
API = "api"
"""The channels of a login at the page and of a token."""


class Who(Enum):
    """Which kinds of credentials may use a route; every route states one."""

    EVERYBODY = frozenset[CredentialKind]()
    ANY_CREDENTIAL = frozenset(CredentialKind)
    AGENT = frozenset({CredentialKind.AGENT})
    PERSON = DECIDING
    CONFIGURES = CONFIGURING
    LOGIN = frozenset({CredentialKind.SESSION})


_REFUSED = {
    Who.AGENT: ("only an agent's token may make calls", "sayso tokens create --kind agent"),
    Who.PERSON: (
        "an agent's token can never see or decide what people decide",
        "log in, or use an approver's token",
    ),
    Who.CONFIGURES: (
        "this credential may not change the configuration",
        "log in with the passphrase, or use an admin's token",
    ),
    Who.LOGIN: ("a token is not a login", "revoke it instead: sayso tokens revoke"),
}


def guard(access: Access) -> Guard:
    """The guard of every route under /api: proves who asks and refuses whom the route is not for.

    It runs before the body is read. A route that states nothing is for nobody.
    """

    async def guarded(connection: ASGIConnection, handler: BaseRouteHandler) -> None:  # type: ignore[type-arg]
        who = handler.opt.get("who")
        if who is Who.EVERYBODY:
            return
        token, by_cookie = presented(connection)
        connection.scope["user"] = await prove(access, token, by_cookie, who)
        connection.scope["auth"] = token

    return guarded


async def prove(access: Access, token: str, by_cookie: bool, who: object) -> Actor:
    """Who holds a secret; raises NotAuthenticated, or NotEligible unless `who` lets its kind in."""
    actor = await access.authenticate(token, WEB if by_cookie else API)
    if by_cookie and actor.kind is not CredentialKind.SESSION:
        raise NotAuthenticated("this cookie is not a login", "send a token as a bearer token")
    if not isinstance(who, Who):
        raise NotEligible("this route is for nobody")
    if actor.kind not in who.value:
        raise NotEligible(*_REFUSED[who])
    return actor


def presented(
    connection: ASGIConnection,  # type: ignore[type-arg]
    half: str | None = None,
    said: str | None = None,
) -> tuple[str, bool]:
    """The secret that was presented, and whether it came with the cookie; a bearer token goes before it.

    A socket's first message may bring a token, or the half of a login that stands in a header elsewhere.
    Raises NotAuthenticated if there is none.
    """
    if said:
        return said, False
    header = connection.headers.get("authorization")
    if header is not None:
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise NotAuthenticated(
                "the authorization header is not a bearer token",
                "send `Authorization: Bearer` and the token",
            )
        return token.strip(), False
    cookie = connection.cookies.get(COOKIE)
    if not cookie:
        raise NotAuthenticated("no credential was presented", "log in, or send a token")
    return cookie + (half or connection.headers.get(CSRF_HEADER) or ""), True


def halves(session_token: str) -> tuple[str, str]:
    """A login in two: what the cookie carries, and what only the page that logged in knows.

    A browser sends a cookie to every port of a host, so also to whatever an agent lets listen on one;
    what a page stores is its origin's alone. Neither half can be told from the other.
    """
    return session_token[:-HALF], session_token[-HALF:]


def session_cookie(token: str, *, secure: bool) -> Cookie:
    """The cookie of a login: not readable by scripts, never sent from another site."""
    return _cookie(halves(token)[0], secure=secure, max_age=int(LOGIN_SECONDS))


def ended_cookie(*, secure: bool) -> Cookie:
    """The cookie that takes a login's place when it ends."""
    return _cookie("", secure=secure, max_age=0)


def _cookie(value: str, *, secure: bool, max_age: int) -> Cookie:
    return Cookie(
        COOKIE,
        value=value,
        path="/",
        httponly=True,
        samesite="strict",
        secure=secure,
        max_age=max_age,
    )
