"""The gated server's process, and the gateway's own standard streams."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

from sayso.adapters.mcp_gateway.wire import Lines, Sink, Source
from sayso.errors import UpstreamFailed

HIDDEN_PREFIX = "SAYSO_"
"""Environment variables that the server never gets: the gateway's token is one of them."""

_POLL_SECONDS = 0.01


class Upstream:
    """The gated server: a process of its own group, so that nothing it started outlives it."""

    def __init__(self, process: asyncio.subprocess.Process, command: Sequence[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stopped = False
        self.command = command[0]
        self.lines = Lines(process.stdout)

    @classmethod
    async def start(cls, command: Sequence[str], env: Mapping[str, str] | None = None) -> Upstream:
        """Start the server; `env` is the gateway's own environment unless given.

        Raises UpstreamFailed if it cannot be started.
        """
        if not command:
            raise UpstreamFailed("no server command was given", "put it after `--`")
        inherited = os.environ if env is None else env
        theirs = {k: v for k, v in inherited.items() if not k.startswith(HIDDEN_PREFIX)}
        if shutil.which(command[0], path=theirs.get("PATH", os.defpath)) is None:
            raise UpstreamFailed(
                f"the server command `{command[0]}` was not found, or is not a program",
                "check its spelling, and that it is installed where PATH leads",
            )
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=theirs,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise UpstreamFailed(
                f"the server command `{command[0]}` could not be started: {error}",
                "run it on its own to see what is wrong",
            ) from error
        return cls(process, command)

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.returncode

    def send(self, line: bytes) -> None:
        """Send a line, at once; one that finds the server gone is lost, as its end will tell."""
        if not self._stdin.is_closing():
            self._stdin.write(line + b"\n")

    async def drain(self) -> None:
        """Wait until the server has read enough for more to be sent."""
        with contextlib.suppress(OSError):
            await self._stdin.drain()

    async def stop(self, *, to_end: float, to_obey: float) -> None:
        """End it: close its input, give it `to_end` seconds, ask again with SIGTERM, then SIGKILL.

        `to_obey` is the time from SIGTERM to SIGKILL, in seconds.
        """
        if self._stopped:
            return
        self._stopped = True
        with contextlib.suppress(OSError):
            self._stdin.close()
        await _until(lambda: self._process.returncode is not None, to_end)
        # Also when it ended by itself: what it started belongs to its group.
        if self._signal(signal.SIGTERM):
            await _until(lambda: not self._signal(0), to_obey)
            self._signal(signal.SIGKILL)
        await _until(lambda: self._process.returncode is not None, to_obey)
        # A process that left the group may still hold the pipes; asyncio would wait for it.
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                transport.close()

    def _signal(self, number: int) -> bool:
        """Send a signal to the group; whether there is still anybody in it."""
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # macOS says so of a group of zombies
            return self._process.returncode is None
        return True


async def _until(true: Callable[[], bool], seconds: float) -> None:
    """Look until something is true, at most so many seconds.

    Not `Process.wait`: that waits for the pipes too, which a child may still hold.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    while not true() and clock() < deadline:  # noqa: ASYNC110  nobody tells that a group has ended
        await asyncio.sleep(_POLL_SECONDS)


class _Pipe:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


class _File:
    """A regular file as standard stream; it never makes anybody wait."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def read(self, n: int = -1) -> bytes:
        return self._file.read(n)

    async def send(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()


async def standard_input() -> Source:
    """The gateway's standard input."""
    if _is_file(sys.stdin.buffer):
        return _File(sys.stdin.buffer)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    return reader


async def standard_output() -> Sink:
    """The gateway's standard output."""
    if _is_file(sys.stdout.buffer):
        return _File(sys.stdout.buffer)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, sys.stdout.buffer
    )
    return _Pipe(asyncio.StreamWriter(transport, protocol, None, loop))


def _is_file(stream: BinaryIO) -> bool:
    """Whether nobody has to wait for the stream: a regular file, or a device such as /dev/null."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not stream.isatty())
