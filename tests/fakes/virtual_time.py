"""An event loop whose time is made up: it jumps to the next thing that happens, and no test waits.

The clock of a world in tests reads this time, so `sleep`, waits with a limit, leases and expiry all
agree. Work in other threads takes no time at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")

STUCK_SECONDS = 20.0
"""Real seconds without anything to do after which a test is told that nothing will happen any more."""


class NothingHappens(RuntimeError):
    """Everything waits for something that nobody will bring about."""


class _Selector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Instead of waiting for time to pass, lets it pass."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        if self.loop.outside > 0:
            return super().select(0.05)  # a thread works: time stands still until it reports
        if timeout is None:
            found = super().select(STUCK_SECONDS)
            if not found:
                raise NothingHappens("nothing is left to happen in this loop")
            return found
        found = super().select(0)
        if not found:
            self.loop.passed += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with made-up time; `outside` counts the work that other threads do for it."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.outside = 0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.passed

    @contextlib.contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Time stands still in this block: the answer comes from a thread."""
        self.outside += 1
        try:
            yield
        finally:
            self.outside -= 1

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self.outside += 1
        future.add_done_callback(self._back)
        return future

    def _back(self, future: asyncio.Future[Any]) -> None:
        del future
        self.outside -= 1


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in made-up time: for tests that are not asynchronous themselves."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
