"""Runs tests in forks of a process that has loaded all but sayso and the tests, so each starts at once.

It is a program of its own and nothing else runs in it: one line of JSON names a folder, tests and an
environment; the answer is one line with the exit status, and what was printed is in a file.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

# What laws import and what their imports import; one that is missing is only imported later.
LOADED = (
    "argon2", "asyncio", "cryptography.fernet", "hypothesis.stateful", "idna", "jsonschema_rs", "minijinja",
    "msgspec", "orjson", "platformdirs", "psycopg", "psycopg.rows", "pygments", "pytest", "re2", "rfc8785",
    "rich.console", "sqlalchemy.dialects.postgresql", "sqlalchemy.dialects.sqlite", "structlog", "tomlkit",
    "yaml",
)  # fmt: skip

# Named, for looking for plugins and loading all of them takes longer than most laws.
PLUGINS = ("_hypothesis_pytestplugin", "pytest_asyncio.plugin", "pytest_timeout")


def run(order: dict[str, Any]) -> int:
    """Run tests as `python -m pytest` does in a folder, and return pytest's status."""
    import pytest

    place = Path(order["place"])
    os.chdir(place)
    os.environ.clear()
    os.environ.update(order["environment"], PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    sys.path[:0] = [str(place), str(place / "src")]
    with Path(order["output"]).open("wb") as output, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    plugins = [part for plugin in PLUGINS for part in ("-p", plugin)]
    return int(pytest.main([*plugins, *order["arguments"]]))


def serve(orders: TextIO, answers: TextIO) -> int:
    """Fork for each order until there are no more; in a fork, the status to exit with."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    for line in orders:
        pid = os.fork()
        if pid == 0:
            return run(json.loads(line))
        _, status = os.waitpid(pid, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(serve(sys.stdin, sys.stdout))
