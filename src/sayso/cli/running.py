"""Whether a server of this installation runs, and where: a lock that ends with its process."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from sayso.errors import NotNow
from sayso.front.assembly import DEFAULT_PORT
from sayso.system.places import find_places, private_directory

DEFAULT_HOST = "127.0.0.1"
LOCK_NAME = "serve.lock"


@contextlib.contextmanager
def serving(url: str) -> Iterator[None]:
    """Hold the mark of a running server; its file names the address.

    Raises NotNow if another server of this installation holds it.
    """
    path = _lock_path()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            where = running_url() or "an unknown address"
            raise NotNow(
                f"a server of this installation is running already, at {where}",
                "use that one, stop it, or set SAYSO_HOME to another directory",
            ) from error
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, url.encode(), 0)
        yield
    finally:
        os.close(descriptor)


def running_url() -> str | None:
    """The address of this installation's running server; None if none runs."""
    path = _lock_path()
    if not path.exists():
        return None
    descriptor = os.open(path, os.O_RDWR)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return os.pread(descriptor, 512, 0).decode(errors="replace") or None
        return None
    finally:
        os.close(descriptor)


def server_url() -> str:
    """The address of the running server, or the default one."""
    return running_url() or f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"


def refuse_while_serving(message: str) -> None:
    """Raise NotNow with this message if a server of this installation runs."""
    where = running_url()
    if where is not None:
        raise NotNow(message, f"stop the server at {where} first")


def _lock_path() -> Path:
    return private_directory(find_places().data) / LOCK_NAME
