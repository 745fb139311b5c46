"""The SQL stores with a key: full arguments are encrypted, and nothing is decided on what cannot be opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sayso.broker.ports.kept_calls import Which
from sayso.core.call import digest_of
from sayso.core.reason import Reason
from sayso.core.withheld import Withheld
from sayso.errors import ArgumentsWithheld
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.lifecycle import Cancelled, Edit, Expired, Reviewed
from sayso.store.postgres import open_postgres
from sayso.store.sealing import NO_KEYS, CallKeys
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import OWNERS, approve, claim, finish, live, new, reject, step
from tests.contracts.test_store_kept_calls import SECRET, secret_request
from tests.fakes.postgres import server
from tests.fakes.values import a_call, a_review, at, said

KEYS = CallKeys([b"k" * 32])
OTHER = CallKeys([b"o" * 32])
ROTATED = CallKeys([b"o" * 32, b"k" * 32])
EVERYTHING = Which(before=at(10**6))


class Database:
    """One database of either kind, opened with the keys a test says and looked at from outside."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind = kind
        self._path = folder / "data" / "sayso.db"
        self._url = server().cleared_database() if kind == "postgres" else ""
        self._open: list[Any] = []

    def store(self, keys: CallKeys) -> Any:
        if self._kind == "postgres":
            self._open.append(open_postgres(self._url, keys=keys))
        else:
            self._open.append(open_sqlite(self._path, keys=keys))
        return self._open[-1]

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement beside the store, as somebody with the file or the database could."""
        if self._kind == "postgres":
            with psycopg.connect(self._url) as connection:
                cursor = connection.execute(sql)  # type: ignore[call-overload]
                return cursor.fetchall() if cursor.description else []
        with sqlite3.connect(self._path) as file:
            return file.execute(sql).fetchall()

    def texts(self) -> str:
        """Everything that stands in the tables of calls, requests, events and the log."""
        tables = ("calls", "requests", "notices", "audit")
        return repr([self.run(f"SELECT * FROM {table}") for table in tables])

    def close(self) -> None:
        for store in self._open:
            store.close()


@pytest.fixture(params=["postgres", "sqlite"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    made = Database(request.param, tmp_path)
    yield made
    made.close()


async def asked(store: Any, request: ApprovalRequest | None = None) -> ApprovalRequest:
    """A pending request in the store, beside the owner's credential."""
    request = secret_request() if request is None else request
    if await store.credential(OWNERS.secret_hash) is None:
        await store.put_credential(OWNERS, ())
    await store.submit(new(request))
    return request


def an_edit(request: ApprovalRequest) -> Edit:
    """The owner's edit: another secret."""
    call = replace(request.call, arguments={"to": "bob@example.com", "password": f"{SECRET}-too"})
    return Edit(
        call=call,
        digest=digest_of(call),
        policy=request.policy,
        why=replace(request.why, sentence=f"it is now {SECRET}-too"),
        action=f"Log in with {SECRET}-too?",
        eligible=None,
        preconditions=request.preconditions,
        by="owner",
        person_id="owner",
        at=at(1),
    )


@pytest.mark.spec("AUD-1a")
async def test_with_a_key_no_secret_stands_in_the_database(database: Database) -> None:
    store = database.store(KEYS)
    request = await asked(store)
    assert SECRET not in database.texts()
    assert "alice@example.com" in database.texts(), "the redacted form is there for everybody"
    assert await live(store, "c1") == request
    assert (await store.call("c1"))[1] == request.call
    edit = an_edit(request)
    await store.apply(step(request, Reviewed(a_review(digest=edit.digest), edit), reviewer=OWNERS))
    assert SECRET not in database.texts()
    edited = await live(store, "c1")
    assert (edited.call, edited.edited and edited.edited.original) == (edit.call, request.call)
    assert (edited.why, edited.action) == (edit.why, edit.action)
    assert edited.withheld is None


@pytest.mark.spec("AUD-1a")
async def test_a_sealed_call_lives_a_whole_life_as_it_was_made(database: Database) -> None:
    store = database.store(KEYS)
    request = await asked(store)
    for change in (approve, claim, finish):
        await store.apply(change(await live(store, "c1")))
    found = await live(store, "c1")
    assert (found.status, found.call, found.why) == (Status.DONE, request.call, request.why)
    assert SECRET not in database.texts()


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("keys", [NO_KEYS, OTHER], ids=["no key", "another key"])
async def test_without_the_key_it_is_listed_and_rejected_and_never_approved(
    database: Database, keys: CallKeys
) -> None:
    await asked(database.store(KEYS))
    store = database.store(keys)
    (found,) = await store.pending()
    assert found.withheld is Withheld.SEALED
    assert SECRET not in repr(found)
    assert (found.call.arguments["to"], found.action) == (
        "alice@example.com",
        "Log in with [secret, 16 characters]?",
    )
    for event in (approve, claim):
        if event is claim:
            found = replace(found, status=Status.APPROVED)
        with pytest.raises(ArgumentsWithheld, match="no key that is here opens them") as caught:
            event(found)
        assert "SAYSO_CALLS_KEY" in (caught.value.hint or "")
    await store.apply(reject(await live(store, "c1")))
    assert (await live(store, "c1")).status is Status.REJECTED


