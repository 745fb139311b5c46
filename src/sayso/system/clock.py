"""The machine's clock behind the broker's Clock port."""

from __future__ import annotations

import asyncio
import threading
import time

from sayso.core.moment import Moment


class SystemClock:
    """The wall clock, made to never go back within one process.

    When the machine's clock is set back, time goes on at half speed until the wall clock has caught
    up: nothing is dated before what it followed, and deadlines are still reached.
    """

    __slots__ = ("_last", "_lock", "_ticks")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = time.time_ns()
        self._ticks = time.monotonic_ns()

    def now(self) -> Moment:
        """The present moment; never before one that this clock gave earlier."""
        with self._lock:
            ticks = time.monotonic_ns()
            slowed = self._last + (ticks - self._ticks) // 2
            self._last = max(time.time_ns(), slowed)
            self._ticks = ticks
            return Moment(self._last // 1000)

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds; changes of the wall clock do not matter."""
        await asyncio.sleep(seconds)
