"""The client when the server is away, busy, restarted or something else altogether."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from sayso.broker.ports import Claim
from sayso.client import connection
from sayso.client.remote_gate import RemoteGate
from sayso.core.observed_tool import ObservedTool
from sayso.errors import (
    AdapterError,
    CallInvalid,
    NotAuthenticated,
    NotEligible,
    RateLimited,
    ServerUnreachable,
    StoreUnavailable,
)
from sayso.people.token import CredentialKind
from sayso.requests.approval import Vote
from sayso.server.run import bind
from tests.fakes.site import BASE, Site, listening, make_site
from tests.fakes.world import draft

OPENED = {"session_id": "s", "user_id": "owner", "agent_id": "coder"}
STANDING = {
    "call_id": "c",
    "digest": "d",
    "code": "a b c d",
    "effect": "ask",
    "reason": "no-rule",
    "message": "pending",
    "status": "pending",
}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = make_site()
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between tries are short."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 0.05)


Script = Callable[[httpx.Request], httpx.Response]


async def scripted(answer: Script, *, patience: float = 0.3) -> RemoteGate:
    """A gate whose server is a function, once its session is open."""

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/sessions":
            return httpx.Response(201, json=OPENED)
        return answer(request)

    transport = httpx.MockTransport(handle)
    return await RemoteGate.open(BASE, "t", transport=transport, patience=patience)


async def test_no_server_is_told_at_once_with_how_to_start_one() -> None:
    with contextlib.closing(bind("127.0.0.1", 0)) as socket:
        port = socket.getsockname()[1]
    started = time.monotonic()
    with pytest.raises(
        ServerUnreachable, match=f"no sayso server answers at `http://127.0.0.1:{port}`"
    ) as caught:
        await RemoteGate.open(f"http://127.0.0.1:{port}/", "t")
    assert caught.value.hint == "start it: sayso serve"
    assert time.monotonic() - started < 5


async def test_a_token_that_is_none_or_not_an_agents_opens_nothing(site: Site) -> None:
    async with listening(site) as (url, _):
        with pytest.raises(NotAuthenticated):
            await RemoteGate.open(url, "nonsense")
        with pytest.raises(NotEligible):
            await RemoteGate.open(url, await site.token(CredentialKind.APPROVER))
        agent = await site.token(CredentialKind.AGENT, agent_id="coder")
        with pytest.raises(CallInvalid):
            await RemoteGate.open(url, agent, source="the moon")
        gate = await RemoteGate.open(
            url, agent, source="mcp", workspace="/home/ada", attended=False, context_label="x"
        )
        session = await site.scene.store.session(gate.session_id)
        assert session is not None
        assert (session.source, session.workspace, session.attended) == ("mcp", "/home/ada", False)
        assert (gate.agent_id, gate.user_id, session.context_label) == ("coder", "owner", "x")
        await gate.close()


async def test_what_does_no_harm_is_sent_again_and_nothing_else_is() -> None:
    sent: list[str] = []

    def away(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.path.rsplit("/", 1)[-1])
        raise httpx.ReadError("gone", request=request)

    gate = await scripted(away, patience=0.1)
    for once in (
        gate.submit(draft()),
        gate.decide(draft()),
        gate.claim("c", "d"),
        gate.finish("c", None, True, "", None),
        gate.see_tools([ObservedTool(None, "a")]),
    ):
        sent.clear()
        with pytest.raises(ServerUnreachable, match="went away before it answered"):
            await once
        assert len(sent) == 1
    for again in (
        gate.submit(draft(external_id="a")),
        gate.wait("c", 0),
        gate.leave("c"),
        gate.renew(Claim("c", "t", 1)),
        gate.finish("c", "t", True, "", None),
        gate.stop(),
    ):
        sent.clear()
        with pytest.raises(ServerUnreachable):
            await again
        assert len(sent) > 1
    await gate.close()


async def test_a_server_that_is_busy_is_asked_again() -> None:
    answers = [
        httpx.Response(
            503,
            json={"type": "urn:sayso:problem:store-unavailable", "detail": "busy", "hint": "wait"},
        ),
        httpx.Response(
            429,
            json={"type": "urn:sayso:problem:rate-limited", "detail": "slow", "retry_after": 0.02},
        ),
        httpx.Response(200, json={**STANDING, "status": "approved", "effect": "allow"}),
    ]
    gate = await scripted(lambda _: answers.pop(0))
    assert (await gate.wait("c", 0)).status == "approved"
    busy = httpx.Response(
        503, json={"type": "urn:sayso:problem:store-unavailable", "detail": "busy"}
    )
    gate = await scripted(lambda _: busy)
    with pytest.raises(StoreUnavailable):
        await gate.wait("c", 0)
    with pytest.raises(StoreUnavailable):
        await gate.claim("c", "d")
    limited = httpx.Response(
        429, json={"type": "urn:sayso:problem:rate-limited", "detail": "slow", "retry_after": 60}
    )
    gate = await scripted(lambda _: limited)
    with pytest.raises(RateLimited) as caught:
        await gate.submit(draft(external_id="a"))
    assert caught.value.retry_after == 60


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>it works</html>"),
        httpx.Response(404, text="nothing"),
        httpx.Response(302, headers={"Location": "http://evil.example/"}),
        httpx.Response(502, text="bad gateway"),
        httpx.Response(200, json={"hello": "world"}),
        httpx.Response(200, json=[1, 2]),
    ],
)
async def test_what_is_not_sayso_is_never_taken_for_an_answer(answer: httpx.Response) -> None:
    gate = await scripted(lambda _: answer)
    with pytest.raises(AdapterError, match="not as sayso does"):
        await gate.submit(draft())
    with pytest.raises(AdapterError):
        await gate.claim("c", "d")
    with pytest.raises(AdapterError):
        await RemoteGate.open(BASE, "t", transport=httpx.MockTransport(lambda _: answer))


async def test_a_wait_longer_than_a_poll_goes_on_until_its_time() -> None:
    asked: list[float] = []

    def pending(request: httpx.Request) -> httpx.Response:
        asked.append(float(request.url.params["timeout"]))
        return httpx.Response(200, json=STANDING)

    gate = await scripted(pending)
    started = time.monotonic()
    assert (await gate.wait("c", 0.5)).status == "pending"
    assert 0.4 < time.monotonic() - started < 2
    assert 2 <= len(asked) <= 5, "a server that answers too soon is not asked all the time"
    assert asked == sorted(asked, reverse=True)
    asked.clear()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await gate.wait("c", 600)
    assert asked[0] == 50


async def test_a_wait_outlives_a_restart_of_the_server(site: Site) -> None:
    token = await site.token(CredentialKind.AGENT, agent_id="coder")
    async with listening(site) as (url, _):
        gate = await RemoteGate.open(url, token)
        standing = await gate.submit(draft())
        waiting = asyncio.create_task(gate.wait(standing.call_id, 30))
        await asyncio.sleep(0.2)
    await asyncio.sleep(0.3)
    assert not waiting.done()
    async with listening(site, int(url.rsplit(":", 1)[1])):
        actor = await site.scene.actor()
        await site.scene.broker.review(
            actor, standing.call_id, Vote.APPROVE, digest=standing.digest
        )
        told = await asyncio.wait_for(waiting, 10)
        assert told.status == "approved"
        claim = await gate.claim(standing.call_id, standing.digest)
        assert isinstance(claim, Claim)
        await gate.finish(claim.call_id, claim.token, True, "sent", None)
    await gate.close()


async def test_a_server_that_stays_away_is_given_up(site: Site) -> None:
    token = await site.token(CredentialKind.AGENT, agent_id="coder")
    async with listening(site) as (url, _):
        gate = await RemoteGate.open(url, token, patience=0.3)
        standing = await gate.submit(draft())
        waiting = asyncio.create_task(gate.wait(standing.call_id, 30))
        await asyncio.sleep(0.1)
    with pytest.raises(ServerUnreachable):
        await asyncio.wait_for(waiting, 10)
    await gate.close()


async def test_many_tools_are_sent_in_parts_that_fit() -> None:
    sizes: list[int] = []

    def visible(request: httpx.Request) -> httpx.Response:
        sizes.append(len(request.content))
        tools = json.loads(request.content)["tools"]
        shown = [{"server": tool.get("server"), "name": tool["name"]} for tool in tools]
        return httpx.Response(200, json={"visible": shown})

    gate = await scripted(visible)
    tools = [ObservedTool("s", f"t{n}", "é" * 20_000) for n in range(100)]
    assert list(await gate.see_tools(tools)) == tools
    assert len(sizes) > 2
    assert max(sizes) < 1024 * 1024


async def test_no_proxy_of_the_environment_sees_what_is_sent_to_this_machine(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    token = await site.token(CredentialKind.AGENT, agent_id="coder")
    async with listening(site) as (url, _), await RemoteGate.open(url, token) as gate:
        assert (await gate.submit(draft())).status == "pending"


async def test_an_id_cannot_lead_to_another_route() -> None:
    paths: list[bytes] = []

    def note(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path.split(b"?")[0])
        return httpx.Response(200, json=STANDING)

    gate = await scripted(note)
    await gate.wait("../sessions/x?y=#z", 0)
    assert paths == [b"/api/calls/..%2Fsessions%2Fx%3Fy%3D%23z/wait"]


def test_the_client_brings_no_server_with_it() -> None:
    program = (
        "import sys; import sayso.client.remote_gate;"
        "print([m for m in sys.modules if m.startswith(('litestar', 'uvicorn', 'sqlalchemy', 'sayso.store'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
