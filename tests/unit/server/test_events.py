"""The stream of events: visible, resumable, and never a brake on anything."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket as sockets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from sayso.broker.ports import Claim
from sayso.core.approval_policy import ApprovalPolicy
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.requests.approval import Vote
from sayso.requests.event import EventKind, Notice
from sayso.server.live import events, sse
from sayso.store.memory import MemoryStore
from tests.fakes.site import Site, eventually, listening, make_site, problem_of
from tests.fakes.world import draft, rule


@dataclass
class Told:
    """One event as it came over the line."""

    kind: str = "message"
    number: int = 0
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reader:
    """A client of the stream; it reads in the background."""

    told: list[Told] = field(default_factory=list)
    comments: int = 0
    last_id: str = ""
    ended: bool = False
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, count: int) -> list[Told]:
        async with asyncio.timeout(5):
            while len(self.told) < count:
                self.came.clear()
                await self.came.wait()
        return self.told

    async def read(self, answer: httpx.Response) -> None:
        now: Told | None = None
        with contextlib.suppress(httpx.TransportError):
            async for line in answer.aiter_lines():
                if line.startswith(":"):
                    self.comments += 1
                elif line.startswith("id: "):
                    self.last_id = line[4:]
                    now = now or Told()
                    now.number = int(self.last_id)
                elif line.startswith("event: "):
                    now = now or Told()
                    now.kind = line[7:]
                elif line.startswith("data: "):
                    assert now is not None
                    now.data = json.loads(line[6:])
                elif not line:
                    if now is not None and now.data:
                        self.told.append(now)
                    now = None
                self.came.set()
        self.ended = True
        self.came.set()

    async def until_kind(self, kind: str) -> Told:
        """The last event of that kind, as soon as there is one."""
        while not any(one.kind == kind for one in self.told):
            await self.until(len(self.told) + 1)
        return next(one for one in reversed(self.told) if one.kind == kind)


@contextlib.asynccontextmanager
async def reading(url: str, token: str, last: int | str | None = None) -> AsyncIterator[Reader]:
    headers = {"Authorization": f"Bearer {token}"}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    async with (
        httpx.AsyncClient(base_url=url, timeout=10) as client,
        client.stream("GET", "/api/events", headers=headers) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].split(";")[0] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        reader = Reader()
        task = asyncio.create_task(reader.read(answer))
        try:
            yield reader
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def call(site: Site, agent_id: str = "coder", **changes: Any) -> str:
    gate = await site.scene.gate(agent_id)
    return (await gate.submit(draft(**changes))).call_id


@pytest.mark.spec("SRV-2")
async def test_events_come_as_they_happen_with_the_card_for_who_may_decide(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _), reading(url, token) as reader:
        await asyncio.sleep(0.1)
        request_id = await call(site, arguments={"to": "alice"})
        asked = (await reader.until(1))[0]
        assert asked.kind == "approval_requested"
        assert asked.number == asked.data["id"]
        assert asked.data["request_id"] == request_id
        for name in (
            "version",
            "session_id",
            "root_session_id",
            "at",
            "tool_name",
            "severity",
            "action",
        ):
            assert name in asked.data
        card = asked.data["card"]
        assert card["request_id"] == request_id
        assert card["what"]["arguments"][0]["value"] == [{"text": "alice"}]
        actor = await site.scene.actor()
        await site.scene.broker.review(actor, request_id, Vote.REJECT, comment="no")
        done = (await reader.until(2))[1]
        assert done.kind == "approval_resolved"
        assert (done.data["approved"], done.data["by"], done.data["version"]) == (False, "owner", 2)
        assert "card" not in done.data


@pytest.mark.spec("REQ-43")
async def test_each_event_has_its_ids_and_the_version_that_a_card_has_from_then_on() -> None:
    site = make_site(rule("ask", approval=ApprovalPolicy(quorum=2)))
    site.scene.store.folk["anna"] = Person("anna", "Anna", admin=True)
    token = await site.token(CredentialKind.APPROVER)
    person = site.client(token)
    async with listening(site) as (url, _), reading(url, token) as reader:
        await asyncio.sleep(0.1)
        gate = await site.scene.gate()
        standing = await gate.submit(draft())
        versions = []
        approve, digest = Vote.APPROVE, standing.digest
        for step, kind in enumerate(
            ("approval_requested", "approval_review", "approval_resolved"), 1
        ):
            told = await reader.until_kind(kind)
            assert told.data["request_id"] == standing.call_id
            card = (await person.get(f"/api/inbox/approvals/{standing.call_id}")).json()
            assert told.data["version"] == card["version"]
            versions.append(card["version"])
            actor = await site.scene.actor(person_id=("anna", "owner")[step % 2])
            if step < 3:
                await site.scene.broker.review(actor, standing.call_id, approve, digest=digest)
        claim = await gate.claim(standing.call_id, digest)
        assert isinstance(claim, Claim)
        await gate.finish(standing.call_id, claim.token, True, "sent", 0.1)
        last = await reader.until_kind("call_outcome")
        card = (await person.get(f"/api/inbox/approvals/{standing.call_id}")).json()
        assert (last.data["version"], last.data["request_id"]) == (
            card["version"],
            standing.call_id,
        )
        assert sorted({*versions, card["version"]}) == [*versions, card["version"]]
        numbers = [one.number for one in reader.told]
        assert numbers == sorted(set(numbers))
        assert all(one.data["session_id"] and one.data["root_session_id"] for one in reader.told)
    await site.close()


@pytest.mark.spec("SRV-2")
async def test_a_client_that_comes_back_misses_nothing_and_gets_nothing_twice(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _):
        async with reading(url, token, 0) as reader:
            first = await call(site)
            await reader.until(1)
            last = reader.last_id
        missed = [await call(site) for _ in range(300)]
        async with reading(url, token, last) as reader:
            later = await call(site)
            told = await reader.until(301)
            assert [event.data["request_id"] for event in told] == [*missed, later]
            numbers = [event.number for event in told]
            assert numbers == list(range(int(last) + 1, int(last) + 302))
        assert first not in missed


@pytest.mark.spec("SRV-2")
async def test_an_event_shows_only_what_its_reader_may_see() -> None:
    people = (
        Person("guest", "guest"),
        Person("op", "op", operator=True, agents=("mailer",)),
    )
    site = make_site(people=people)
    guest = await site.token(CredentialKind.APPROVER, "guest")
    operator = await site.token(CredentialKind.APPROVER, "op")
    async with (
        listening(site) as (url, _),
        reading(url, guest, 0) as theirs,
        reading(url, operator, 0) as operators,
    ):
        await call(site, "coder")
        mail = await call(site, "mailer")
        told = await operators.until(1)
        assert [event.data["request_id"] for event in told] == [mail]
        await asyncio.sleep(0.1)
        assert theirs.told == []
        assert theirs.last_id == operators.last_id == "2", "they need not ask for these again"
    await site.close()


@pytest.mark.spec("SRV-2")
@pytest.mark.parametrize("last", [0, 5, 10**15, "not-a-number", 12_000])
async def test_who_missed_too_much_is_told_to_reload(last: int | str) -> None:
    store = MemoryStore()
    site = make_site(store=store)
    store._append((), [Notice(EventKind.SETTINGS_CHANGED, site.scene.clock.now())] * 10_100)
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _), reading(url, token, last) as reader:
        told = (await reader.until(1))[0]
        assert (told.kind, told.number) == ("reload", 10_100)
        await call(site)
        assert (await reader.until(2))[1].kind == "approval_requested"
    async with listening(site) as (url, _), reading(url, token, 200) as reader:
        told = (await reader.until(1))[0]
        assert (told.kind, told.number) == ("settings_changed", 201)
    await site.close()


async def test_what_is_no_longer_kept_leads_to_a_reload() -> None:
    store = MemoryStore()
    site = make_site(store=store)
    store._append((), [Notice(EventKind.SETTINGS_CHANGED, site.scene.clock.now())] * 100)
    del store._notices[:50]
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _):
        async with reading(url, token, 49) as reader:
            assert (await reader.until(1))[0].kind == "reload"
        async with reading(url, token, 50) as reader:
            assert (await reader.until(1))[0].number == 51
    await site.close()


@pytest.mark.spec("SRV-4")
async def test_agents_read_no_events(site: Site) -> None:
    answer = await (await site.agent()).get("/api/events")
    assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")
    answer = await site.client().get("/api/events")
    assert (answer.status_code, problem_of(answer)) == (401, "not-authenticated")


async def test_a_silent_stream_beats_and_ends_with_its_credential(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    token = await site.token(CredentialKind.APPROVER)
    actor = await site.scene.broker.access.authenticate(token, "api")
    async with listening(site) as (url, _), reading(url, token) as reader:
        await eventually(lambda: reader.comments >= 2, 5)
        await site.scene.broker.access.revoke(actor, actor.credential.credential_id)
        await eventually(lambda: reader.ended, 5)
        await call(site)
        assert reader.told == []


async def test_streams_end_at_once_when_the_server_closes(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, server), reading(url, token) as reader:
        await asyncio.sleep(0.1)
        server.should_exit = True
        await eventually(lambda: reader.ended, 2)


async def test_a_client_that_goes_leaves_nothing_behind(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    feed = site.scene.store.inner.feed
    async with listening(site) as (url, _):
        before = len(feed._places.get("*", ()))
        async with reading(url, token), reading(url, token):
            await asyncio.sleep(0.2)
            assert len(feed._places["*"]) == before + 2
        await eventually(lambda: len(feed._places.get("*", ())) <= before, 5)


@pytest.mark.spec("SRV-2")
async def test_a_client_that_does_not_read_is_cut_off_and_hinders_nobody(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "SLOW_SECONDS", 0.5)
    token = await site.token(CredentialKind.APPROVER)
    feed = site.scene.store.inner.feed
    loop = asyncio.get_running_loop()
    async with listening(site, small=True) as (url, _), reading(url, token) as reader:
        before = len(feed._places["*"])
        lazy = sockets.socket()
        lazy.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        lazy.setblocking(False)
        await loop.sock_connect(lazy, ("127.0.0.1", int(url.rsplit(":", 1)[1])))
        await loop.sock_sendall(
            lazy,
            f"GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode(),
        )
        await eventually(lambda: len(feed._places["*"]) > before, 5)
        for number in range(10):
            await call(site, arguments={"text": "x" * 100_000, "n": number})
        await reader.until(10)
        await eventually(lambda: len(feed._places["*"]) <= before, 10)
        lazy.close()
