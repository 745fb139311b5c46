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

    def take(self, name: str, size: int = 0) -> None:
        """Take what something of so many bytes costs from the bucket with that name.

        Raises RateLimited if there is not so much in it. What is large costs more, because looking at
        it does: one token for each KiB, and no more than a full bucket holds.
        """
        cost = float(min(max(1, size // 1024), self._at_once))
        now = self._ticks()
        held, since = self._held.pop(name, (float(self._at_once), now))
        held = min(float(self._at_once), held + (now - since) * self._per_second)
        if held < cost:
            self._held[name] = (held, now)
            raise RateLimited(
                "this credential makes calls faster than it may",
                "slow down, or raise the limit of the server",
                retry_after=(cost - held) / self._per_second,
            )
        self._held[name] = (held - cost, now)
        while len(self._held) > MAX_BUCKETS:
            self._held.popitem(last=False)
