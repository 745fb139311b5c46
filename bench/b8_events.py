"""B-8: one event to a thousand clients of the event stream, beside bare writes to as many connections."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

from bench.harness import Goal, Options, Report, Series, Table, interleave, scratch
from bench.http_servers import HOST, more_files, sayso_serves, writes_alone
from bench.processes import Handler, Worker

ROUNDS = 10
CLIENTS, CLIENTS_QUICK = 1000, 100
MARK = b"event: approval_requested"
PATIENCE = 60.0

SAYSO, BARE = "sayso", "bare writes"

_NOTES = (
    """Server and clients are processes of their own. From the moment the call is submitted, its commit
    included, or the first write begins, until the last client has read the whole event. All clients are
    of one person, as the tabs and programs of one are; who may read what is asked for each person.""",
    "Bare writes: a socket server of asyncio that writes the same bytes to each connection in a loop.",
    "The asyncio loop is Python's own; the server's is uvloop.",
)


@contextlib.asynccontextmanager
async def clients(port: int, token: str, count: int) -> AsyncIterator[Handler]:
    """So many open streams; an answer is when the last of them had read the next event, and its bytes."""
    more_files()
    asked = (
        f"GET /api/events HTTP/1.1\r\nHost: {HOST}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    lines = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(asked.encode())
        lines.append((reader, writer))
    for reader, _ in lines:
        await reader.readuntil(b"id: ")
        await reader.readuntil(b"\n\n")

    async def next_event(reader: asyncio.StreamReader) -> tuple[float, bytes]:
        await reader.readuntil(MARK)
        rest = await reader.readuntil(b"\n\n")
        return time.perf_counter(), MARK + rest

    waiting: list[asyncio.Task[tuple[float, bytes]]] = []

    async def handle(what: Any) -> Any:
        if what == "ready":
            waiting[:] = [asyncio.create_task(next_event(reader)) for reader, _ in lines]
            await asyncio.sleep(0)
            return None
        async with asyncio.timeout(PATIENCE):
            read = await asyncio.gather(*waiting)
        return max(moment for moment, _ in read), read[0][1]

    yield handle
    for _, writer in lines:
        writer.close()


def run(options: Options) -> Report:
    """Measure and report."""
    count = CLIENTS_QUICK if options.quick else CLIENTS
    with scratch(options, "b8") as directory, ExitStack() as stack:
        sayso = stack.enter_context(Worker(sayso_serves, str(directory), False))
        bare = stack.enter_context(Worker(writes_alone))
        port, _, approver = sayso.ask("where")
        readers = {
            SAYSO: stack.enter_context(Worker(clients, port, approver, count)),
            BARE: stack.enter_context(Worker(clients, bare.ask("where")[0], "", count)),
        }

        def once(name: str, server: Worker, told: Any) -> tuple[float, bytes]:
            readers[name].ask("ready")
            begun = server.ask(told)
            last, event = readers[name].ask("last")
            return last - begun, event

        event = once(SAYSO, sayso, "call")[1] + b"id: 1\n\n"
        once(BARE, bare, event)
        series = interleave(
            {
                SAYSO: lambda _: once(SAYSO, sayso, "call")[0],
                BARE: lambda _: once(BARE, bare, event)[0],
            },
            2 if options.quick else ROUNDS,
            options.random("b8"),
        )
    return _report(series, count, len(event))


def _report(series: dict[str, Series], count: int, size: int) -> Report:
    rows = tuple(
        (
            name,
            f"{one.median * 1e3:.1f}",
            f"{one.calmest * 1e3:.1f}",
            f"{one.median / series[BARE].median:.2f}×",
            f"{one.spread:.1f}",
        )
        for name, one in series.items()
    )
    columns = ("", "ms to the last", "calmest round", "beside bare writes", "spread")
    return Report(
        id="B-8",
        title="one event to many clients",
        work=f"One event of {size:,} bytes, a request with its card, to {count:,} clients of the event stream.",
        tables=(Table("To the last client", columns, rows),),
        goals=(Goal.between("time to the last client", series[SAYSO], series[BARE], 2.5),),
        notes=_NOTES,
        numbers={name: one.values for name, one in series.items()},
    )
