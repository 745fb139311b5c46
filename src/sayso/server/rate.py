"""A token bucket for each credential: how much it may create, in bursts and over time (SRV-3)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from sayso.errors import RateLimited

MAX_BUCKETS = 10_000
"""So many credentials are remembered; the one unseen for longest is forgotten, which only favours it."""


class Buckets:
    """Token buckets by name; a full one holds `at_once` and gains `per_second`."""

    def __init__(
        self, per_second: float, at_once: int, ticks: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._ticks = ticks
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> None:
        """Take one token of the bucket with that name; raises RateLimited if it is empty."""
        now = self._ticks()
        held, since = self._held.pop(name, (float(self._at_once), now))
        held = min(float(self._at_once), held + (now - since) * self._per_second)
        if held < 1:
            self._held[name] = (held, now)
            raise RateLimited(
                "this credential makes calls faster than it may",
                "slow down, or raise the limit of the server",
                retry_after=(1 - held) / self._per_second,
            )
        self._held[name] = (held - 1, now)
        while len(self._held) > MAX_BUCKETS:
            self._held.popitem(last=False)
