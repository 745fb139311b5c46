"""A real server with its page, on a store of its own, and an agent that makes calls over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import httpx

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.world import World
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.core.moment import Moment, plus
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin, Rule
from sayso.requests.approval import ApprovalRequest
from sayso.server.run import serve
from sayso.store.sqlite import SqliteStore, open_sqlite
from sayso.system.clock import SystemClock
from sayso.system.facts import LocalFacts
from sayso.system.ids import SystemIds
from tests.fakes.ports import free_port

HOST = "127.0.0.1"
PASSPHRASE = "open sesame, please"


class MovableClock(SystemClock):
    """The machine's clock, and how many seconds it is put forward."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = 0.0

    def now(self) -> Moment:
        """The present moment, put forward."""
        return plus(super().now(), self.ahead)


class InboxOnly:
    """People are asked on the page and nowhere else."""

    can_ask = True

    def ways(self, person: Person) -> tuple[str, ...]:
        """Whoever can log in."""
        return ("web",)

    async def announce(self, request: ApprovalRequest, asked: object) -> None:
        """Nothing to send: the page hears of it by itself."""

    async def remind(self, request: ApprovalRequest, asked: object) -> None:
        """Nothing to send."""

    async def update(self, request: ApprovalRequest) -> None:
        """Nothing to send either."""

    async def announce_question(self, question: object, asked: object) -> None:
        """Nothing to send."""

    async def update_question(self, question: object) -> None:
        """Nothing to send."""


