"""One run of the gateway: the gate is asked first, then the server is started and its client served."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence

from sayso.adapters.mcp_gateway.gateway import TOLD_TO_STOP, Gateway
from sayso.adapters.mcp_gateway.process import Upstream, standard_input, standard_output
from sayso.adapters.mcp_gateway.wire import Sink, Source
from sayso.broker.ports import GatePort


async def serve(
    gate: GatePort,
    command: Sequence[str],
    *,
    server_name: str,
    env: Mapping[str, str] | None = None,
    stdin: Source | None = None,
    stdout: Sink | None = None,
    hold_seconds: float | None = None,
    progress_seconds: float = 15.0,
) -> int:
    """Run a server behind the gate until its client leaves; returns the exit code 0.

    `env` is the gateway's own environment unless given, `stdin` and `stdout` its standard streams;
    `hold_seconds` is the time until a client is told to call again, by the client's name unless
    given. Raises ServerUnreachable or what else the gate says if it cannot be used, UpstreamFailed
    if the server cannot be started or ends by itself.
    """
    await gate.see_tools(())  # without a gate nothing is started (MCP-6)
    upstream = await Upstream.start(command, env)
    try:
        source = stdin if stdin is not None else await standard_input()
        sink = stdout if stdout is not None else await standard_output()
        gateway = Gateway(
            gate,
            upstream,
            sink,
            server_name=server_name,
            hold_seconds=hold_seconds,
            progress_seconds=progress_seconds,
            say=lambda text: _log(server_name, text),
        )
        async with _told_to_stop() as stop:
            await gateway.run(source, stop)
    finally:
        await upstream.stop(to_end=0.0, to_obey=TOLD_TO_STOP.obey)
    return 0


@contextlib.asynccontextmanager
async def _told_to_stop() -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM, SIGINT and SIGHUP set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    caught: list[signal.Signals] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop.set)
            caught.append(number)
    try:
        yield stop
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _log(server_name: str, text: str) -> None:
    # Names come from outside: nothing of them may steer a terminal.
    shown = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
    sys.stderr.write(f"sayso mcp [{server_name}]: {shown}\n")
    sys.stderr.flush()
