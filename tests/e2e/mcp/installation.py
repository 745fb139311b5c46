"""A whole installation in a scratch directory: server, passphrase, tokens, and the people of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
from mcp.client.stdio import StdioServerParameters

from sayso.config.workspace import SETTINGS_NAME
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from sayso.system.places import DATABASE_NAME

SAYSO = str(Path(sys.executable).with_name("sayso"))
PASSPHRASE = "correct horse battery staple"
PATIENCE = 60.0

Json = Any


class Installation:
    """One sayso server that can be killed and started again, and an approver at its HTTP API."""

    def __init__(self, home: Path, settings: str) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        (home / SETTINGS_NAME).write_text(settings)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SAYSO_")},
            "SAYSO_HOME": str(home),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.agent_token = ""
        self._approver_token = ""

    async def set_up(self) -> None:
        """Choose the passphrase, make the tokens, start."""
        tokens = {}
        # In this process: a command line each would take its time.
        async with open_broker(
            database=self.home / DATABASE_NAME, settings=self.home / SETTINGS_NAME
        ) as broker:
            await broker.access.choose_passphrase(PASSPHRASE, None, "terminal")
            _, owner = await broker.access.login(PASSPHRASE, "terminal", 60)
            for kind in (CredentialKind.AGENT, CredentialKind.APPROVER):
                tokens[kind], _ = await broker.access.create_token(
                    owner, kind, agent_id="coder" if kind is CredentialKind.AGENT else None
                )
        self.agent_token = tokens[CredentialKind.AGENT]
        self._approver_token = tokens[CredentialKind.APPROVER]
        await self.start()

    async def start(self) -> None:
        """Start the server and wait until it answers."""
        # Not asyncio's: the server outlives the loop of one test.
        self.process = subprocess.Popen(  # noqa: ASYNC220
            [SAYSO, "serve", "--port", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=self.environment,
        )
        async with asyncio.timeout(PATIENCE):
            while True:
                assert self.process.poll() is None, "the server ended"
                with contextlib.suppress(httpx.TransportError):
                    await self.inbox()
                    return
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """End the server as a power cut would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End everything."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)

    # ── the approver ─────────────────────────────────────────────────────────────────────────

    async def get(self, path: str) -> Json:
        """What a path of the API says."""
        return await self._send("GET", path)

    async def _send(self, method: str, path: str, body: Json = None) -> Json:
        # A client for each: one that is kept would belong to the loop of one test.
        async with httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self._approver_token}"},
            timeout=30,
            verify=False,
        ) as client:
            answer = await client.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json()

    async def inbox(self) -> list[Json]:
        """The cards that wait."""
        return (await self.get("/api/inbox"))["approvals"]

    async def card(self, request_id: str) -> Json:
        """One card."""
        return await self.get(f"/api/inbox/approvals/{request_id}")

    async def asked(self, count: int = 1) -> list[Json]:
        """The cards that wait, once there are so many."""
        return await self.until(self.inbox, lambda cards: len(cards) >= count)

    async def becomes(self, request_id: str, *statuses: str, within: float = PATIENCE) -> Json:
        """The card once it has one of these statuses."""
        return await self.until(
            lambda: self.card(request_id), lambda card: card["status"] in statuses, within
        )

    async def until(
        self, ask: Callable[[], Any], true: Callable[[Any], bool], within: float = PATIENCE
    ) -> Any:
        """Ask again and again until what is answered fits."""
        async with asyncio.timeout(within):
            while not true(found := await ask()):  # noqa: ASYNC110  another process
                await asyncio.sleep(0.05)
        return found

    async def resolve(self, card: Json, action: str, note: str | None = None) -> None:
        """Approve or reject what a card shows."""
        body = {"action": action, "digest": card["digest"], "note": note}
        await self._send(
            "POST",
            f"/api/inbox/approvals/{card['request_id']}/resolve",
            {name: value for name, value in body.items() if value is not None},
        )

    async def outcomes(self, request_id: str) -> list[Json]:
        """The audit's records of what came of a call."""
        entries = (await self.get(f"/api/audit?call_id={request_id}&limit=100"))["entries"]
        return [entry for entry in entries if entry["kind"] == "outcome"]

    # ── the gateway ──────────────────────────────────────────────────────────────────────────

    def gateway(
        self, command: Sequence[str], name: str, hold: float | None = None
    ) -> tuple[list[str], dict[str, str]]:
        """The command of a gateway in front of a server, and its environment."""
        limit = [] if hold is None else ["--hold", str(hold)]
        full = [SAYSO, "mcp", "--name", name, "--url", self.url, *limit, "--", *command]
        return full, {**self.environment, "SAYSO_AGENT_TOKEN": self.agent_token}

    def parameters(
        self, command: Sequence[str], name: str, hold: float | None = None
    ) -> StdioServerParameters:
        """The same, as the official client wants it."""
        full, env = self.gateway(command, name, hold)
        return StdioServerParameters(command=full[0], args=full[1:], env=env)


class RawClient:
    """A client that writes lines to a gateway process, so that the process can be killed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: dict[Json, asyncio.Future[Json]] = {}
        self._reading = asyncio.ensure_future(self._read())

    def call(self, request_id: int, tool: str, **arguments: Json) -> asyncio.Future[Json]:
        """Call a tool; the answer comes later."""
        params = {"name": tool, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})
        future = self.answers[request_id] = asyncio.get_running_loop().create_future()
        return future

    def cancel(self, request_id: int) -> None:
        """Wait no longer for a call."""
        params = {"requestId": request_id}
        self.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def say(self, message: Json) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def kill(self) -> None:
        """End the gateway as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    async def close(self) -> None:
        """Leave."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), PATIENCE)
        self._reading.cancel()

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            future = self.answers.get(message.get("id"))
            if future is not None and not future.done():
                future.set_result(message)


@contextlib.asynccontextmanager
async def raw_client(
    made: Installation, command: Sequence[str], hold: float | None = None
) -> AsyncIterator[RawClient]:
    """A raw client of a gateway in front of a server that is called `s`."""
    full, env = made.gateway(command, "s", hold)
    process = await asyncio.create_subprocess_exec(
        *full, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=env
    )
    client = RawClient(process)
    try:
        yield client
    finally:
        await client.close()
