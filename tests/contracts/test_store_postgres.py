"""The PostgreSQL store alone: several replicas at once, lost connections, restarts, other versions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from sqlalchemy import create_engine

from sayso.audit.record import RecordKind
from sayso.broker.ports import ALL, Page
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.core.effect import Effect
from sayso.core.session import Session
from sayso.errors import (
    LostRace,
    RuleRefused,
    SchemaTooNew,
    SettingsInvalid,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
)
from sayso.policy.defaults import seed_rules
from sayso.policy.rule import Origin, Rule
from sayso.store import migrations
from sayso.store.postgres import PostgresStore, open_postgres
from sayso.store.postgres.address import KEY, TURN, parse_address
from sayso.store.postgres.backup import back_up_postgres
from sayso.store.postgres.opening import prepare
from sayso.store.postgres.transaction import PostgresTransaction
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    chain,
    claim,
    live,
    new,
    notice,
    record,
    whole_life,
)
from tests.fakes.facts import FakeFacts
from tests.fakes.postgres import Server, server
from tests.fakes.values import START, a_call, a_request, at

Open = Callable[..., PostgresStore]


@pytest.fixture
def url() -> str:
    return server().new_database()


@pytest.fixture
def opened(url: str) -> Iterator[Open]:
    """Opens stores on the database of the test, and closes them after it."""
    stores: list[PostgresStore] = []

    def make(**more: Any) -> PostgresStore:
        stores.append(open_postgres(url, **more))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def outage() -> Iterator[Server]:
    """A server that may be stopped: it runs again after the test."""
    yield server()
    server().start()


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


def cut(url: str, *, but: int = 0) -> int:
    """Break every connection to the database; returns how many there were."""
    return len(
        server().run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{name_of(url)}' AND pid <> pg_backend_pid() AND pid <> {but}"
        )
    )


async def four(opened: Open) -> list[PostgresStore]:
    """Four replicas; the first has the owner's credential."""
    stores = [opened() for _ in range(4)]
    await stores[0].put_credential(OWNERS, ())
    return stores


async def outcomes(*work: Any) -> tuple[int, list[BaseException]]:
    """How many succeeded, and what the others raised."""
    said = await asyncio.gather(*work, return_exceptions=True)
    failed = [one for one in said if isinstance(one, BaseException)]
    return len(said) - len(failed), failed


# ── several replicas: what one writer excludes is excluded here too ────────────────────────────


@pytest.mark.spec("ST-2")
async def test_of_claims_by_all_replicas_at_once_one_wins(opened: Open) -> None:
    stores = await four(opened)
    for n in range(20):
        asked = asks(f"c{n}")
        assert asked.request is not None
        await stores[n % 4].submit(asked)
        approved = approve(asked.request)
        await stores[(n + 1) % 4].apply(approved)
        attempts = [
            store.apply(claim(approved.request, f"t{k}")) for k, store in enumerate(stores * 2)
        ]
        won, lost = await outcomes(*attempts)
        assert (won, {type(one) for one in lost}) == (1, {LostRace})
        assert (await live(stores[0], f"c{n}")).version == approved.request.version + 1
    assert (await chain(stores[0])).ok


@pytest.mark.spec("ST-2")
@pytest.mark.parametrize("asking", [True, False])
async def test_an_external_id_is_taken_once_by_all_replicas(opened: Open, asking: bool) -> None:
    stores = await four(opened)
    for n in range(20):
        calls = [a_call(call_id=f"c{n}-{k}", external_id=f"x{n}") for k in range(8)]
        made = [
            new(a_request(call) if asking or k % 2 else None, call) for k, call in enumerate(calls)
        ]
        found = await asyncio.gather(
            *(store.submit(one) for store, one in zip(stores * 2, made, strict=True))
        )
        assert found.count(None) == 1
        winner = f"c{n}-{found.index(None)}"
        assert {one.call_id for one in found if one is not None} == {winner}
        known = [await stores[0].call(call.call_id) for call in calls]
        assert [one is not None for one in known] == [one is None for one in found]


