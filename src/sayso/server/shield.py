"""The outermost layer: the checks on Host and Origin, and the headers without which nothing is sent (SRV-3, SRV-6)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson
from litestar.enums import ScopeType
from litestar.types import (
    ASGIApp,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Message,
    Receive,
    Scope,
    Send,
)

from sayso.core.address import LOOPBACK_NAMES, is_loopback
from sayso.server.auth import SAFE_METHODS
from sayso.server.config import ServerConfig
from sayso.server.problems import MEDIA_TYPE, problem
from sayso.server.proxies import Proxies
from sayso.web import CONTENT_SECURITY_POLICY

EVENTS_PATH = "/api/events"

SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
NO_STORE = (b"cache-control", b"no-store")


class Shield:
    """An ASGI application around another one; it reads no body and knows no credential."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._config = config
        own = () if config.host in ("0.0.0.0", "::", "") else (config.host.strip("[]").lower(),)
        self._hosts = frozenset(
            (*LOOPBACK_NAMES, *own, *(host.strip("[]").lower() for host in config.allowed_hosts))
        )
        self._proxies = Proxies(config.trusted_proxies)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in config.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on, with the headers added to whatever is answered."""
        scope = self._proxies.as_asked(scope)
        if scope["type"] == ScopeType.WEBSOCKET:
            refusal = self._refusal(scope)
            if refusal is None:
                await self._app(scope, receive, send)
            else:  # before it is accepted, which the client sees as 403
                await send({"type": "websocket.close", "code": 4403, "reason": refusal["title"]})
            return

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message["headers"])
                said = {name.lower() for name, _ in headers}
                headers += [pair for pair in SECURITY_HEADERS if pair[0] not in said]
                if NO_STORE[0] not in said:
                    headers.append(NO_STORE)
                message = {**message, "headers": headers}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, shielded)
            return
        await _answer(refusal, shielded)

    def _refusal(self, scope: Scope) -> dict[str, Any] | None:
        hosts = _all(scope, b"host")
        if len(hosts) != 1 or not self._known(scope, hosts[0]):
            return problem(
                421,
                "host-unknown",
                "this server is not known by the host name of the request",
                "open it by localhost, or start it with the name: sayso serve --allowed-host NAME",
            )
        method, path = scope.get("method", "GET"), scope["path"]
        reads = method in SAFE_METHODS and path != EVENTS_PATH
        if reads and scope["type"] == ScopeType.HTTP:
            return None
        origins = _all(scope, b"origin")
        if any(not self._same(origin, hosts[0], scope) for origin in origins):
            return _forged("a page of another origin may not do that")
        site = _all(scope, b"sec-fetch-site")
        if not origins and any(word not in ("same-origin", "none") for word in site):
            return _forged("another site may not do that")
        return None

    def _known(self, scope: Scope, host: str) -> bool:
        name = _name(host)
        if name is None:
            return False
        if name in self._hosts:
            return True
        if self._config.on_loopback:
            return is_loopback(name)
        # Rebinding needs a name: the very address this connection came in on is none.
        server = scope.get("server")
        return server is not None and name == server[0]

    def _same(self, origin: str, host: str, scope: Scope) -> bool:
        origin = origin.lower()
        if origin in self._origins:
            return True
        tls = self._config.secure or scope.get("scheme", "http") in ("https", "wss")
        scheme = "https" if tls else "http"
        return origin == f"{scheme}://{host.lower()}"


async def _answer(refusal: dict[str, Any], send: Send) -> None:
    body = orjson.dumps(refusal)
    start: HTTPResponseStartEvent = {
        "type": "http.response.start",
        "status": refusal["status"],
        "headers": [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
        ],
    }
    rest: HTTPResponseBodyEvent = {
        "type": "http.response.body",
        "body": body,
        "more_body": False,
    }
    await send(start)
    await send(rest)


def _forged(detail: str) -> dict[str, Any]:
    return problem(
        403,
        "origin-refused",
        detail,
        "open sayso's own page, or start the server with the origin: sayso serve --allowed-origin",
    )


def _all(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _name(host: str) -> str | None:
    """The host name of a Host header, without its port; None if it is none."""
    if any(character in host for character in "/@?#\\ ") or not host:
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
        return parts.hostname
    except ValueError:
        return None
