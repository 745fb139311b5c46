"""Running the server: the socket, the event loop, and an end that loses nothing (SRV-3, SRV-7)."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from litestar import Litestar

from sayso.broker.access import Access
from sayso.errors import SettingsInvalid
from sayso.server.config import is_loopback
from sayso.server.live.closing import Closing

T = TypeVar("T")

GRACE_SECONDS = 5
BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free.

    Raises SettingsInvalid if the address cannot be had, which says how to choose another.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise SettingsInvalid(
            f"`{host}:{port}` is no address of this machine", "choose another: sayso serve --host"
        ) from error
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise _refused(host, port, error) from error
    return listening


async def check_exposure(access: Access, host: str) -> None:
    """Refuse to be reachable from other machines while nobody can log in.

    Raises SettingsInvalid if `host` is not a loopback address and no passphrase was chosen.
    """
    if not is_loopback(host) and not await access.has_passphrase():
        raise SettingsInvalid(
            f"`{host}` can be reached from other machines, and no passphrase was chosen",
            "choose one on a terminal: sayso passphrase set",
        )


async def serve(
    app: Litestar,
    host: str,
    port: int,
    *,
    listening: socket.socket | None = None,
    started: Callable[[str], None] | None = None,
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve until the process is told to stop; `started` is called with the address once it answers.

    `listening` is a socket from `bind`, if it was made before. `tls` is a certificate and its key.
    Raises SettingsInvalid if the address cannot be had.
    """
    own = bind(host, port) if listening is None else listening
    try:
        await Server(app, own, started=started, tls=tls).serve(sockets=[own])
    finally:
        own.close()


class Server(uvicorn.Server):
    """A uvicorn server that tells the application of its end before it waits for open requests."""

    def __init__(
        self,
        app: Litestar,
        listening: socket.socket,
        *,
        started: Callable[[str], None] | None = None,
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="none",
                http="httptools",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
                ssl_certfile=None if tls is None else str(tls[0]),
                ssl_keyfile=None if tls is None else str(tls[1]),
            )
        )
        self._closing: Closing = app.state.closing
        self._on_start = started
        self.address = _address(listening, secure=tls is not None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            self._on_start(self.address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and long polls at once, then wait for the rest."""
        self._closing.begin()
        await super().shutdown(sockets)


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function to its end, on the event loop that serves best here."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # Windows has none
        return None
    return uvloop.new_event_loop


def _address(listening: socket.socket, *, secure: bool) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if secure else 'http'}://{shown}:{port}"


def _refused(host: str, port: int, error: OSError) -> SettingsInvalid:
    if error.errno == errno.EADDRINUSE:
        return SettingsInvalid(
            f"port {port} on `{host}` is in use",
            f"is sayso running already? else choose another: sayso serve --port {port + 1}",
        )
    if error.errno == errno.EACCES:
        return SettingsInvalid(
            f"port {port} may not be used by this user",
            "choose one above 1023: sayso serve --port 8484",
        )
    return SettingsInvalid(
        f"`{host}:{port}` cannot be listened on: {error.strerror}",
        "choose another: sayso serve --host",
    )
