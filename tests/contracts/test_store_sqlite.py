"""The SQLite store alone: several processes on one file, power cuts, crashes, damage, other versions."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.broker.ports import ALL
from sayso.core.effect import Effect
from sayso.errors import SchemaTooNew, StoreCorrupt, StoreError, StoreUnavailable
from sayso.policy.rule import Origin, Rule
from sayso.requests.approval import Status
from sayso.store.sqlite import SqliteStore, open_sqlite
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    chain,
    claim,
    finish,
    live,
    notice,
    record,
    whole_life,
)
from tests.house.plan import ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="rights and signals of POSIX")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sayso.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., SqliteStore]]:
    """Opens stores on the file of the test, and closes them after it."""
    stores: list[SqliteStore] = []

    def make(place: Path = path, **more: Any) -> SqliteStore:
        stores.append(open_sqlite(place, **more))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


def overwrite(path: Path, damage: Callable[[bytes], bytes]) -> bytes:
    """Damage a file; returns what it holds then."""
    path.write_bytes(damage(path.read_bytes()))
    return path.read_bytes()


def cut_the_power(path: Path, copy: Path) -> None:
    """Copy database and write-ahead log just as they are, as a power cut would leave them."""
    copy.parent.mkdir()
    for suffix in ("", "-wal"):
        shutil.copyfile(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))


def rename(path: Path, name: str) -> Path:
    return path.rename(path.with_name(name))


def run_until_killed(program: str, path: Path, lines: int) -> list[str]:
    """Run a program on the database, kill it after so many lines, and return all it said."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        return said + process.stdout.readlines()


# ── opening ────────────────────────────────────────────────────────────────────────────────────


async def test_what_was_written_is_there_after_reopening(
    opened: Callable[..., SqliteStore],
) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())
    request = await whole_life(store, "c1")
    store.close()
    store.close()
    again = opened()
    assert await live(again, "c1") == request
    assert (await chain(again)).checked == 4
    assert await again.last_notice() == 4
    await again.record([record(RecordKind.ACCESS)])
    assert (await chain(again)).ok


@posix
def test_file_and_directory_are_private(path: Path, opened: Callable[..., SqliteStore]) -> None:
    old = os.umask(0o000)
    try:
        store = opened()
        rights = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert rights == {"sayso.db": 0o600, "sayso.db-wal": 0o600, "sayso.db-shm": 0o600}
    store.close()
    path.chmod(0o644)
    opened()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.spec("ST-1a")
def test_every_commit_is_synchronised(opened: Callable[..., SqliteStore]) -> None:
    connection = opened()._writer._connection
    for name, value in (("synchronous", 2), ("foreign_keys", 1), ("journal_mode", "wal")):
        assert connection.execute(f"PRAGMA {name}").fetchone() == (value,)


@pytest.mark.spec("ST-6")
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "is empty"),
        (lambda data: b"hello, this is a text and no database at all\n" * 9, "not a database"),
        (lambda data: data[:60], "not a database"),
        (lambda data: data[: len(data) // 2], "damaged"),
        (lambda data: data[:40_000] + b"\xff" * 30_000 + data[70_000:], "damaged"),
        (lambda data: b"\0" * 4096 + data[4096:], "not a database"),
    ],
    ids=["empty", "text", "cut in the header", "cut in half", "overwritten", "zeroed page"],
)
async def test_damage_is_found_when_opening(
    path: Path, opened: Callable[..., SqliteStore], damage: Callable[[bytes], bytes], message: str
) -> None:
    store = opened()
    for number in range(50):
        await store.submit(asks(f"c{number}"))
    store.close()
    damaged = overwrite(path, damage)
    with pytest.raises(StoreCorrupt, match=message) as caught:
        open_sqlite(path)
    assert "put a backup" in (caught.value.hint or "")
    assert overwrite(path, lambda data: data) == damaged, "the evidence is left as it is"


@pytest.mark.spec("ST-6")
def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="not one of sayso"):
        open_sqlite(path)
    assert path.read_bytes() == before
    with pytest.raises(StoreCorrupt, match="not a file"):
        open_sqlite(path.parent)


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("UPDATE schema_version SET version_num = '9999'", SchemaTooNew, "knows up to"),
        ("DELETE FROM schema_version", StoreCorrupt, "which schema"),
        ("DROP TABLE schema_version", StoreCorrupt, "lost its schema"),
    ],
)
def test_another_schema_is_refused(
    path: Path, opened: Callable[..., SqliteStore], sql: str, error: type[StoreError], message: str
) -> None:
    opened().close()
    with sqlite3.connect(path) as connection:
        connection.execute(sql)
    connection.close()
    with pytest.raises(error, match=message) as caught:
        open_sqlite(path)
    assert caught.value.hint


