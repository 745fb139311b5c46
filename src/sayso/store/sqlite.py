"""The SQLite store: one file, several processes, every answered write on the disk (ST-1a, ST-6).

Writes go through the one writer thread. Reads of a few rows run at once, where they are asked for:
they cost microseconds, and a write-ahead log never makes a reader wait for a writer. Reads of many
rows have a thread of their own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sayso.audit.chain import Entry
from sayso.broker.ports import Change, Group, NewCall, Notices, Page, Records, StoredCall
from sayso.core.call import Owner, ToolCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.core.session import Session
from sayso.errors import StoreUnavailable
from sayso.people.person import Person
from sayso.people.token import Credential
from sayso.policy.rule import Rule
from sayso.requests.approval import ApprovalRequest
from sayso.requests.event import Notice
from sayso.store import codec, units
from sayso.store.feed import LocalFeed
from sayso.store.guard import KEEP_NOTICES, check_next
from sayso.store.opening import BUSY_SECONDS, connect, prepare, translate
from sayso.store.queries import sqlite_queries
from sayso.store.statement import Statement
from sayso.store.writer import Writer

T = TypeVar("T")
_FEW = 200
_EVER = 2**62


def open_sqlite(
    path: Path, *, busy_seconds: float = BUSY_SECONDS, check: bool = True
) -> SqliteStore:
    """Open the store in that file, which is made if it is not there and brought up to date if older.

    `busy_seconds` is how long another process may hold the file before a write gives up; `check`
    False leaves out the walk through every page. Blocks for a moment. Raises StoreCorrupt,
    SchemaTooNew or StoreUnavailable.
    """
    path = path.absolute()
    prepare(path, busy_seconds=busy_seconds, check=check)
    try:
        return SqliteStore(path, busy_seconds=busy_seconds)
    except sqlite3.Error as error:
        raise translate(error, path, busy_seconds) from error


class SqliteStore:
    """The store in one SQLite file; make it with open_sqlite.

    `feed` wakes whoever waits in this process, also for what other processes wrote.
    """

    def __init__(self, path: Path, *, busy_seconds: float) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._q = sqlite_queries()
        self._closed = False
        self.feed = LocalFeed(self._listening)
        self._writer = Writer(
            path, self._q, self.feed, busy_seconds=busy_seconds, keep_notices=KEEP_NOTICES
        )
        self._here = connect(path, busy_seconds=0.0, writes=False)
        self._here_lock = threading.Lock()
        self._there = connect(path, busy_seconds=busy_seconds, writes=False)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="sayso-reader")
        self._write = self._writer.run
        self._writer.start()

    def close(self) -> None:
        """Finish what was handed over and close the file; the store is of no use afterwards."""
        if self._closed:
            return
        self._closed = True
        self._writer.close()
        self._reader.shutdown()
        with self._here_lock:
            self._here.close()
        self._there.close()

    def _listening(self) -> None:
        self._writer.listen()

    # ── calls and requests ─────────────────────────────────────────────────────────────────────

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call, or return the one that has its owner and external id."""
        rows = codec.new_rows(new)
        found: StoredCall | None = await self._write(lambda tx: units.submit(tx, rows))
        return found

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""
        rows = codec.log_rows(records, notices)
        await self._write(lambda tx: units.log(tx, rows))

    async def apply(self, change: Change) -> None:
        """Write a change of a request, whole or not at all."""
        check_next(change)
        rows = codec.change_rows(change)
        await self._write(lambda tx: units.apply(tx, change, rows))

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""
        return await self._one(self._q.request, {"request_id": request_id}, codec.read_request)

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""
        return await self._one(self._q.call, {"call_id": call_id}, codec.read_call)

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""
        return await self._one(
            self._q.call_by_external_id,
            {**_owned(owner), "external_id": external_id},
            codec.read_stored_call,
        )

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The open requests of that owner for exactly that digest, oldest first."""
        return await self._few(
            self._q.open_twins, {**_owned(owner), "digest": digest}, codec.read_request
        )

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""
        return await self._one(
            self._q.last_rejection,
            {**_owned(owner), "digest": digest, "since": since},
            codec.read_request,
        )

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""
        values, log = {"the_id": request_id}, codec.log_rows(records)
        await self._write(lambda tx: units.write(tx, self._q.lift_sticky, values, log))

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""
        return await self._many(self._q.pending, {}, codec.read_request)

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""
        return await self._many(self._q.recent, {"limit": limit}, codec.read_request)

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open requests of a session, oldest first."""
        return await self._many(self._q.of_session, {"session_id": session_id}, codec.read_request)

    async def due(
        self, now: Moment, caller_before: Moment, approved_before: Moment
    ) -> Sequence[ApprovalRequest]:
        """The open requests that time concerns."""
        values = {"now": now, "caller_before": caller_before, "approved_before": approved_before}
        return await self._many(self._q.due, values, codec.read_request)

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait."""
        ids = tuple(request_ids)
        if ids:
            await self._write(lambda tx: units.touch(tx, ids, now))

    # ── events ─────────────────────────────────────────────────────────────────────────────────

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""
        read = self._few if limit <= _FEW else self._many
        return await read(self._q.notices, {"after": after, "limit": limit}, codec.read_notice)

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""
        return await self._one(self._q.last_notice, {}, _number) or 0

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""
        return await self._one(self._q.oldest_notice, {}, _number) or 0

    # ── sessions, rules, people ────────────────────────────────────────────────────────────────

    async def open_session(self, session: Session) -> None:
        """Store a new session."""
        row = codec.session_row(session)
        await self._write(lambda tx: tx.write(self._q.add_session, row))

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""
        return await self._one(self._q.session, {"session_id": session_id}, codec.read_session)

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself, if it is what it was before."""
        log = codec.log_rows(records, notices)
        await self._write(lambda tx: units.change_session(tx, before, after, log))

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped; a stopped one stays as it is."""
        values, log = {"the_id": session_id, "now": now}, codec.log_rows(records)
        await self._write(lambda tx: units.write(tx, self._q.stop_session, values, log))

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""
        return await self._few(self._q.stopped_sessions, {}, lambda row: str(row[0]))

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version."""

        def read(connection: sqlite3.Connection) -> tuple[int, list[Rule]]:
            connection.execute("BEGIN")  # both from one snapshot
            try:
                version = _fetch(connection, self._q.counter, {"name": units.RULES_VERSION})
                rows = _fetch(connection, self._q.rules, {})
            finally:
                connection.execute("COMMIT")
            return version[0][0], [codec.read_rule(row) for row in rows]

        return await self._in_reader(read)

    async def rules_version(self) -> int:
        """The version of the rule table alone."""
        values = {"name": units.RULES_VERSION}
        return await self._one(self._q.counter, values, _number) or 0

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table."""
        log = codec.log_rows(records, notices)
        await self._write(lambda tx: units.put_rule(tx, rule, log))

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back."""
        log = codec.log_rows(records, notices)
        return bool(await self._write(lambda tx: units.delete_rule(tx, rule_id, log)))

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing."""
        await self._write(lambda tx: units.seed_rules(tx, seeds))

    async def groups(self) -> Sequence[Group]:
        """The permission groups."""
        return await self._few(self._q.groups, {}, lambda row: Group(*row))

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""
        found = await self._few(self._q.people, {}, codec.read_person)
        return {person.person_id: person for person in found}

    async def put_credential(self, credential: Credential, records: Records) -> None:
        """Store a new credential."""
        row, log = codec.credential_row(credential), codec.log_rows(records)
        await self._write(lambda tx: units.write(tx, self._q.add_credential, row, log))

    async def credential(self, secret_hash: str) -> Credential | None:
        """The credential whose secret has that hash."""
        values = {"secret_hash": secret_hash}
        return await self._one(self._q.credential, values, codec.read_credential)

    async def credentials(self) -> Sequence[Credential]:
        """All credentials, newest first."""
        return await self._many(self._q.credentials, {}, codec.read_credential)

    async def revoke_credential(self, credential_id: str, now: Moment, records: Records) -> bool:
        """Revoke a credential; returns whether it was live."""
        log = codec.log_rows(records)
        return bool(
            await self._write(lambda tx: units.revoke_credential(tx, credential_id, now, log))
        )

    async def revoke_all(self, now: Moment, records: Records) -> int:
        """Revoke every credential; returns how many were live."""
        log = codec.log_rows(records)
        return int(await self._write(lambda tx: units.revoke_all(tx, now, log)))

    async def passphrase_hash(self) -> str | None:
        """The hash of the owner's passphrase; None if none was chosen."""
        return await self._one(self._q.setting, {"name": units.PASSPHRASE}, lambda row: str(row[0]))

    async def set_passphrase_hash(self, value: str, records: Records) -> None:
        """Store the hash of a new passphrase."""
        row, log = {"name": units.PASSPHRASE, "value": value}, codec.log_rows(records)
        await self._write(lambda tx: units.write(tx, self._q.put_setting, row, log))

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change."""
        known = {(k.tool.server, k.tool.name): k.tool for k in await self.known_tools()}
        new = [t for t in tools if known.get((t.server, t.name)) != t]
        if new:
            rows = [(tool, codec.tool_row(tool, now)) for tool in new]
            await self._write(lambda tx: units.observe(tx, rows))

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""
        return await self._many(self._q.known_tools, {}, codec.read_known_tool)

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool."""
        rows = await self._many(self._q.approved_definitions, {}, tuple)
        return codec.read_definitions(rows)

    # ── audit ──────────────────────────────────────────────────────────────────────────────────

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first; `since` is included, `until` is not."""
        values = {
            "before": _EVER if page.before is None else page.before,
            "tool": page.tool,
            "by": page.by,
            "reason": page.reason,
            "since": -_EVER if page.since is None else page.since,
            "until": _EVER if page.until is None else page.until,
            "limit": page.limit,
            "call_id": page.call_id,
        }
        of_call = page.call_id is not None
        statement = self._q.audit_page_of_call if of_call else self._q.audit_page
        return await self._many(statement, values, codec.read_entry)

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number."""
        values = {"after": after, "limit": limit}
        return await self._many(self._q.audit_chain, values, codec.read_entry)

    # ── reading ────────────────────────────────────────────────────────────────────────────────

    async def _one(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> T | None:
        rows = await self._at_once(statement, values)
        return read(rows[0]) if rows else None

    async def _few(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return [read(row) for row in await self._at_once(statement, values)]

    async def _at_once(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Read on the calling thread; where that would have to wait, in the reader's."""
        try:
            with self._here_lock:
                return _fetch(self._here, statement, values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise translate(error, self.path, self._busy_seconds) from error
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return await self._in_reader(lambda connection: _fetch(connection, statement, values))

    async def _many(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        return await self._in_reader(
            lambda connection: [read(row) for row in _fetch(connection, statement, values)]
        )

    async def _in_reader(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise StoreUnavailable("the store is closed", "open it again")
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reader, work, self._there)
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: sqlite3.Error) -> Exception:
        if self._closed:
            return StoreUnavailable("the store is closed", "open it again")
        return translate(error, self.path, self._busy_seconds)


def _fetch(
    connection: sqlite3.Connection, statement: Statement, values: Mapping[str, Any]
) -> list[Any]:
    return connection.execute(statement.sql, statement.bind(values)).fetchall()


def _owned(owner: Owner) -> dict[str, Any]:
    return {
        "user_id": owner.user_id,
        "agent_id": owner.agent_id,
        "session_id": owner.session_id,
    }


def _number(row: Any) -> int:
    return int(row[0])
