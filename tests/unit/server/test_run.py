"""Running the server: its socket, its exposure, its start and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

import httpx
import pytest

from sayso.core.address import is_loopback
from sayso.errors import SettingsInvalid, StoreUnavailable
from sayso.people.token import CredentialKind
from sayso.server.run import bind, check_exposure, run, serve
from tests.fakes.ports import free_port
from tests.fakes.site import PASSPHRASE, Site, eventually, listening, open_session, submit


def test_a_port_in_use_is_told_with_another() -> None:
    with contextlib.closing(bind("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            SettingsInvalid, match=f"port {port} on `127.0.0.1` is in use"
        ) as caught:
            bind("127.0.0.1", port)
        assert caught.value.hint is not None
        assert f"--port {port + 1}" in caught.value.hint


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7", "", "x" * 300])
def test_an_address_that_is_not_ours_is_told(host: str) -> None:
    if host == "":
        bind(host, 0).close()  # every address
        return
    with pytest.raises(SettingsInvalid, match="sayso serve"):
        bind(host, 8484)


def test_a_port_is_free_again_at_once() -> None:
    port = free_port()
    with contextlib.closing(bind("127.0.0.1", port)) as listening_socket:
        client = socket.create_connection(("127.0.0.1", port))
        listening_socket.setblocking(True)
        accepted, _ = listening_socket.accept()
        accepted.close()
        client.close()
    bind("127.0.0.1", port).close()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("sayso.example", False),
        ("", False),
    ],
)
def test_what_counts_as_this_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.spec("SRV-3")
async def test_nobody_can_log_in_so_nobody_else_may_reach_it(site: Site) -> None:
    access = site.scene.broker.access
    await check_exposure(access, "127.0.0.1")
    with pytest.raises(SettingsInvalid, match="no passphrase was chosen") as caught:
        await check_exposure(access, "0.0.0.0")
    assert caught.value.hint == "choose one on a terminal: sayso passphrase set"
    with pytest.raises(SettingsInvalid):
        await serve(site.scene.broker, host="0.0.0.0", port=0)
    await access.choose_passphrase(PASSPHRASE, None, "terminal")
    await check_exposure(access, "0.0.0.0")


async def test_a_server_starts_its_broker_and_ends_cleanly_when_cancelled(site: Site) -> None:
    port, ready = free_port(), asyncio.Event()
    serving = asyncio.create_task(serve(site.scene.broker, port=port, announce=ready.set))
    await asyncio.wait_for(ready.wait(), 10)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/readyz")).status_code == 200
    assert site.scene.broker._tasks
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert not site.scene.broker._tasks
    bind("127.0.0.1", port).close()


async def test_what_keeps_the_broker_from_starting_is_said(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_: object) -> None:
        raise StoreUnavailable("the database is locked", "stop the other one")

    monkeypatch.setattr(site.scene.store.inner, "seed_rules", broken)
    with pytest.raises(StoreUnavailable, match="the database is locked"):
        await serve(site.scene.broker, port=0)


@pytest.mark.spec("SRV-7")
async def test_requests_that_wait_outlive_the_server(site: Site) -> None:
    agent = await site.token(CredentialKind.AGENT, agent_id="coder")
    headers = {"Authorization": f"Bearer {agent}"}
    async with (
        listening(site) as (url, server),
        httpx.AsyncClient(base_url=url, headers=headers) as client,
    ):
        standing = await submit(client, await open_session(client))
        path = f"/api/calls/{standing['call_id']}/wait"
        waiting = asyncio.create_task(client.get(path, params={"timeout": 50}))
        await asyncio.sleep(0.2)
        server.should_exit = True
        told = await asyncio.wait_for(waiting, 3)
        assert told.json()["status"] == "pending"
    async with (
        listening(site) as (url, _),
        httpx.AsyncClient(base_url=url, headers=headers) as client,
    ):
        told = await client.get(path, params={"timeout": 0})
        assert told.json()["status"] == "pending"


PROGRAM = """
import asyncio, sys
from sayso.server.run import run, serve
from tests.fakes.world import make_scene

async def main():
    scene = make_scene()
    await serve(scene.broker, port=int(sys.argv[1]), announce=lambda: print("ready", flush=True))
    print("closed", flush=True)

run(main)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_and_its_caller_goes_on(number: signal.Signals) -> None:
    root = Path(__file__).parents[3]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        str(free_port()),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 30) == b"ready\n"
        process.send_signal(number)
        assert await asyncio.wait_for(process.stdout.read(), 15) == b"closed\n"
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_the_event_loop_is_the_quickest_there_is() -> None:
    async def kind() -> str:
        return type(asyncio.get_running_loop()).__module__

    assert run(kind) == ("asyncio.windows_events" if sys.platform == "win32" else "uvloop")


@pytest.mark.spec("SRV-9")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate")
async def test_the_server_speaks_tls(site: Site, tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = await asyncio.create_subprocess_exec(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
        "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate),
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert await made.wait() == 0
    port, ready = free_port(), asyncio.Event()
    serving = asyncio.create_task(
        serve(site.scene.broker, port=port, announce=ready.set, tls=(certificate, key))
    )
    await asyncio.wait_for(ready.wait(), 10)
    async with httpx.AsyncClient(verify=False) as client:
        assert (await client.get(f"https://127.0.0.1:{port}/healthz")).status_code == 200
    serving.cancel()
    await eventually(serving.done)
