"""The one thread that writes to a SQLite file, and commits for many at once (ST-1a).

Units of work queue up while a commit waits for the disk; the next transaction takes them all. One
that fails is undone alone: most refuse before they write, and where one has written, the transaction
is done again with a savepoint for each. Nobody is answered before the commit. While
anybody listens to the feed, the same thread looks for what other processes wrote.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from sayso.store.feed import LocalFeed
from sayso.store.jobs import Answer, Job, Jobs, Unit, deliver
from sayso.store.opening import busy, connect, moved, translate
from sayso.store.queries import Queries
from sayso.store.sqlite_transaction import SqliteTransaction
from sayso.store.transaction import Transaction

MOST_UNITS = 512
"""From how many units on a transaction takes no more."""

POLL_SECONDS = 0.05
"""How often another process's writes are looked for, while anybody listens."""

WATCH_ON_SECONDS = 5.0
"""How long it goes on looking after the last listener left: the next one costs no wake-up then."""

BREATH_AFTER_SECONDS, BREATH_SECONDS = 0.1, 0.002
"""After so long without a pause it pauses so long, so that a waiting process gets its turn."""

MOST_TOPICS = 1000
"""From how many unseen events on everybody is woken instead."""


class _StartOver(Exception):
    """A unit failed after it had written: do the transaction again, with savepoints."""


