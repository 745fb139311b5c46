"""What the SQL stores do with run contexts."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Notices, Records
from sayso.core.run_context import RunContext
from sayso.store.codec.logs import log_rows
from sayso.store.codec.run_contexts import read_run_context, with_default
from sayso.store.sql.access import Access
from sayso.store.units import run_contexts as units


class RunContexts(Access):
    """The part of a SQL store that keeps run contexts."""

    async def run_contexts(self) -> Sequence[RunContext]:
        """All of them by id; `default` is always among them."""
        return with_default(await self._few(self._q.run_contexts, {}, read_run_context))

    async def put_run_context(
        self,
        before: RunContext | None,
        after: RunContext,
        records: Records,
        notices: Notices,
    ) -> bool:
        """Put one in the place of another; False if that is not what is there."""
        log = log_rows(records, notices)
        return bool(await self._write(lambda tx: units.put_run_context(tx, before, after, log)))

    async def delete_run_context(
        self, run_context_id: str, records: Records, notices: Notices
    ) -> bool:
        """Delete one; returns whether it was there."""
        log = log_rows(records, notices)
        return bool(await self._write(lambda tx: units.delete_run_context(tx, run_context_id, log)))
