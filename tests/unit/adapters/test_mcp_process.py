"""The server's process: started with what it may know, ended with all it started; and one whole run."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso.adapters.mcp_gateway import serve
from sayso.adapters.mcp_gateway.process import Upstream
from sayso.errors import NotAuthenticated, ServerUnreachable, UpstreamFailed
from tests.fakes.gate import FakeGate
from tests.fakes.mcp import call

# A server that answers each tool call with its environment and writes its id to a file.
SERVER = """
import json, os, sys, subprocess
if len(sys.argv) > 1:
    child = subprocess.Popen(["sleep", "300"])
    open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}")
print("the server speaks", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "die":
        os._exit(7)
    if message.get("method") == "tools/call":
        names = " ".join(sorted(os.environ))
        result = {"content": [{"type": "text", "text": names}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""

STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("{}", flush=True)
time.sleep(300)
"""


@pytest.fixture
def server(tmp_path: Path) -> list[str]:
    script = tmp_path / "server.py"
    script.write_text(textwrap.dedent(SERVER))
    return [sys.executable, str(script)]


class Client:
    """The other end of a gateway's standard streams."""

    def __init__(self) -> None:
        self.input = asyncio.StreamReader()
        self.got: asyncio.Queue[bytes] = asyncio.Queue()

    async def send(self, data: bytes) -> None:
        await self.got.put(data)

    def say(self, message: object) -> None:
        self.input.feed_data(json.dumps(message).encode() + b"\n")

    async def next(self) -> dict:
        return json.loads(await asyncio.wait_for(self.got.get(), 10))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody has reaped is no process that does anything.
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


async def gone(pid: int) -> None:
    async with asyncio.timeout(5):
        while alive(pid):  # noqa: ASYNC110  nobody tells of another's child
            await asyncio.sleep(0.01)


async def test_a_whole_run(server: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    client = Client()
    env = {**os.environ, "SAYSO_AGENT_TOKEN": "secret", "SAYSO_URL": "x", "OTHER": "1"}
    running = asyncio.ensure_future(
        serve(
            FakeGate({"env": "allow"}),
            server,
            server_name="s",
            env=env,
            stdin=client.input,
            stdout=client,
        )
    )
    client.say(call(1, "env"))
    names = (await client.next())["result"]["content"][0]["text"].split()
    assert "OTHER" in names
    assert not [name for name in names if name.startswith("SAYSO_")]
    client.input.feed_eof()
    assert await asyncio.wait_for(running, 10) == 0
    assert "the server speaks" in capfd.readouterr().err


async def test_nothing_the_server_started_outlives_it(server: list[str], tmp_path: Path) -> None:
    client, pids = Client(), tmp_path / "pids"
    running = asyncio.ensure_future(
        serve(
            FakeGate({"env": "allow"}),
            [*server, str(pids)],
            server_name="s",
            stdin=client.input,
            stdout=client,
        )
    )
    client.say(call(1, "env"))
    await client.next()
    client.input.feed_eof()
    await asyncio.wait_for(running, 10)
    for pid in pids.read_text().split():
        await gone(int(pid))


async def test_a_server_that_does_not_obey_is_killed() -> None:
    upstream = await Upstream.start([sys.executable, "-c", STUBBORN])
    assert await upstream.lines.next() == b"{}"
    begun = time.monotonic()
    await upstream.stop(to_end=0.1, to_obey=0.2)
    assert time.monotonic() - begun < 3
    await gone(upstream._process.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order(server: list[str], number: signal.Signals) -> None:
    client, gate = Client(), FakeGate()
    running = asyncio.ensure_future(
        serve(gate, server, server_name="s", stdin=client.input, stdout=client)
    )
    client.say(call(1, "write"))
    [asked] = await gate.asked()
    os.kill(os.getpid(), number)
    assert await asyncio.wait_for(running, 5) == 0
    assert not asked.waiting
    assert asked.status == "pending"


@pytest.mark.spec("MCP-6")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], "no server command"),
        (["no-such-program-anywhere"], "`no-such-program-anywhere` was not found"),
        (["/etc/passwd"], "`/etc/passwd` was not found, or is not a program"),
        ([sys.executable, "-c", "import sys; sys.exit(4)"], r"ended by itself \(exit code 4\)"),
        ([sys.executable, "-c", ""], r"ended by itself \(exit code 0\)"),
        (["\x00"], "was not found|could not be started"),
    ],
)
async def test_a_server_that_cannot_be_started_is_an_error_that_says_so(
    command: list[str], words: str
) -> None:
    client = Client()
    with pytest.raises(UpstreamFailed, match=words) as caught:
        await serve(FakeGate(), command, server_name="s", stdin=client.input, stdout=client)
    assert caught.value.hint


async def test_a_program_that_is_none_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "program"
    script.write_bytes(b"\x7fnot a program")
    script.chmod(0o755)
    with pytest.raises(UpstreamFailed, match="could not be started"):
        await Upstream.start([str(script)])


@pytest.mark.spec("MCP-6")
@pytest.mark.parametrize(
    "error", [ServerUnreachable("no server", "start it"), NotAuthenticated("no")]
)
async def test_without_a_gate_nothing_is_started(
    server: list[str], tmp_path: Path, error: Exception
) -> None:
    gate, pids = FakeGate(), tmp_path / "pids"
    gate.broken["see_tools"] = error
    with pytest.raises(type(error)):
        await serve(gate, [*server, str(pids)], server_name="s", stdin=Client().input)
    assert not pids.exists()


# ── over real standard streams ─────────────────────────────────────────────────────────────────

RUN = """
import asyncio, sys
sys.path.insert(0, {root!r})
from sayso.adapters.mcp_gateway import serve
from tests.fakes.gate import FakeGate
async def main():
    return await serve(FakeGate({{"env": "allow"}}), sys.argv[1:], server_name="s")
raise SystemExit(asyncio.run(main()))
"""


@pytest.fixture
def gateway_command(server: list[str]) -> list[str]:
    root = str(Path(__file__).resolve().parents[3])
    return [sys.executable, "-c", RUN.format(root=root), *server]


async def lines_of(process: asyncio.subprocess.Process) -> AsyncIterator[dict]:
    assert process.stdout is not None
    while line := await asyncio.wait_for(process.stdout.readline(), 20):
        yield json.loads(line)


async def test_over_pipes(gateway_command: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *gateway_command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(call(1, "env")).encode() + b"\n")
    async for answer in lines_of(process):
        assert answer["id"] == 1
        process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_over_files(gateway_command: list[str], tmp_path: Path) -> None:
    asked, answered = tmp_path / "in", tmp_path / "out"
    asked.write_bytes(b"{broken\n")
    with asked.open("rb") as stdin, answered.open("wb") as stdout:
        process = await asyncio.create_subprocess_exec(*gateway_command, stdin=stdin, stdout=stdout)
        assert await asyncio.wait_for(process.wait(), 20) == 0
    assert json.loads(answered.read_bytes())["error"]["code"] == -32700


async def test_what_goes_to_the_log_cannot_steer_a_terminal(
    server: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    client, gate = Client(), FakeGate()
    gate.broken["submit"] = RuntimeError("bad")
    running = asyncio.ensure_future(
        serve(gate, server, server_name="s", stdin=client.input, stdout=client)
    )
    client.say(call(1, "x\x1b[2Jy"))
    await client.next()
    client.input.feed_eof()
    await asyncio.wait_for(running, 10)
    said = capfd.readouterr().err
    assert "was refused" in said
    assert "\x1b" not in said
