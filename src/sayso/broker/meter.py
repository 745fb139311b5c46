"""What this process has decided since it began, counted as it is recorded (AUD-5).

Codes and numbers only: no tool, no person and nothing of a call is counted by its name.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

from sayso.audit.record import AuditRecord, RecordKind

WAITS = (1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0)
"""Up to how many seconds an answer took, for each step; what took longer is counted after the last."""


class Meter:
    """Counts of one process: checks by effect and reason, how questions ended, how long answers took."""

    __slots__ = ("checks", "resolutions", "waited", "waits")

    def __init__(self) -> None:
        self.checks: Counter[tuple[str, str]] = Counter()
        self.resolutions: Counter[str] = Counter()
        self.waits = [0] * (len(WAITS) + 1)
        self.waited = 0.0

    def count(self, records: Iterable[AuditRecord]) -> None:
        """Count what these records say, once they are written."""
        for record in records:
            if record.kind is RecordKind.VERDICT:
                self.checks[record.effect, record.reason] += 1
            elif record.kind is RecordKind.RESOLUTION:
                self.resolutions[record.reason] += 1
                if record.by is not None and record.waited is not None:
                    self.waits[bisect_left(WAITS, record.waited)] += 1
                    self.waited += record.waited
