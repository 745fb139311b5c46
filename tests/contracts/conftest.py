"""Where the contract tests get their stores: a registry, one entry for each kind there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.store.memory import MemoryStore
from sayso.store.postgres import open_postgres
from sayso.store.sealing import CallKeys
from sayso.store.sqlite import open_sqlite
from tests.fakes.postgres import server

STORES: dict[str, Callable[[Path], Any]] = {
    "memory": lambda _directory: MemoryStore(),
    "postgres": lambda _directory: open_postgres(server().cleared_database()),
    "sealed": lambda directory: open_sqlite(
        directory / "data" / "sayso.db", keys=CallKeys([b"k" * 32])
    ),
    "sqlite": lambda directory: open_sqlite(directory / "data" / "sayso.db"),
}
"""How each kind of store is opened, given an empty directory of its own."""


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """An empty store of each kind in turn."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()
