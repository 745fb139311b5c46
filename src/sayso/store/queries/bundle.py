"""Every statement, in one bundle a dialect."""

from __future__ import annotations

from functools import cache

from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect

from sayso.store.queries.audit import Audit
from sayso.store.queries.batches import Batches
from sayso.store.queries.bookings import Bookings
from sayso.store.queries.calls import Calls
from sayso.store.queries.credentials import Credentials
from sayso.store.queries.events import Events
from sayso.store.queries.freezes import Freezes
from sayso.store.queries.grants import Grants
from sayso.store.queries.kept_calls import KeptCalls
from sayso.store.queries.people import People
from sayso.store.queries.questions import Questions
from sayso.store.queries.rules import Rules
from sayso.store.queries.run_contexts import RunContexts
from sayso.store.queries.sessions import Sessions
from sayso.store.queries.tools import Tools


class Queries(
    Calls,
    KeptCalls,
    Batches,
    Questions,
    Bookings,
    Sessions,
    Grants,
    Rules,
    RunContexts,
    Freezes,
    People,
    Credentials,
    Tools,
    Events,
    Audit,
):
    """The statements for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect)
        self._calls()
        self._requests()
        self._kept_calls()
        self._batches()
        self._questions()
        self._sessions()
        self._grants()
        self._bookings()
        self._rules()
        self._run_contexts()
        self._freezes()
        self._people()
        self._credentials()
        self._tools()
        self._events()
        self._audit()


@cache
def sqlite_queries() -> Queries:
    """The statements as SQLite's driver takes them."""
    return Queries(sqlite.dialect(paramstyle="qmark"))
