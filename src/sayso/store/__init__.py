"""Where calls, requests, rules, credentials and the audit log are kept: SQLite,
PostgreSQL, and an in-memory twin for tests.

No decision is taken here: a store answers queries and makes conditional writes, and says who
won a race. Read `tables.py` first, then `memory/store.py`, the shortest complete store.
"""

__all__: list[str] = []