@pytest.mark.spec("ST-2")
async def test_a_second_rule_for_everything_is_refused_whoever_adds_it(opened: Open) -> None:
    stores = await four(opened)
    effects = list(Effect) * 4
    for k in range(10):
        rules = [
            Rule(f"r{k}-{n}", effect, Origin.DATABASE, group_id=f"g{k}")
            for n, effect in enumerate(effects)
        ]
        won, lost = await outcomes(
            *(store.put_rule(rule, (), ()) for store, rule in zip(stores * 3, rules, strict=True))
        )
        assert (won, len(lost), {type(one) for one in lost}) == (4, 8, {RuleRefused})
    kept = (await stores[0].rules())[1]
    assert len({(rule.group_id, rule.effect) for rule in kept}) == 10


@pytest.mark.spec("ST-2")
async def test_seeds_are_sown_once_and_versions_are_counted(opened: Open) -> None:
    stores = await four(opened)
    await asyncio.gather(*(store.seed_rules(seed_rules()) for store in stores * 3))
    version, rows = await stores[0].rules()
    assert len(rows) == len({row.id for row in rows}) == len(seed_rules())
    assert version == 1
    rules = [
        Rule(f"r{n}", Effect.DENY, Origin.DATABASE, tool_pattern=f"tool{n}") for n in range(40)
    ]
    await asyncio.gather(
        *(store.put_rule(rule, (), ()) for store, rule in zip(stores * 10, rules, strict=True))
    )
    assert await stores[3].rules_version() == 41


@pytest.mark.spec("ST-2")
async def test_of_changes_of_a_session_at_once_one_wins(opened: Open) -> None:
    stores = await four(opened)
    session = Session("s1", "owner", "coder", "api", None, True, "cred-agent", START)
    await stores[0].open_session(session)
    changed = [replace(session, run_context=f"c{n}") for n in range(8)]
    won, lost = await outcomes(
        *(
            store.change_session(session, one, [record(RecordKind.ACCESS)], ())
            for store, one in zip(stores * 2, changed, strict=True)
        )
    )
    assert (won, {type(one) for one in lost}) == (1, {LostRace})
    assert (await chain(stores[0])).checked == 1


@pytest.mark.spec("ST-3")
async def test_a_reader_skips_no_event_however_many_write(opened: Open) -> None:
    stores = await four(opened)
    seen: list[int] = []

    async def follow() -> None:
        while len(seen) < 400:
            found = await stores[0].notices(seen[-1] if seen else 0, 100)
            seen.extend(one.event_id for one in found)

    async def write(store: PostgresStore, k: int) -> None:
        for n in range(100):
            await store.record((), [notice(f"c{k}-{n}")])

    await asyncio.wait_for(
        asyncio.gather(follow(), *(write(store, k) for k, store in enumerate(stores))), 60
    )
    assert seen == list(range(1, 401))


@pytest.mark.spec("AUD-3")
async def test_each_replica_writes_a_chain_and_all_are_verified(url: str, opened: Open) -> None:
    stores = await four(opened)
    await asyncio.gather(
        *(store.record([record(RecordKind.ACCESS)]) for store in stores for _ in range(25))
    )
    found = await chain(stores[0])
    assert (found.ok, found.checked) == (True, 100)
    assert len(found.heads) > 1
    server().run("UPDATE audit SET body = '{}' WHERE seq = 1099511627777", name_of(url))
    assert (await chain(stores[0])).fault == "entry 1099511627777 was changed"


@pytest.mark.spec("AUD-3")
async def test_a_chain_is_taken_up_where_another_replica_left_it(opened: Open) -> None:
    for n in range(3):
        store = opened()
        await store.record([record(RecordKind.ACCESS)])
        assert [entry.seq for entry in await store.audit_chain(0, 9)] == list(range(1, n + 2))
        store.close()


@pytest.mark.spec("AUD-3")
async def test_an_allowed_call_waits_for_no_other_replica(url: str, opened: Open) -> None:
    store = opened()
    with psycopg.connect(url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s, %s)", (KEY, TURN))
        assert await asyncio.wait_for(store.submit(new()), 5) is None
        asking = asyncio.create_task(store.submit(asks("c2")))
        await asyncio.sleep(0.2)
        assert not asking.done()
    assert await asking is None


