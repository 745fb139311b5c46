"""The in-memory store, for tests of programs that use sayso, one subject a file.

It keeps every promise but durability, and no store is easier to read.
Read `store.py` first.
"""

from sayso.store.memory.store import MemoryStore

__all__ = ["MemoryStore"]
