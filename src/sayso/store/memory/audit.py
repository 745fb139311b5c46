"""How the in-memory store keeps the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.audit.chain import Entry
from sayso.audit.record import AuditRecord
from sayso.broker.ports import Notices, Page, Records
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
            found = sorted(self._audit, key=_age, reverse=True)
            if page.before is not None and 0 < page.before <= len(found):
                place = _age(self._audit[page.before - 1])
                found = [each for each in found if _age(each) < place]
            return [e for record, e in found if page.wants(record.to_json())][: page.limit]

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number."""
        with self._lock:
            return [entry for _, entry in self._audit[after : after + limit]]


def _age(kept: tuple[AuditRecord, Entry]) -> tuple[int, int]:
    record, entry = kept
    return (record.at, entry.seq)