async def test_pages_of_several_chains_are_newest_first(opened: Open) -> None:
    stores = [opened() for _ in range(3)]
    for n in range(12):
        await stores[n % 3].record([record(RecordKind.ACCESS, f"c{n}", at=at(n))])
    store, ids, before = stores[0], [], None
    while page := await store.audit_page(Page(limit=5, before=before)):
        ids += [entry.body.split('"call_id":"')[1].split('"')[0] for entry in page]
        before = page[-1].seq
    assert ids == [f"c{n}" for n in reversed(range(12))]


@pytest.mark.spec("ST-7")
async def test_pages_are_newest_first_in_a_file_that_several_chains_were_restored_to(
    url: str, opened: Open, tmp_path: Path
) -> None:
    stores = [opened() for _ in range(3)]
    for n in range(12):
        await stores[n % 3].record([record(RecordKind.ACCESS, f"c{n}", at=at(n))])
    back_up_postgres(url, tmp_path / "backup.db")
    restored = open_sqlite(tmp_path / "backup.db")
    await restored.record([record(RecordKind.ACCESS, "c12", at=at(12))])
    ids: list[str] = []
    before = None
    while page := await restored.audit_page(Page(limit=5, before=before)):
        ids += [entry.body.split('"call_id":"')[1].split('"')[0] for entry in page]
        before = page[-1].seq
    found = await chain(restored)
    restored.close()
    assert ids == [f"c{n}" for n in reversed(range(13))]
    assert (found.ok, found.checked) == (True, 13)


async def test_a_replica_that_stands_still_holds_up_nobody_for_long(url: str, opened: Open) -> None:
    store = opened()
    with psycopg.connect(url) as other:
        other.execute("SET idle_in_transaction_session_timeout = '300ms'")
        other.execute("SELECT pg_advisory_xact_lock(%s, %s)", (KEY, TURN))
        assert await asyncio.wait_for(store.submit(asks()), 5) is None
        with suppress(psycopg.Error):
            other.rollback()


# ── the feed ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.spec("ST-3")
async def test_another_replicas_write_wakes_who_waits_for_it(url: str, opened: Open) -> None:
    here, there = opened(), opened()
    request, everyone, other = (here.feed.subscribe(topic) for topic in ("c1", ALL, "c2"))
    await asyncio.sleep(0.5)  # both listen, and have told everybody so
    for place in (request, everyone, other):
        await place.wait(0)
    with psycopg.connect(url, autocommit=True) as third:
        third.execute("LISTEN sayso")
        await there.submit(asks("c1"))
        assert await request.wait(5)
        assert await everyone.wait(0)
        assert not await other.wait(0)
        said = [one.payload for one in third.notifies(timeout=2, stop_after=1)]
    assert said == ["c1"]  # one notice a commit, ids only


@pytest.mark.spec("ST-3")
async def test_a_commit_of_many_says_so_once(url: str, opened: Open) -> None:
    here, there = opened(), opened()
    place = here.feed.subscribe("c500")
    await asyncio.sleep(0.5)
    await place.wait(0)
    await there.record((), [notice(f"c{n}-{'x' * 40}") for n in range(1000)])
    assert await place.wait(5)  # too many to be named: everybody is woken


@pytest.mark.spec("ST-3")
async def test_a_listener_that_was_cut_off_listens_again(url: str, opened: Open) -> None:
    here, there = opened(), opened()
    await asyncio.sleep(0.5)
    assert cut(url) > 0
    place = here.feed.subscribe("c1")
    assert await place.wait(5)  # what may have been missed wakes everybody
    await there.submit(asks("c1"))
    assert await place.wait(5)


@pytest.mark.spec("ST-4")
async def test_rules_are_todays_at_each_check_also_where_the_feed_is_not_heard(
    opened: Open,
) -> None:
    here, there = opened(), opened()
    rules = CachedRules(here, FixedLists(ListRules(version=0, rules=())), (), FakeFacts())
    here._listener.close()
    assert (await rules.current()).rules == ()
    assert await rules.current() is await rules.current()  # compiled once
    for name in ("r1", "r2"):
        await there.put_rule(Rule(name, Effect.DENY, Origin.DATABASE, tool_pattern=name), (), ())
        assert name in {rule.id for rule in (await rules.current()).rules}


# ── lost connections ───────────────────────────────────────────────────────────────────────────


