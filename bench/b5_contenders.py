"""The contenders of B-5: each is two processes on one PostgreSQL, one that asks and one that reviews.

The process that asks starts the other, and answers `(how, count)`: `one` is so many round trips one
after the other, `many` is so many that all wait at once. It says how many seconds that took, and the
moments of each trip where somebody wakes.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from bench.b4_contenders import Graph
from bench.ours import (
    TOOL,
    Here,
    Trip,
    Voted,
    arguments,
    close_ours,
    open_ours,
    start_broker,
)
from bench.processes import Handler, Worker
from sayso.store.postgres import open_postgres

SENDERS = 16
"""So many threads start and answer DBOS workflows, of which one waits for the database each time."""

TIMEOUT = 600.0
"""Seconds that a DBOS workflow waits for its answer."""


# ── sayso ──────────────────────────────────────────────────────────────────────────────────────


class Elsewhere:
    """An approver in another process, on the same database."""

    def __init__(self, process: Worker) -> None:
        self._process = process

    async def approve(self, asked: Sequence[tuple[str, str]]) -> Sequence[Voted]:
        """See Approver: the other process is told which calls, and says when it reviewed them."""
        voted: Sequence[Voted] = await asyncio.to_thread(self._process.ask, list(asked))
        return voted


@asynccontextmanager
async def sayso_asks(url: str, workspace: str) -> AsyncIterator[Handler]:
    """The agent's side: a replica whose calls wait for a person at another replica."""
    ours = await open_ours(open_postgres(url), workspace)
    try:
        with Worker(sayso_reviews, url, ours.approver_token) as process:
            ours.approver = Elsewhere(process)

            async def handle(request: tuple[str, int]) -> tuple[float, list[Trip]]:
                how, count = request
                start = time.perf_counter()
                if how == "many":
                    trips = await ours.many(count)
                else:
                    trips = [await ours.one() for _ in range(count)]
                return time.perf_counter() - start, trips

            yield handle
    finally:
        await close_ours(ours)


@asynccontextmanager
async def sayso_reviews(url: str, token: str) -> AsyncIterator[Handler]:
    """The person's side: another replica, with an approver's token."""
    store = open_postgres(url)
    try:
        broker, _ = await start_broker(store)
        try:
            here = Here(broker, await broker.access.authenticate(token, "bench"))
            yield here.approve
        finally:
            await broker.close()
    finally:
        store.close()


# ── LangGraph ──────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def langgraph_asks(url: str) -> AsyncIterator[Handler]:
    """The graph runs until it interrupts; nobody waits for it here."""
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        graph = Graph(saver)
        with Worker(langgraph_reviews, url) as process:

            async def handle(request: tuple[str, int]) -> tuple[float, list[Trip]]:
                how, count = request
                start = time.perf_counter()
                if how == "many":
                    process.ask([graph.ask() for _ in range(count)])
                else:
                    for _ in range(count):
                        process.ask([graph.ask()])
                return time.perf_counter() - start, []

            yield handle


@asynccontextmanager
async def langgraph_reviews(url: str) -> AsyncIterator[Handler]:
    """Who reviews resumes the graph, whose node then runs here."""
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(url) as saver:
        graph = Graph(saver)

        async def handle(threads: list[str]) -> None:
            for thread in threads:
                graph.answer(thread)

        yield handle


# ── DBOS ───────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def dbos_asks(url: str) -> AsyncIterator[Handler]:
    """A workflow that receives a message and then runs one step; its thread waits meanwhile."""
    from dbos import DBOS, DBOSConfig

    config: DBOSConfig = {"name": "bench", "system_database_url": url, "log_level": "ERROR"}
    DBOS(config=config)
    waits: dict[int, threading.Event] = {}

    @DBOS.step()
    def send(tool: str, given: dict[str, Any]) -> str:
        return f"{tool} {given['number']}"

    @DBOS.workflow()
    def payment(tool: str, given: dict[str, Any]) -> str:
        waits[given["number"]].set()
        answer = DBOS.recv("review", timeout_seconds=TIMEOUT)
        return send(tool, given) if answer == "approve" else "rejected"

    DBOS.launch()
    numbers = iter(range(1, 2**31))

    def ask(number: int) -> Any:
        waits[number] = threading.Event()
        handle = DBOS.start_workflow(payment, TOOL, arguments(number))
        waits[number].wait()
        return handle

    try:
        with Worker(dbos_reviews, url) as process, ThreadPoolExecutor(SENDERS) as pool:

            def trips(count: int) -> None:
                asked = [next(numbers) for _ in range(count)]
                handles = list(pool.map(ask, asked))
                process.ask([handle.get_workflow_id() for handle in handles])
                for number, handle in zip(asked, handles, strict=True):
                    result = handle.get_result()
                    assert result == f"{TOOL} {number}", result
                    del waits[number]

            def measure(request: tuple[str, int]) -> tuple[float, list[Trip]]:
                how, count = request
                start = time.perf_counter()
                for size in [count] if how == "many" else [1] * count:
                    trips(size)
                return time.perf_counter() - start, []

            async def handle(request: tuple[str, int]) -> tuple[float, list[Trip]]:
                return await asyncio.to_thread(measure, request)

            yield handle
    finally:
        DBOS.destroy()


@asynccontextmanager
async def dbos_reviews(url: str) -> AsyncIterator[Handler]:
    """Who reviews sends the workflow its message."""
    from dbos import DBOSClient

    client = DBOSClient(system_database_url=url, system_database_pool_size=SENDERS)
    with ThreadPoolExecutor(SENDERS) as pool:

        async def handle(workflows: list[str]) -> None:
            def send(workflow: str) -> None:
                client.send(workflow, "approve", "review")

            await asyncio.to_thread(lambda: list(pool.map(send, workflows)))

        try:
            yield handle
        finally:
            client.destroy()
