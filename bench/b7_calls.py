"""B-7: a call that a rule allows, over HTTP, beside the framework's trivial endpoint."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import ExitStack

from bench.harness import Goal, Options, Report, Series, Table, interleave, microseconds, scratch
from bench.http_servers import (
    HOST,
    call_body,
    call_request,
    exchange,
    framework_serves,
    sayso_serves,
)
from bench.processes import Worker

ROUNDS = 10
CONNECTIONS = 64
"""Requests in flight at any moment, each on a connection of its own."""

REQUESTS = 25
"""Requests, one after the other, on each of them in each round."""

SUBMIT, DECIDE, TRIVIAL = "POST /api/calls", "POST /api/calls/decide", "a trivial endpoint"

_NOTES = (
    f"""{CONNECTIONS} connections that stay open, each with one request under way; server and client are
    processes of their own. The trivial endpoint is the same framework on the same server: it reads the
    same body and answers a small document.""",
    """sayso proves the credential, decides, and answers once call and audit record are on the disk
    with full synchronisation; *decide* writes its audit record alone.""",
    "The asyncio loop is Python's own; the server's is uvloop.",
)


def run(options: Options) -> Report:
    """Measure and report."""
    with scratch(options, "b7") as directory, ExitStack() as stack:
        sayso = stack.enter_context(Worker(sayso_serves, str(directory), True))
        plain = stack.enter_context(Worker(framework_serves))
        port, agent, _ = sayso.ask("where")
        session = asyncio.run(_session(port, agent))
        body = json.dumps(call_body(session)).encode()
        trivial = plain.ask("where")[0]
        requests = {
            SUBMIT: (port, call_request(port, agent, "/api/calls", body)),
            DECIDE: (port, call_request(port, agent, "/api/calls/decide", body)),
            TRIVIAL: (trivial, call_request(trivial, agent, "/api/calls", body)),
        }
        each = 5 if options.quick else REQUESTS
        for name in requests:
            asyncio.run(_round(*requests[name], each))  # warm
        series = interleave(
            {
                name: lambda _, asked=asked: asyncio.run(_round(*asked, each))
                for name, asked in requests.items()
            },
            2 if options.quick else ROUNDS,
            options.random("b7"),
        )
    return _report(series)


def _report(series: dict[str, Series]) -> Report:
    base = series[TRIVIAL]
    rows = tuple(
        (
            name,
            microseconds(one.median),
            f"{1 / one.median:,.0f}",
            f"{base.median / one.median:.2f}×",
            f"{one.spread:.1f}",
        )
        for name, one in series.items()
    )
    columns = ("", "µs a request", "requests a second", "rate beside trivial", "spread")
    rates = {
        name: Series(name, [1 / value for value in one.values]) for name, one in series.items()
    }
    goal = Goal(
        "rate of an allowed call beside a trivial endpoint",
        rates[SUBMIT].median / rates[TRIVIAL].median,
        0.6,
        True,
        base.calmest / series[SUBMIT].calmest,
    )
    return Report(
        id="B-7",
        title="an allowed call over HTTP",
        work=f"A call that one rule allows, {CONNECTIONS} in flight, over HTTP to a server on a SQLite file.",
        tables=(Table("Requests", columns, rows),),
        goals=(goal,),
        notes=_NOTES,
        numbers={name: one.values for name, one in series.items()},
    )


async def _session(port: int, token: str) -> str:
    reader, writer = await asyncio.open_connection(HOST, port)
    made = await exchange(reader, writer, call_request(port, token, "/api/sessions", b"{}"))
    writer.close()
    return str(json.loads(made)["session_id"])


async def _round(port: int, request: bytes, each: int) -> float:
    """The seconds that one request takes when so many are in flight, as a share of the whole."""
    lines = [await asyncio.open_connection(HOST, port) for _ in range(CONNECTIONS)]

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(each):
            await exchange(reader, writer, request)

    begun = time.perf_counter()
    await asyncio.gather(*(ask(*line) for line in lines))
    taken = time.perf_counter() - begun
    for _, writer in lines:
        writer.close()
    return taken / (each * CONNECTIONS)
