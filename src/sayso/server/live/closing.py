"""The end of the server, told to everything that stays open (SRV-7)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Closing:
    """Tasks that are cancelled as soon as the server begins to close; what they waited for stays pending."""

    def __init__(self) -> None:
        self._begun = False
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def begun(self) -> bool:
        """Whether the server has begun to close."""
        return self._begun

    def begin(self) -> None:
        """Begin to close: end everything that is open; what opens later ends at once."""
        self._begun = True
        for task in list(self._tasks):
            task.cancel()

    @contextmanager
    def ending(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """End this task, too, if the server begins to close in the meantime."""
        self._tasks.add(task)
        if self._begun:
            task.cancel()
        try:
            yield
        finally:
            self._tasks.discard(task)
