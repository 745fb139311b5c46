"""The SQL store without its database: every method, on one set of queries and units of work."""

from __future__ import annotations

from sayso.store.sql.audit import Audit
from sayso.store.sql.batches import Batches
from sayso.store.sql.calls import Calls
from sayso.store.sql.credentials import Credentials
from sayso.store.sql.events import Events
from sayso.store.sql.freezes import Freezes
from sayso.store.sql.grants import Grants
from sayso.store.sql.kept_calls import KeptCalls
from sayso.store.sql.people import People
from sayso.store.sql.questions import Questions
from sayso.store.sql.rules import Rules
from sayso.store.sql.run_contexts import RunContexts
from sayso.store.sql.sessions import Sessions
from sayso.store.sql.tools import Tools


class SqlStore(
    Calls,
    KeptCalls,
    Batches,
    Questions,
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
    """What SQLite and PostgreSQL have in common: everything but opening, executing and the feed."""