@pytest.mark.spec("ST-1a", "ST-2")
async def test_connections_that_break_lose_no_write_and_double_none(url: str, opened: Open) -> None:
    store, n, until = opened(), 0, time.monotonic() + 3
    answered: list[str] = []

    async def write(k: int) -> None:
        nonlocal n
        while time.monotonic() < until:
            n += 1
            name = f"c{k}-{n}"
            await store.record([record(RecordKind.ACCESS, name)], [notice(name)] if k % 2 else ())
            answered.append(name)
            assert await store.last_notice() >= 0

    async def break_off() -> None:
        while time.monotonic() < until:
            await asyncio.to_thread(cut, url)
            await asyncio.sleep(0.05)

    await asyncio.gather(break_off(), *(write(k) for k in range(8)))
    entries = await store.audit_chain(0, 1_000_000)
    names = [entry.body.split('"call_id":"')[1].split('"')[0] for entry in entries]
    assert sorted(names) == sorted(answered)
    assert (await chain(store)).ok
    events = [one.request_id for one in await store.notices(0, 1_000_000)]
    assert sorted(events) == sorted(name for name in names if int(name[1]) % 2)


@pytest.mark.spec("ST-1a")
async def test_answered_writes_survive_a_power_cut_of_the_server(
    opened: Open, outage: Server
) -> None:
    store = opened()
    answered = []
    for n in range(30):
        await store.record([record(RecordKind.ACCESS, f"c{n}")], [notice(f"c{n}")])
        answered.append(f"c{n}")
    await asyncio.to_thread(outage.stop_at_once)
    waiting = asyncio.create_task(store.submit(asks("late")))
    reading = asyncio.create_task(store.last_notice())
    await asyncio.to_thread(outage.start)
    assert await waiting is None
    assert await reading >= 30
    assert [one.request_id for one in await store.notices(0, 100)] == [*answered, "late"]
    assert (await chain(store)).checked == 31


async def test_a_server_that_stays_away_is_said(opened: Open, outage: Server) -> None:
    store = opened(busy_seconds=0.5)
    await store.put_credential(OWNERS, ())
    await asyncio.to_thread(outage.stop)
    won, lost = await outcomes(
        store.submit(asks("c1")), store.submit(new()), store.request("c1"), store.rules()
    )
    assert (won, {type(one) for one in lost}) == (0, {StoreUnavailable})
    assert all("cannot be used" in str(one) for one in lost)
    await asyncio.to_thread(outage.start)
    assert await store.submit(asks("c1")) is None


