"""How the in-memory store keeps the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.audit.chain import Entry
from sayso.broker.ports import Notices, Page, Records
from sayso.store.guard import on_page
from sayso.store.memory.state import State


class Audit(State):
    """The part of the in-memory store that keeps the audit log."""

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""
        with self._lock:
            self._append(records, notices)

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first; `since` is included, `until` is not."""
        with self._lock:
            newest_first = reversed(self._audit)
            return [e for record, e in newest_first if on_page(record, e, page)][: page.limit]

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number."""
        with self._lock:
            return [entry for _, entry in self._audit[after : after + limit]]
