"""The in-memory store, for tests of programs that use sayso: all promises but durability, in short."""

from __future__ import annotations

from sayso.store.memory.audit import Audit
from sayso.store.memory.batches import Batches
from sayso.store.memory.events import Events
from sayso.store.memory.freezes import Freezes
from sayso.store.memory.grants import Grants
from sayso.store.memory.kept_calls import KeptCalls
from sayso.store.memory.people import People
from sayso.store.memory.questions import Questions
from sayso.store.memory.rules import Rules
from sayso.store.memory.run_contexts import RunContexts
from sayso.store.memory.tools import Tools


class MemoryStore(
    KeptCalls,
    Questions,
    Grants,
    Batches,
    Rules,
    RunContexts,
    Freezes,
    People,
    Tools,
    Events,
    Audit,
):
    """A store that lives as long as its object; methods are atomic across threads and loops.

    `feed` wakes whoever waits in this process.
    """

    def close(self) -> None:
        """Nothing is kept: there is nothing to close."""
