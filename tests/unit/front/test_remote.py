"""The same program as a client of a real server, by configuration alone (GATE-2)."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sayso import CallDenied, CallRejected, Gate, SaysoError, ServerUnreachable
from sayso.errors import NotAuthenticated, NotEligible
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status, Vote
from tests.fakes.site import Site, listening, make_site
from tests.fakes.world import rule

pytestmark = pytest.mark.spec("GATE-2")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = make_site(rule("allow", "add"), rule("deny", "wipe", justification="never"))
    yield made
    await made.close()


@pytest.fixture
async def url(site: Site, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A listening server that the environment points to, with a token for the agent `coder`."""
    async with listening(site) as (url, _):
        monkeypatch.setenv("SAYSO_URL", url)
        token = await site.token(CredentialKind.AGENT, agent_id="coder")
        monkeypatch.setenv("SAYSO_AGENT_TOKEN", token)
        yield url


def program() -> Any:
    """A program that knows nothing of where its gate is."""
    gate = Gate()
    ran: list[str] = []

    @gate.guard
    def add(a: int, b: int) -> int:
        return a + b

    @gate.guard
    def wipe() -> None:
        ran.append("wiped")

    @gate.guard
    def send(to: str) -> str:
        ran.append(to)
        return "sent"

    return gate, ran, add, wipe, send


async def test_the_program_stays_the_same(site: Site, url: str, home: Path) -> None:
    gate, ran, add, wipe, send = program()
    with contextlib.closing(gate):
        assert await asyncio.to_thread(add, 1, 2) == 3
        with pytest.raises(CallDenied, match="never"):
            await asyncio.to_thread(wipe)
        owner = await site.scene.actor()
        for vote, comment in ((Vote.APPROVE, None), (Vote.REJECT, "enough")):
            running = asyncio.create_task(asyncio.to_thread(send, "alice"))
            request = await one_pending(site)
            assert request.call.owner.agent_id == "coder"
            await site.scene.broker.review(
                owner, request.request_id, vote, digest=request.digest, comment=comment
            )
            if vote is Vote.APPROVE:
                assert await asyncio.wait_for(running, 20) == "sent"
            else:
                with pytest.raises(CallRejected, match="rejected by owner: enough"):
                    await asyncio.wait_for(running, 20)
        assert ran == ["alice"]
        waiting = asyncio.create_task(asyncio.to_thread(send, "bob"))
        request = await one_pending(site)
        await gate.aclose()
        with pytest.raises(CallRejected):
            await asyncio.wait_for(waiting, 20)
        assert (await site.scene.request(request.request_id)).status is Status.CANCELLED
    found = sorted(p.name for p in home.iterdir())  # noqa: ASYNC240
    assert found == ["sayso.db", "settings.toml"]


async def test_without_a_token_it_says_how_to_get_one(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAYSO_AGENT_TOKEN")
    for gate in (Gate(), Gate(url=url)):
        with pytest.raises(NotAuthenticated, match="needs an agent's token") as caught:
            await gate.decide("add", {})
        assert caught.value.hint == (
            "make one with `sayso tokens create --kind agent` and put it into SAYSO_AGENT_TOKEN"
        )


@pytest.mark.spec("REQ-64")
async def test_only_an_agents_token_opens_a_gate(site: Site, url: str) -> None:
    for kind in (CredentialKind.APPROVER, CredentialKind.ADMIN, CredentialKind.SESSION):
        with pytest.raises(NotEligible, match="agent's token"):
            await Gate(token=await site.token(kind)).decide("add", {})
    with pytest.raises(NotAuthenticated):
        await Gate(token="sayso_agent_" + "0" * 64).decide("add", {})


async def test_without_a_server_nothing_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SAYSO_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
        monkeypatch.setenv("SAYSO_AGENT_TOKEN", "sayso_agent_" + "0" * 64)
        _, ran, add, _, send = program()
        for tool in (lambda: add(1, 2), lambda: send("alice")):
            with pytest.raises(ServerUnreachable, match="no sayso server answers") as caught:
                await asyncio.to_thread(tool)
            assert caught.value.hint == "start it: sayso serve"
    assert ran == []


@pytest.mark.parametrize("url", ["localhost:8484", "http://[half", "ftp://host", "http://", "x"])
async def test_an_address_that_is_none_is_said(home: Path, url: str) -> None:
    with pytest.raises(SaysoError) as caught:
        await Gate(url=url, token="sayso_agent_" + "0" * 64).decide("add", {})
    assert f"`{url}` is not the address of a server" in caught.value.message
    assert caught.value.hint == "write it in full: http://127.0.0.1:8484"


async def test_a_server_that_goes_away_while_a_call_waits_runs_nothing_and_closing_is_quick(
    site: Site, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sayso.front.gate.CLOSE_SECONDS", 0.3)
    async with listening(site) as (url, _):
        token = await site.token(CredentialKind.AGENT, agent_id="coder")
        gate = Gate(url=url, token=token)
        assert await gate.run("add", {}, lambda _: asyncio.sleep(0, 3)) == 3
    with pytest.raises(ServerUnreachable):
        await gate.run("add", {}, lambda _: asyncio.sleep(0, pytest.fail("it ran")))
    await asyncio.wait_for(gate.aclose(), 10)


async def one_pending(site: Site) -> Any:
    """The one request that waits, as soon as it does."""
    async with asyncio.timeout(20):
        while not (found := await site.scene.store.pending()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return found[0]


@pytest.mark.spec("POL-60")
async def test_at_a_server_a_program_may_tighten_and_allow_itself_nothing(url: str) -> None:
    with contextlib.closing(Gate(deny=["add"])) as gate:
        assert (await gate.decide("add", {})).reason == "rule-deny"
    with (
        contextlib.closing(Gate(allow=["send"])) as gate,
        pytest.raises(NotEligible, match="cannot allow its own session anything"),
    ):
        await gate.decide("send", {})
