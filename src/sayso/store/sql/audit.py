"""What the SQL stores do with the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.audit.chain import Entry
from sayso.broker.ports import Notices, Page, Records
from sayso.store.codec.logs import log_rows, read_entry
from sayso.store.sql.access import Access
from sayso.store.units.logs import log

_EVER = 2**62


class Audit(Access):
    """The part of a SQL store that keeps the audit log."""

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""
        rows = log_rows(records, notices)
        add = self._write if rows.notices else self._append
        await add(lambda tx: log(tx, rows))

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first; `since` is included, `until` is not."""
        values = {
            "before": _EVER if page.before is None else page.before,
            "tool": page.tool,
            "by": page.by,
            "reason": page.reason,
            "agent": page.agent,
            "session": page.session,
            "since": -_EVER if page.since is None else page.since,
            "until": _EVER if page.until is None else page.until,
            "limit": page.limit,
            "call_id": page.call_id,
        }
        of_call = page.call_id is not None
        statement = self._q.audit_page_of_call if of_call else self._q.audit_page
        return await self._many(statement, values, read_entry)

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number."""
        values = {"after": after, "limit": limit}
        return await self._many(self._q.audit_chain, values, read_entry)
