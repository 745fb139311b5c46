"""How the in-memory store keeps run contexts."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.run_context import DEFAULT_RUN_CONTEXT, RunContext
from sayso.store.codec.run_contexts import with_default
from sayso.store.memory.state import State


class RunContexts(State):
    """The part of the in-memory store that keeps run contexts."""

    def __init__(self) -> None:
        super().__init__()
        self._run_contexts: dict[str, RunContext] = {}

    async def run_contexts(self) -> Sequence[RunContext]:
        """All of them by id; `default` is always among them."""
        with self._lock:
            return with_default(self._run_contexts.values())

    async def put_run_context(
        self, run_context: RunContext, records: Records, notices: Notices, *, new: bool
    ) -> bool:
        """Add one or replace one; False where one is (or none is) there already."""
        with self._lock:
            name = run_context.run_context_id
            if new is (name == DEFAULT_RUN_CONTEXT or name in self._run_contexts):
                return False
            self._run_contexts[name] = run_context
            self._rules_version += 1
            self._append(records, notices)
            return True

    async def delete_run_context(
        self, run_context_id: str, records: Records, notices: Notices
    ) -> bool:
        """Delete one; returns whether it was there."""
        with self._lock:
            if self._run_contexts.pop(run_context_id, None) is None:
                return False
            self._rules_version += 1
            self._append(records, notices)
            return True
