"""The PostgreSQL store, for several replicas: how it is opened, written, read and listened to.

Queries, units of work and methods are those of SQLite, and stand elsewhere. Read `store.py` first, then
`writer.py`.
"""

from sayso.store.postgres.store import PostgresStore, open_postgres

__all__ = ["PostgresStore", "open_postgres"]
