"""The statements: every one is understood by its database, and the hot ones use an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects import postgresql

from sayso.store.opening import prepare
from sayso.store.queries import Queries, sqlite_queries
from sayso.store.statement import Statement


class Anything(Mapping[str, Any]):
    """A value for every name."""

    def __getitem__(self, name: str) -> Any:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def statements(queries: Queries) -> dict[str, Statement]:
    return {name: s for name, s in vars(queries).items() if isinstance(s, Statement)}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    prepare(tmp_path / "sayso.db")
    connection = sqlite3.connect(tmp_path / "sayso.db")
    yield connection
    connection.close()


SMALL = {
    "rules",
    "freezes",
    "seed_keys",
    "groups",
    "people",
    "roles",
    "role_members",
    "stand_ins",
    "delete_identities",
    "delete_enrolments",
    "revoke_of_person",
    "revoke_logins",
    "credentials",
    "live_credentials",
    "revoke_all",
    "known_tools",
    "approved_definitions",
    "put_rule",
    "grants",
    "bypasses",
    "bypasses_of",
}
"""These read whole tables, which are small: what people have set or chosen to have remembered."""


@pytest.mark.parametrize("name", sorted(statements(sqlite_queries())))
def test_a_statement_runs_and_walks_no_table_that_grows(
    database: sqlite3.Connection, name: str
) -> None:
    statement = statements(sqlite_queries())[name]
    plan = database.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.bind(Anything()))
    steps = [row[3] for row in plan]
    if name in SMALL:
        return
    for step in steps:
        if step.startswith("SCAN"):
            ordered = " INDEX " in step or step in ("SCAN audit", "SCAN notices")
            assert ordered, f"{name}: {steps}"


def test_what_is_open_is_found_without_what_is_closed(database: sqlite3.Connection) -> None:
    indexes = {
        "ix_requests_created_at": ("pending", "unseen"),
        "ix_requests_session_id_status": ("stopped_sessions", "waiting_in_session"),
        "ix_requests_due_at": ("due", "anything_due"),
        "ix_requests_review_by": ("unreviewed", "overdue_review"),
    }
    for index, names in indexes.items():
        for name in names:
            found = statements(sqlite_queries())[name]
            plan = database.execute(f"EXPLAIN QUERY PLAN {found.sql}", found.bind(Anything()))
            assert any(index in row[3] for row in plan), name


def test_a_page_of_the_audit_log_is_read_in_the_order_of_an_index(
    database: sqlite3.Connection,
) -> None:
    found = sqlite_queries().audit_page
    plan = database.execute(f"EXPLAIN QUERY PLAN {found.sql}", found.bind(Anything()))
    steps = [row[3] for row in plan]
    assert any("ix_audit_at" in step for step in steps), steps
    assert not any("TEMP B-TREE" in step for step in steps), steps


def test_the_same_statements_are_made_for_postgresql() -> None:
    made = statements(Queries(postgresql.dialect(paramstyle="numeric_dollar")))
    assert set(made) == set(statements(sqlite_queries()))
    assert all("?" not in statement.sql for statement in made.values())
    assert made["request"].bind({"request_id": "c1"}) == ("c1",)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 63, 64, 200])
def test_any_number_of_rows_is_inserted_in_order(database: sqlite3.Connection, count: int) -> None:
    rows = [(f"r{n}", f"d{n}") for n in range(count)]
    statements = list(sqlite_queries().add_notices.statements(rows))
    assert len(statements) == count // 64 + count % 64 // 8 + count % 8
    last = [database.execute(sql, values).lastrowid for sql, values in statements][-1:]
    found = database.execute("SELECT event_id, request_id, document FROM notices").fetchall()
    assert found == [(n + 1, *row) for n, row in enumerate(rows)]
    assert last == ([count] if count else [])


def test_values_are_bound_by_name_in_the_order_of_the_text() -> None:
    queries = sqlite_queries()
    assert queries.last_notice.bind({}) == ()
    assert queries.request.bind({"request_id": "c1", "more": 1}) == ("c1",)
    assert queries.touch_request.bind({"the_id": "c1", "seen": 5}) == (5, "c1", 5)
    with pytest.raises(KeyError):
        queries.request.bind({})
