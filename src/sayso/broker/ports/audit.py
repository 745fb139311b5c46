"""What the broker needs of the audit log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sayso.audit.chain import Entry
from sayso.audit.record import AuditRecord
from sayso.broker.ports.events import Notices
from sayso.core.moment import Moment, from_rfc3339

Records: TypeAlias = Sequence[AuditRecord]


@dataclass(frozen=True, slots=True)
class Page:
    """Which audit entries are wanted, newest first: filtered, older than `before`; None means all."""

    limit: int = 100
    before: int | None = None
    tool: str | None = None
    by: str | None = None
    reason: str | None = None
    call_id: str | None = None
    agent: str | None = None
    session: str | None = None
    since: Moment | None = None
    until: Moment | None = None

    def wants(self, record: Mapping[str, Any]) -> bool:
        """Whether an entry fits, wherever it stands; its record is as AuditRecord.to_json writes it.

        `since` is included, `until` is not.
        """
        exactly = {
            "tool": self.tool,
            "by": self.by,
            "reason": self.reason,
            "call_id": self.call_id,
            "agent_id": self.agent,
            "session_id": self.session,
        }
        if any(value not in (None, record.get(name, "")) for name, value in exactly.items()):
            return False
        if self.since is None and self.until is None:
            return True
        at = from_rfc3339(record["at"])
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


class AuditStore(Protocol):
    """The audit log; see Store."""

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first."""

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number, for verification and export."""
