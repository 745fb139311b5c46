"""The real thing: a program whose input and output are pipes, started on a terminal, or on none."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
import asyncio, sys
from sayso.channels.card import card_of
from sayso.channels.terminal import TerminalApprover
from tests.fakes.terminal import FakeKeyring
from tests.fakes.values import a_request, at

async def main():
    votes = []
    done = asyncio.Event()
    async def decide(request_id, vote, digest, comment):
        votes.append((request_id, vote.value))
        done.set()
    approver = TerminalApprover(FakeKeyring(), lambda: at(10), quiet_seconds=0.05)
    print("can ask:", approver.can_ask, flush=True)
    if not approver.can_ask:
        return
    task = asyncio.create_task(approver.listen(decide))
    await approver.announce(card_of(a_request(), now=at(10)))
    await asyncio.wait_for(done.wait(), 20)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    print(votes, flush=True)

asyncio.run(main())
"""

ENVIRONMENT = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(["src", "."])}


def read_until(fd: int, wanted: bytes, seconds: float = 20) -> bytes:
    seen = b""
    end = time.monotonic() + seconds
    while wanted not in seen:
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        assert ready, f"{wanted!r} never came: {seen!r}"
        seen += os.read(fd, 65536)
    return seen


def test_it_asks_on_the_terminal_and_leaves_input_and_output_alone(tmp_path: Path) -> None:
    output = tmp_path / "output"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    inbox, outbox = os.pipe()
    os.write(outbox, b"a\ny\nopen sesame\n")
    pid, master = pty.fork()
    if pid == 0:
        os.dup2(inbox, 0)
        out = os.open(output, os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.execve(sys.executable, [sys.executable, str(program)], ENVIRONMENT)
    try:
        read_until(master, b"? explain")
        time.sleep(0.3)
        assert "[(" not in output.read_text(), "what comes in by the pipe is no answer"
        os.write(master, b"a")
        read_until(master, b"Passphrase")
        os.write(master, b"open sesame\n")
        _, status = os.waitpid(pid, 0)
    finally:
        for fd in (master, inbox, outbox):
            os.close(fd)
    assert status == 0, output.read_text()
    assert output.read_text() == "can ask: True\n[('c1', 'approve')]\n"


def test_without_a_terminal_it_cannot_ask(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    result = subprocess.run(
        [sys.executable, str(program)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    assert result.stdout == "can ask: False\n", result.stderr


def test_in_the_background_it_cannot_ask(tmp_path: Path) -> None:
    """A job in the background that touched the terminal would be stopped by it."""
    output = tmp_path / "output"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    pid, master = pty.fork()
    if pid == 0:
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            out = os.open(output, os.O_WRONLY | os.O_CREAT)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.execve(sys.executable, [sys.executable, str(program)], ENVIRONMENT)
        os.waitpid(job, 0)
        os._exit(0)
    try:
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(master)
    assert status == 0
    assert output.read_text() == "can ask: False\n"
