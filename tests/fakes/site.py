"""A server around a scene: in this process over ASGI, or listening for those that need a real connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any, cast

import httpx
from litestar import Litestar

from sayso.core.moment import plus
from sayso.people.person import OWNER, Person
from sayso.people.token import Credential, CredentialKind, hash_token, write_token
from sayso.policy.rule import Rule
from sayso.server.app import create_app
from sayso.server.auth import COOKIE, CSRF_HEADER, halves
from sayso.server.config import ServerConfig
from sayso.server.run import Server, bind
from tests.fakes.world import Scene, make_scene

BASE = "http://localhost:8484"
PASSPHRASE = "correct horse battery"


@dataclass
class Site:
    """A server's application with its scene; `client` speaks to it as somebody."""

    scene: Scene
    app: Litestar
    config: ServerConfig
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    async def token(
        self,
        kind: CredentialKind,
        person_id: str = OWNER,
        agent_id: str | None = None,
        lifetime: float | None = None,
    ) -> str:
        """A fresh token of that kind."""
        scene, now = self.scene, self.scene.clock.now()
        token = write_token(kind, scene.ids.secret())
        credential = Credential(
            credential_id=scene.ids.new_id(now),
            kind=kind,
            person_id=person_id,
            secret_hash=hash_token(token),
            created_at=now,
            expires_at=None if lifetime is None else plus(now, lifetime),
            agent_id=agent_id,
        )
        await scene.store.put_credential(credential, [])
        return token

    def client(self, token: str | None = None, **headers: str) -> httpx.AsyncClient:
        """A client with that bearer token, or without a credential."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        made = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=cast("Any", self.app)), base_url=BASE, headers=headers
        )
        self.clients.append(made)
        return made

    async def agent(self, agent_id: str = "coder", person_id: str = OWNER) -> httpx.AsyncClient:
        """A client with a fresh agent's token."""
        return self.client(await self.token(CredentialKind.AGENT, person_id, agent_id))

    async def approver(self, person_id: str = OWNER) -> httpx.AsyncClient:
        """A client with a fresh approver's token."""
        return self.client(await self.token(CredentialKind.APPROVER, person_id))

    async def admin(self, person_id: str = OWNER) -> httpx.AsyncClient:
        """A client with a fresh admin's token."""
        return self.client(await self.token(CredentialKind.ADMIN, person_id))

    async def page(self, person_id: str = OWNER) -> httpx.AsyncClient:
        """A client that is logged in as the page is, with both halves of its login."""
        cookie, half = halves(await self.token(CredentialKind.SESSION, person_id))
        return self.client(Cookie=f"{COOKIE}={cookie}", **{CSRF_HEADER: half})

    async def close(self) -> None:
        """Close what was opened."""
        for client in self.clients:
            await client.aclose()
        await self.scene.broker.close()


def make_site(
    *rules: Rule, people: tuple[Person, ...] = (), store: Any = None, **config: Any
) -> Site:
    """A server's application over a new scene; it does not listen anywhere."""
    scene = make_scene(*rules, people=people, store=store)
    settings = ServerConfig(**config)
    return Site(scene, create_app(scene.broker, settings), settings)


@contextlib.asynccontextmanager
async def listening(
    site: Site, port: int = 0, *, small: bool = False
) -> AsyncIterator[tuple[str, Server]]:
    """The site, listening: its address, and the server that can be told to stop.

    With `small` the system holds little of what a client does not read.
    """
    with contextlib.closing(bind("127.0.0.1", port)) as socket:
        if small:
            socket.setsockopt(SOL_SOCKET, SO_SNDBUF, 8192)
        app = create_app(site.scene.broker, replace(site.config, port=socket.getsockname()[1]))
        started = asyncio.Event()
        server = Server(app, announce=started.set)
        serving = asyncio.create_task(server.serve(sockets=[socket]))
        try:
            async with asyncio.timeout(10):
                await started.wait()
            yield f"http://127.0.0.1:{socket.getsockname()[1]}", server
        finally:
            server.should_exit = True
            await serving


async def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait until something holds; fails after so many seconds."""
    async with asyncio.timeout(seconds):
        while True:
            if holds():
                return
            await asyncio.sleep(0.02)


async def open_session(agent: httpx.AsyncClient, **body: Any) -> str:
    """A session of that agent."""
    answer = await agent.post("/api/sessions", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["session_id"])


async def submit(agent: httpx.AsyncClient, session_id: str, **changes: Any) -> dict[str, Any]:
    """A call that agent makes; its standing."""
    body = {
        "session_id": session_id,
        "tool": "send_mail",
        "arguments": {"to": "alice@example.com"},
        **changes,
    }
    answer = await agent.post("/api/calls", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def problem_of(answer: httpx.Response) -> str:
    """The name of the problem an answer is; it must have the shape of one."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document = answer.json()
    assert document["status"] == answer.status_code
    assert document["title"]
    assert document["detail"]
    assert "Traceback" not in answer.text
    prefix = "urn:sayso:problem:"
    assert document["type"].startswith(prefix)
    return str(document["type"]).removeprefix(prefix)
