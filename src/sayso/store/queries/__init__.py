"""Every statement of the SQL stores, written in SQLAlchemy Core and compiled once a dialect, one
subject a file.

What comes out is plain SQL text and the order of its parameters, so that the hot path runs it
straight on the driver's connection. Read `bundle.py` first.
"""

from sayso.store.queries.bundle import Queries, sqlite_queries
from sayso.store.queries.calls import REQUEST_COLUMNS

__all__ = ["REQUEST_COLUMNS", "Queries", "sqlite_queries"]