class Writer:
    """The writer of one file; `run` hands it a unit of work and waits for the commit."""

    def __init__(
        self,
        path: Path,
        queries: Queries,
        feed: LocalFeed,
        *,
        busy_seconds: float,
        keep_notices: int,
    ) -> None:
        self._path = path
        self._queries = queries
        self._feed = feed
        self._busy_seconds = busy_seconds
        self._jobs: Jobs[Transaction] = Jobs(MOST_UNITS)
        self._connection = connect(path, busy_seconds=0.0)
        self._connection.execute("PRAGMA busy_timeout=0")  # _begin waits by itself, and fairly
        self._file = _identity(path)
        self._transaction = SqliteTransaction(self._connection, queries, keep_notices)
        self._version = self._data_version()
        self._transaction.seen = self._last_notice()
        self._next_poll = 0.0
        self._watching = False
        self._watch_until = 0.0
        self._rested = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="sayso-writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    async def run(self, unit: Unit) -> Any:
        """Do a unit of work in a transaction; returns its result once that is durable.

        What is asked for in one turn of the loop is handed over together, and committed together. It
        is done even if the caller is cancelled meanwhile. Raises what the unit raised, or a
        StoreError; nothing of the unit was written then.
        """
        return await self._jobs.do(unit)

    def listen(self) -> None:
        """Told by the feed that somebody listens: look for other processes' writes from now on."""
        if not self._watching:
            self._jobs.wake()

    def close(self) -> None:
        """Finish what was handed over, then close the file."""
        self._jobs.close()
        self._thread.join()

    # ── in the thread ──────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        try:
            while True:
                jobs = self._take()
                if jobs:
                    self._write(jobs)
                    self._breathe()
                if self._jobs.over:
                    return
                if self._watching and time.monotonic() >= self._next_poll:
                    self._poll()
                    self._next_poll = time.monotonic() + POLL_SECONDS
        finally:
            self._connection.close()

    def _take(self) -> list[Job[Transaction]]:
        """Wait for work, then take all that is there; empty if it is time to look around."""
        wait = max(0.0, self._next_poll - time.monotonic()) if self._watches() else None
        return self._jobs.take(wait)

    def _breathe(self) -> None:
        now = time.monotonic()
        if self._jobs.empty:
            self._rested = now
        elif now - self._rested >= BREATH_AFTER_SECONDS:
            time.sleep(BREATH_SECONDS)
            self._rested = time.monotonic()

    def _watches(self) -> bool:
        """Whether to go on looking: while anybody listens, and a little longer.

        `_watching` is put down before the last look at the feed: a listener that comes in between is
        seen here, or sees it down and wakes the thread.
        """
        now = time.monotonic()
        if self._feed.listening:
            self._watch_until = now + WATCH_ON_SECONDS
        self._watching = now < self._watch_until
        if not self._watching and self._feed.listening:
            self._watching = True
        return self._watching

    def _write(self, jobs: list[Job[Transaction]]) -> None:
        answers: list[Answer] = []
        try:
            jobs = self._begin(jobs, answers)
            if jobs:
                try:
                    done = self._do(jobs, carefully=False)
                except _StartOver:
                    self._transaction.undo_all()
                    done = self._do(jobs, carefully=True)
                self._transaction.commit()
                answers.extend(done)
        except sqlite3.Error as error:
            self._fail(jobs, translate(error, self._path, self._busy_seconds), answers)
        except Exception as error:  # every waiter is told, whatever it was
            self._fail(jobs, error, answers)
        deliver(answers)

    def _fail(
        self, jobs: list[Job[Transaction]], error: BaseException, answers: list[Answer]
    ) -> None:
        self._transaction.roll_back()
        answers.extend(Answer(job.future, None, error) for job in jobs)

    def _begin(self, jobs: list[Job[Transaction]], answers: list[Answer]) -> list[Job[Transaction]]:
        """Begin the transaction, as soon as no other process has one; returns who still waits for it.

        SQLite's own way of waiting sleeps longer and longer, and starves beside a busy writer; this
        asks about every millisecond.
        """
        while True:
            if _identity(self._path) != self._file:
                raise moved(self._path)
            try:
                self._transaction.begin()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                latest = time.monotonic() - self._busy_seconds
                late = [job for job in jobs if job.since <= latest]
                if late:
                    refusal = busy(self._path, self._busy_seconds)
                    answers.extend(Answer(job.future, None, refusal) for job in late)
                    jobs = [job for job in jobs if job.since > latest]
                    if not jobs:
                        return jobs  # nobody waits any more
                time.sleep(0.0005 + secrets.randbelow(1000) / 1e6)
            else:
                return jobs

    def _do(self, jobs: list[Job[Transaction]], *, carefully: bool) -> list[Answer]:
        """Do the units, each with a place to go back to if `carefully`.

        A unit that refuses before it wrote anything leaves nothing to undo. One that fails later
        undoes itself alone, or, without a place to go back to, raises _StartOver. Raises
        sqlite3.Error where the whole transaction is lost.
        """
        transaction = self._transaction
        answers: list[Answer] = []
        for unit, future, _ in jobs:
            if carefully:
                transaction.save()
            mark, changes = transaction.mark(), self._connection.total_changes
            try:
                answers.append(Answer(future, unit(transaction), None))
            except Exception as error:
                if not self._connection.in_transaction:
                    raise
                transaction.forget(mark)
                if carefully:
                    transaction.undo()
                elif self._connection.total_changes != changes:
                    raise _StartOver from error
                told = error
                if isinstance(error, sqlite3.Error):
                    told = translate(error, self._path, self._busy_seconds)
                answers.append(Answer(future, None, told))
            else:
                if carefully:
                    transaction.keep()
        return answers

    # ── what other processes wrote ─────────────────────────────────────────────────────────────

    def _poll(self) -> None:
        """Publish the events that other processes committed since the last look."""
        try:
            version = self._data_version()
            if version == self._version:
                return
            topics, complete = self._unseen()
            self._version = version
        except sqlite3.Error:
            self._feed.publish_everything()  # what changed is not known; a needless wake is harmless
            return
        if not complete:
            self._feed.publish_everything()
        elif topics:
            self._feed.publish(topics)

    def _unseen(self) -> tuple[set[str], bool]:
        statement = self._queries.notice_topics
        rows = self._connection.execute(
            statement.sql, statement.bind({"after": self._transaction.seen, "limit": MOST_TOPICS})
        ).fetchall()
        if len(rows) < MOST_TOPICS:
            if rows:
                self._transaction.seen = rows[-1][0]
            return {topic for _, topic in rows}, True
        self._transaction.seen = self._last_notice()
        return set(), False

    def _data_version(self) -> int:
        """A number that changes when another connection commits."""
        found: tuple[int] = self._connection.execute("PRAGMA data_version").fetchone()
        return found[0]

    def _last_notice(self) -> int:
        found: tuple[int] = self._connection.execute(self._queries.last_notice.sql).fetchone()
        return found[0]


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - runs before every transaction
    except OSError:
        return None
    return found.st_dev, found.st_ino
