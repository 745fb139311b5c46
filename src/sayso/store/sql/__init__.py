"""The methods of the SQL stores, one subject a file, the same for SQLite and PostgreSQL.

How a database is opened, read and written stands elsewhere, behind `access.py`. Read `store.py` first.
"""

from sayso.store.sql.store import SqlStore

__all__ = ["SqlStore"]
