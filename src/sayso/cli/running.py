"""Whether a server of this installation runs, and where: a lock that ends with its process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from sayso.core.address import DEFAULT_HOST, DEFAULT_PORT
from sayso.errors import NotNow, StoreUnavailable
from sayso.front.assembly import own_directory
from sayso.system.places import find_places

LOCK_NAME = "serve.lock"

KEPT_BY_THE_SERVER = (
    "if it was, the running server keeps its deny and ask rules until an empty one is put there"
)
"""What is to be known where there are no settings and a server runs: it may have read some (POL-63)."""


@contextlib.contextmanager
def serving(url: str) -> Iterator[None]:
    """Hold the mark of a running server; its file names the address.

    Raises NotNow if another server of this installation holds it.
    """
    with _lock() as descriptor:
        if descriptor is None:
            raise NotNow(
                f"a server of this installation is running already, at {_where()}",
                "use that one, stop it, or set SAYSO_HOME to another directory",
            )
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, url.encode(), 0)
        with contextlib.suppress(StoreUnavailable):  # settings may be kept where we cannot write
            own_directory(find_places().config)
        yield


@contextlib.contextmanager
def while_stopped(message: str) -> Iterator[None]:
    """Keep servers of this installation from starting; raises NotNow with the message if one runs."""
    with _lock() as descriptor:
        if descriptor is None:
            raise NotNow(message, f"stop the server at {_where()} first")
        os.truncate(descriptor, 0)
        yield


def running_url() -> str | None:
    """The address of this installation's running server; None if none runs."""
    if not _lock_path().exists():
        return None
    with _lock() as descriptor:
        return _written() if descriptor is None else None


def server_url() -> str:
    """The address of the running server, or the default one."""
    return running_url() or f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"


def free_port(wanted: int = 0) -> int:
    """The wanted port of this machine if it is free, else any that is."""
    for port in (wanted, 0):
        with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((DEFAULT_HOST, port))
            return int(probe.getsockname()[1])
    return wanted


@contextlib.contextmanager
def _lock() -> Iterator[int | None]:
    """The locked file, or None if another process holds it."""
    own_directory(find_places().data)
    descriptor = os.open(_lock_path(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield descriptor
    finally:
        os.close(descriptor)


def _where() -> str:
    return _written() or "an address it has not said yet"


def _written() -> str | None:
    return _lock_path().read_text("utf-8", errors="replace")[:512] or None


def _lock_path() -> Path:
    return find_places().data / LOCK_NAME
