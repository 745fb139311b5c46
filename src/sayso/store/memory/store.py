"""The in-memory store, for tests of programs that use sayso: all promises but durability, in short."""

from __future__ import annotations

from sayso.store.memory.audit import Audit
from sayso.store.memory.calls import Calls
from sayso.store.memory.credentials import Credentials
from sayso.store.memory.events import Events
from sayso.store.memory.people import People
from sayso.store.memory.rules import Rules
from sayso.store.memory.sessions import Sessions
from sayso.store.memory.tools import Tools


class MemoryStore(Sessions, Calls, Rules, Credentials, People, Tools, Events, Audit):
    """A store that lives as long as its object; methods are atomic across threads and loops.

    `feed` wakes whoever waits in this process.
    """

    def close(self) -> None:
        """Nothing is kept: there is nothing to close."""
