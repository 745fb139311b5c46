"""One connection to a server: requests, what may be sent again, and how long an absent server is waited for."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Mapping
from typing import Any

import httpx

from sayso.client.problems import error_of
from sayso.core.address import is_loopback
from sayso.errors import CallInvalid, RateLimited, ServerUnreachable, StoreUnavailable

ANSWER_SECONDS = 30.0
"""How long an answer may take that does not wait for a person."""

CONNECT_SECONDS = 5.0
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0


class Connection:
    """Speaks the API with one token; redirects are not followed, so that the token goes nowhere else.

    `patience` is how long a server that does not answer is waited for, in seconds, where sending
    again is safe. Raises ServerUnreachable for what is no address.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        patience: float,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        host = _host_of(url)
        self.url = url.rstrip("/")
        self._patience = patience
        self._http = httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            trust_env=not is_loopback(host),  # this machine is asked without a proxy
            transport=transport,
        )

    async def close(self) -> None:
        """Close what is open."""
        await self._http.aclose()

    async def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        again: bool = False,
        within: float = ANSWER_SECONDS,
    ) -> Any:
        """Send one request and return the answer's document, None if it has none.

        `again` says that sending it twice does no harm: then a server that is away or busy is waited
        for. Raises ServerUnreachable, and whatever the server's problem document stands for.
        """
        try:
            content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        except UnicodeError as error:
            raise CallInvalid(
                "a text is not valid Unicode", "send it as JSON can carry it"
            ) from error
        started = time.monotonic()
        pause = FIRST_PAUSE
        while True:
            try:
                return await self._once(method, path, content, params, within)
            except (ServerUnreachable, StoreUnavailable, RateLimited) as error:
                held = error.retry_after if isinstance(error, RateLimited) else 0.0
                pause = max(pause, held)
                if not again or time.monotonic() - started + pause > self._patience:
                    raise
            await asyncio.sleep(pause * random.uniform(0.75, 1.25))
            pause = min(LONGEST_PAUSE, pause * 2)

    async def _once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        params: Mapping[str, Any] | None,
        within: float,
    ) -> Any:
        try:
            answer = await self._http.request(
                method,
                path,
                content=content,
                headers=None if content is None else {"Content-Type": "application/json"},
                params=params,
                timeout=httpx.Timeout(within, connect=CONNECT_SECONDS, pool=None),
            )
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ServerUnreachable(
                f"no sayso server answers at `{self.url}`", "start it: sayso serve"
            ) from error
        except httpx.TransportError as error:
            raise ServerUnreachable(
                f"the server at `{self.url}` went away before it answered",
                "see whether it still runs; if not, start it: sayso serve",
            ) from error
        return _document(answer)


def _document(answer: httpx.Response) -> Any:
    if answer.status_code == 204:
        return None
    try:
        document = answer.json()
    except ValueError:
        document = None
    if answer.status_code in (200, 201) and document is not None:
        return document
    raise error_of(answer.status_code, document)


def _host_of(url: str) -> str:
    """The host of a server's address."""
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        parts = httpx.URL()
    if parts.scheme not in ("http", "https") or not parts.host or "%" in parts.host:
        raise ServerUnreachable(
            f"`{url}` is not the address of a server", "write it in full: http://127.0.0.1:8484"
        )
    return parts.host
