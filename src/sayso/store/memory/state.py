"""What the parts of the in-memory store share: the lock, the logs, and how both are written."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace

from sayso.audit.chain import GENESIS, Entry, body_of, link
from sayso.audit.record import AuditRecord
from sayso.requests.event import Notice
from sayso.store.feed import LocalFeed
from sayso.store.guard import KEEP_NOTICES


class State:
    """The lock and the logs; a part adds what it keeps in an `__init__` of its own."""

    def __init__(self) -> None:
        self.feed = LocalFeed()
        self._lock = threading.RLock()
        self._notices: list[Notice] = []
        self._last_notice = 0
        self._audit: list[tuple[AuditRecord, Entry]] = []
        self._rules_version = 0

    def _append(self, records: Iterable[AuditRecord], notices: Iterable[Notice]) -> None:
        for record in records:
            previous = self._audit[-1][1].hash if self._audit else GENESIS
            self._audit.append((record, link(len(self._audit) + 1, body_of(record), previous)))
        for notice in notices:
            self._last_notice += 1
            self._notices.append(replace(notice, event_id=self._last_notice))
        if len(self._notices) > KEEP_NOTICES + 1000:
            del self._notices[:-KEEP_NOTICES]