@pytest.mark.spec("ST-6")
@pytest.mark.parametrize("table", ["audit", "calls", "requests"])
async def test_a_stored_document_that_cannot_be_read_is_damage(
    path: Path, opened: Callable[..., SqliteStore], table: str
) -> None:
    store = opened()
    await store.submit(asks("c1"))
    store.close()
    column = {"audit": "hash", "calls": "document", "requests": "state"}[table]
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {table} SET {column} = '{{\"reviews\": 5}}'")
    connection.close()
    again = opened()
    if table == "audit":
        assert not (await chain(again)).ok
    else:
        with pytest.raises(StoreCorrupt, match="cannot be read"):
            await again.request("c1")


@posix
def test_a_place_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        open_sqlite(blocker / "sayso.db")


@pytest.mark.spec("ST-6")
def test_many_open_a_new_file_at_once(path: Path) -> None:
    program = f"""
from pathlib import Path
from sayso.store.sqlite import open_sqlite
open_sqlite(Path({str(path)!r})).close()
"""
    running = [subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0] * 3
    assert sorted(p.name for p in path.parent.iterdir()) == ["sayso.db"]


# ── closing and failing ────────────────────────────────────────────────────────────────────────


async def test_a_closed_store_says_so(opened: Callable[..., SqliteStore]) -> None:
    store = opened()
    store.close()
    for attempt in (
        store.submit(asks()),
        store.request("c1"),
        store.pending(),
        store.rules(),
        store.record(()),
    ):
        with pytest.raises(StoreUnavailable, match="closed"):
            await attempt


async def test_what_was_handed_over_is_done_before_closing(
    opened: Callable[..., SqliteStore],
) -> None:
    store = opened()
    tasks = [asyncio.ensure_future(store.submit(asks(f"c{n}"))) for n in range(50)]
    await asyncio.sleep(0)
    store.close()
    assert await asyncio.gather(*tasks) == [None] * 50
    assert len(await opened().pending()) == 50


async def test_a_cancelled_caller_does_not_undo_what_was_handed_over(
    opened: Callable[..., SqliteStore],
) -> None:
    store = opened()
    task = asyncio.ensure_future(store.submit(asks()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.record([record(RecordKind.ACCESS)])
    assert (await live(store, "c1")).waits


@pytest.mark.spec("ST-6")
async def test_a_busy_database_is_waited_for_and_then_said(
    path: Path, opened: Callable[..., SqliteStore]
) -> None:
    store = opened(busy_seconds=0.3)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match=r"busy for 0\.3 s") as caught:
        await store.submit(asks("c1"))
    assert 0.3 <= time.monotonic() - began < 5
    assert caught.value.hint
    assert await store.request("c1") is None
    threading.Timer(0.1, other.execute, ("ROLLBACK",)).start()
    assert await store.submit(asks("c2")) is None
    assert [r.request_id for r in await store.pending()] == ["c2"]
    other.close()


async def test_a_file_that_was_replaced_is_not_written_to(
    path: Path, opened: Callable[..., SqliteStore]
) -> None:
    store = opened()
    await store.submit(asks("c1"))
    moved = rename(path, "moved")
    with pytest.raises(StoreUnavailable, match="moved, replaced or deleted"):
        await store.submit(asks("c2"))
    rename(moved, path.name)
    assert await store.submit(asks("c2")) is None


async def test_a_full_disk_refuses_and_keeps_what_was(opened: Callable[..., SqliteStore]) -> None:
    store = opened()
    await store.submit(asks("c1"))
    connection = store._writer._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 5}")
    huge = {"text": "x" * 500_000}
    answers = await asyncio.gather(
        store.submit(asks("c2", arguments=huge)), store.submit(asks("c3")), return_exceptions=True
    )
    assert isinstance(answers[0], StoreUnavailable)
    connection.execute("PRAGMA max_page_count=1000000")
    assert await store.submit(asks("c4")) is None
    expected = ["c1", "c3", "c4"] if answers[1] is None else ["c1", "c4"]
    assert [r.request_id for r in await store.pending()] == expected
    assert (await chain(store)).ok


