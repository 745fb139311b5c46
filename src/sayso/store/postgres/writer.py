"""A thread that writes to PostgreSQL, and commits for many at once (ST-1a, ST-2).

What was handed over while a commit waited is done in the next transaction. One unit that fails is undone
alone. Nobody is answered before the commit. A connection that is lost is made anew and the work done
again; if it was lost during the commit, the server is asked first whether that was done, so that
nothing is ever written twice.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import psycopg

from sayso.errors import StoreError, StoreUnavailable
from sayso.store.jobs import Answer, Job, Jobs, Unit, deliver
from sayso.store.postgres.address import Address, connect, is_lost, translate
from sayso.store.postgres.transaction import PostgresTransaction
from sayso.store.queries import Queries
from sayso.store.transaction import Transaction

MOST_UNITS = 128
"""From how many units on a transaction takes no more: other replicas wait for their turn."""

AGAIN_SECONDS = 0.1
"""How long after a failure it is tried again."""

MOST_TRIES = 20
"""How often a transaction that only bad luck stopped is tried."""

_BAD_LUCK = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)


class _StartOver(Exception):
    """A unit failed after it had written: do the transaction again, with savepoints."""


class _BadLuck(Exception):
    """Another transaction was in the way: do this one again."""


class PostgresWriter:
    """One thread with one connection, which is made when it is needed first."""

    def __init__(
        self,
        address: Address,
        queries: Queries,
        *,
        in_turn: bool,
        busy_seconds: float,
        keep_notices: int,
    ) -> None:
        self._address = address
        self._queries = queries
        self._in_turn = in_turn
        self._busy_seconds = busy_seconds
        self._keep_notices = keep_notices
        self._jobs: Jobs[Transaction] = Jobs(MOST_UNITS)
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._transaction: PostgresTransaction | None = None
        name = "sayso-writer" if in_turn else "sayso-adder"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    async def run(self, unit: Unit) -> Any:
        """Do a unit of work in a transaction; returns its result once that is durable.

        Raises what the unit raised, or a StoreError; nothing of the unit was written then.
        """
        return await self._jobs.do(unit)

    def close(self) -> None:
        """Finish what was handed over, then close the connection."""
        self._jobs.close()
        self._thread.join()

    @property
    def server_process(self) -> int | None:
        """The process of the server that serves this connection: its notices are this replica's own."""
        connection = self._connection
        return None if connection is None or connection.closed else connection.info.backend_pid

    # ── in the thread ──────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        try:
            while not self._jobs.over:
                jobs = self._jobs.take(None)
                if jobs:
                    self._write(jobs)
        finally:
            self._drop()

    def _write(self, jobs: list[Job[Transaction]]) -> None:
        """Do the jobs, and go on trying while anybody who waits has patience left."""
        carefully, tries = False, 0
        while jobs:
            try:
                deliver(self._attempt(jobs, carefully=carefully))
                return
            except _StartOver:
                carefully = True
            except _BadLuck as error:
                tries += 1
                self._drop()
                if tries == MOST_TRIES:
                    self._fail(jobs, error.__cause__ or error)
                    return
            except psycopg.Error as error:
                lost = is_lost(error, self._connection)
                self._drop()
                if not lost:
                    self._fail(jobs, error)
                    return
                jobs = self._patient(jobs, error)
            except Exception as error:  # every waiter is told, whatever it was
                self._drop()
                self._fail(jobs, error)
                return

    def _attempt(self, jobs: list[Job[Transaction]], *, carefully: bool) -> list[Answer]:
        """One transaction with all the jobs; what is raised has left nothing written."""
        transaction = self._ready()
        transaction.begin()
        try:
            answers = self._do(transaction, jobs, carefully=carefully)
            try:
                transaction.write_logs()
            except psycopg.errors.UniqueViolation as error:
                raise _BadLuck from error  # somebody else wrote to this chain: take another one
            except _BAD_LUCK as error:
                raise _BadLuck from error
        except (_StartOver, _BadLuck):
            transaction.roll_back()
            raise
        try:
            committed = transaction.commit()
        except psycopg.Error as error:
            if not is_lost(error, self._connection):
                raise
            self._drop()
            committed = self._was_committed(transaction.xid, error)
            if not committed:
                raise
        if not committed:
            raise StoreError("the database undid a write instead of keeping it")
        transaction.was_committed()
        return answers

    def _do(
        self, transaction: PostgresTransaction, jobs: list[Job[Transaction]], *, carefully: bool
    ) -> list[Answer]:
        """Do the units, each with a place to go back to if `carefully`."""
        answers: list[Answer] = []
        for unit, future, _ in jobs:
            if carefully:
                transaction.save()
            mark, wrote = transaction.mark(), transaction.wrote
            try:
                answers.append(Answer(future, unit(transaction), None))
            except psycopg.Error as error:
                if is_lost(error, self._connection):
                    raise
                if isinstance(error, _BAD_LUCK):
                    raise _BadLuck from error
                if not carefully:
                    raise _StartOver from error
                transaction.forget(mark)
                transaction.undo()
                answers.append(Answer(future, None, translate(error, self._address)))
            except Exception as error:
                transaction.forget(mark)
                if carefully:
                    transaction.undo()
                elif transaction.wrote != wrote:
                    raise _StartOver from error
                answers.append(Answer(future, None, error))
            else:
                if carefully:
                    transaction.keep()
        return answers

    def _ready(self) -> PostgresTransaction:
        if self._transaction is None:
            self._connection = connect(self._address, busy_seconds=self._busy_seconds)
            self._transaction = PostgresTransaction(
                self._connection,
                self._queries,
                in_turn=self._in_turn,
                keep_notices=self._keep_notices,
            )
        return self._transaction

    def _drop(self) -> None:
        self._transaction = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _was_committed(self, xid: str, lost: psycopg.Error) -> bool:
        """Ask the server what became of a transaction, as long as that takes or patience lasts.

        Raises StoreUnavailable where it could not be found out.
        """
        until = time.monotonic() + self._busy_seconds
        while time.monotonic() < until:
            try:
                with connect(self._address, busy_seconds=self._busy_seconds) as connection:
                    found = connection.execute("SELECT pg_xact_status(%s::xid8)", (xid,)).fetchone()
            except psycopg.OperationalError:
                time.sleep(AGAIN_SECONDS)
                continue
            except psycopg.Error:
                return False  # this server never heard of it
            if found in (("committed",), ("aborted",)):
                return found == ("committed",)
            time.sleep(AGAIN_SECONDS / 2)  # its process is still ending
        raise StoreUnavailable(
            f"the database `{self._address.shown}` went away during a write, and it is not known "
            "whether that was done",
            "look at what is stored before you try again",
        ) from lost

    def _patient(
        self, jobs: list[Job[Transaction]], error: psycopg.Error
    ) -> list[Job[Transaction]]:
        """Those who go on waiting; the others are told."""
        latest = time.monotonic() - self._busy_seconds
        self._fail([job for job in jobs if job.since <= latest], error)
        time.sleep(AGAIN_SECONDS)
        return [job for job in jobs if job.since > latest]

    def _fail(self, jobs: list[Job[Transaction]], error: BaseException) -> None:
        told = translate(error, self._address) if isinstance(error, psycopg.Error) else error
        deliver(Answer(job.future, None, told) for job in jobs)
