"""Three real servers on one PostgreSQL, killed and started again while agents and people use them by HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from tests.fakes.postgres import Server

SAYSO = str(Path(sys.executable).with_name("sayso"))
PASSPHRASE = "correct horse battery staple"
AGENTS = 8
PATIENCE = 120.0

Json = Any


class Gone(Exception):
    """Whether a request arrived is not known: its connection or its server went away."""


class Replica:
    """One `sayso serve` with settings and a port of its own."""

    def __init__(self, home: Path, database: str) -> None:
        self.home = home
        home.mkdir(mode=0o700)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SAYSO_")},
            "SAYSO_HOME": str(home),
            "SAYSO_DATABASE": database,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def runs(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it, if it does not run."""
        if not self.runs:
            self._process = subprocess.Popen(
                [SAYSO, "serve", "--port", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Cluster:
    """The replicas, their database, an approver, and agents; whoever calls takes any replica."""

    def __init__(self, directory: Path, seed: int, replicas: int = 3) -> None:
        self.postgres = Server()
        self.database = self.postgres.new_database(template=None)
        self.replicas = [Replica(directory / f"r{n}", self.database) for n in range(replicas)]
        self.random = random.Random(seed)
        self.agents: list[str] = []
        self.approver = ""
        self.killed = self.restarted = 0
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=0)
        self._client = httpx.AsyncClient(timeout=20, limits=limits)

    async def set_up(self) -> None:
        """Make passphrase and tokens, and start every replica."""
        async with open_broker(database=self.database) as broker:
            await broker.access.choose_passphrase(PASSPHRASE, None, "terminal")
            _, owner = await broker.access.login(PASSPHRASE, "terminal", 60)
            self.approver, _ = await broker.access.create_token(owner, CredentialKind.APPROVER)
            for n in range(AGENTS):
                token, _ = await broker.access.create_token(
                    owner, CredentialKind.AGENT, agent_id=f"agent{n}"
                )
                self.agents.append(token)
        await self.all_run()

    async def all_run(self) -> None:
        """Start what does not run, and wait until every replica is ready."""
        async with asyncio.timeout(PATIENCE):
            for replica in self.replicas:
                while True:
                    replica.start()
                    with contextlib.suppress(httpx.TransportError):
                        if (await self._client.get(f"{replica.url}/readyz")).status_code == 200:
                            break
                    await asyncio.sleep(0.1)

    async def close(self) -> None:
        """End everything."""
        await self._client.aclose()
        for replica in self.replicas:
            replica.kill()
        self.postgres.close()

    # ── what goes wrong ────────────────────────────────────────────────────────────────────────

    async def trouble(self, until: asyncio.Event) -> None:
        """Kill one replica or two as soon as all run, and restart PostgreSQL every third time."""
        turn = 0
        while not until.is_set():
            turn += 1
            await asyncio.sleep(self.random.uniform(0, 1))
            for victim in self.random.sample(self.replicas, self.random.choice((1, 1, 2))):
                await asyncio.to_thread(victim.kill)
                self.killed += 1
            if turn % 3 == 2:
                at_once = self.random.random() < 0.5
                stop = self.postgres.stop_at_once if at_once else self.postgres.stop
                await asyncio.to_thread(stop)
                await asyncio.sleep(self.random.uniform(0, 1))
                await asyncio.to_thread(self.postgres.start)
                self.restarted += 1
            await self.all_run()

    # ── HTTP ───────────────────────────────────────────────────────────────────────────────────

    async def send(self, token: str, method: str, path: str, body: Json = None) -> tuple[int, Json]:
        """Send a request to any replica, once; raises Gone where its answer did not come."""
        url = self.random.choice(self.replicas).url + path
        try:
            answer = await self._client.request(
                method, url, json=body, headers={"Authorization": f"Bearer {token}"}
            )
        except httpx.TransportError as error:
            raise Gone from error
        if answer.status_code in (429, 503):
            await asyncio.sleep(0.2)
        if answer.status_code >= 500:
            raise Gone
        return answer.status_code, answer.json() if answer.content else None

    async def insist(
        self, token: str, method: str, path: str, body: Json = None
    ) -> tuple[int, Json]:
        """Send a request that may be sent again until it is answered."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with contextlib.suppress(Gone):
                status, said = await self.send(token, method, path, body)
                if status != 429:
                    return status, said
            await asyncio.sleep(0.05)
        raise TimeoutError(f"{method} {path} was not answered")
