"""Servers and clients of the benchmarks over HTTP: sayso's own, the framework alone, and bare writes."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from litestar import Litestar, post
from uvicorn import Config
from uvicorn import Server as Uvicorn

from bench.ours import PASSPHRASE, TOOL, arguments, close_ours, open_ours
from bench.processes import Handler
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule
from sayso.server.app import create_app
from sayso.server.config import ServerConfig
from sayso.server.run import Server, bind
from sayso.store.sqlite import open_sqlite

HOST = "127.0.0.1"
FILES = 4096
"""So many connections a process may have open."""


def more_files() -> None:
    """Let this process hold the connections of a thousand clients."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextlib.asynccontextmanager
async def _serving(server: Uvicorn, port: int) -> AsyncIterator[int]:
    with contextlib.closing(bind(HOST, port)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
            await asyncio.sleep(0.01)
        try:
            yield int(listening.getsockname()[1])
        finally:
            server.should_exit = True
            await serving


@contextlib.asynccontextmanager
async def sayso_serves(directory: str, allowed: bool) -> AsyncIterator[Handler]:
    """sayso's server on a SQLite file; it answers `where` with its port and tokens, `call` by making one."""
    more_files()
    rules = (parse_text_rule("allow", TOOL, rule_id="b", origin=Origin.GLOBAL),) if allowed else ()
    store = open_sqlite(Path(directory) / f"http-{allowed}.db")
    ours = await open_ours(store, directory, rules)
    _, owner = await ours.broker.access.login(PASSPHRASE, "bench")
    agent, _ = await ours.broker.access.create_token(owner, CredentialKind.AGENT, agent_id="clerk")
    config = ServerConfig(static=None, calls_per_second=1e9, calls_at_once=1_000_000_000)
    server = Server(create_app(ours.broker, config))
    server.config.lifespan = "off"  # the broker runs already
    async with _serving(server, 0) as port:

        async def handle(what: Any) -> Any:
            if what == "where":
                return port, agent, ours.approver_token
            begun = time.perf_counter()
            await ours.gate.submit(ours.draft())
            return begun

        yield handle
    await close_ours(ours)


@contextlib.asynccontextmanager
async def framework_serves() -> AsyncIterator[Handler]:
    """The framework with one endpoint that reads the same body and answers a small document."""

    @post("/api/calls", status_code=200)
    async def trivial(data: dict[str, Any]) -> dict[str, Any]:
        return {"call_id": data["session_id"], "effect": "allow"}

    app = Litestar([trivial], openapi_config=None, logging_config=None)
    config = Config(app, http="httptools", ws="none", lifespan="off", log_config=None)
    async with _serving(Uvicorn(config), 0) as port:

        async def handle(what: Any) -> Any:
            del what
            return port, "", ""

        yield handle


@contextlib.asynccontextmanager
async def writes_alone() -> AsyncIterator[Handler]:
    """A bare socket server: what it is told to write goes to each of its connections, one after the other."""
    more_files()
    open_now: list[asyncio.StreamWriter] = []

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nid: 1\n\n")
        open_now.append(writer)

    server = await asyncio.start_server(greet, HOST, 0, backlog=2048)
    async with server:

        async def handle(what: Any) -> Any:
            if what == "where":
                return server.sockets[0].getsockname()[1], "", ""
            begun = time.perf_counter()
            for writer in open_now:
                writer.transport.write(what)
            return begun

        yield handle
        for writer in open_now:
            writer.close()


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> bytes:
    """One request on a connection that stays open, and the body of its answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 20"), head
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return await reader.readexactly(length)


def call_request(port: int, token: str, path: str, body: bytes) -> bytes:
    """A POST of a body, as bytes."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def call_body(session_id: str) -> dict[str, Any]:
    """The body of one call."""
    return {"session_id": session_id, "tool": TOOL, "arguments": arguments(1)}
