"""How the in-memory store keeps run contexts."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.run_context import RunContext
from sayso.store.codec.run_contexts import at_first_or, with_default
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
        self,
        before: RunContext | None,
        after: RunContext,
        records: Records,
        notices: Notices,
    ) -> bool:
        """Put one in the place of another; False if that is not what is there."""
        with self._lock:
            name = after.run_context_id
            if at_first_or(self._run_contexts.get(name), name) != before:
                return False
            self._run_contexts[name] = after
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
