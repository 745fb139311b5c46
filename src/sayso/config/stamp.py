"""What tells that a file may have changed, at the cost of one `stat`."""

from __future__ import annotations

import os
import time

SETTLED_NANOSECONDS = 100_000_000
"""A file changed less than this ago is read again: another change may carry the same time."""

Stamp = tuple[int, ...]


def stamp_of(found: os.stat_result) -> Stamp:
    """The times of a file, in nanoseconds, and what tells it from another one."""
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_size, found.st_dev


def is_settled(stamp: Stamp) -> bool:
    """Whether the same stamp means the same content; empty is that of a file that is not there."""
    return time.time_ns() - max(stamp[:2], default=0) > SETTLED_NANOSECONDS
