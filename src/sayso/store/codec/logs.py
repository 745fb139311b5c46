"""Audit records and events as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sayso.audit.chain import Entry, body_of
from sayso.audit.record import AuditRecord
from sayso.requests.event import Notice
from sayso.store.codec.document import Row, reader, written

_notice = reader(Notice)


@dataclass(frozen=True, slots=True)
class LogRows:
    """Audit records, still without their place in the chain, and events without their number."""

    records: list[tuple[Any, ...]]
    notices: list[tuple[Any, ...]]


def log_rows(records: Iterable[AuditRecord], notices: Iterable[Notice] = ()) -> LogRows:
    """The rows of audit records and events."""
    return LogRows(
        record_rows(records), [(notice.request_id, written(notice)) for notice in notices]
    )


def record_rows(records: Iterable[AuditRecord]) -> list[tuple[Any, ...]]:
    """The rows of audit records: the columns from `at` to `body`."""
    return [(r.at, r.call_id, r.tool, r.by, r.reason, body_of(r)) for r in records]


def read_notice(row: Row) -> Notice:
    """An event from its number and document."""
    return replace(_notice(row[1]), event_id=row[0])


def read_entry(row: Row) -> Entry:
    """An audit entry from its columns."""
    return Entry(*row)