@pytest.mark.spec("ST-2")
@pytest.mark.parametrize("done", [True, False])
async def test_a_commit_whose_answer_was_lost_is_neither_doubled_nor_forgotten(
    opened: Open, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    store, commits = opened(), []

    def commit(transaction: PostgresTransaction) -> bool:
        commits.append(1)
        if done or len(commits) > 1:
            real(transaction)
        if len(commits) == 1:
            transaction._cursor.connection.close()
            raise psycopg.OperationalError("the connection was lost")
        return True

    real = PostgresTransaction.commit
    monkeypatch.setattr(PostgresTransaction, "commit", commit)
    await store.record([record(RecordKind.ACCESS)], [notice("c1")])
    assert len(commits) == (1 if done else 2)
    await store.record([record(RecordKind.ACCESS)], [notice("c2")])
    assert [one.request_id for one in await store.notices(0, 9)] == ["c1", "c2"]
    assert ((await chain(store)).ok, (await chain(store)).checked) == (True, 2)


async def test_a_commit_that_cannot_be_asked_about_is_said(
    opened: Open, monkeypatch: pytest.MonkeyPatch, outage: Server
) -> None:
    store = opened(busy_seconds=0.5)
    await store.record((), [notice("c1")])

    def commit(transaction: PostgresTransaction) -> bool:
        outage.stop_at_once()
        raise psycopg.OperationalError("the connection was lost")

    monkeypatch.setattr(PostgresTransaction, "commit", commit)
    with pytest.raises(StoreUnavailable, match="not known whether that was done"):
        await store.record((), [notice("c2")])


async def test_a_write_that_fails_is_undone_alone(opened: Open) -> None:
    store = opened()
    await store.put_credential(OWNERS, ())
    won, lost = await outcomes(
        *(store.submit(asks(f"c{n}")) for n in range(5)),
        store.put_credential(OWNERS, [record(RecordKind.ACCESS)]),
        store.submit(asks("c1")),
        store.record([record(RecordKind.ACCESS, "a\x00b")]),
        *(store.submit(asks(f"d{n}")) for n in range(5)),
    )
    assert (won, {type(one) for one in lost}) == (10, {StoreError})
    assert (await chain(store)).checked == 10


async def test_two_that_take_the_same_chain_do_not_break_it(opened: Open, url: str) -> None:
    """A pooler between may lose the lock of a chain: then the table itself refuses the second."""
    one, other = opened(), opened()
    await one.record([record(RecordKind.ACCESS)])
    writer = one._adder._transaction
    assert writer is not None
    server().run("SELECT 1")
    other_taken = PostgresTransaction._take_chain
    PostgresTransaction._take_chain = lambda self: writer._committed  # type: ignore[method-assign]
    try:
        await other.record([record(RecordKind.ACCESS)])
    finally:
        PostgresTransaction._take_chain = other_taken  # type: ignore[method-assign]
    await one.record([record(RecordKind.ACCESS)])
    found = await chain(one)
    assert (found.ok, found.checked) == (True, 3)


# ── opening ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.spec("ST-1a")
async def test_every_commit_is_synchronised(opened: Open) -> None:
    store = opened()
    await store.record([record(RecordKind.ACCESS)])
    connection = store._adder._connection
    assert connection is not None
    for name, value in (
        ("synchronous_commit", "on"),
        ("statement_timeout", "10s"),
        ("lock_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "5s"),
    ):
        assert connection.execute(f"SHOW {name}").fetchone() == (value,)


@pytest.mark.spec("ST-1")
def test_the_migrations_make_the_tables() -> None:
    url = server().new_database(template=None)
    prepare(parse_address(url))
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    with engine.connect() as connection:
        command.check(migrations.configuration(connection))
    engine.dispose()


async def test_replicas_that_open_a_new_database_at_once_make_it_once() -> None:
    url = server().new_database(template=None)
    stores = await asyncio.gather(*(asyncio.to_thread(open_postgres, url) for _ in range(4)))
    await whole_life_in(stores[0])
    for store in stores:
        assert (await live(store, "c1")).version == 4
        store.close()


async def whole_life_in(store: PostgresStore) -> None:
    await store.put_credential(OWNERS, ())
    await whole_life(store, "c1")


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("UPDATE schema_version SET version_num = '9999'", SchemaTooNew, "has the schema `9999`"),
        ("DELETE FROM schema_version", StoreCorrupt, "does not say which schema"),
        ("DROP TABLE schema_version", StoreCorrupt, "has lost its schema"),
    ],
)
def test_what_is_wrong_with_a_database_is_said(
    url: str, statement: str, error: type[StoreError], words: str
) -> None:
    server().run(statement, name_of(url))
    with pytest.raises(error, match=words):
        open_postgres(url)


def test_a_database_of_another_encoding_is_refused() -> None:
    server().run(
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    with pytest.raises(StoreUnavailable, match="has the encoding `LATIN1`"):
        open_postgres(server().url("latin"))


def test_a_password_is_never_shown() -> None:
    url = "postgresql://me:s3cret@127.0.0.1:1/db"
    assert parse_address(url).shown == "postgresql://me@127.0.0.1:1/db"
    assert "s3cret" not in repr(parse_address(url))
    with pytest.raises(StoreUnavailable) as refused:
        open_postgres(url)
    assert "s3cret" not in str(refused.value)
    assert "postgresql://me@127.0.0.1:1/db" in str(refused.value)
    with pytest.raises(SettingsInvalid, match="cannot be read") as unread:
        open_postgres("postgresql://me:s3cret@[::1/db")
    assert "s3cret" not in str(unread.value)


async def test_a_closed_store_says_so(opened: Open) -> None:
    store = opened()
    store.close()
    store.close()
    won, lost = await outcomes(
        store.record(()), store.submit(asks("c1")), store.request("c1"), store.rules()
    )
    assert (won, {str(one).split("\n")[0] for one in lost}) == (0, {"the store is closed"})