@pytest.mark.spec("AUD-1a")
async def test_nothing_is_lost_while_the_key_is_away(database: Database) -> None:
    first = database.store(KEYS)
    request = await asked(first)
    edit = an_edit(request)
    await first.apply(step(request, Reviewed(a_review(digest=edit.digest), edit), reviewer=OWNERS))
    away = database.store(OTHER)
    found = await live(away, "c1")
    assert found.withheld is Withheld.SEALED
    assert found.call.arguments["to"] == "bob@example.com"
    await away.apply(step(found, Expired(said(Reason.EXPIRED, 9))))
    again = await live(database.store(KEYS), "c1")
    assert again.status is Status.EXPIRED
    assert again.call == edit.call
    assert again.why == edit.why
    assert again.edited is not None
    assert again.edited.original == request.call


@pytest.mark.spec("AUD-1a")
async def test_an_older_key_behind_a_new_one_opens_what_it_sealed(database: Database) -> None:
    await asked(database.store(KEYS))
    store = database.store(ROTATED)
    assert (await live(store, "c1")).withheld is None
    later = secret_request(call_id="c2")
    await asked(store, later)
    assert (await live(database.store(OTHER), "c2")).call == later.call
    assert (await live(database.store(KEYS), "c2")).withheld is Withheld.SEALED


@pytest.mark.spec("AUD-1a")
async def test_what_was_written_before_there_was_a_key_stays_readable(database: Database) -> None:
    plain = database.store(NO_KEYS)
    request = await asked(plain)
    store = database.store(KEYS)
    assert await live(store, "c1") == request
    edit = an_edit(request)
    await store.apply(step(request, Reviewed(a_review(digest=edit.digest), edit), reviewer=OWNERS))
    assert f"{SECRET}-too" not in database.texts()
    assert (await live(store, "c1")).call == edit.call
    assert (await live(plain, "c1")).withheld is Withheld.SEALED
    await store.apply(step(await live(store, "c1"), Cancelled(said(Reason.CANCELLED))))
    assert await plain.forget(EVERYTHING, 10) == 1
    assert SECRET not in database.texts()
    assert (await live(store, "c1")).withheld is Withheld.DELETED


@pytest.mark.spec("AUD-1a")
async def test_a_sealed_call_is_deleted_without_its_key(database: Database) -> None:
    first = database.store(KEYS)
    await first.apply(reject(await asked(first)))
    assert await database.store(OTHER).forget(EVERYTHING, 10) == 1
    found = await live(first, "c1")
    assert found.withheld is Withheld.DELETED
    assert found.call.arguments["to"] == "alice@example.com"
    assert database.run("SELECT sealed, kept_since FROM calls") == [(None, None)]


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize(
    "tampering",
    [
        (
            "UPDATE calls SET sealed = (SELECT other.sealed FROM calls other WHERE other.call_id = 'c2')"
            " WHERE call_id = 'c1'"
        ),
        "UPDATE calls SET digest = 'abc' WHERE call_id = 'c1'",
        (
            "UPDATE calls SET sealed = substr(sealed, 1, length(sealed) - 4) || 'AAA='"
            " WHERE call_id = 'c1'"
        ),
        "UPDATE calls SET sealed = '1.k.!' WHERE call_id = 'c1'",
        "UPDATE calls SET sealed = 'nonsense' WHERE call_id = 'c1'",
        "UPDATE requests SET digest = 'abc' WHERE request_id = 'c1'",
    ],
    ids=["swapped", "digest", "changed", "no base64", "nonsense", "request's digest"],
)
async def test_what_was_tampered_with_is_not_opened(database: Database, tampering: str) -> None:
    store = database.store(KEYS)
    await asked(store)
    await asked(store, secret_request(call_id="c2", tool="other"))
    database.run(tampering)
    _, call = await store.call("c1")
    request = await live(store, "c1")
    if "request" in tampering:
        assert request.withheld is Withheld.SEALED
    else:
        assert call.withheld is Withheld.SEALED
    assert (await live(store, "c2")).withheld is None


@pytest.mark.spec("AUD-1a")
async def test_of_an_edit_sealed_with_another_key_nothing_is_approved(database: Database) -> None:
    store = database.store(KEYS)
    request = await asked(store)
    edit = an_edit(request)
    await database.store(ROTATED).apply(
        step(request, Reviewed(a_review(digest=edit.digest), edit), reviewer=OWNERS)
    )
    found = await live(store, "c1")
    assert found.call.withheld is Withheld.SEALED
    assert found.edited is not None
    assert found.edited.original == request.call
    with pytest.raises(ArgumentsWithheld):
        approve(found)


@pytest.mark.spec("AUD-1a")
async def test_a_call_that_needed_nobody_is_sealed_too(database: Database) -> None:
    store = database.store(KEYS)
    call = a_call(arguments={"token": SECRET})
    await store.submit(new(call=call))
    assert SECRET not in database.texts()
    assert (await store.call("c1"))[1] == call
    assert (await database.store(NO_KEYS).call("c1"))[1].withheld is Withheld.SEALED
