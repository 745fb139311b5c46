"""Every test of the broker runs in made-up time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories(config: Any, item: Any) -> Mapping[str, Callable[[], Any]]:
    """The loop of each asynchronous test in this folder."""
    return {"virtual": VirtualLoop}