class Site:
    """The server, which can be stopped and started again on the same port and store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.clock = MovableClock()
        self.lists = FixedLists(ListRules(version=0, rules=()))
        self.broker: Broker
        self._store: SqliteStore | None = None
        self._serving: asyncio.Task[None] | None = None
        self._owner: Actor | None = None
        self._agents: dict[str, httpx.AsyncClient] = {}
        self._sessions: dict[str, str] = {}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}"

    async def start(self) -> None:
        """Start on the port it had before, or on any."""
        self._store = open_sqlite(self.folder / "sayso.db")
        facts = LocalFacts()
        self.broker = Broker(
            World(
                store=self._store,
                feed=self._store.feed,
                clock=self.clock,
                ids=SystemIds(),
                rules=CachedRules(self._store, self.lists, (), facts),
                facts=facts,
                notifier=InboxOnly(),
            )
        )
        self.port = self.port or free_port()
        ready = asyncio.Event()
        self._serving = asyncio.create_task(
            serve(self.broker, host=HOST, port=self.port, announce=ready.set)
        )
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({self._serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._serving.done():
            self._serving.result()

    async def stop(self) -> None:
        """Stop as the operator would; what waits stays pending."""
        if self._serving is None or self._store is None:
            return
        self._serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._serving
        self._store.close()
        self._serving = self._store = None

    async def close(self) -> None:
        """Stop, and let the agents go."""
        for client in self._agents.values():
            await client.aclose()
        await self.stop()

    async def choose_passphrase(self) -> None:
        """Let somebody be able to log in."""
        await self.broker.access.choose_passphrase(PASSPHRASE, None, "test")

    async def token(self, kind: CredentialKind, agent_id: str | None = None) -> str:
        """A token of that kind."""
        if self._owner is None:
            _, self._owner = await self.broker.access.login(PASSPHRASE, "test")
        token, _ = await self.broker.access.create_token(self._owner, kind, agent_id=agent_id)
        return token

    async def person(self, kind: CredentialKind = CredentialKind.APPROVER) -> httpx.AsyncClient:
        """A person's other way to decide: a client of the API."""
        headers = {"Authorization": f"Bearer {await self.token(kind)}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)

    async def ask(
        self,
        tool: str = "send_mail",
        arguments: dict[str, Any] | None = None,
        *,
        agent: str = "claude-code",
        session: dict[str, Any] | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        """Make a call as an agent: its standing."""
        client, session_id = await self._opened(agent, session)
        call = {
            "session_id": session_id,
            "tool": tool,
            "arguments": arguments or {"to": "ana@example.org", "text": "hello"},
            **more,
        }
        answer = await client.post("/api/calls", json=call)
        assert answer.status_code in (200, 201), answer.text
        standing: dict[str, Any] = answer.json()
        standing["agent"] = agent
        return standing

    async def _opened(
        self, agent: str, session: dict[str, Any] | None
    ) -> tuple[httpx.AsyncClient, str]:
        """The agent's client, and a session that is open for it."""
        client = self._agents.get(agent)
        if client is None:
            token = await self.token(CredentialKind.AGENT, agent)
            headers = {"Authorization": f"Bearer {token}"}
            client = httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)
            self._agents[agent] = client
        key = f"{agent} {session}"
        if key not in self._sessions:
            body = {"source": "mcp", "workspace": "/home/ana/src/shop", **(session or {})}
            opened = await client.post("/api/sessions", json=body)
            assert opened.status_code == 201, opened.text
            self._sessions[key] = opened.json()["session_id"]
        return client, self._sessions[key]

    async def ask_together(
        self, name: str, calls: list[dict[str, Any]], *, agent: str = "claude-code"
    ) -> list[dict[str, Any]]:
        """Make the calls of one turn at once: their standings, in their order."""
        client, session_id = await self._opened(agent, None)
        body = {"session_id": session_id, "name": name, "calls": calls}
        answer = await client.post("/api/batches", json=body)
        assert answer.status_code in (200, 201), answer.text
        return [{**standing, "agent": agent} for standing in answer.json()["standings"]]

    async def ask_people(
        self,
        kind: str,
        *,
        agent: str = "claude-code",
        session: dict[str, Any] | None = None,
        **what: Any,
    ) -> str:
        """Ask people something that is no approval, as an agent: its id."""
        client, session_id = await self._opened(agent, session)
        if kind == "plan":
            begun = await client.post(f"/api/sessions/{session_id}/plan", json={})
            assert begun.json()["planning"], begun.text
        body = {"session_id": session_id, "kind": kind, **what}
        answer = await client.post("/api/questions", json=body)
        assert answer.status_code == 200, answer.text
        standing: dict[str, Any] = answer.json()
        assert standing["status"] == "pending", standing
        return str(standing["question_id"])

    async def ask_approval(self, action: str, *, agent: str = "claude-code") -> str:
        """Ask for approval of what is no tool call, as an agent: its id."""
        client, session_id = await self._opened(agent, None)
        body = {"session_id": session_id, "tool": "ask_approval", "arguments": {"action": action}}
        answer = await client.post("/api/questions/approval", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["call_id"])

    async def keep_tasks(self, *tasks: tuple[str, str], agent: str = "claude-code") -> None:
        """Keep the task list of the agent's session: contents, each with its status."""
        client, session_id = await self._opened(agent, None)
        items = [{"content": content, "status": status} for content, status in tasks]
        answer = await client.put(f"/api/sessions/{session_id}/tasks", json={"items": items})
        assert answer.status_code == 204, answer.text

    async def told(self, question_id: str, *, agent: str = "claude-code") -> dict[str, Any]:
        """What the agent is told of its question, as soon as it has an answer."""
        client = self._agents[agent]
        path = f"/api/questions/{question_id}/wait"
        standing: dict[str, Any] = (await client.get(path, params={"timeout": 20})).json()
        return standing

    async def join(self, name: str, *, admin: bool = False) -> Actor:
        """Somebody else who decides, with a passphrase of their own: that name's."""
        await self.token(CredentialKind.APPROVER)
        assert self._owner is not None
        person, code = await self.broker.people.add(self._owner, name, admin=admin)
        await self.broker.access.enrol(code, f"{PASSPHRASE} {name}", "test")
        _, actor = await self.broker.access.login(f"{PASSPHRASE} {name}", "test", name=person.name)
        return actor

    async def run(
        self, standing: dict[str, Any], *, ok: bool = True, summary: str = "sent"
    ) -> dict[str, Any]:
        """Await the decision, claim and report, as a host does: the last standing."""
        client = self._agents[standing["agent"]]
        call = f"/api/calls/{standing['call_id']}"
        waited: dict[str, Any] = (await client.get(f"{call}/wait", params={"timeout": 20})).json()
        if waited["status"] != "approved":
            return waited
        claim = (await client.post(f"{call}/claim", json={"digest": standing["digest"]})).json()
        assert claim["claim"] is not None, claim
        outcome = {"token": claim["claim"]["token"], "ok": ok, "summary": summary, "seconds": 0.31}
        reported = await client.post(f"{call}/outcome", json=outcome)
        assert reported.status_code == 204, reported.text
        return waited

    async def lose(self, standing: dict[str, Any]) -> None:
        """Claim an approved call and never report, as a host that crashes does; its lease runs out."""
        client = self._agents[standing["agent"]]
        call = f"/api/calls/{standing['call_id']}"
        claim = (await client.post(f"{call}/claim", json={"digest": standing["digest"]})).json()
        self.clock.ahead += claim["claim"]["lease_seconds"] + 1

    async def answer(self, standing: dict[str, Any], question_id: str, text: str) -> None:
        """Answer what a person asked back."""
        client = self._agents[standing["agent"]]
        body = {"question_id": question_id, "text": text}
        answer = await client.post(f"/api/calls/{standing['call_id']}/answer", json=body)
        assert answer.status_code == 204, answer.text

    async def ask_by(self, tool: str, policy: ApprovalPolicy) -> None:
        """From now on calls of this tool are asked about as the policy says."""
        await self.token(CredentialKind.APPROVER)
        assert self._owner is not None
        asks = Rule("", Effect.ASK, Origin.DATABASE, tool, approval=policy)
        await self.broker.put_rule(self._owner, asks, new=True)

    async def leave(self, standing: dict[str, Any]) -> None:
        """Stop waiting for a call."""
        client = self._agents[standing["agent"]]
        answer = await client.post(f"/api/calls/{standing['call_id']}/leave")
        assert answer.status_code == 204, answer.text


@contextlib.asynccontextmanager
async def open_site(folder: Path) -> Any:
    """A running site with a passphrase, closed at the end."""
    site = Site(folder)
    await site.start()
    try:
        await site.choose_passphrase()
        yield site
    finally:
        await site.close()