async def test_what_is_asked_for_at_once_is_made_durable_at_once(
    opened: Callable[..., SqliteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    transaction, commits = store._writer._transaction, []

    def counted() -> None:
        commits.append(commit())

    commit = transaction.commit
    monkeypatch.setattr(transaction, "commit", counted)
    await asyncio.gather(*(store.submit(asks(f"c{n}")) for n in range(100)))
    assert len(commits) == 1


async def test_a_commit_that_fails_fails_all_of_its_units(
    opened: Callable[..., SqliteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    transaction = store._writer._transaction
    commit = transaction.commit

    def refuse() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(transaction, "commit", refuse)
    answers = await asyncio.gather(
        *(store.submit(asks(f"c{n}")) for n in range(5)), return_exceptions=True
    )
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    monkeypatch.setattr(transaction, "commit", commit)
    assert await store.pending() == []
    assert await store.submit(asks("c1")) is None
    assert (await chain(store)).checked == 1


def an_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("it cannot be done")
    error.sqlite_errorcode = code
    return error


class Refusing:
    """A connection that answers every statement with one error."""

    def __init__(self, error: sqlite3.Error) -> None:
        self._error = error

    def execute(self, *_: Any) -> None:
        raise self._error

    def close(self) -> None:
        pass


async def test_a_read_that_would_have_to_wait_is_done_elsewhere(
    opened: Callable[..., SqliteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    await store.submit(asks("c1"))
    monkeypatch.setattr(store, "_here", Refusing(an_error(sqlite3.SQLITE_BUSY)))
    assert (await live(store, "c1")).waits


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (sqlite3.SQLITE_CORRUPT, StoreCorrupt),
        (sqlite3.SQLITE_NOTADB, StoreCorrupt),
        (sqlite3.SQLITE_BUSY, StoreUnavailable),
        (sqlite3.SQLITE_FULL, StoreUnavailable),
        (sqlite3.SQLITE_IOERR, StoreUnavailable),
        (sqlite3.SQLITE_READONLY, StoreUnavailable),
    ],
)
async def test_errors_of_the_database_are_told_as_what_they_mean(
    opened: Callable[..., SqliteStore],
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    error: type[StoreError],
) -> None:
    store = opened()
    for name in ("_here", "_there"):
        monkeypatch.setattr(store, name, Refusing(an_error(code)))
    for read in (store.request("c1"), store.pending(), store.rules()):
        with pytest.raises(error) as caught:
            await read
        assert caught.value.hint


async def test_several_loops_share_a_store(opened: Callable[..., SqliteStore]) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())

    def elsewhere(number: int) -> None:
        async def lives() -> None:
            await asyncio.gather(*(whole_life(store, f"c{number}-{n}") for n in range(10)))

        asyncio.run(lives())

    await asyncio.gather(*(asyncio.to_thread(elsewhere, n) for n in range(3)))
    assert len(await store.recent(99)) == 30
    assert (await chain(store)).ok


# ── several processes ──────────────────────────────────────────────────────────────────────────


def _lives_in_a_process(path: str, name: str, lives: int) -> None:
    async def main() -> None:
        store = open_sqlite(Path(path))
        await asyncio.gather(*(whole_life(store, f"{name}-{n}") for n in range(lives)))
        store.close()

    asyncio.run(main())


@pytest.mark.spec("ST-6")
async def test_two_processes_append_to_one_chain(
    path: Path, opened: Callable[..., SqliteStore]
) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())
    spawn = multiprocessing.get_context("spawn")
    others = [
        spawn.Process(target=_lives_in_a_process, args=(str(path), name, 40)) for name in "ab"
    ]
    for other in others:
        other.start()
    rounds = 0
    while any(other.is_alive() for other in others):
        await whole_life(store, f"mine-{rounds}")
        rounds += 1
        await asyncio.sleep(0.01)
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0]
    found = await chain(store)
    assert (found.ok, found.checked) == (True, 4 * (80 + rounds))
    assert len(await store.recent(9999)) == 80 + rounds
    assert await store.last_notice() == 4 * (80 + rounds)


@pytest.mark.spec("POL-42")
async def test_two_people_at_two_servers_make_one_catch_all(
    opened: Callable[..., SqliteStore],
) -> None:
    results = await asyncio.gather(
        opened().put_rule(Rule("one", Effect.ALLOW, Origin.DATABASE), (), ()),
        opened().put_rule(Rule("two", Effect.DENY, Origin.DATABASE), (), ()),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["NoneType", "RuleRefused"]
    assert len((await opened().rules())[1]) == 1


@pytest.mark.spec("ST-6")
async def test_a_busy_writer_lets_another_process_in(opened: Callable[..., SqliteStore]) -> None:
    busy, other = opened(), opened()
    stop = False

    async def without_pause() -> None:
        while not stop:
            await busy.record([record(RecordKind.ACCESS)])

    tasks = [asyncio.ensure_future(without_pause()) for _ in range(100)]
    longest = 0.0
    for _ in range(10):
        began = time.monotonic()
        await other.record([record(RecordKind.CLAIM)])
        longest = max(longest, time.monotonic() - began)
    stop = True
    await asyncio.gather(*tasks)
    assert longest < 5
    assert (await chain(other)).ok


async def test_another_process_is_heard(path: Path, opened: Callable[..., SqliteStore]) -> None:
    here, there = opened(), opened()  # two stores are as strange to each other as two processes
    mine, other, all_of_it = (here.feed.subscribe(topic) for topic in ("c1", "c2", ALL))
    await there.submit(asks("c1"))
    assert await mine.wait(5)
    assert await all_of_it.wait(5)
    assert not await other.wait(0.3)
    await here.submit(asks("c3"))
    assert not await mine.wait(0.2), "what this store wrote is published by its broker"
    await there.submit(asks("c2"))
    assert await other.wait(5)
    for place in (mine, other, all_of_it):
        place.close()
    await there.submit(asks("c4"))  # nobody listens: nothing is missed by whoever comes later
    late = here.feed.subscribe("c5")
    await there.submit(asks("c5"))
    assert await late.wait(5)
    late.close()


async def test_very_many_events_from_elsewhere_wake_everybody(
    opened: Callable[..., SqliteStore],
) -> None:
    here, there = opened(), opened()
    many = tuple(notice(f"c{number}") for number in range(1100))
    await there.put_rule(Rule("r1", Effect.ASK, Origin.DATABASE), (), many)
    place = here.feed.subscribe("anything")
    assert await place.wait(5)
    place.close()


# ── power cuts and crashes ─────────────────────────────────────────────────────────────────────


async def no_run_without_its_claim(store: SqliteStore) -> None:
    """Whatever runs or has run was claimed, and the claim is in the log."""
    bodies = [entry.body for entry in await store.audit_chain(0, 100_000)]
    claimed = {b.split('"call_id":"')[1].split('"')[0] for b in bodies if '"kind":"claim"' in b}
    ran = {Status.RUNNING, Status.DONE, Status.FAILED, Status.UNKNOWN, Status.UNREPORTED}
    for request in [*await store.recent(100_000), *await store.pending()]:
        if request.status in ran:
            assert request.request_id in claimed
            assert request.lease is not None
        if request.outcome is not None:
            assert request.status in (Status.DONE, Status.FAILED)


@pytest.mark.spec("ST-1a", "ST-2")
async def test_a_power_cut_after_any_answer_undoes_nothing(
    path: Path, tmp_path: Path, opened: Callable[..., SqliteStore]
) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())
    submitted = asks("c0")
    assert submitted.request is not None
    request = submitted.request
    steps: list[tuple[str, Any]] = [("submit", submitted)]
    for number in range(6):
        if number:
            submitted = asks(f"c{number}")
            assert submitted.request is not None
            request = submitted.request
            steps.append(("submit", submitted))
        for make in (approve, claim, finish):
            change = make(request)
            request = change.request
            steps.append(("apply", change))
    for number, (kind, value) in enumerate(steps):
        await (store.submit(value) if kind == "submit" else store.apply(value))
        cut = tmp_path / f"cut{number}" / "sayso.db"
        cut_the_power(path, cut)
        after = opened(cut)
        expected = value.request
        assert await live(after, expected.request_id) == expected
        assert (await chain(after)).checked == number + 1
        assert await after.last_notice() == number + 1
        await no_run_without_its_claim(after)
        after.close()


_WRITES_UNTIL_KILLED = """
import asyncio, sys
from pathlib import Path
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import approve, asks, claim, finish

async def life(store, name):
    made = asks(name)
    await store.submit(made)
    print(name, 1, flush=True)
    request = made.request
    for make in (approve, claim, finish):
        change = make(request)
        await store.apply(change)
        request = change.request
        print(name, request.version, flush=True)

async def main():
    store = open_sqlite(Path(sys.argv[1]))
    number = 0
    while True:
        await asyncio.gather(*(life(store, f"c{number}-{n}") for n in range(20)))
        number += 1

asyncio.run(main())
"""


@posix
@pytest.mark.spec("ST-1a", "ST-2")
@pytest.mark.parametrize("lines", [5, 63, 170, 402])
async def test_a_killed_process_loses_nothing_it_acknowledged(
    path: Path, opened: Callable[..., SqliteStore], lines: int
) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())
    store.close()
    acknowledged: dict[str, int] = {}
    for line in run_until_killed(_WRITES_UNTIL_KILLED, path, lines):
        words = line.split()
        if len(words) == 2 and line.endswith("\n"):
            acknowledged[words[0]] = int(words[1])
    assert len(acknowledged) >= 5
    again = opened()
    for name, version in acknowledged.items():
        assert (await live(again, name)).version >= version
    assert (await chain(again)).ok
    await no_run_without_its_claim(again)
    await whole_life(again, "after")
